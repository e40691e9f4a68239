package digest

import "time"

// A Push is what is known of those who bring a feed's news unasked (WebSub).
type Push struct {
	Topic       string    // the address by which its hubs know it; empty: it names no hub
	Hubs        string    // that it names and that are asked to push it, with spaces between them
	PushedUntil time.Time // until then its hubs are trusted, and it is polled once a week; zero: they are not
}
