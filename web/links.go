package web

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// This file shows which of the reader's posts link to a post, an address or a site, and which
// addresses several of their sites link to. Only delivered posts count, and a site's links to
// itself do not.

const (
	besidePost   = 5    // posts on the page of a post that link to it
	mostPointers = 30   // addresses on the page of shared links
	pointedFor   = 14   // days that this page covers
	mostLinked   = 50   // posts that link to an address or a site
	maxAsked     = 2048 // maximum bytes of a requested address
)

const longSearch = catalogue.Key("This is taking too long right now. Try again in a minute.")

// A pointedAddress is an address that several of the reader's sites link to, with their posts.
type pointedAddress struct {
	URL   string
	Shown string
	Posts []listedPost
}

// A pointedPage lists addresses that several sites link to, or the posts that link to one address
// or site.
type pointedPage struct {
	page.NamedPage
	Days     int
	Pointers []pointedAddress
	Asked    string            // requested address or site; "" for shared links
	Shown    string            // Asked for the heading
	Wrong    catalogue.Sayable // why there was no search
	Posts    []listedPost      // posts that link to Asked
}

// links serves JSON to programs with an access token, and a page to readers.
func (s *site) links(w http.ResponseWriter, r *http.Request) error {
	if r.Header.Get("Authorization") != "" {
		return s.linksJSON(w, r)
	}
	return s.ForReader(s.pointedPage)(w, r)
}

func (s *site) pointedPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	query := r.URL.Query()
	p := pointedPage{NamedPage: page.Named(me.Digest), Days: pointedFor}
	if query.Has("site") || query.Has("url") {
		return s.showLinked(w, r, me, p, strings.TrimSpace(query.Get("url")), strings.TrimSpace(query.Get("site")))
	}
	var err error
	p.Pointers, err = s.pointers(r, me)
	if errors.Is(err, errLongSearch) {
		p.Wrong = longSearch
		return s.Show(w, r, http.StatusServiceUnavailable, "links",
			catalogue.Key("Links that several of your sites share"), p)
	}
	return s.ShowPage(w, r, err, "links", catalogue.Key("Links that several of your sites share"), p)
}

// showLinked shows the posts that link to address, or to site if address is "".
func (s *site) showLinked(w http.ResponseWriter, r *http.Request, me page.Reader, p pointedPage, address,
	site string) error {
	var found []store.VisiblePost
	var err error
	p.Asked = address + site
	p.Shown = digest.AddressShown(p.Asked)
	title := catalogue.Key("Posts that link to %s").With(p.Shown)
	if p.Asked == "" {
		title = catalogue.Key("Links that several of your sites share").With()
	}
	switch key, siteKey := feed.LinkKey(address), feed.SiteKey(site); {
	case len(p.Asked) > maxAsked || key == 0 && siteKey == 0:
		p.Wrong = catalogue.Key("Enter a site such as example.org, or a web address.")
		p.Asked = page.Shortened(p.Asked)
		return s.Show(w, r, http.StatusUnprocessableEntity, "links", title, p)
	case key != 0:
		found, err = s.Store.Posts.LinkingTo(r.Context(), me.ID, key, 0, s.Now(), mostLinked)
	default:
		err = s.searching(r.Context(), me, func(ctx context.Context) (err error) {
			found, err = s.Store.Posts.LinkingToSite(ctx, me.ID, siteKey, s.Now(), mostLinked)
			return err
		})
	}
	if errors.Is(err, errLongSearch) {
		p.Wrong = longSearch
		return s.Show(w, r, http.StatusServiceUnavailable, "links", title, p)
	}
	for _, v := range found {
		p.Posts = append(p.Posts, s.listed(r, v))
	}
	return s.ShowPage(w, r, err, "links", title, p)
}

// pointers returns the addresses that several of the reader's sites linked to within pointedFor
// days.
func (s *site) pointers(r *http.Request, me page.Reader) (all []pointedAddress, err error) {
	ctx := r.Context()
	now := s.Now()
	var found []store.Pointer
	err = s.searching(ctx, me, func(ctx context.Context) (err error) {
		found, err = s.Store.Posts.PointedAt(ctx, me.ID, now.Add(-pointedFor*24*time.Hour), now, mostPointers)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		var a pointedAddress
		for _, id := range f.Posts[:min(len(f.Posts), besidePost)] {
			v, err := s.Store.Posts.VisiblePost(ctx, me.ID, id)
			if digest.KindOf(err) == digest.NotFound || err == nil && v.DueAt.After(now) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if a.URL == "" {
				a.URL = addressOf(v.Post, f.Key)
			}
			a.Posts = append(a.Posts, s.listed(r, v))
		}
		if a.Shown = digest.AddressShown(a.URL); a.URL != "" {
			all = append(all, a)
		}
	}
	return all, nil
}

// addressOf returns the address with the given key among the links of a post, without its fragment.
func addressOf(p digest.Post, key int64) string {
	for _, address := range feed.LinkedFrom(p) {
		if feed.LinkKey(address) == key {
			address, _, _ = strings.Cut(address, "#")
			return address
		}
	}
	return ""
}

// linking returns posts of other feeds that link to a post.
func (s *site) linking(r *http.Request, me page.Reader, v store.VisiblePost) ([]listedPost, error) {
	key := feed.LinkKey(v.URL)
	if key == 0 {
		return nil, nil
	}
	found, err := s.Store.Posts.LinkingTo(r.Context(), me.ID, key, v.FeedID, s.Now(), besidePost)
	var all []listedPost
	for _, o := range found {
		all = append(all, s.listed(r, o))
	}
	return all, err
}

type linkAnswer struct {
	URL   string         `json:"url"`
	Posts []linkedAnswer `json:"posts"` // newest first; never null
}

type linkedAnswer struct {
	Title string `json:"title"`
	URL   string `json:"url"`  // original page; "" if the post has none
	Here  string `json:"here"` // page on this instance; only its reader can open it
	Site  string `json:"site"` // title of the feed
	Date  string `json:"date"` // date of the edition with the post
}

// linksJSON returns the posts that link to an address. It identifies the reader by access token and
// ignores cookies, so that scripts of other sites may call it without learning anything.
func (s *site) linksJSON(w http.ResponseWriter, r *http.Request) error {
	s.allowAnyOrigin(w.Header())
	if !s.Limits.Linked.AllowAll(s.ClientShares(r), s.Now()) {
		w.Header().Set("Retry-After", "60")
		return page.WriteJSON(w, http.StatusTooManyRequests,
			map[string]string{"error": "too many requests from this network; try again in a minute"})
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	u, err := s.Store.Readers.TokenReader(r.Context(), page.HashSecret(strings.TrimSpace(token)))
	if !ok || digest.KindOf(err) == digest.NotFound {
		w.Header().Set("WWW-Authenticate", "Bearer")
		return page.WriteJSON(w, http.StatusUnauthorized,
			map[string]string{"error": "this token is invalid or was revoked; create one in the settings"})
	}
	if err != nil {
		return err
	}
	address := r.URL.Query().Get("url")
	key := feed.LinkKey(address)
	if key == 0 || len(address) > maxAsked {
		return page.WriteJSON(w, http.StatusBadRequest,
			map[string]string{"error": "url is a web address, escaped as a parameter"})
	}
	found, err := s.Store.Posts.LinkingTo(r.Context(), u.ID, key, 0, s.Now(), mostLinked)
	if err != nil {
		return err
	}
	answer := linkAnswer{URL: address, Posts: []linkedAnswer{}}
	for _, v := range found {
		p := s.listed(r, v)
		answer.Posts = append(answer.Posts, linkedAnswer{p.Line(), p.URL, s.BaseURL + p.Path(), p.Site.Title,
			p.Edition.String()})
	}
	return page.WriteJSON(w, http.StatusOK, answer)
}

// linksPreflight allows scripts to send a token (Fetch standard, CORS-preflight).
func (s *site) linksPreflight(w http.ResponseWriter, _ *http.Request) error {
	s.allowAnyOrigin(w.Header())
	w.Header().Set("Access-Control-Allow-Headers", "Authorization")
	w.Header().Set("Access-Control-Allow-Methods", "GET")
	w.Header().Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *site) allowAnyOrigin(h http.Header) {
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("Cache-Control", "private, no-store")
	h.Add("Vary", "Authorization")
}
