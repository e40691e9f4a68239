package poller

import (
	"context"
	"errors"
	"net/http"
	"time"

	"digest"
	"digest/feed"
)

// A search is one Find in progress.
type search struct {
	*session
	known Known

	page   *feed.Document // the page that names the feed; nil: the address is the feed
	at     string         // the address of page; "": the address that the person typed
	led    bool           // an answer, not the person, named the address of the next request
	isHome bool           // the page came from an allowed network that is not public
	tried  string         // the address of the feed, before any redirect
	landed string         // address of the last answer, after its redirects
	failed []string       // addresses without a feed, in normal form
}

// A knownFeed is the error that ends a search at a stored feed.
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

// try fetches one address. It returns a feed, or the page or list found in its place.
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
	s.landed = a.address
	doc, err := s.parseAny(ctx, a)
	if err != nil {
		s.hold.settle(0)
		return Result{}, nil, err
	}
	offerLinked(a, doc)
	asFeed := pageAsFeed(doc, "")
	if !asFeed.IsFeed() || asFeed.Kind == feed.HFeed && len(asFeed.Posts) == 0 {
		s.hold.settle(0)
		return Result{}, doc, nil
	}
	asFeed, on, err := s.readOn(ctx, digest.Feed{}, a, asFeed)
	if err != nil {
		s.hold.settle(0)
		return Result{}, nil, err
	}
	found := s.found(normal, a, asFeed)
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
	if bare, _ := digest.SplitCredential(address); bare != address { // a page publishes the password
		return nil, words(digest.Words("the address contains a name and password"))
	}
	r.mayBeHome = s.page == nil && !s.led || s.isHome // the person did not type the links of a page
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
	return Result{Feed: f, Outcome: Unchanged, Message: "known already", Requests: s.requests, Bytes: s.bytes,
		HostFreeAt: s.freeAt}
}

// found returns the record of a new feed, under the typed address, or the target of permanent redirects.
func (s *search) found(address string, a *answer, doc *feed.Document) Result {
	v := &poll{session: s.session, feed: digest.Feed{URL: address, Host: feed.Host(address)}}
	v.accept(a, bodyHash(a, doc))
	describeFeed(&v.feed, doc, a.received)
	v.succeeded(a)
	if a.moved() {
		moveTo(&v.feed, a.address, a.received)
		v.feed.MovedFrom, v.feed.MovedAt = "", time.Time{} // it has no subscribers
	}
	if s.private == nil {
		noteTopic(&v.feed, a, doc)
	}
	v.outcome, v.doc, v.page = Changed, doc, a
	v.message = "found: " + entries(doc)
	return v.finish(v.feed)
}
