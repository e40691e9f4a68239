package web

import (
	"html/template"
	"net/http"
	"slices"
	"time"

	"digest"
	"digest/render"
	"digest/store"
)

// A postPage is one post by itself.
type postPage struct {
	listedPost
	namedPage
	Place     string    // address of its edition, at the post; "" once that is no longer kept
	Published time.Time // by the reader's clock; zero: it has no date
	Text      template.HTML
	Turn      string       // direction of Text
	Shortened bool         // Text is not all of it
	Player    string       // where its sound is played; "": nowhere
	Before    *render.Post // beside it in its edition; nil: none
	After     *render.Post
}

// postPage shows one post that has come to the reader; there is no other way to
// one, and none before its midnight.
func (s *site) postPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.visiblePost(r, me)
	if err != nil {
		return err
	}
	p := postPage{listedPost: s.listed(v), namedPage: named(me.Digest)}
	if !v.PublishedAt.IsZero() {
		p.Published = v.PublishedAt.In(zoneOr(me.TimeZone))
	}
	if t, ok := p.WebText(2, s.images != nil); ok {
		p.Text, p.Turn, p.Shortened = template.HTML(t.HTML), t.Dir, t.Shortened
	}
	p.Player = s.playerOf(me, p.Files)
	err = s.placePost(r, me, v, &p)
	return s.showPage(w, r, err, "post", p.Title, p)
}

// placePost finds a post's neighbours in the edition it came in, in the order of
// the page.
func (s *site) placePost(r *http.Request, me reader, v store.VisiblePost, p *postPage) error {
	e, err := s.Store.EditionOn(r.Context(), me.Digest.ID, v.Edition, s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	page, err := s.Editions.Edition(r.Context(), delivery(me.Digest, e))
	if err != nil {
		return err
	}
	var all []*editionPost
	for _, site := range byFolder(page.Sections) {
		all = append(all, postsOf(site)...)
	}
	at := slices.IndexFunc(all, func(f *editionPost) bool { return f.ID == v.ID })
	if at < 0 {
		return nil
	}
	edition := editionPage{Path: "/editions/" + v.Edition.String(), Part: at/mostPosts + 1}
	p.Place = edition.Back(v.ID)
	if at > 0 {
		p.Before = all[at-1].Post
	}
	if at+1 < len(all) {
		p.After = all[at+1].Post
	}
	return nil
}

// visiblePost gives the post that a request's path names, if the reader may see it
// by this process's clock (I2).
func (s *site) visiblePost(r *http.Request, me reader) (store.VisiblePost, error) {
	id, err := pathKey(r)
	if err != nil {
		return store.VisiblePost{}, err
	}
	p, err := s.Store.VisiblePost(r.Context(), me.ID, digest.PostID(id))
	if digest.KindOf(err) == digest.NotFound || err == nil && s.Now().Before(p.DueAt) {
		return store.VisiblePost{}, errNotFound
	}
	return p, err
}
