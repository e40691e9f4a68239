package web

import (
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"digest"
	"digest/render"
	"digest/store"
	"digest/timezone"
)

// A postPage is one post by itself.
type postPage struct {
	*render.Post
	Name      string // of the digest
	Site      render.Section
	Edition   digest.Date // in which it came
	Place     string      // address of that edition, at the post; "" once it is no longer kept
	Published time.Time   // by the reader's clock; zero: it has no date
	Text      template.HTML
	Turn      string // direction of Text
	Shortened bool   // Text is not all of it
	Saved     bool
	Before    *render.Post // beside it in its edition; nil: none
	After     *render.Post
}

// Back is where its forms lead back to.
func (p postPage) Back() string { return "/posts/" + strconv.FormatInt(int64(p.ID), 10) }

// postPage shows one post that has come to the reader; there is no other way to
// one, and none before its midnight.
func (s *site) postPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.postOf(r, me)
	if err != nil {
		return err
	}
	if v.Language == "" {
		v.Language = v.Label.Language
	}
	p := postPage{
		Post: s.Editions.Post(v.Post), Name: digestName(me.Digest), Edition: v.Edition, Saved: v.Saved,
		Site: render.NewSection(v.Label.Title, v.Label.SiteURL, v.Label.Language),
	}
	if loc, err := timezone.Load(me.TimeZone); err == nil && !v.PublishedAt.IsZero() {
		p.Published = v.PublishedAt.In(loc)
	}
	if t, ok := p.WebText(2, s.images != nil); ok {
		p.Text, p.Turn, p.Shortened = template.HTML(t.HTML), t.Dir, t.Shortened
	}
	if err := s.placePost(r, me, v, &p); err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "post", p.Title, p)
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
