package web

import (
	"cmp"
	"html/template"
	"net/http"
	"slices"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// A postPage is one post by itself.
type postPage struct {
	listedPost
	namedPage
	notes
	Place     string    // address of its edition, at the post; "" once that is no longer kept
	Published time.Time // by the reader's clock; zero: it has no date
	Text      template.HTML
	Turn      string       // direction of Text
	Shortened bool         // Text is not all of it
	Menu      string       // address of its site's own menu; "": it is not the reader's to change
	Players   []player     // of its sounds
	Linking   []listedPost // that lead to it
	Before    *render.Post // beside it in its edition; nil: none
	After     *render.Post

	Versions []versionLink // what it said later
	Later    time.Time     // the page is of one of them: by the reader's clock; zero: it is of what was delivered
}

// A versionLink leads to what a post said later.
type versionLink struct {
	Path string
	At   time.Time // by the reader's clock
	Here bool      // this page is it
}

// LaterDay is the day of Later.
func (p postPage) LaterDay() catalogue.Moment { return catalogue.Time("2 January 2006", p.Later) }

// postPage shows one post that has come to the reader; there is no other way to
// one, and none before its midnight.
func (s *site) postPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.visiblePost(r, me)
	if err != nil {
		return err
	}
	p, err := s.pageOf(r, me, v)
	if err == nil {
		p.Linking, err = s.linking(r, me, v)
	}
	if err == nil {
		err = s.placePost(r, me, v, &p)
	}
	return s.showPage(w, r, err, "post", p.Title, &p)
}

// pageOf is a page of a post but for its neighbours.
func (s *site) pageOf(r *http.Request, me reader, v store.VisiblePost) (postPage, error) {
	p := postPage{listedPost: s.listed(r, v), namedPage: named(me.Digest)}
	zone := zoneOr(me.TimeZone)
	if !v.PublishedAt.IsZero() {
		p.Published = v.PublishedAt.In(zone)
	}
	var sizes map[string]digest.PictureSize
	pictures := s.images != nil && me.Digest.WebImages != digest.NoImages
	if open := p.Unsized(true); pictures && len(open) > 0 {
		var err error
		if sizes, err = s.Store.PictureSizes(r.Context(), open); err != nil {
			return p, err
		}
	}
	if t, ok := p.WebText(2, pictures, sizes); ok {
		p.Text, p.Turn, p.Shortened = template.HTML(t.HTML), t.Dir, t.Shortened
	}
	p.Players = s.playersOf(me, p.Files)
	if v.DigestID == 0 || v.DigestID == me.Digest.ID {
		p.Menu = menuPath(v.FeedID, p.Path())
	}
	versions, err := s.Store.PostVersions(r.Context(), me.ID, v.ID)
	for _, at := range versions {
		p.Versions = append(p.Versions, versionLink{Path: p.Path() + "/versions/" + strconv.FormatInt(at.Unix(), 10),
			At: at.In(zone)})
	}
	return p, err
}

// versionPage shows what a post said later, to who may see the post.
func (s *site) versionPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.visiblePost(r, me)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(r.PathValue("at"), 10, 64)
	if err != nil {
		return errNotFound
	}
	later, err := s.Store.PostVersion(r.Context(), me.ID, v.ID, time.Unix(seconds, 0))
	if err != nil {
		return err
	}
	v.Title, v.Content, v.Summary = later.Title, later.Content, ""
	p, err := s.pageOf(r, me, v)
	p.Later = later.SeenAt.In(zoneOr(me.TimeZone))
	for i := range p.Versions {
		p.Versions[i].Here = p.Versions[i].At.Equal(later.SeenAt)
	}
	return s.showPage(w, r, err, "post", p.Title, &p)
}

// placePost finds a post's neighbours in the edition it came in, in the order of
// the page.
func (s *site) placePost(r *http.Request, me reader, v store.VisiblePost, p *postPage) error {
	e, err := s.Store.EditionOn(r.Context(), cmp.Or(v.DigestID, me.Digest.ID), v.Edition, s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	d, path := me.Digest.Delivery(e), "/editions/"+v.Edition.String()
	if e.DigestID != me.Digest.ID {
		var n digest.Newsletter
		if n, d, err = s.received(r.Context(), e); err != nil {
			return err
		}
		if path = receivedPath(n.Slug, v.Edition); n.ArchiveID == e.DigestID { // of its owner, who may be no member
			path = "/n/" + n.Slug + "/" + v.Edition.String()
		}
	}
	d.Language = s.language(r).Code
	page, err := s.Editions.Edition(r.Context(), d)
	if err != nil {
		return err
	}
	var all []*editionPost
	for _, site := range page.Sections {
		all = append(all, postsOf(site)...)
	}
	at := slices.IndexFunc(all, func(f *editionPost) bool { return f.ID == v.ID })
	edition := editionPage{Path: path}
	if at < 0 { // its reader wanted no more of the site at once
		edition.OneSite = v.FeedID
		if all, err = s.postsOfSite(r, d, v.FeedID); err != nil {
			return err
		}
		if at = slices.IndexFunc(all, func(f *editionPost) bool { return f.ID == v.ID }); at < 0 {
			return nil
		}
	}
	edition.Part = at/mostPosts + 1
	p.Place = edition.Back(v.ID)
	if at > 0 {
		p.Before = all[at-1].Post
	}
	if at+1 < len(all) {
		p.After = all[at+1].Post
	}
	return nil
}

// postsOfSite gives all posts of one site in an edition; none if there are none.
func (s *site) postsOfSite(r *http.Request, d digest.Delivery, feed digest.FeedID) (all []*editionPost, err error) {
	page, err := s.Editions.Site(r.Context(), d, feed)
	if digest.KindOf(err) == digest.NotFound {
		return nil, nil
	}
	for _, site := range page.Sections {
		all = append(all, postsOf(site)...)
	}
	return all, err
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
