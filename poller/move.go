package poller

import (
	"net/http"
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
		moveTo(f, a.address, a.received)
	}
}

// moveTo gives a feed its new address; one that could not be subscribed to,
// such as a very long one, is no place to move to.
func moveTo(f *digest.Feed, address string, now time.Time) {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return
	}
	f.MovedFrom, f.MovedAt = f.URL, now
	f.URL, f.Host, f.ValidatorURL = normal, feed.Host(normal), normal
	f.MovedTo, f.MovedSince = "", time.Time{}
}

// comeBack takes a feed back to where it was, if it is not, or no more, where
// it moved to a while ago: sites have sent people to places that soon were none
// (S28). A 410 there is not the end of it.
func comeBack(f *digest.Feed, x failure, now time.Time) bool {
	missing := x.status == http.StatusGone || x.status == http.StatusNotFound && f.Errors > 1
	if f.MovedFrom == "" || !missing || now.Sub(f.MovedAt) > keepOld {
		return false
	}
	f.URL, f.Host = f.MovedFrom, feed.Host(f.MovedFrom)
	f.MovedFrom, f.MovedAt = "", time.Time{}
	return true
}
