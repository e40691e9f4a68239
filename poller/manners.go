package poller

import (
	"net/url"
	"time"

	"digest"
)

const (
	oneYear      = 365 * oneDay
	silentAfter  = 30 * oneDay
	slowPerYear  = oneDay / 2
	slowest      = 7 * oneDay
	withPassword = oneDay / 2
	inFull       = oneDay
)

// OwnInterval is the least time between two polls that our own manners ask for,
// whatever the site allows: the longest of those that apply.
func OwnInterval(f digest.Feed, now time.Time) time.Duration {
	every := silence(f, now)
	if credentialed(f) {
		every = max(every, withPassword)
	}
	if alwaysInFull(f) {
		every = max(every, inFull)
	}
	return every
}

// silence slows a feed that has brought nothing for a month: by half a day for
// each year of it.
func silence(f digest.Feed, now time.Time) time.Duration {
	silent := now.Sub(f.NewestAt)
	if f.NewestAt.IsZero() || silent < silentAfter {
		return 0
	}
	return min(time.Duration(float64(slowPerYear)*(float64(silent)/float64(oneYear))).Truncate(time.Second), slowest)
}

// credentialed reports whether a feed's address holds a name or a password: it
// is made for one reader.
func credentialed(f digest.Feed) bool {
	u, err := url.Parse(f.URL)
	return err == nil && u.User != nil
}

// alwaysInFull reports whether every poll costs the whole document, because the
// server gave nothing to ask by, or ignores it (S33): so it has done, too, with a
// feed that is now tried by its date alone (S37).
func alwaysInFull(f digest.Feed) bool {
	switch {
	case f.ParsedAt.IsZero():
		return false
	case f.ETag == "" && f.LastModified == "", f.Conditional == digest.Lies:
		return true
	case f.Head == digest.Works:
		return false
	}
	return f.Conditional == digest.Useless || f.ByDate && f.Conditional == digest.Unknown
}
