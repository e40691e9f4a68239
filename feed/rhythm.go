package feed

import (
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"digest"
)

// Version is that of the parser: it grows when documents are read better, so
// that kept ones are read again.
const Version = 1

// maxInterval bounds what a document may ask for: nobody stays unread for
// longer than a day because of a word in it.
const maxInterval = 24 * time.Hour

// aheadOfClock is how far in the future a date may lie and still mean now: a
// server's mistaken zone. What lies beyond announces something.
const aheadOfClock = 24 * time.Hour

// Domain is the registrable domain of a host name ("blog.example.co.uk":
// "example.co.uk"), in lower case. An address, a single label and a public
// suffix itself are their own.
func Domain(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return host
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return domain
}

// NewestAt is the date of the newest entry, never after now; zero where no
// entry has a date that can be believed.
func (d *Document) NewestAt(now time.Time) time.Time {
	var newest time.Time
	for i := range d.Entries {
		at := d.Entries[i].Published
		switch {
		case at.After(now.Add(aheadOfClock)):
			continue
		case at.After(now):
			at = now
		}
		if at.After(newest) {
			newest = at
		}
	}
	return newest
}

// Interval is the least time between two polls by the document's own word; 0
// where it has none. WordPress says "hourly" unless told otherwise.
func (d *Document) Interval() time.Duration {
	return min(max(d.TTL, d.UpdateEvery, 0), maxInterval)
}

// Skips gives the hours (bit h) and days of UTC in which the document asks not
// to be polled. Who lists all of them cannot mean it: that says nothing.
func (d *Document) Skips() (hours uint32, days digest.Weekdays) {
	for _, h := range d.SkipHours {
		if h >= 0 && h < 24 {
			hours |= 1 << h
		}
	}
	for _, name := range d.SkipDays {
		for wd := time.Sunday; wd <= time.Saturday; wd++ {
			if name == wd.String() {
				days |= 1 << wd
			}
		}
	}
	if hours == 1<<24-1 {
		hours = 0
	}
	if days == digest.EveryDay {
		days = 0
	}
	return hours, days
}
