package poller

import (
	"net/http"
	"time"

	"digest"
)

// Gone decides, when the polls of an hour are in, whether f is gone for good,
// which it says by 410. siblings are the other subscribed feeds of the same
// host and port: a host that says it of everything is broken, not gone, and its
// feeds are left to the rules for errors. A sibling that has answered well
// since settles it. Where none has been asked since, the feed must have said so
// again a day later.
func Gone(f digest.Feed, siblings []digest.Feed, now time.Time) bool {
	if f.GoneAt.IsZero() || f.LastStatus != http.StatusGone || !alive(f) {
		return false
	}
	broken := len(siblings) > 0
	for _, other := range siblings {
		if other.GoneAt.IsZero() {
			if !other.LastOKAt.Before(f.GoneAt) {
				return true
			}
			broken = false
		}
	}
	again := f.LastAttemptAt.Sub(f.GoneAt) >= oneDay && now.Sub(f.GoneAt) >= oneDay
	return !broken && (len(siblings) == 0 || again)
}
