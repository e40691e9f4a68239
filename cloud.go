package digest

import "time"

// A CloudSubscription is what is asked of the rssCloud server that a feed names: to tell a callback
// of its own that there is news. It never says what the news is, so it is worth as much as a ping.
type CloudSubscription struct {
	ID         CloudID
	FeedID     FeedID
	Cloud      string    // the address at which it is asked
	Topic      string    // the address of the feed of which it is to tell
	AskedAt    time.Time // when it was last asked
	VerifiedAt time.Time // when it last made sure that this was meant; zero: not yet
	ExpiresAt  time.Time // when its promise ends
	NextAt     time.Time // when it is to be asked again
	Errors     int       // requests in a row that it has not verified
	LastError  string    // what the last of them came to
	Domain     string    // of the cloud: what HubHost counts by; "" before it is first asked
}

// CloudID is the key of a CloudSubscription.
type CloudID int64

// Promises reports whether the cloud has promised to tell of news.
func (c CloudSubscription) Promises(now time.Time) bool { return c.ExpiresAt.After(now) }
