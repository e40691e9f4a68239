package poller

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/feed"
)

// FeedLease is the lease of a feed for a poll. It is longer than any poll: ten slow redirects of HEAD and GET.
const FeedLease = 15 * time.Minute

// Poll polls a feed once: with HEAD if that can save a GET, and with GET if it is needed. The caller makes
// sure that the feed may be polled (see MidnightPoll) and leases its host. The returned record contains
// failures and the time of the earliest retry.
func (p *Poller) Poll(ctx context.Context, f digest.Feed, subscribers int) Result {
	return p.PollUntil(ctx, ctx, f, subscribers)
}

// PollUntil is Poll, but it sends no first request after begin ends. It continues until ctx ends, which
// must not be earlier.
func (p *Poller) PollUntil(begin, ctx context.Context, f digest.Feed, subscribers int) Result {
	v := &poll{session: p.newSession(f, subscribers), feed: f}
	v.begin = begin
	v.leasedHost = f.Host
	v.avoidsHotMinutes = !p.pace.noWait && !isHot(p.now())
	if isListedAccount(f) {
		return v.findAccount(ctx, f)
	}
	v.run(ctx)
	return v.finish(f)
}

// A poll is one poll in progress. feed becomes the record to store.
type poll struct {
	*session
	feed    digest.Feed
	outcome Outcome
	message string
	doc     *feed.Document
	page    *answer // the answer that doc was read from

	instead    *pollError     // the error about a page in the feed's place that named the feed; nil: none
	redirected bool           // that page redirects within the feed's site
	owner      *feed.Document // the actor to which the account of the feed moved; nil: no move

	// The result of this poll's HEAD. headDiffered: it reported a change. headFell: it failed, perhaps
	// because the site was down and not because of the method.
	headDiffered, headFell bool
	headAsked              bool

	behind bool // posts remain for an early poll
}

func (p *poll) run(ctx context.Context) {
	r, err := p.begins()
	r.mayBeHome = !p.feed.PublicOnly // a public name must not reach a private network later
	if err != nil {
		p.failed(err)
		return
	}
	if speaksActivity(p.feed) {
		p.askFediverse(ctx, p.feed.Host)
	}
	if p.feed.MoveUndone {
		p.stop = stayAt(p.feed.URL)
	}
	if p.fediverse != nil && asksActor(p.feed, p.poller.now()) {
		if r, err = p.followAccount(ctx, r); err != nil {
			p.failed(err)
			return
		}
	}
	if p.fediverse == nil && headFirst(p.feed, p.poller.head, p.poller.now()) {
		next, done := p.head(ctx, r)
		if done {
			return
		}
		r = next
	}
	p.get(ctx, r)
}

// head sends a HEAD. If that does not settle the poll, head returns the route of the GET. It begins after
// HEAD's redirects, or at the start if the HEAD is not reliable.
func (p *poll) head(ctx context.Context, start route) (next route, done bool) {
	p.headAsked = true
	a, err := p.fetch(ctx, http.MethodHead, start)
	if err != nil {
		return start, p.headUnanswered(err)
	}
	switch p.judgeHead(a) {
	case headSettles:
		headWorks(&p.feed)
		p.unchanged(a, fmt.Sprintf("unchanged: HEAD %d", a.status))
		return start, true
	case headEnds:
		refuseHead(&p.feed, a.received)
		p.failed(p.refusedTo(a))
		return start, true
	case headDiffers:
		return a.route, false
	}
	headUseless(&p.feed, a.received)
	p.headFell = a.status >= 500 && !refusesMethod(a.status)
	return start, false
}

// headUnanswered records a HEAD without an answer. Unless HEAD is known to work, the cause may be the
// method, and a GET decides.
func (p *poll) headUnanswered(err error) (done bool) {
	t, ok := asPollError(err)
	if !ok || !t.unanswered || p.feed.Head == digest.Works {
		forgetHead(&p.feed)
		p.failed(err)
		return true
	}
	headUseless(&p.feed, p.poller.now())
	p.headFell = true
	return false
}

// A verdict is the meaning of a HEAD for the rest of the poll.
type verdict int

const (
	headProvesNothing verdict = iota // useless; a GET follows
	headDiffers                      // GET
	headSettles                      // nothing new
	headEnds                         // the site wants no requests now
)

func (p *poll) judgeHead(a *answer) verdict {
	switch {
	case a.status == http.StatusNotModified && a.conditional:
		return headSettles
	case usable(a.status) && a.conditional:
		return p.compareHEAD(a)
	case usable(a.status):
		return headDiffers // another URL than the source of the validators
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden, limits(a):
		return headEnds
	case a.status >= 400 && p.feed.Head == digest.Works && !refusesMethod(a.status):
		return headEnds // HEAD worked before, so the status is not about the method
	}
	return headProvesNothing
}

func refusesMethod(status int) bool {
	return status == http.StatusMethodNotAllowed || status == http.StatusNotImplemented
}

func (p *poll) compareHEAD(a *answer) verdict {
	length := lengthOf(a)
	switch p.compare(a.header, a.received) {
	case same:
		if length > 0 && p.feed.Length > 0 && length != p.feed.Length {
			p.headDiffered = true // another document with the same validators
			return headDiffers
		}
		return headSettles
	case different:
		p.headDiffered = true
		return headDiffers
	}
	return headProvesNothing
}

func (p *poll) get(ctx context.Context, r route) {
	a, err := p.fetch(ctx, http.MethodGet, r)
	switch {
	case err != nil:
		p.failed(err)
	case a.status == http.StatusNotModified && a.conditional:
		p.notModified(a)
	case usable(a.status):
		trusted := p.feed.Head == digest.Works && p.feed.Conditional == digest.Useless && !p.headAsked && !p.withheld
		length := p.feed.Length
		if p.read(ctx, a); trusted && p.outcome == Changed && p.instead == nil {
			p.crossCheck(ctx, r, length)
		}
	default:
		p.failed(p.refusedTo(a))
	}
}

// crossCheck tests a trusted HEAD after a GET has found another document. It sends the validators of the
// previous document. If HEAD reports no change, it is unreliable and would have hidden the news for a week.
// length is the length of the previous document.
func (p *poll) crossCheck(ctx context.Context, r route, length int64) {
	a, err := p.fetch(ctx, http.MethodHead, r)
	if err != nil {
		return // the document has been read already
	}
	now := p.feed.Length
	p.feed.Length = length
	if p.judgeHead(a) == headSettles {
		headUseless(&p.feed, a.received)
	}
	p.feed.Length = now
	wait, _ := retryAfter(a.header, a.received)
	p.feed.NotBefore = latest(p.feed.NotBefore, after(a.received, wait))
	if usable(a.status) || a.status == http.StatusNotModified {
		p.feed.FreshUntil = freshUntil(p.feed, a.header, true, a.received) // this HEAD was the last request
	}
}

func lengthOf(a *answer) int64 {
	n, err := strconv.ParseInt(a.header.Get("Content-Length"), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// notModified records a 304 to a GET. The stored answer stays and gets the fields of the 304 (RFC 9111
// §4.3.4). The stored ETag stays even if the 304 names another one (S9).
func (p *poll) notModified(a *answer) {
	p.feed.Conditional = digest.Works
	if p.feed.Repeats > 1 && !p.feed.ByDate {
		p.feed.Repeats = 1
	}
	if p.headDiffered {
		headUseless(&p.feed, a.received) // it reported a change wrongly
	}
	etag := a.header.Get("ETag")
	if etag != "" && !sameETag(etag, p.feed.ETag) {
		p.poller.log.Debug("304 names another ETag; the one that earned it is kept", "feed", p.shown(a.route), "etag",
			etag)
	} else if lm := validator(a.header, "Last-Modified"); lm != "" {
		p.feed.LastModified = lm
	}
	p.unchanged(a, "unchanged: 304")
}

// read reads a document. It does not parse the same bytes again, and it keeps nothing of a document that is
// not a feed (S13).
func (p *poll) read(ctx context.Context, a *answer) {
	hash := hashOf(a.body)
	if hash == p.feed.BodyHash {
		p.learnFromGET(a, false)
		p.accept(a, hash)
		p.unchanged(a, "unchanged: the same bytes")
		return
	}
	a, doc, err := p.parseFeed(ctx, a, p.feed.Kind)
	switch t, ok := asPollError(err); {
	case ok && p.instead == nil && p.readInstead(ctx, a, t):
		return
	case ok && p.instead != nil, err == nil && p.instead != nil && !p.redirected && !continues(p.feed, doc):
		p.failed(p.instead)
		return
	case err != nil:
		p.failed(err)
		return
	}
	var on *readingOn
	again := leadsOn(doc) // the page has no posts, and does not change with them
	if hash = bodyHash(a, doc); hash != p.feed.BodyHash || again {
		if doc, on, err = p.readOn(ctx, p.feed, a, doc); err != nil {
			p.failed(err)
			return
		}
		hash = bodyHash(a, doc)
	}
	if hash == p.feed.BodyHash {
		p.learnFromGET(a, false)
		p.accept(a, hash)
		p.readAgain(again, hash)
		p.unchanged(a, "unchanged: the same posts")
		return
	}
	p.learnFromGET(a, true)
	p.accept(a, hash)
	was := p.feed
	describeFeed(&p.feed, doc, a.received)
	p.succeeded(a)
	nameMoved(&p.feed, was, doc)
	noteTopic(&p.feed, a, doc)
	p.feed.NotBefore = latest(p.feed.NotBefore, after(a.received, on.wait))
	if p.behind = on.behind; p.behind {
		hash = ""
	}
	p.readAgain(p.behind || again, hash)
	p.outcome, p.doc, p.page = Changed, doc, a
	p.message = "changed: " + entries(doc)
}

// readAgain makes the next poll read the page of an account even if the page does not change, because this poll has not
// read everything behind it. hash is the hash of the posts that it has read; "" if it has not read all.
func (p *poll) readAgain(again bool, hash string) {
	if again {
		p.feed.ETag, p.feed.LastModified, p.feed.BodyHash = "", "", hash
	}
}

func entries(doc *feed.Document) string {
	if len(doc.Posts) == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", len(doc.Posts))
}

// accept stores the validators of an answer as a pair (S5-S7, S10), also if the body is the same.
func (p *poll) accept(a *answer, hash string) {
	countRepeats(&p.feed, a, hash)
	etag, lm := validator(a.header, "ETag"), validator(a.header, "Last-Modified")
	if (etag == "") != (p.feed.ETag == "") || (lm == "") != (p.feed.LastModified == "") {
		p.feed.Conditional, p.feed.Head = digest.Unknown, digest.Unknown // the conditions are others now: learn again
		p.feed.HeadRetestAt = time.Time{}
	}
	p.feed.ETag, p.feed.LastModified = etag, lm
	p.feed.Length = lengthOf(a)
	p.feed.ValidatorURL = a.address
	p.feed.BodyHash = hash
	p.feed.ParsedAt = a.received
}

// unchanged ends a poll without news. If a ping announced news, it doubts the validators (S36), unless the
// whole document has just come.
func (p *poll) unchanged(a *answer, message string) {
	p.feed.ValidatorsDoubted = p.feed.ValidatorsDoubted || !p.feed.PingedAt.IsZero() &&
		a.received.Sub(p.feed.ParsedAt) > doubtAfter
	p.succeeded(a)
	noteTopic(&p.feed, a, nil)
	p.outcome, p.message = Unchanged, message
}

// succeeded records the fields of a successful answer, to HEAD or GET, 200 or 304.
func (p *poll) succeeded(a *answer) {
	succeed(&p.feed, a.status, a.body == nil, a.received)
	p.feed.FreshUntil = freshUntil(p.feed, a.header, a.body == nil, a.received)
	p.feed.OwnInterval = OwnInterval(p.feed, a.received)
	p.feed.NotBefore = after(a.received, a.wait)
	p.feed.PublicOnly = p.feed.PublicOnly || !p.fromHome
	was := p.feed.URL
	noteMove(&p.feed, a)
	p.nameMovedAccount(was)
}

// failed ends a failed poll. The document, its validators and its freshness stay. A stopped poll changes
// nothing.
func (p *poll) failed(err error) {
	t, ok := asPollError(err)
	if !ok {
		p.outcome, p.message = Stopped, "stopped before the answer: "+shortLine(err.Error())
		return
	}
	if p.headFell {
		p.feed.HeadRetestAt = p.poller.now().Add(stuckHEAD)
	}
	fail(&p.feed, t.failure, p.poller.now())
	p.feed.LastError = p.conceal(shortLine(t.text))
	p.outcome, p.message = Failed, p.feed.LastError
}

func dequeue(f *digest.Feed) {
	f.PollAt, f.LeaseUntil, f.PingedAt = time.Time{}, time.Time{}, time.Time{}
	f.Domain = feed.Platform(f.Host)
}

// noteAddress stores the IP address of the feed's host. A poll without news keeps a known address, so that
// changing DNS answers cost no writes.
func (p *poll) noteAddress() {
	if p.feed.Address == "" || p.outcome != Unchanged {
		p.feed.Address = p.pins.addressOf(p.feed.Host, p.feed.Address)
	}
}

func (p *poll) finish(f digest.Feed) Result {
	if p.outcome == Stopped {
		p.feed = f
	} else {
		dequeue(&p.feed)
	}
	if p.outcome != Stopped {
		p.feed.Reliability = standing(p.feed, p.took)
		p.noteAddress()
		p.leave(&p.feed, f)
	}
	p.feed.LastAttemptAt = latest(f.LastAttemptAt, p.startedAt)
	result := Result{
		Feed: p.feed, Outcome: p.outcome, Document: p.doc, Message: p.message,
		Requests: p.requests, Bytes: p.bytes, HostFreeAt: p.freeAt, Took: p.took, StartedAt: p.startedAt,
		parsers: p.poller.parsers, Behind: p.behind,
	}
	if p.outcome != Stopped {
		result.Status = p.feed.LastStatus
	}
	if p.page == nil {
		p.hold.release()
	} else {
		result.hold = &p.hold
		result.ContentType = p.page.header.Get("Content-Type")
		result.Body, result.Address = p.keeps(p.page)
	}
	return result
}

// parseFeed parses a body as a feed. kind is the kind at the last poll, or "" for a new feed. A parser that
// panics fails this feed only.
func (s *session) parseFeed(ctx context.Context, a *answer, kind string) (*answer, *feed.Document, error) {
	doc, err := s.parseAny(ctx, a)
	if err == nil {
		a, doc, err = s.onwards(ctx, a, doc)
	}
	if err != nil {
		return a, nil, err
	}
	if doc = pageAsFeed(doc, kind); !doc.IsFeed() {
		return a, nil, &pollError{failure: failure{status: a.status}, text: notFeed + kindName(doc.Kind), page: doc}
	}
	return a, doc, nil
}

func after(t time.Time, d time.Duration) time.Time {
	if d <= 0 {
		return time.Time{}
	}
	return t.Add(d)
}
