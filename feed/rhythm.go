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

// Version is that of the parser: it grows when documents are read better, so
// that stored ones are read again.
const Version = 4

// maxInterval bounds what a document may ask for: nobody stays unread for
// longer than a day because of a word in it.
const maxInterval = 24 * time.Hour

// maxStated bounds what is read from a document at all.
const maxStated = 30 * 24 * time.Hour

// aheadOfClock is how far in the future a date may lie and still mean now: a
// server's mistaken zone. What lies beyond announces something.
const aheadOfClock = 24 * time.Hour

// Domain is the registrable domain of a host name ("blog.example.co.uk": "example.co.uk"), in lower case and ASCII. An
// IP address, a single label and a public suffix are their own domains. All spellings of an IP address have one.
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

// Platform returns the domain whose pace holds for a host: the registrable domain by the rules of registries alone.
// ann.github.io and bob.github.io have different owners, but one operator serves both: github.io.
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

// NewestAt is the date of the newest post, never after now; zero where no
// post has a date that can be believed.
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

// Interval is the least time between two polls by the document's own word; 0
// where it has none. WordPress says "hourly" unless told otherwise.
func (d *Document) Interval() time.Duration {
	return min(max(d.TTL, d.UpdateEvery, 0), maxInterval)
}

// minutes reads <ttl>: minutes, by the standard, in whatever form; 0: none.
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

// stated makes a duration of nanoseconds, within what can be meant.
func stated(ns float64) time.Duration {
	if ns >= float64(maxStated) {
		return maxStated
	}
	return time.Duration(max(ns, 0))
}

// updateEvery is the interval that the syndication module states; 0: none. The
// period is daily where only a frequency stands.
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

// hoursOf reads the hours of <skipHours>, 0 to 23, as bits; 24 is midnight, as
// before RSS 0.93. Who lists all of them cannot mean it: that says nothing.
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

// daysOf reads the days of <skipDays>: their English names, whole or cut to
// three letters or more, in any case. All of them say nothing.
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
