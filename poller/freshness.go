package poller

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"digest"
)

// freshUntil is until when f is current by the word of the site: of the answer's
// header, or of the document itself (ttl, sy:updatePeriod), whichever asks for
// more, 24 hours at most. f is the record with that answer in it. Zero: it says
// nothing.
//
// stays: the stored answer stays, for this one is a 304, or to a HEAD. If such a one
// says nothing it renews what the stored answer said (RFC 9111 §4.3.4, §4.3.5):
// succeed has left that in the record.
func freshUntil(f digest.Feed, h http.Header, stays bool, received time.Time) time.Time {
	d := freshFor(h, received)
	if stays && h.Get("Cache-Control") == "" && h.Get("Expires") == "" {
		d = f.FreshUntil.Sub(received)
	}
	return after(received, min(max(d, f.DocInterval), maxFresh))
}

// freshFor is how long an answer says it stays current, 0 when it says nothing
// usable: max-age less Age, else Expires less Date (RFC 9111 §4.2.1), at most
// maxFresh. An Expires that cannot be read or has passed means no wish at all,
// not "ask now"; heuristic freshness (§4.2.2) is not used.
func freshFor(h http.Header, received time.Time) time.Duration {
	cc := parseCacheControl(strings.Join(h.Values("Cache-Control"), ","))
	var d time.Duration
	switch {
	case cc.noCache:
		return 0
	case cc.hasMaxAge:
		d = cc.maxAge - age(h)
	default:
		expires, ok := parseDate(h.Get("Expires"))
		if !ok {
			return 0
		}
		d = expires.Sub(dateOf(h, received))
	}
	return min(max(d, 0), maxFresh)
}

// cacheControl is what matters here of a Cache-Control field (RFC 9111 §5.2.2).
type cacheControl struct {
	noCache   bool // no-cache without field names, or no-store
	hasMaxAge bool
	maxAge    time.Duration // 0 if the value cannot be read: stale, says §4.2.1
}

// directivePattern is one directive of the field: a comma in quotes does not end it.
var directivePattern = regexp.MustCompile(`(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+`)

// parseCacheControl reads the field: names in any case, values quoted or not,
// the first of duplicates wins. s-maxage speaks to shared caches only.
func parseCacheControl(field string) cacheControl {
	var cc cacheControl
	for _, directive := range directivePattern.FindAllString(field, -1) {
		name, value, _ := strings.Cut(directive, "=")
		value = strings.Trim(strings.TrimSpace(value), `"`)
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "no-cache":
			cc.noCache = cc.noCache || value == ""
		case "no-store":
			cc.noCache = true
		case "max-age":
			if !cc.hasMaxAge {
				cc.maxAge, _ = parseSeconds(value)
				cc.hasMaxAge = true
			}
		}
	}
	return cc
}

// parseSeconds reads delta-seconds (RFC 9111 §1.2.2): digits only; what is too
// large to hold counts as 2^31.
func parseSeconds(s string) (time.Duration, bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Trim(s, "0123456789") != "" {
		return 0, false
	}
	const most = 1 << 31
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n > most {
		n = most
	}
	return time.Duration(n) * time.Second, true
}

// age is the time an answer has spent in caches (RFC 9111 §5.1).
func age(h http.Header) time.Duration {
	d, _ := parseSeconds(h.Get("Age"))
	return d
}

// dateOf is the answer's own idea of now, so that a wrong clock on either side
// does not matter; received if it has none.
func dateOf(h http.Header, received time.Time) time.Time {
	if t, ok := parseDate(h.Get("Date")); ok {
		return t
	}
	return received
}

// parseDate reads the three forms of an HTTP-date (RFC 9110 §5.6.7) and the two
// common mistakes, a zone other than GMT by name or by number.
func parseDate(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	if t, err := http.ParseTime(s); err == nil {
		return t, true
	}
	for _, layout := range [...]string{time.RFC1123, time.RFC1123Z} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// retryAfter reads Retry-After (RFC 9110 §10.2.3): seconds, or a date that is
// measured against the answer's own Date. It is honoured up to maxRetryAfter;
// a moment that has passed is a wish not to wait, which leaves the poll gap.
// ok is false if the field is missing or makes no sense.
func retryAfter(h http.Header, received time.Time) (wait time.Duration, ok bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := parseSeconds(value); ok {
		return min(d, maxRetryAfter), true
	}
	t, ok := parseDate(value)
	if !ok {
		return 0, false
	}
	return min(max(t.Sub(dateOf(h, received)), 0), maxRetryAfter), true
}
