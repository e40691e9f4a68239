package poller

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/feed"
)

// Candidates are the feeds at an address that a person typed.
type Candidates struct {
	Title  string      // of the page that offers them; "" if the address is a feed
	Itself bool        // the address is the only candidate
	Feeds  []Candidate // at least one, in page order, with comments last

	// Read is the feed that was fetched; its outcome is "" if none was. The caller must call its Release.
	Read Result
}

// A Candidate is one of several feeds. Unknown fields are empty.
type Candidate struct {
	URL      string // normal form
	Title    string
	Kind     string      // a feed.Kind, or the media type that the page states
	Comments bool        // the feed has comments, not posts
	Known    digest.Feed // the stored feed; zero: not stored
	Posts    int         // in the document, if it was just read
	Newest   string      // the title of the newest post
}

const (
	mostCandidates = 20  // feeds of one page that are shown
	mostOffers     = 100 // feeds of one page that Find considers; each may cost a DNS lookup
)

// A Known returns the feed that is stored under a normalised address, if there is one.
type Known func(ctx context.Context, address string) (digest.Feed, bool)

// Find returns the feeds at or behind an address that a person typed. It reads one of them: the feed at the
// address, or the first working feed that the page offers, or a feed at the usual places. Callers need not
// fetch that feed again. For the other feeds Find returns what the page says. Find does not fetch a known
// feed (S17): it returns the stored record as Unchanged, without a document.
//
// The error is a *SearchError. If the site at the address asked to wait, NotBefore and LastError of
// Read.Feed contain the time and the reason. Callers must not retry before that time (S18, S19).
func (p *Poller) Find(ctx context.Context, address string, known Known) (Candidates, error) {
	s := &search{session: p.newSession(digest.Feed{}, 1), known: known}
	found, err := s.find(ctx, address)
	if err != nil {
		return Candidates{Read: found}, err
	}
	c := Candidates{Itself: s.page == nil, Feeds: []Candidate{candidateOf(found)}, Read: found}
	if s.page == nil {
		return c, nil
	}
	c.Title = s.page.Title
	offers := s.page.Ranked(s.at)
	if len(offers) == 0 {
		offers = s.page.Leads
	}
	for _, o := range offers[:min(len(offers), mostOffers)] {
		url, err := feed.NormalURL(o.URL)
		same := func(c Candidate) bool { return c.URL == url }
		if err != nil || url == s.tried || len(c.Feeds) == mostCandidates ||
			slices.ContainsFunc(c.Feeds, same) || slices.Contains(s.failed, url) || !s.mayOffer(ctx, url) {
			continue
		}
		c.Feeds = append(c.Feeds, s.offered(ctx, url, o))
	}
	slices.SortStableFunc(c.Feeds, func(a, b Candidate) int {
		switch {
		case a.Comments == b.Comments:
			return 0
		case a.Comments:
			return 1
		}
		return -1
	})
	return c, nil
}

// mayOffer reports whether a page may offer an address. A public page must not offer an address that is not
// public: a reader would take it for one that the search allows.
func (s *search) mayOffer(ctx context.Context, address string) bool {
	return s.isHome || !s.poller.leadsHome(ctx, feed.Host(address))
}

// find finds the first feed that works. If the site has none, and its name is the handle of an account,
// find returns the account's feed.
func (s *search) find(ctx context.Context, address string) (found Result, err error) {
	defer func() {
		if found.hold == nil {
			s.hold.release()
		}
	}()
	found, err = s.site(ctx, address)
	if err == nil || s.private != nil {
		return found, err
	}
	if did := s.poller.didOf(ctx, feed.Handle(address)); did != "" {
		s.page = nil
		return s.account(ctx, feed.ATProtoURL(did))
	}
	return found, err
}

// site finds the first feed at or behind an address, and keeps the page that named it.
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
	if lookup, abroad := feed.PodcastLookup(normal); lookup != "" {
		return s.podcast(ctx, normal, lookup, abroad)
	}
	if feed.IsOutbox(normal) {
		s.askFediverse(ctx, feed.Host(normal))
	}
	asked := normal // keeps the original address when normal changes
	found, page, err := s.try(ctx, normal)
	if plain, ok := withoutTLS(address, err); ok {
		normal = plain
		found, page, err = s.try(ctx, normal)
	}
	found, page, err = s.onward(ctx, found, page, err)
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
		return Result{}, searchError(nil,
			digest.Refuse(digest.Invalid, "no feed at %s: this is a list of feeds; import it as OPML",
				shortLine(s.named(address))))
	}
	if actor := feed.BlueskyAccount(page.Feeds); actor != "" { // with their own domain, or in another client
		return s.account(ctx, feed.ATProtoURL(actor))
	}
	s.page, s.at = page, s.landed
	return s.profile(ctx, asked, normal)
}

// offered returns a candidate with the facts of the page, or of the stored feed.
func (s *search) offered(ctx context.Context, url string, o feed.Offer) Candidate {
	c := Candidate{URL: url, Title: o.Title, Kind: o.Type, Comments: o.IsComments()}
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
	c.Comments = feed.Offer{URL: c.URL, Title: c.Title}.IsComments()
	if r.Document == nil {
		c.Known = r.Feed
		return c
	}
	c.Posts = len(r.Document.Posts)
	c.Newest = newest(r.Document.Posts, r.Feed.ParsedAt)
	return c
}

// newest returns the title of the newest post that is not in the future, or of the first post.
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
