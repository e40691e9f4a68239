package poller

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"digest"
)

// freshUntil returns until when f is fresh: by the answer's header or by the document (ttl,
// sy:updatePeriod), whichever is later, and at most 24 hours. f is the record after that answer. The result
// is zero if neither states a time.
//
// stays means that the stored answer is still valid, because this answer is a 304 or answers a HEAD. If it
// states no time, it renews the time of the stored answer (RFC 9111 §4.3.4, §4.3.5), which succeed left in
// the record.
func freshUntil(f digest.Feed, h http.Header, stays bool, received time.Time) time.Time {
	d := freshFor(h, received)
	if stays && h.Get("Cache-Control") == "" && h.Get("Expires") == "" {
		d = f.FreshUntil.Sub(received)
	}
	return after(received, min(max(d, f.DocInterval), maxFresh))
}

// freshFor returns how long an answer stays fresh by its header: max-age minus Age, or Expires minus Date
// (RFC 9111 §4.2.1), at most maxFresh. It returns 0 if the header states no usable time. An unreadable or
// past Expires counts as no statement. Heuristic freshness (§4.2.2) is not used.
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

// A cacheControl holds the used directives of a Cache-Control field (RFC 9111 §5.2.2).
type cacheControl struct {
	noCache   bool // no-cache without field names, or no-store
	hasMaxAge bool
	maxAge    time.Duration // 0 if the value is unreadable: stale, says §4.2.1
}

// directivePattern matches one directive of the field. A comma in quotes does not end it.
var directivePattern = regexp.MustCompile(`(?:[^,"]|"(?:[^"\\]|\\.)*(?:"|\\?$))+`)

// parseCacheControl reads the field. Names have any case, values may be quoted, and the first of duplicates
// wins. It ignores s-maxage, which is for shared caches.
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

// parseSeconds reads delta-seconds (RFC 9111 §1.2.2): digits only. Larger values count as 2^31.
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

// age returns the time that an answer spent in caches (RFC 9111 §5.1).
func age(h http.Header) time.Duration {
	d, _ := parseSeconds(h.Get("Age"))
	return d
}

// dateOf returns the Date of an answer, or received if it has none. Differences to it do not depend on the
// clocks.
func dateOf(h http.Header, received time.Time) time.Time {
	if t, ok := parseDate(h.Get("Date")); ok {
		return t
	}
	return received
}

// parseDate reads the three forms of an HTTP-date (RFC 9110 §5.6.7). It also accepts two common errors: a
// zone other than GMT, by name or by number.
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

// retryAfter reads Retry-After (RFC 9110 §10.2.3): seconds, or a date relative to the answer's Date. It
// limits the wait to maxRetryAfter. A past date returns 0, so only the poll gap remains. ok is false if the
// field is missing or unreadable.
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
