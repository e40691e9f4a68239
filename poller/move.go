package poller

import (
	"time"

	"digest"
	"digest/feed"
)

// noteMove remembers where a chain of permanent redirects leads. It is believed
// when seen again believeIn later: captive portals and broken sites have sent
// people away for an hour. Whoever stores the record merges it with a feed that
// has the new address already, or leaves the address as it was.
func noteMove(f *digest.Feed, a *answer) {
	switch {
	case !a.moved():
		f.MovedTo, f.MovedSince = "", time.Time{}
	case f.MovedTo != a.address:
		f.MovedTo, f.MovedSince = a.address, a.received
	case a.received.Sub(f.MovedSince) >= believeIn:
		moveTo(f, a.address)
	}
}

// moveTo gives a feed its new address; one that could not be subscribed to,
// such as a very long one, is no place to move to.
func moveTo(f *digest.Feed, address string) {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return
	}
	f.URL, f.Host, f.ValidatorURL = normal, feed.Host(normal), normal
	f.MovedTo, f.MovedSince = "", time.Time{}
}
