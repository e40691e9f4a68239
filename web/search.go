package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/internal/words"
	"digest/store"
)

// A searchPage is what was looked for and what was found, the latest first.
type searchPage struct {
	namedPage
	Query  string // as it was typed
	Saved  bool   // only in what the reader has saved
	Wrong  string // why nothing was looked for
	Posts  []listedPost
	Asked  bool // something was looked for
	First  bool
	Behind bool   // posts that were there before an upgrade are still being indexed
	Here   string // its own address
	Older  string // address of what came earlier; "" if that is all
}

// searchPage looks for words in all that has come to a reader.
func (s *site) searchPage(w http.ResponseWriter, r *http.Request, me reader) error {
	at, id, ok := placeIn(r)
	if !ok {
		return errNotFound
	}
	form := r.URL.Query()
	p := searchPage{namedPage: named(me.Digest), Query: form.Get("q"), Saved: form.Get("in") == "saved", First: at.IsZero()}
	p.Here = p.address(form.Get("after"))
	if !form.Has("q") {
		return s.show(w, r, http.StatusOK, "search", "Search", p)
	}
	if site, is := strings.CutPrefix(strings.TrimSpace(p.Query), "links:"); is {
		return seeOther(w, r, "/links?site="+url.QueryEscape(strings.TrimSpace(site)))
	}
	q, err := words.Parse(p.Query)
	if bad, ok := errors.AsType[*digest.Error](err); ok && bad.Kind == digest.Invalid {
		p.Wrong = bad.Message
		return s.show(w, r, http.StatusUnprocessableEntity, "search", "Search", p)
	}
	if err != nil {
		return err
	}
	found, err := s.lookFor(r.Context(), me, store.SearchQuery{
		Query: q, Now: s.Now(), Saved: p.Saved, After: store.SearchKey{DueAt: at, Post: id}, Limit: listPage,
	})
	if errors.Is(err, errLongSearch) {
		p.Wrong = "That takes too long to look for here. Take words that are more seldom, or fewer of them."
		return s.show(w, r, http.StatusServiceUnavailable, "search", "Search", p)
	}
	if err != nil {
		return err
	}
	p.Asked, p.Behind = true, found.Behind
	for _, v := range found.Posts {
		p.Posts = append(p.Posts, s.found(v, q))
	}
	if n := len(found.Posts); n > 0 && found.More {
		last := found.Posts[n-1].Key()
		p.Older = p.address(place(last.DueAt, last.Post))
	}
	return s.show(w, r, http.StatusOK, "search", "Search", p)
}

// searchTime is how long a reader's search may take, its waiting for their
// search before it included: words can be chosen so that it takes minutes.
const searchTime = 10 * time.Second

var errLongSearch = errors.New("a search took too long")

// lookFor searches when no other search of the reader is on its way.
func (s *site) lookFor(ctx context.Context, me reader, q store.SearchQuery) (found store.SearchResult, err error) {
	err = s.searching(ctx, me, func(ctx context.Context) (err error) {
		found, err = s.Search.Search(ctx, me.ID, q)
		return err
	})
	return found, err
}

// searching does what may take long, when nothing like it is done for the reader at the time.
func (s *site) searching(ctx context.Context, me reader, look func(context.Context) error) error {
	limited, cancel := context.WithTimeout(ctx, searchTime)
	defer cancel()
	unlock, err := s.searches.lock(limited, me.ID)
	if err != nil {
		return orLong(limited, err)
	}
	defer unlock()
	return orLong(limited, look(limited))
}

// orLong is errLongSearch where an error is of the time that is over.
func orLong(ctx context.Context, err error) error {
	if err != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(ctx.Err(), context.DeadlineExceeded)) {
		return errLongSearch
	}
	return err
}

// found shows a post with the words that were looked for.
func (s *site) found(v store.VisiblePost, q words.Query) listedPost {
	p := s.listed(v)
	p.Heading = words.Mark(p.Title, q)
	text := words.Text(v.Content)
	p.Snippet = words.Snippet(text, q)
	if len(p.Snippet) == 0 {
		p.Snippet = words.Snippet(v.Summary, q)
	}
	return p
}

// address is that of the same search from another place on.
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

// Everywhere is the address of the same search in all that has come.
func (p searchPage) Everywhere() string {
	p.Saved = false
	return p.address("")
}

// Latest is the address of the beginning of what was found.
func (p searchPage) Latest() string { return p.address("") }
