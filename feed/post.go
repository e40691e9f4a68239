package feed

import (
	"time"

	"digest"
)

func (e *Entry) Post(seen time.Time) digest.Post { return digest.Post{} }
