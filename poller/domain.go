package poller

import (
	"net/http"
	"time"

	"digest"
)

// A registrable domain whose feeds limit us one after the other is asked
// slowly, never blocked: two different feeds limited within pairWithin give it
// the pace firstPace, and each further pair doubles it; once none has been for
// pairWithin, each poll that goes well halves it, and below firstPace it ends.
const (
	pairWithin  = 10 * time.Minute
	firstPace   = time.Minute
	slowestPace = time.Hour
)

// PaceDomain gives the pace of a domain after a poll of its feed f, at now. What
// was asked before the domain was last slowed down says nothing of the pace
// that it has now.
func PaceDomain(d digest.DomainPace, f digest.Feed, now time.Time) digest.DomainPace {
	if d.Pace > 0 && d.LimitedFeed == 0 && !f.LastAttemptAt.After(d.LimitedAt) {
		return d
	}
	recent := now.Sub(d.LimitedAt) <= pairWithin
	switch {
	case limited(f) && recent && d.LimitedFeed != 0 && d.LimitedFeed != f.ID: // a pair
		d.Pace = min(max(2*d.Pace, firstPace), slowestPace)
		d.LimitedAt, d.LimitedFeed = now, 0
		d.FreeAt = latest(d.FreeAt, now.Add(d.Pace))
	case limited(f):
		d.LimitedAt, d.LimitedFeed = now, f.ID
	case f.Errors == 0 && d.Pace > 0 && now.Sub(d.LimitedAt) >= pairWithin:
		if d.Pace = (d.Pace / 2).Truncate(time.Second); d.Pace < firstPace {
			d.Pace = 0
		}
		if soon := now.Add(d.Pace); soon.Before(d.FreeAt) {
			d.FreeAt = soon
		}
	}
	return d
}

// limited reports whether the last answer of a feed's site wanted fewer
// requests: 429, or a 503 that named a time. The latter is no error of the
// feed, as its record shows.
func limited(f digest.Feed) bool {
	return f.LastStatus == http.StatusTooManyRequests ||
		f.LastStatus == http.StatusServiceUnavailable && f.Errors > 0 && f.FirstErrorAt.IsZero()
}
