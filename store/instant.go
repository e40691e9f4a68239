package store

import (
	"time"

	"digest/store/db"
)

type instant = db.Instant

func at(t time.Time) instant { return db.At(t) }

// from converts a time before which something must not happen.
func from(t time.Time) instant { return db.From(t) }
