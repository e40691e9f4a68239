package digest

import "time"

// A Filter holds posts back in which its words stand: whole words or a phrase,
// in any case and with any accents, in the title, the author's name or the text.
type Filter struct {
	ID        int64
	DigestID  DigestID
	FeedID    FeedID // of whose posts; 0: of all
	Words     string
	CreatedAt time.Time
}

// A Stay is days that a reader spends in another zone, the first and the last
// of them included.
type Stay struct {
	ID       int64
	UserID   UserID
	From, To Date
	TimeZone string
	Begun    bool   // they are there
	Home     string // of one that has begun: the zone to which they come back
}
