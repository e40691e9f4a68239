package feed

import (
	"math"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/publicsuffix"

	"digest"
)

// Version is the version of the parser. It increases if the parser improves, so that the poller parses stored
// documents again.
const Version = 4

// maxInterval limits the interval that a document may request, so that posts appear within a day.
const maxInterval = 24 * time.Hour

const maxStated = 30 * 24 * time.Hour

// aheadOfClock is how far in the future the date of a post may be and still mean now, because of a wrong time zone.
// Later dates announce an event.
const aheadOfClock = 24 * time.Hour

// Domain returns the registrable domain of a host name ("blog.example.co.uk": "example.co.uk"), in lower case and
// ASCII. An IP address, a single label and a public suffix are their own domains. All spellings of an IP address have
// one.
func Domain(host string) string {
	host = strings.ToLower(strings.TrimRight(host, "."))
	if ascii, err := digest.ASCIIHost(host); err == nil {
		host = ascii
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil || strings.Trim(domain[strings.LastIndexByte(domain, '.')+1:], "0123456789") == "" {
		return host // no top-level domain is a number
	}
	return domain
}

// Platform returns the domain whose request rate is limited for a host: the registrable domain by the ICANN section
// of the Public Suffix List. ann.github.io and bob.github.io have different owners, but one operator serves both:
// github.io.
func Platform(host string) string {
	domain := Domain(host)
	suffix, registry := publicsuffix.PublicSuffix(domain)
	_, above, several := strings.Cut(suffix, ".")
	if _, err := netip.ParseAddr(domain); err == nil || registry || !several {
		return domain
	}
	if parent, registry := publicsuffix.PublicSuffix(above); registry && parent == above {
		return suffix
	}
	return Platform(above)
}

// NewestAt returns the date of the newest post, at most now; zero: no post has a plausible date.
func (d *Document) NewestAt(now time.Time) time.Time {
	var newest time.Time
	for i := range d.Posts {
		at := d.Posts[i].Published
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

// Interval returns the shortest time between two polls that the document requests, at most a day; 0: none. WordPress
// writes "hourly" by default.
func (d *Document) Interval() time.Duration {
	return min(max(d.TTL, d.UpdateEvery, 0), maxInterval)
}

// minutes reads <ttl>, by default in minutes; 0: none.
func minutes(s string) time.Duration {
	s = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(s), "+"))
	end := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if end < 0 {
		end = len(s)
	}
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil && !math.IsInf(n, 1) {
		return 0
	}
	unit := time.Minute
	switch unitName := strings.TrimSpace(s[end:]); {
	case strings.HasPrefix(unitName, "h"):
		unit = time.Hour
	case strings.HasPrefix(unitName, "d"):
		unit = 24 * time.Hour
	}
	return stated(n * float64(unit))
}

func stated(ns float64) time.Duration {
	if ns >= float64(maxStated) {
		return maxStated
	}
	return time.Duration(max(ns, 0))
}

// updateEvery returns the interval of the syndication module; 0: none. With only a frequency, the period is a day.
func updateEvery(period, frequency string) time.Duration {
	times, err := strconv.ParseFloat(strings.TrimSpace(frequency), 64)
	valid := err == nil && times > 0
	if !valid {
		times = 1
	}
	if period = strings.ToLower(strings.TrimSpace(period)); period == "" && valid {
		period = "daily"
	}
	const hour = float64(time.Hour)
	every := map[string]float64{"hourly": hour, "daily": 24 * hour, "weekly": 7 * 24 * hour,
		"monthly": float64(maxStated), "yearly": float64(maxStated)}
	return stated(every[period] / times)
}

// hoursOf reads the hours of <skipHours>, 0 to 23, as bits. 24 is midnight, as before RSS 0.93. A list of all 24
// hours is a mistake and returns 0.
func hoursOf(words []string) (hours uint32) {
	for _, word := range words {
		digits, _, _ := strings.Cut(strings.Replace(word, ".", ":", 1), ":") // 3:00, 3.0
		if hour, err := strconv.Atoi(digits); err == nil && hour >= 0 && hour <= 24 {
			hours |= 1 << (hour % 24)
		}
	}
	if hours == 1<<24-1 {
		return 0
	}
	return hours
}

// daysOf reads the days of <skipDays>: English names, or at least their first three letters, in any case. A list of
// all days is a mistake and returns 0.
func daysOf(words []string) (days digest.Weekdays) {
	for _, word := range words {
		word = strings.ToLower(strings.TrimRight(word, "."))
		for wd := time.Sunday; wd <= time.Saturday; wd++ {
			name := strings.ToLower(wd.String())
			if len(word) >= 3 && (strings.HasPrefix(name, word) || word == name+"s") {
				days |= 1 << wd
			}
		}
	}
	if days == digest.EveryDay {
		return 0
	}
	return days
}
