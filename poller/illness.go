package poller

import (
	"net/http"
	"strings"
	"time"

	"digest"
)

// A feed is sick after sickAfter without a successful poll, and after at least leastSick failed polls in a
// row. Two failures of a feed that is polled once a week are not enough.
const (
	sickAfter = 7*oneDay - oneDay/2 // half a day less, because the minute of the poll varies
	leastSick = 3
)

// Illness returns the illness of a feed, or digest.Well. A feed without new posts is well.
func Illness(f digest.Feed, now time.Time) digest.Illness {
	if f.Errors < leastSick || f.FailingSince.IsZero() || now.Sub(f.FailingSince) < sickAfter {
		return digest.Well
	}
	return LastFailure(f)
}

// LastFailure returns the kind of failure of a feed's last poll, which failed, however long it has lasted.
func LastFailure(f digest.Feed) digest.Illness {
	switch s := f.LastStatus; {
	case usable(s) && f.LastError == notFeed+webPage:
		return digest.PageInItsPlace
	case usable(s):
		return digest.Unreadable
	case s == http.StatusUnauthorized:
		return digest.NeedsPassword
	case s == http.StatusForbidden, s == 0 && (f.LastError == byRobots || f.LastError == formerByRobots):
		return digest.Refused
	case s == http.StatusNotFound, s == http.StatusGone:
		return digest.NotThere
	case s == http.StatusTooManyRequests:
		return digest.Limited
	case s >= 500:
		return digest.ServerFails
	case s == 0 && strings.HasPrefix(f.LastError, badCertificate):
		return digest.BadCertificate
	case s == 0 && (f.LastError == noSuchHost || f.LastError == formerNoSuchHost):
		return digest.NoHost
	case s == 0:
		return digest.NoAnswer
	}
	return digest.OtherIllness
}
