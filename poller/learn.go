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
	case f.ParsedAt.IsZero(), f.ETag == "" && f.LastModified == "", f.ValidatorsDoubted, f.Conditional == digest.Lies,
		mode == HeadNever:
		return false
	case f.Errors > 0:
		return false // what is wrong shows in a GET alone, and it may be the HEAD
	case mode == HeadAlways:
		return true
	case f.Conditional == digest.Works, f.ByDate && f.Conditional == digest.Unknown:
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

// forgetHead makes HEAD be learned anew: it was good, and is no more.
func forgetHead(f *digest.Feed) {
	if f.Head == digest.Works {
		f.Head = digest.Unknown
	}
}

// refuseHead takes in that a poll has ended at a HEAD which was refused. The
// next one is a GET, in case the site minds the method only.
func refuseHead(f *digest.Feed, now time.Time) {
	if f.Head == digest.Works {
		forgetHead(f)
		return
	}
	headUseless(f, now)
}

// learnFromGET remembers what a 200 says of the server's honesty. It answered
// in full, so if its validators are those that were sent it ignores conditions;
// and if the document is another one all the same, they say nothing of it, to a
// HEAD neither (S36). Validators that move while the document does not are of
// no use either, unless they have been before: then someone touched a file (S6).
func (p *poll) learnFromGET(a *answer, changed bool) {
	switch {
	case p.feed.ValidatorsDoubted:
		p.settleDoubt(a, changed)
		return
	case p.feed.Conditional == digest.Lies && p.compare(a.header, a.received) == different:
		p.feed.Conditional, p.feed.Head = digest.Unknown, digest.Unknown // they have moved: they may be better now
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

// settleDoubt ends a doubt by the document that was asked for without
// conditions: another one under the same validators proves that they lie (S36).
// From then on none is sent, until they change.
func (p *poll) settleDoubt(a *answer, changed bool) {
	p.feed.ValidatorsDoubted = false
	if changed && a.address == p.validators.url && p.compare(a.header, a.received) == same {
		p.feed.Conditional = digest.Lies
		headUseless(&p.feed, a.received)
	}
}

// The numbers of full answers in a row, with the same bytes and the same ETag,
// after which the ETag is taken to be in the way of a 304.
const (
	inTheWay       = 3
	inTheWayCoding = 2  // of one that names a coding
	inVain         = -1 // nor did the date help, under this ETag
)

// countRepeats counts the full answers that a 304 should have been, before the
// answer is stored, and turns to conditions by date alone where the ETag keeps
// them coming (S37): Apache's compressing modules send an ETag that they do not
// know again, and If-None-Match suppresses If-Modified-Since (RFC 9110 §13.1.3).
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

// doubtAfter is how old a document must be for a ping to cast doubt on it.
const doubtAfter = 24 * time.Hour

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
// less than a minute older than the answer proves nothing (RFC 9110 §8.8.2.2),
// unless it was the same a minute ago: some servers always say "now".
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

// sameETag compares weakly (RFC 9110 §8.8.3.2), blind to the suffixes that
// Apache's compressing modules add (bugs 39727, 45023).
func sameETag(a, b string) bool { return opaque(a) == opaque(b) }

func opaque(etag string) string {
	etag = strings.Trim(strings.TrimPrefix(etag, "W/"), `"`)
	return strings.TrimSuffix(etag, suffixOf(etag))
}

// suffixOf gives the suffix of an ETag, quoted or not, that names a coding.
func suffixOf(etag string) string {
	etag = strings.TrimSuffix(etag, `"`)
	for _, suffix := range [...]string{"--gzip", "-gzip", "-br", "-zstd", ";gzip", ";br", ";zstd"} {
		if strings.HasSuffix(etag, suffix) {
			return suffix
		}
	}
	return ""
}
