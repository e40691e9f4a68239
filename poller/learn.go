package poller

import (
	"net/http"
	"strings"
	"time"

	"digest"
)

// headFirst decides whether a poll begins with a conditional HEAD. In the
// learned mode HEAD is asked until it is known that the conditional GET answers
// 304 (then that is enough) or that HEAD is of no use; where only HEAD tells the
// truth, a real GET once in a while guards against one that is stuck.
func headFirst(f digest.Feed, mode HeadMode, now time.Time) bool {
	switch {
	case f.ParsedAt.IsZero(), f.ETag == "" && f.LastModified == "", mode == HeadNever:
		return false
	case mode == HeadAlways:
		return true
	case f.Conditional == digest.Works:
		return false
	case f.Head == digest.Useless:
		return !now.Before(f.HeadRetestAt)
	case f.Head == digest.Works && f.Conditional == digest.Unknown:
		return false // HEAD is good; one conditional GET shows whether it is needed
	case f.Head == digest.Works:
		return now.Sub(f.ParsedAt) < stuckHEAD
	}
	return true
}

func headWorks(f *digest.Feed) {
	f.Head = digest.Works
	f.HeadRetestAt = time.Time{}
}

func headUseless(f *digest.Feed, now time.Time) {
	f.Head = digest.Useless
	f.HeadRetestAt = now.Add(headRetest)
}

// match is the result of comparing an answer's validators with the stored ones.
type match int

const (
	nothing match = iota // none of the stored validators was in the answer
	same
	different
)

// compare holds an answer's validators against those of the last 200. Every one
// that both have must be the same: an ETag may change while Last-Modified, with
// its resolution of a second, does not, and the reverse (S7). A Last-Modified
// less than a minute older than the answer proves nothing (RFC 9110 §8.8.2.2):
// some servers always say "now".
func (v validators) compare(h http.Header, received time.Time) match {
	result := nothing
	if etag := h.Get("ETag"); v.etag != "" && etag != "" {
		if !sameETag(v.etag, etag) {
			return different
		}
		result = same
	}
	if lm := h.Get("Last-Modified"); v.lastModified != "" && lm != "" {
		if lm != v.lastModified {
			return different
		}
		if result == same || isOld(lm, dateOf(h, received)) {
			return same
		}
		return different
	}
	return result
}

func isOld(lastModified string, date time.Time) bool {
	t, ok := parseDate(lastModified)
	return ok && date.Sub(t) > time.Minute
}

// sameETag compares weakly (RFC 9110 §8.8.3.2), blind to the suffixes that
// Apache's compressing modules add (bugs 39727, 45023).
func sameETag(a, b string) bool { return opaque(a) == opaque(b) }

func opaque(etag string) string {
	etag = strings.Trim(strings.TrimPrefix(etag, "W/"), `"`)
	for _, suffix := range [...]string{"-gzip", "-br", ";gzip", ";br"} {
		if cut, ok := strings.CutSuffix(etag, suffix); ok {
			return cut
		}
	}
	return etag
}
