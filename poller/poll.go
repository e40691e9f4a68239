package poller

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"digest"
	"digest/feed"
)

// Poll takes one look at a feed: HEAD where that can save something, GET where
// it is needed, never more. It does not ask whether the feed may be asked: that
// is the caller's promise (see MidnightPoll), and so is the lease of its host.
// Failures are in the record that comes back, with the time before which the
// feed is to be left alone.
func (p *Poller) Poll(ctx context.Context, f digest.Feed, subscribers int) Result {
	v := &poll{session: p.newSession(f, subscribers), feed: f}
	v.leasedHost = f.Host
	v.avoidsHotMinutes = !p.pace.noWait && !isHot(p.now())
	v.keeps = true
	v.run(ctx)
	return v.finish(f)
}

// A poll is one poll under way. feed becomes the record to be stored.
type poll struct {
	*session
	feed    digest.Feed
	outcome Outcome
	message string
	doc     *feed.Document
	page    *answer // that doc was read from

	// What a HEAD of this poll brought: it said that the document had changed;
	// or the site may have been down rather than the HEAD unwelcome.
	headDiffered, headFell bool
	headAsked              bool
}

func (v *poll) run(ctx context.Context) {
	r, err := routeTo(v.feed.URL)
	if err != nil {
		v.failed(err)
		return
	}
	if headFirst(v.feed, v.p.head, v.p.now()) {
		next, done := v.head(ctx, r)
		if done {
			return
		}
		r = next
	}
	v.get(ctx, r)
}

// head asks by HEAD. If that did not settle the matter it gives the route for
// the GET: past the redirects that HEAD has found, or from the start where the
// HEAD is not to be trusted.
func (v *poll) head(ctx context.Context, start route) (next route, done bool) {
	v.headAsked = true
	a, err := v.fetch(ctx, http.MethodHead, start)
	if err != nil {
		return start, v.unheard(err)
	}
	switch v.judge(a) {
	case headSettles:
		headWorks(&v.feed)
		v.unchanged(a, fmt.Sprintf("unchanged: HEAD %d", a.status))
		return start, true
	case headEnds:
		refuseHead(&v.feed, a.received)
		v.failed(badStatus(a))
		return start, true
	case headDiffers:
		return a.route, false
	}
	headUseless(&v.feed, a.received)
	v.headFell = a.status >= 500 && !refusesMethod(a.status)
	return start, false
}

// unheard takes in that a HEAD was not answered. While it is not known what
// the server makes of HEAD, that may be to blame, and a GET tells.
func (v *poll) unheard(err error) (done bool) {
	t, ok := errors.AsType[*pollError](err)
	if !ok || !t.unanswered || v.feed.Head == digest.Works {
		forgetHead(&v.feed)
		v.failed(err)
		return true
	}
	headUseless(&v.feed, v.p.now())
	v.headFell = true
	return false
}

// verdict is what a HEAD means for the rest of the poll.
type verdict int

const (
	headProvesNothing verdict = iota // useless: GET
	headDiffers                      // GET
	headSettles                      // nothing new
	headEnds                         // the site does not want to be asked now
)

func (v *poll) judge(a *answer) verdict {
	switch {
	case a.status == http.StatusNotModified && a.conditional:
		return headSettles
	case usable(a.status) && a.conditional:
		return v.compareHEAD(a)
	case usable(a.status):
		return headDiffers // another URL than the one that gave the validators
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden, limits(a):
		return headEnds
	case a.status >= 400 && v.feed.Head == digest.Works && !refusesMethod(a.status):
		return headEnds // it was good so far: this is the site's word, not the method's
	}
	return headProvesNothing
}

func refusesMethod(status int) bool {
	return status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

func (v *poll) compareHEAD(a *answer) verdict {
	length := lengthOf(a)
	switch v.compare(a.header, a.received) {
	case same:
		if length > 0 && v.feed.Length > 0 && length != v.feed.Length {
			v.headDiffered = true // the same validators, and another document
			return headDiffers
		}
		return headSettles
	case different:
		v.headDiffered = true
		return headDiffers
	}
	return headProvesNothing
}

func (v *poll) get(ctx context.Context, r route) {
	a, err := v.fetch(ctx, http.MethodGet, r)
	switch {
	case err != nil:
		v.failed(err)
	case a.status == http.StatusNotModified && a.conditional:
		v.notModified(a)
	case usable(a.status):
		trusted := v.feed.Head == digest.Works && v.feed.Conditional == digest.Useless && !v.headAsked && !v.held
		length := v.feed.Length
		if v.read(a); trusted && v.outcome == Changed {
			v.crossCheck(ctx, r, length)
		}
	default:
		v.failed(badStatus(a))
	}
}

// crossCheck asks a HEAD that is trusted about a document that has just turned
// out to be another one, with the validators of the one before. If it sees no
// difference it has lied, and would have kept the news from readers for a week.
// length is that of the document before.
func (v *poll) crossCheck(ctx context.Context, r route, length int64) {
	a, err := v.fetch(ctx, http.MethodHead, r)
	if err != nil {
		return // the document is here, and no worse for it
	}
	now := v.feed.Length
	v.feed.Length = length
	if v.judge(a) == headSettles {
		headUseless(&v.feed, a.received)
	}
	v.feed.Length = now
	wait, _ := retryAfter(a.header, a.received)
	v.feed.NotBefore = latest(v.feed.NotBefore, after(a.received, wait))
	if usable(a.status) || a.status == http.StatusNotModified {
		v.feed.FreshUntil = freshUntil(v.feed, a.header, true, a.received) // it was asked now
	}
}

// lengthOf is the Content-Length of an answer, 0 if it has none.
func lengthOf(a *answer) int64 {
	n, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// notModified takes in a 304 to a GET: the stored answer stays, with the
// fields that the 304 brings up to date (RFC 9111 §4.3.4). The ETag that earned
// it stays even if the 304 names another one (S9).
func (v *poll) notModified(a *answer) {
	v.feed.Conditional = digest.Works
	if v.feed.Repeats > 1 && !v.feed.ByDate {
		v.feed.Repeats = 1
	}
	if v.headDiffered {
		headUseless(&v.feed, a.received) // it said changed, and lied
	}
	etag := a.header.Get("ETag")
	if etag != "" && !sameETag(etag, v.feed.ETag) {
		v.p.log.Debug("304 names another ETag; the one that earned it is kept", "feed", a.url.Redacted(), "etag", etag)
	} else if lm := validator(a.header, "Last-Modified"); lm != "" {
		v.feed.LastModified = lm
	}
	v.unchanged(a, "unchanged: 304")
}

// read takes in a document. If its bytes are those of the last one it is not
// parsed again; if it is no feed, nothing of it is kept (S13).
func (v *poll) read(a *answer) {
	hash := hashOf(a.body)
	if hash == v.feed.BodyHash {
		v.learnFromGET(a, false)
		v.accept(a, hash)
		v.unchanged(a, "unchanged: the same bytes")
		return
	}
	doc, err := v.p.parseFeed(a)
	if err != nil {
		v.failed(err)
		return
	}
	v.learnFromGET(a, true)
	v.accept(a, hash)
	describeFeed(&v.feed, doc, a.received)
	v.succeeded(a)
	v.outcome, v.doc, v.page = Changed, doc, a
	v.message = "changed: " + entries(doc)
}

// entries says how much a document holds.
func entries(doc *feed.Document) string {
	if len(doc.Posts) == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", len(doc.Posts))
}

// accept makes the answer the stored one: its validators as a pair (S5-S7,
// S10), also when the body is the same as before.
func (v *poll) accept(a *answer, hash string) {
	countRepeats(&v.feed, a, hash)
	etag, lm := validator(a.header, "ETag"), validator(a.header, "Last-Modified")
	if (etag == "") != (v.feed.ETag == "") || (lm == "") != (v.feed.LastModified == "") {
		v.feed.Conditional, v.feed.Head = digest.Unknown, digest.Unknown // it is asked by others now: learn anew
		v.feed.HeadRetestAt = time.Time{}
	}
	v.feed.ETag, v.feed.LastModified = etag, lm
	v.feed.Length = lengthOf(a)
	v.feed.ValidatorURL = a.address
	v.feed.BodyHash = hash
	v.feed.ParsedAt = a.received
}

// unchanged ends the poll. If a ping had said that there is news, the
// validators are doubted (S36), unless the whole document has just come.
func (v *poll) unchanged(a *answer, message string) {
	v.feed.Doubted = v.feed.Doubted || !v.feed.PingedAt.IsZero() && a.received.Sub(v.feed.ParsedAt) > doubtAfter
	v.succeeded(a)
	v.outcome, v.message = Unchanged, message
}

// succeeded takes in what every good answer says, to HEAD or GET, 200 or 304.
func (v *poll) succeeded(a *answer) {
	succeed(&v.feed, a.status, a.body == nil, a.received)
	v.feed.FreshUntil = freshUntil(v.feed, a.header, a.body == nil, a.received)
	v.feed.OwnInterval = OwnInterval(v.feed, a.received)
	v.feed.NotBefore = after(a.received, a.wait)
	noteMove(&v.feed, a)
}

// failed ends the poll. The document, its validators and its freshness stay as
// they were; a poll that was cut short leaves no trace at all.
func (v *poll) failed(err error) {
	t, ok := errors.AsType[*pollError](err)
	if !ok {
		v.outcome, v.message = Stopped, "stopped before the answer: "+oneLine(err.Error())
		return
	}
	if v.headFell {
		v.feed.HeadRetestAt = v.p.now().Add(stuckHEAD)
	}
	fail(&v.feed, t.failure, v.p.now())
	v.feed.LastError = oneLine(t.text)
	v.outcome, v.message = Failed, v.feed.LastError
}

// finish makes the result of the poll of f.
func (v *poll) finish(f digest.Feed) Result {
	if v.outcome == Stopped {
		v.feed = f
	} else {
		v.feed.PollAt, v.feed.LeaseUntil, v.feed.PingedAt = time.Time{}, time.Time{}, time.Time{}
		v.feed.Domain = feed.Domain(v.feed.Host)
	}
	v.feed.LastAttemptAt = latest(f.LastAttemptAt, v.startedAt)
	result := Result{
		Feed: v.feed, Outcome: v.outcome, Document: v.doc, Message: v.message,
		Requests: v.requests, Bytes: v.bytes, HostFreeAt: v.freeAt, Took: v.took,
	}
	if v.outcome != Stopped {
		result.Status = v.feed.LastStatus
	}
	if v.hasLarge {
		result.release = func() { <-v.p.heavy }
	}
	if v.page != nil {
		result.Body, result.ContentType, result.Address = v.page.body, v.page.header.Get("Content-Type"), v.page.address
	}
	return result
}

// parseFeed reads a body as a feed. A parser that panics fails this feed only.
func (p *Poller) parseFeed(a *answer) (*feed.Document, error) {
	doc, err := p.parseAny(a)
	if err != nil {
		return nil, &pollError{failure: failure{status: a.status}, text: err.Error()}
	}
	if !doc.IsFeed() {
		return nil, &pollError{failure: failure{status: a.status}, text: "the answer is not a feed but " + kindName(doc.Kind)}
	}
	return doc, nil
}

func (p *Poller) parseAny(a *answer) (*feed.Document, error) {
	return p.Read(context.Background(), a.body, a.header.Get("Content-Type"), a.address)
}

// Read reads a document that was fetched before, as a poll does: no more at
// once than there are processors, and a parser that panics breaks nothing else.
func (p *Poller) Read(ctx context.Context, body []byte, contentType, address string) (doc *feed.Document, err error) {
	select {
	case p.parsing <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() {
		<-p.parsing
		if r := recover(); r != nil {
			p.log.Error("parsing panicked", "address", redacted(address), "panic", fmt.Sprint(r))
			doc, err = nil, errors.New("the document could not be read: it broke the parser, which is a fault of this program")
		}
	}()
	return p.parse(body, contentType, address)
}

// redacted hides the password in an address.
func redacted(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "(not an address)"
	}
	return u.Redacted()
}

func kindName(k feed.Kind) string {
	switch k {
	case feed.HTML:
		return "a web page"
	case feed.OPML:
		return "a list of subscriptions (OPML)"
	}
	return string(k)
}

// describeFeed takes over what a document says of itself.
func describeFeed(f *digest.Feed, doc *feed.Document, now time.Time) {
	f.Kind = string(doc.Kind)
	f.SiteURL = feed.CleanURL(doc.Link)
	f.Language = feed.Language(doc.Language)
	if doc.Title != "" {
		f.Title = doc.Title
	}
	f.Parser = feed.Version
	f.NewestAt = latest(f.NewestAt, doc.NewestAt(now))
	f.DocInterval = doc.Interval()
	f.SkipHours, f.SkipDays = doc.SkipHours, doc.SkipDays
}

const maxValidator = 2 << 10 // bytes

// validator gives a field as it came, or nothing if it could not be stored and
// sent back byte for byte: absurdly long, or not UTF-8.
func validator(h http.Header, name string) string {
	s := h.Get(name)
	if len(s) > maxValidator || !utf8.ValidString(s) {
		return ""
	}
	return s
}

func hashOf(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

func after(t time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return t.Add(d)
}
