package poller

import (
	"net/http"
	"strings"
	"time"

	"digest"
)

// headFirst reports whether a poll begins with a conditional HEAD. In the learned mode it does until the
// conditional GET answers 304, which is enough, or HEAD proves useless. If only HEAD detects changes, an
// occasional GET guards against a HEAD that always says "unchanged".
func headFirst(f digest.Feed, mode HeadMode, now time.Time) bool {
	switch {
	case f.ParsedAt.IsZero(), f.ETag == "" && f.LastModified == "", f.ValidatorsDoubted, f.Conditional == digest.Lies,
		mode == HeadNever:
		return false
	case f.Errors > 0:
		return false // only a GET shows what is wrong, and HEAD may be the cause
	case mode == HeadAlways:
		return true
	case f.Conditional == digest.Works, f.ByDate && f.Conditional == digest.Unknown:
		return false
	case f.Head == digest.Useless:
		return !now.Before(f.HeadRetestAt)
	case f.Head == digest.Works && f.Conditional == digest.Unknown:
		return false // HEAD works; one conditional GET shows whether it is needed
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

// forgetHead makes the poller learn HEAD again after it stopped working.
func forgetHead(f *digest.Feed) {
	if f.Head == digest.Works {
		f.Head = digest.Unknown
	}
}

// refuseHead records that the site rejected a HEAD. The next poll is a GET, in case the site rejects only
// the method.
func refuseHead(f *digest.Feed, now time.Time) {
	if f.Head == digest.Works {
		forgetHead(f)
		return
	}
	headUseless(f, now)
}

// learnFromGET learns from a 200 whether the server's validators work. A full answer with the validators
// that were sent shows that the server ignores conditions. If the document changed nevertheless, the
// validators are useless for a HEAD too (S36). Validators that change without the document are useless too,
// unless they worked before; then somebody touched the file (S6).
func (p *poll) learnFromGET(a *answer, changed bool) {
	switch {
	case p.feed.ValidatorsDoubted:
		p.settleDoubt(a, changed)
		return
	case p.feed.Conditional == digest.Lies && p.compare(a.header, a.received) == different:
		p.feed.Conditional, p.feed.Head = digest.Unknown, digest.Unknown // they changed: they may be better now
		return
	}
	if !a.conditional {
		return
	}
	match := p.compare(a.header, a.received)
	if match == same || match == different && !changed && p.feed.Conditional == digest.Unknown {
		p.feed.Conditional = digest.Useless
	}
	switch {
	case changed && match == same, !changed && p.headDiffered:
		headUseless(&p.feed, a.received)
	case changed && p.headDiffered:
		headWorks(&p.feed)
	}
}

// settleDoubt ends a doubt with the document of an unconditional request. Another document with the same
// validators proves that they are wrong (S36). Then none is sent until they change.
func (p *poll) settleDoubt(a *answer, changed bool) {
	p.feed.ValidatorsDoubted = false
	if changed && a.address == p.validators.url && p.compare(a.header, a.received) == same {
		p.feed.Conditional = digest.Lies
		headUseless(&p.feed, a.received)
	}
}

// The numbers of full answers in a row, with the same bytes and the same ETag, after which the ETag is
// assumed to prevent a 304.
const (
	inTheWay       = 3
	inTheWayCoding = 2  // for an ETag that names a coding
	inVain         = -1 // the date did not help either, with this ETag
)

// countRepeats counts the full answers that should have been a 304, before the answer is stored. If the
// ETag prevents a 304, it switches to conditions by date only (S37). Apache's compressing modules send an
// ETag that they do not recognise, and If-None-Match suppresses If-Modified-Since (RFC 9110 §13.1.3).
func countRepeats(f *digest.Feed, a *answer, hash string) {
	etag, lm := validator(a.header, "ETag"), validator(a.header, "Last-Modified")
	switch {
	case etag == "":
		f.Repeats = 0
	case etag != f.ETag:
		f.Repeats = 1
	case f.Repeats < 0:
	case hash != f.BodyHash:
		f.Repeats = 1
	case f.ByDate && a.conditional && lm == f.LastModified:
		f.ByDate, f.Repeats, f.Conditional = false, inVain, digest.Useless
	case a.conditional:
		f.Repeats++
	}
	least := inTheWay
	if suffixOf(etag) != "" {
		least = inTheWayCoding
	}
	switch {
	case lm == "":
		f.ByDate = false
	case !f.ByDate && f.Repeats >= least && f.Conditional != digest.Works:
		f.ByDate, f.Conditional = true, digest.Unknown
	}
}

// doubtAfter is the age from which a ping makes a document doubtful.
const doubtAfter = 24 * time.Hour

// A match is the result of comparing an answer's validators with the stored ones.
type match int

const (
	nothing match = iota // the answer had none of the stored validators
	same
	different
)

// compare compares an answer's validators with the stored ones. All that both have must be the same: an
// ETag may change while Last-Modified, with its resolution of a second, does not, and the reverse (S7). A
// Last-Modified less than a minute before the answer proves nothing (RFC 9110 §8.8.2.2), unless it was the
// same a minute ago: some servers always send the current time.
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
		seenBefore := !v.since.IsZero() && received.Sub(v.since) > time.Minute
		if result == same || seenBefore || isOld(lm, dateOf(h, received)) {
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

// sameETag compares weakly (RFC 9110 §8.8.3.2) and ignores the suffixes of Apache's compressing modules
// (bugs 39727, 45023).
func sameETag(a, b string) bool { return opaque(a) == opaque(b) }

func opaque(etag string) string {
	etag = strings.Trim(strings.TrimPrefix(etag, "W/"), `"`)
	return strings.TrimSuffix(etag, suffixOf(etag))
}

// suffixOf returns the suffix of an ETag, quoted or not, that names a coding.
func suffixOf(etag string) string {
	etag = strings.TrimSuffix(etag, `"`)
	for _, suffix := range [...]string{"--gzip", "-gzip", "-br", "-zstd", ";gzip", ";br", ";zstd"} {
		if strings.HasSuffix(etag, suffix) {
			return suffix
		}
	}
	return ""
}
