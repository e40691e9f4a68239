package digest

import "time"

// A CloudSubscription is a registration at the rssCloud server that a feed names. The server notifies the callback of
// the subscription when the feed changes. A notification has no content, so it counts as a ping.
type CloudSubscription struct {
	ID          CloudID
	FeedID      FeedID
	Cloud       string    // address of the server
	Topic       string    // address of the feed
	RequestedAt time.Time // of the last registration
	VerifiedAt  time.Time // when the server last verified the callback; zero: not yet
	ExpiresAt   time.Time // end of the registration
	NextAt      time.Time // of the next registration
	Errors      int       // consecutive requests that the server did not verify
	LastError   string    // of the last registration
	Domain      string    // of the server, which HubHost limits; "" before the first request
}

// CloudID is the key of a CloudSubscription.
type CloudID int64

// Promises reports whether the registration is still valid, so that the server sends notifications.
func (c CloudSubscription) Promises(now time.Time) bool { return c.ExpiresAt.After(now) }
