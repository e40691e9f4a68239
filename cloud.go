package digest

import "time"

// A CloudSubscription is our registration at the rssCloud server that a feed names. The server notifies a callback of the
// subscription when the feed changes. A notification has no content, so it counts as a ping.
type CloudSubscription struct {
	ID          CloudID
	FeedID      FeedID
	Cloud       string    // address of the server
	Topic       string    // address of the feed
	RequestedAt time.Time // of the last registration
	VerifiedAt  time.Time // when the server last verified the callback; zero: not yet
	ExpiresAt   time.Time // end of the registration
	NextAt      time.Time // of the next registration
	Errors      int       // requests in a row that it has not verified
	LastError   string    // of the last registration
	Domain      string    // of the server, by which HubHost counts; "" before the first request
}

// CloudID is the key of a CloudSubscription.
type CloudID int64

// Promises reports whether the cloud has promised to tell of news.
func (c CloudSubscription) Promises(now time.Time) bool { return c.ExpiresAt.After(now) }
