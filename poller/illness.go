package poller

import (
	"net/http"
	"strings"
	"time"

	"digest"
)

// A feed is sick when nothing could be read of it for sickAfter, by leastSick polls in a
// row or more: one that is asked once a week, or whose reader was away, has not failed
// for a week because two polls did.
const (
	sickAfter = 7*oneDay - oneDay/2 // the minute differs from night to night
	leastSick = 3
)

// Illness says what a feed is sick of; digest.Well if it is not. One that brings nothing
// new is well.
func Illness(f digest.Feed, now time.Time) digest.Illness {
	if f.Errors < leastSick || f.FailingSince.IsZero() || now.Sub(f.FailingSince) < sickAfter {
		return digest.Well
	}
	return LastFailure(f)
}

// LastFailure says of what kind the failure of a feed's last poll was, however long it lasts; the feed has failed.
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
