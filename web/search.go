package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/internal/textsearch"
	"digest/store"
	"digest/web/page"
)

// A searchPage shows the search form and the posts found, the latest first.
type searchPage struct {
	page.NamedPage
	Query    string // as typed, or composed from the fields of the form
	Words    string // the part of Query that has no field of its own
	Site     string
	From, To page.DateField    // first and last day; empty: any
	Sites    []string          // sites to choose from
	Saved    bool              // search only in saved posts
	Wrong    catalogue.Sayable // why nothing was searched
	Posts    []listedPost
	Asked    bool        // a search was done
	Word     string      // with no post that has all words, the posts have a word that begins with this one
	Others   string      // address of a search for words that begin with the last one; "": none
	Named    []namedSite // the reader's sites that have the searched words as their name
	First    bool
	Behind   bool   // posts from before an upgrade are still being indexed
	Here     string // address of this page
	Older    string // address of the next page; "": this is the last
}

// A namedSite is a site with the address of a search for its posts.
type namedSite struct{ Title, Address string }

// Narrowed reports whether the fields for a site or days are filled in.
func (p searchPage) Narrowed() bool { return p.Site+p.From.Value+p.To.Value != "" }

// The number of sites that the form offers, and that the results name.
const (
	mostOffered = 300
	mostNamed   = 3
)

// searchPage searches all posts that were delivered to the reader, or only some sites and days.
func (s *site) searchPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	at, id, ok := placeIn(r)
	if !ok {
		return page.ErrNotFound
	}
	form := r.URL.Query()
	p := searchPage{NamedPage: page.Named(me.Digest), Query: form.Get("q"), Saved: form.Get("in") == "saved",
		First: at.IsZero()}
	p.Words, p.Here = p.Query, p.address(form.Get("after"))
	sites, err := s.Store.Posts.ReaderSites(r.Context(), me.ID)
	if err != nil {
		return err
	}
	for _, of := range sites[:min(len(sites), mostOffered)] {
		p.Sites = append(p.Sites, page.Shortened(of.Title))
	}
	if p.Site, p.From, p.To = form.Get("site"), page.TypedDate(form, "from"), page.TypedDate(form, "to"); p.Narrowed() {
		return s.composeSearch(w, r, p, sites)
	}
	if !form.Has("q") {
		return s.Show(w, r, http.StatusOK, "search", catalogue.Key("Search"), p)
	}
	l, q, err := lookedUp(p.Query, sites)
	if digest.KindOf(err) == digest.Invalid {
		p.Wrong = catalogue.Line(err)
		return s.Show(w, r, http.StatusUnprocessableEntity, "search", catalogue.Key("Search"), p)
	}
	if err != nil {
		return err
	}
	if alone := "links:" + l.Links; l.Links != "" && !p.Saved && l.Text == alone && len(l.Sites) == 0 &&
		l.From.IsZero() && l.Until.IsZero() {
		return page.SeeOther(w, r, "/links?site="+url.QueryEscape(l.Links))
	}
	p.fill(l)
	q.Now, q.Saved, q.After, q.Limit = s.Now(), p.Saved, store.SearchKey{DueAt: at, Post: id}, listPage
	found, err := s.lookFor(r.Context(), me, q)
	if err == nil && len(found.Posts) == 0 && p.First {
		found, q, err = s.lookForBeginnings(r.Context(), me, &p, q, sites)
	}
	if errors.Is(err, errLongSearch) {
		p.Wrong = catalogue.Key("This search takes too long. Try rarer words, or fewer words.")
		return s.Show(w, r, http.StatusServiceUnavailable, "search", catalogue.Key("Search"), p)
	}
	if err != nil {
		return err
	}
	p.Asked, p.Behind = true, found.Behind
	for _, v := range found.Posts {
		p.Posts = append(p.Posts, s.found(r, v, q.Query))
	}
	if n := len(found.Posts); n > 0 && found.More {
		last := found.Posts[n-1].Key()
		p.Older = p.address(place(last.DueAt, last.Post))
	}
	p.offer(found)
	p.nameSites(l, sites)
	return s.Show(w, r, http.StatusOK, "search", catalogue.Key("Search"), p)
}

// lookForBeginnings repeats a search that has found nothing, for words that begin with its last one.
func (s *site) lookForBeginnings(ctx context.Context, me page.Reader, p *searchPage, q store.SearchQuery,
	sites []digest.FeedLabel) (store.SearchResult, store.SearchQuery, error) {
	typed, word := textsearch.Beginning(p.Query)
	if typed == "" {
		return store.SearchResult{}, q, nil
	}
	_, wider, err := lookedUp(typed, sites)
	if err != nil {
		return store.SearchResult{}, q, err
	}
	wider.Now, wider.Saved, wider.Limit = q.Now, q.Saved, q.Limit
	found, err := s.lookFor(ctx, me, wider)
	if len(found.Posts) > 0 {
		p.Query, p.Word = typed, word
	}
	return found, wider, err
}

// offer offers a search for longer words below the last results.
func (p *searchPage) offer(found store.SearchResult) {
	typed, word := textsearch.Beginning(p.Query)
	if typed != "" && len(found.Posts) > 0 && !found.More {
		p.Word, p.Others = word, searchPage{Query: typed, Saved: p.Saved}.address("")
	}
}

// nameSites offers the posts of the reader's sites that have the searched words as their name.
func (p *searchPage) nameSites(l textsearch.Lookup, sites []digest.FeedLabel) {
	if !p.First || len(l.Sites) > 0 || l.Links != "" || l.Text == "" {
		return
	}
	named := textsearch.SitesNamed(l.Text, searchable(sites))
	for _, i := range named[:min(len(named), mostNamed)] {
		of := searchPage{Query: textsearch.Field("site", sites[i].Title)}
		p.Named = append(p.Named, namedSite{sites[i].Title, of.address("")})
	}
}

// composeSearch redirects to the search that the fields of the form describe, or shows the form with the error.
func (s *site) composeSearch(w http.ResponseWriter, r *http.Request, p searchPage, sites []digest.FeedLabel) error {
	if p.Wrong = p.wrongDays(); p.Wrong == nil {
		typed := p.composed()
		_, _, err := lookedUp(typed, sites)
		if err == nil {
			p.Query = typed
			return page.SeeOther(w, r, p.address(""))
		}
		if digest.KindOf(err) != digest.Invalid {
			return err
		}
		p.Wrong = catalogue.Line(err)
	}
	return s.Show(w, r, http.StatusUnprocessableEntity, "search", catalogue.Key("Search"), p)
}

// wrongDays returns the error in the days of the form, nil if they are valid.
func (p searchPage) wrongDays() catalogue.Sayable {
	var days [2]digest.Date
	for i, typed := range []page.DateField{p.From, p.To} {
		if typed.Value == "" {
			continue
		}
		var err error
		if days[i], err = digest.ParseDate(typed.Value); err != nil {
			return catalogue.Key("Enter a date like %s.").With("2026-11-20")
		}
	}
	if p.From.Value != "" && p.To.Value != "" && days[1].Before(days[0]) {
		return catalogue.Key("The end date (%s) is before the start date (%s). Change one of them.").With(
			page.SaidDay(days[1]), page.SaidDay(days[0]))
	}
	return nil
}

// composed returns the fields of the form as one query.
func (p searchPage) composed() string {
	parts := []string{textsearch.Closed(p.Query)}
	add := func(key, value string) {
		if value = strings.TrimSpace(value); value != "" {
			parts = append(parts, textsearch.Field(key, value))
		}
	}
	add("site", p.Site)
	add("after", p.From.Value)
	to := p.To.Value
	if day, err := digest.ParseDate(to); err == nil && day.Year < 9999 {
		to = day.Plus(1).String() // the last day is included
	}
	add("before", to)
	return strings.TrimSpace(strings.Join(parts, " "))
}

func (p *searchPage) fill(l textsearch.Lookup) {
	p.Words = l.Text
	if len(l.Sites) > 0 {
		p.Site = l.Sites[0]
	}
	if !l.From.IsZero() {
		p.From.Value = l.From.String()
	}
	if !l.Until.IsZero() {
		p.To.Value = l.Until.Plus(-1).String()
	}
}

// lookedUp parses a query of a reader who follows sites. A digest.Invalid error says what is wrong with the query.
func lookedUp(typed string, sites []digest.FeedLabel) (l textsearch.Lookup, q store.SearchQuery, err error) {
	if l, err = textsearch.ParseLookup(typed); err != nil {
		return l, q, err
	}
	q.Query, q.From, q.Until = l.Query, l.From, l.Until
	if l.Links != "" {
		if q.Links = feed.SiteKey(l.Links); q.Links == 0 {
			return l, q, digest.Refuse(digest.Invalid, "“links:” needs one site, such as example.org")
		}
	}
	known := searchable(sites)
	for _, name := range l.Sites {
		places := textsearch.SitesNamed(name, known)
		if len(places) == 0 {
			return l, q, digest.Refuse(digest.Invalid, "You don’t follow a site called “%s”.",
				page.Shortened(name))
		}
		for _, i := range places {
			q.Feeds = append(q.Feeds, sites[i].FeedID)
		}
	}
	return l, q, nil
}

func searchable(sites []digest.FeedLabel) []textsearch.Site {
	known := make([]textsearch.Site, len(sites))
	for i, s := range sites {
		known[i] = textsearch.Site{Title: s.Title, Hosts: []string{s.SiteURL, s.Host}}
	}
	return known
}

// searchTime is the longest time that a reader's search may take, including the wait for their previous search. Some
// words make a search take minutes.
const searchTime = 10 * time.Second

var errLongSearch = errors.New("a search took too long")

// lookFor searches when the reader has no other search running.
func (s *site) lookFor(ctx context.Context, me page.Reader, q store.SearchQuery) (found store.SearchResult, err error) {
	err = s.searching(ctx, me, func(ctx context.Context) (err error) {
		found, err = s.Search.Search(ctx, me.ID, q)
		return err
	})
	return found, err
}

// searching runs a slow query, one at a time for each reader.
func (s *site) searching(ctx context.Context, me page.Reader, look func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	unlock, err := s.searches.Lock(limited, me.ID)
	if err != nil {
		return orLong(limited, err)
	}
	defer unlock()
	return orLong(limited, look(limited))
}

// orLong returns errLongSearch if err means that the time ran out, and err otherwise.
func orLong(ctx context.Context, err error) error {
	if err != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded)) {
		return errLongSearch
	}
	return err
}

func (s *site) found(r *http.Request, v store.VisiblePost, q textsearch.Query) listedPost {
	p := s.listed(r, v)
	p.Heading = textsearch.Mark(p.Title, q)
	text := digest.WithoutTurns(textsearch.Text(v.Content))
	p.Snippet = textsearch.Snippet(text, q)
	if len(p.Snippet) == 0 {
		p.Snippet = textsearch.Snippet(digest.WithoutTurns(v.Summary), q)
	}
	return p
}

// address returns the address of the same search, beginning after a post.
func (p searchPage) address(after string) string {
	v := url.Values{"q": {p.Query}}
	if p.Saved {
		v.Set("in", "saved")
	}
	if after != "" {
		v.Set("after", after)
	}
	return "/search?" + v.Encode()
}

// Everywhere returns the address of the same search in all delivered posts.
func (p searchPage) Everywhere() string {
	p.Saved = false
	return p.address("")
}

// Widened returns the address of the same search on all sites and days.
func (p searchPage) Widened() string {
	p.Query = p.Words
	return p.address("")
}

// Latest returns the address of the first page of the results.
func (p searchPage) Latest() string { return p.address("") }
