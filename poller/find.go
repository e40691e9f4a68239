package poller

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/feed"
)

const maxTries = 5 // of offered feeds, and again of guessed addresses

// A SearchError is why no feed was found at an address, or none may be looked
// for there, in words for whoever gave the address.
type SearchError struct {
	Cause *digest.Error

	NeedsPassword bool // the address asks for a password, and was given none
}

// Error gives the words, and what caused the error behind them.
func (e *SearchError) Error() string { return e.Cause.Error() }

// Unwrap gives the *digest.Error.
func (e *SearchError) Unwrap() error { return e.Cause }

// Candidates are the feeds found at an address that a person gave.
type Candidates struct {
	Title  string      // of the page that offers them; "" if the address is a feed's itself
	Itself bool        // the address is the only candidate's own
	Feeds  []Candidate // at least one, in the order of the page but for comments, which come last

	// Read is the one feed that was fetched to find this out; its outcome is "" if
	// none was. Whoever has it calls its Release.
	Read Result
}

// A Candidate is one feed of several. What is not known of it is empty.
type Candidate struct {
	URL      string // normal form
	Title    string
	Kind     string      // as package feed names it, or the media type that the page states
	Comments bool        // on posts, not posts
	Known    digest.Feed // as it is stored; zero: it is not stored yet
	Posts    int         // in the document, if it was read just now
	Newest   string      // the title of the newest of them
}

const (
	mostCandidates = 20  // feeds of one page that are shown
	mostOffers     = 100 // feeds of one page that Find considers; each may cost a DNS lookup
)

// A Known tells the feed that is stored under a normalised address, if one is.
type Known func(ctx context.Context, address string) (digest.Feed, bool)

// Find turns an address that a person gave, of a feed or of a page, into the
// feeds behind it. One is read: the feed at the address itself, else the first
// of those that the page offers which works, else one at the usual places. So
// it comes with its document, and need not be fetched again; of the others it
// is told what the page says of them. A feed that is known, by whatever way it
// is met, is not fetched at all (S17): its record comes back as it is stored,
// Unchanged, without a document.
//
// The error is a *SearchError. If the site at the address refused to be asked,
// NotBefore and LastError of the Feed that was read say until when and why:
// whoever asks again must wait until then (S18, S19).
func (p *Poller) Find(ctx context.Context, address string, known Known) (Candidates, error) {
	s := &search{session: p.newSession(digest.Feed{}, 1), known: known}
	found, err := s.find(ctx, address)
	if found.hold == nil {
		s.hold.release()
	}
	if err != nil {
		return Candidates{Read: found}, err
	}
	c := Candidates{Itself: s.page == nil, Feeds: []Candidate{candidateOf(found)}, Read: found}
	if s.page == nil {
		return c, nil
	}
	c.Title = s.page.Title
	for _, o := range s.page.Feeds[:min(len(s.page.Feeds), mostOffers)] {
		url, err := feed.NormalURL(o.URL)
		same := func(c Candidate) bool { return c.URL == url }
		if err != nil || url == s.tried || len(c.Feeds) == mostCandidates ||
			slices.ContainsFunc(c.Feeds, same) || slices.Contains(s.failed, url) || !s.mayOffer(ctx, url) {
			continue
		}
		c.Feeds = append(c.Feeds, s.offered(ctx, url, o))
	}
	slices.SortStableFunc(c.Feeds, func(a, b Candidate) int { return commentsLast(a.Comments, b.Comments) })
	return c, nil
}

// mayOffer reports whether a page may offer an address to a reader, who would
// take it for one to be typed: a page of the Internet none that is not public.
func (s *search) mayOffer(ctx context.Context, address string) bool {
	return s.isHome || !s.poller.leadsHome(ctx, feed.Host(address))
}

func commentsLast(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// find looks for the first feed that works. Where a site has none whose name is also the
// handle of an account, it is that account's.
func (s *search) find(ctx context.Context, address string) (Result, error) {
	found, err := s.site(ctx, address)
	if err == nil || s.private != nil {
		return found, err
	}
	if did := s.poller.didOf(ctx, feed.Handle(address)); did != "" {
		s.page = nil
		return s.account(ctx, feed.ATProtoURL(did))
	}
	return found, err
}

// site looks for the first feed at or behind an address, and keeps the page that led to it.
func (s *search) site(ctx context.Context, address string) (Result, error) {
	normal, err := feed.AskedURL(address)
	if err != nil {
		return Result{}, asSearchError(err)
	}
	s.stop = s.stopAtKnown
	if feed.ATProtoActor(normal) != "" {
		return s.account(ctx, normal)
	}
	if feed.WebFingerAccount(normal) != "" {
		return s.webFinger(ctx, normal)
	}
	if feed.IsOutbox(normal) {
		s.askFediverse(ctx, feed.Host(normal))
	}
	asked := normal // for, whatever it turns into
	found, page, err := s.try(ctx, normal)
	if plain, ok := withoutTLS(address, err); ok {
		normal = plain
		found, page, err = s.try(ctx, normal)
	}
	switch {
	case wantsSignature(normal, err):
		return s.person(ctx, person{asked: asked, name: feed.WebFingerAccount(feed.ProfileAccount(normal))}, normal)
	case err != nil:
		return s.refused(asked, err), notFound(s.named(address), err)
	case page == nil:
		return found, nil
	case page.Kind == feed.ActivityStreams:
		return s.person(ctx, person{asked: asked, page: page.Link}, normal)
	case page.Kind == feed.OPML:
		return Result{}, searchError(nil, digest.Refuse(digest.Invalid, "no feed at %s: it is a list of feeds; import it as OPML", oneLine(s.named(address))))
	}
	if actor := feed.BlueskyAccount(page.Feeds); actor != "" { // at a name of their own, or another client's
		return s.account(ctx, feed.ATProtoURL(actor))
	}
	slices.SortStableFunc(page.Feeds, func(a, b feed.Offer) int { return commentsLast(isComments(a), isComments(b)) })
	s.page = page
	return s.profile(ctx, asked, normal)
}

// messageOf is the words of an error that are for people.
func messageOf(err error) string {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		return e.Message
	}
	return err.Error()
}

// refusedSearch is how long an address is left alone that answered a search
// with an error of its own and named no time.
const refusedSearch = time.Hour

// refused makes of a site's refusal what has to be remembered of it. What a
// person can mend at once, such as a wrong path, is none.
func (s *search) refused(address string, err error) Result {
	t, ok := errors.AsType[*pollError](err)
	r := Result{Outcome: Failed, Requests: s.requests, Bytes: s.bytes, HostFreeAt: s.freeAt}
	if !ok {
		return r
	}
	wait := t.wait
	switch {
	case t.throttled():
		wait = penalty(t.failure, 1, 0)
	case t.status == http.StatusForbidden, t.status >= 500:
		wait = max(wait, refusedSearch)
	}
	r.Feed.URL, r.Feed.NotBefore = address, after(s.poller.now(), wait)
	r.Feed.LastStatus, r.Feed.LastError = t.status, oneLine(t.text)
	return r
}

// withoutTLS gives the http address to try where the person named no scheme and
// https could not be reached.
func withoutTLS(address string, err error) (string, bool) {
	t, ok := errors.AsType[*pollError](err)
	if !ok || t.status != 0 || t.unanswered || strings.Contains(address, ":/") {
		return "", false
	}
	return "http://" + strings.TrimPrefix(strings.TrimSpace(address), "//"), true
}

// A search is one Find under way.
type search struct {
	*session
	known Known

	page   *feed.Document // that the feed was found behind; nil: at the address itself
	led    bool           // what is asked for now was named by an answer, not by a person
	isHome bool           // the page came from an allowed network that is not public
	tried  string         // where it was found, before any redirect
	failed []string       // offered addresses that are no feeds
}

// A knownFeed ends a search at a feed that is stored already.
type knownFeed struct{ digest.Feed }

func (*knownFeed) Error() string { return "this feed is known" }

func (s *search) stopAtKnown(ctx context.Context, address string) error {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return &pollError{text: err.Error()}
	}
	if f, ok := s.known(ctx, normal); ok {
		return &knownFeed{f}
	}
	return nil
}

// behind looks for a feed behind the page at address, which was asked for by asked.
func (s *search) behind(ctx context.Context, asked, address string) (Result, error) {
	offers := make([]string, len(s.page.Feeds))
	for i, o := range s.page.Feeds {
		offers[i] = o.URL
	}
	for _, list := range [...][]string{offers, feed.GuessPaths(address)} {
		for _, candidate := range list[:min(len(list), maxTries)] {
			found, doc, err := s.try(ctx, candidate)
			switch {
			case err == nil && doc == nil:
				return found, nil
			case err != nil && !worthGoingOn(err):
				return s.refused(asked, err), notFound(s.named(candidate), err)
			}
			s.failed = append(s.failed, s.tried)
		}
	}
	return Result{}, searchError(nil, digest.Refuse(digest.Invalid, "no feed at %s: it is a web page that offers none; try the address of the feed itself", oneLine(s.named(address))))
}

// worthGoingOn is false once a site has asked to be left alone, does not answer,
// or the search was interrupted.
func worthGoingOn(err error) bool {
	t, ok := errors.AsType[*pollError](err)
	if !ok || t.unanswered {
		return false
	}
	switch t.status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return false
	}
	return true
}

// try fetches one address. It gives a feed, or the page or list found instead.
func (s *search) try(ctx context.Context, address string) (Result, *feed.Document, error) {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return Result{}, nil, &pollError{text: err.Error()}
	}
	s.tried = normal
	a, err := s.look(ctx, normal)
	if k, ok := errors.AsType[*knownFeed](err); ok {
		return s.alreadyKnown(k.Feed), nil, nil
	}
	if err != nil {
		return Result{}, nil, err
	}
	doc, err := s.parseAny(ctx, a)
	switch {
	case err != nil:
		s.hold.settle(0)
		return Result{}, nil, err
	}
	if doc = pageAsFeed(doc, ""); !doc.IsFeed() {
		s.hold.settle(0)
		return Result{}, doc, nil
	}
	doc, on, err := s.readOn(ctx, digest.Feed{}, a, doc)
	if err != nil {
		s.hold.settle(0)
		return Result{}, nil, err
	}
	found := s.found(normal, a, doc)
	found.partly = on.isPartly()
	return found, nil, nil
}

func (s *search) look(ctx context.Context, address string) (*answer, error) {
	if err := s.stopAtKnown(ctx, address); err != nil {
		return nil, err
	}
	r, err := typed(address)
	if err != nil {
		return nil, err
	}
	if bare, _ := digest.SplitCredential(address); bare != address {
		return nil, &pollError{text: string(digest.Words("the address holds a name and a password"))} // that a page offers to everyone
	}
	r.mayBeHome = s.page == nil && !s.led || s.isHome // what a page names, nobody typed
	s.host, s.freeAt, s.startedAt = r.host(), time.Time{}, time.Time{}
	a, err := s.fetch(ctx, http.MethodGet, r)
	if err == nil && s.page == nil && !s.led {
		s.isHome = a.isHome
	}
	if err == nil && !usable(a.status) {
		err = s.refusedTo(a)
	}
	return a, err
}

func (s *search) alreadyKnown(f digest.Feed) Result {
	return Result{Feed: f, Outcome: Unchanged, Message: "known already", Requests: s.requests, Bytes: s.bytes, HostFreeAt: s.freeAt}
}

// found makes the record of a new feed: under the address that was asked for,
// unless all that led elsewhere was permanent.
func (s *search) found(address string, a *answer, doc *feed.Document) Result {
	v := &poll{session: s.session, feed: digest.Feed{URL: address, Host: feed.Host(address)}}
	v.accept(a, bodyHash(a, doc))
	describeFeed(&v.feed, doc, a.received)
	v.succeeded(a)
	if a.moved() {
		moveTo(&v.feed, a.address, a.received)
		v.feed.MovedFrom, v.feed.MovedAt = "", time.Time{} // nobody subscribed there
	}
	if s.private == nil {
		noteTopic(&v.feed, a, doc)
	}
	v.outcome, v.doc, v.page = Changed, doc, a
	v.message = "found: " + entries(doc)
	return v.finish(v.feed)
}

// notFound turns what went wrong into an error for the person who asked.
func notFound(address string, err error) error {
	shown := oneLine(digest.AddressWithoutCredentials(address))
	t, ok := errors.AsType[*pollError](err)
	switch {
	case errors.Is(err, errNoRoom), errors.Is(err, errNoPlace):
		return searchError(err, digest.Refuse(digest.Unavailable, "%s was not read: %s; try again in a few minutes", shown, err))
	case !ok:
		return searchError(err, digest.Refuse(digest.Unavailable, "interrupted while looking for a feed at %s", shown))
	case usable(t.status):
		return searchError(nil, digest.Refuse(digest.Invalid, "no feed at %s: %s", shown, digest.Words(t.text)))
	}
	if t.needsPassword {
		asks := digest.Refuse(digest.Unavailable, "could not read %s: %s", shown, digest.Words("it asks for a password (401)"))
		return &SearchError{Cause: asks, NeedsPassword: true}
	}
	return searchError(nil, digest.Refuse(digest.Unavailable, "could not read %s: %s", shown, digest.Words(t.text)))
}

// offered is what a page says of a feed, or what is stored of it.
func (s *search) offered(ctx context.Context, url string, o feed.Offer) Candidate {
	c := Candidate{URL: url, Title: o.Title, Kind: o.Type, Comments: isComments(o)}
	if f, ok := s.known(ctx, url); ok {
		c.URL, c.Known, c.Kind = f.URL, f, f.Kind
		if f.Title != "" {
			c.Title = f.Title
		}
	}
	return c
}

func candidateOf(r Result) Candidate {
	c := Candidate{URL: r.Feed.URL, Title: r.Feed.Title, Kind: r.Feed.Kind}
	c.Comments = isComments(feed.Offer{URL: c.URL, Title: c.Title})
	if r.Document == nil {
		c.Known = r.Feed
		return c
	}
	c.Posts = len(r.Document.Posts)
	c.Newest = newest(r.Document.Posts, r.Feed.ParsedAt)
	return c
}

// newest is the title of the newest post that is not of the future, else of the first.
func newest(posts []feed.Post, now time.Time) string {
	best := -1
	for i, e := range posts {
		if !e.Published.After(now) && (best < 0 || e.Published.After(posts[best].Published)) {
			best = i
		}
	}
	if len(posts) == 0 {
		return ""
	}
	return posts[max(best, 0)].Title
}

// isComments recognises the feeds of comments that blogs offer beside their own.
func isComments(o feed.Offer) bool {
	url, title := strings.ToLower(o.URL), strings.ToLower(o.Title)
	return strings.Contains(url, "/comments/") || strings.HasSuffix(url, "/comments") || strings.Contains(url, "comments.xml") ||
		strings.Contains(url, "comments-rss") || strings.Contains(url, "feed=comments") || strings.Contains(title, "comments feed") ||
		strings.HasPrefix(title, "comments on ") || strings.HasPrefix(title, "comments for ")
}

// searchError makes of an error one for the person who searched, with its cause, if it is known.
func searchError(cause error, e *digest.Error) error {
	e.Err = cause
	return &SearchError{Cause: e}
}

// asSearchError makes of an error one for the person who searched, with what it says to people.
func asSearchError(err error) error {
	if e, ok := errors.AsType[*digest.Error](err); ok {
		said := *e
		said.Kind, said.Err = digest.Invalid, nil
		return &SearchError{Cause: &said}
	}
	return &SearchError{Cause: &digest.Error{Kind: digest.Invalid, Message: err.Error()}}
}
