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
	"digest/web/page"
)

type postPage struct {
	listedPost
	page.NamedPage
	notes
	Place     string    // address of the post in its edition; "" if the edition is not stored
	Published time.Time // in the reader's time zone; zero: unknown
	Text      template.HTML
	Turn      string       // text direction of Text
	Shortened bool         // Text is only the beginning
	Menu      string       // address of the site's menu; "": the reader cannot change the subscription
	Players   []player     // for its audio files
	Linking   []listedPost // posts that link to it
	Before    *render.Post // neighbours in its edition; nil: none
	After     *render.Post

	Versions []versionLink // later versions of the post
	Later    time.Time     // when this version was seen, in the reader's time zone; zero: the delivered version
}

type versionLink struct {
	Path string
	At   time.Time // in the reader's time zone
	Here bool      // this page shows it
}

// LaterDay returns the day of Later.
func (p postPage) LaterDay() catalogue.Moment { return catalogue.Time("2 January 2006", p.Later) }

// postPage shows a post that was delivered to the reader. A post cannot be opened before its midnight.
func (s *site) postPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
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
	return s.ShowPage(w, r, err, "post", p.Title, &p)
}

// pageOf returns the page of a post without its neighbours and the posts that link to it.
func (s *site) pageOf(r *http.Request, me page.Reader, v store.VisiblePost) (postPage, error) {
	p := postPage{listedPost: s.listed(r, v), NamedPage: page.Named(me.Digest)}
	zone := page.ZoneOr(me.TimeZone)
	if !v.PublishedAt.IsZero() {
		p.Published = v.PublishedAt.In(zone)
	}
	var sizes map[string]digest.PictureSize
	pictures := s.Pictures != nil && me.Digest.WebImages != digest.NoImages
	if all := p.Pictures(true); pictures && len(all) > 0 {
		var err error
		if sizes, err = s.Store.Editions.PictureSizes(r.Context(), all); err != nil {
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
	versions, err := s.Store.Posts.PostVersions(r.Context(), me.ID, v.ID)
	for _, at := range versions {
		p.Versions = append(p.Versions, versionLink{Path: p.Path() + "/versions/" + strconv.FormatInt(at.Unix(), 10),
			At: at.In(zone)})
	}
	return p, err
}

// versionPage shows a later version of a post to a reader who may see the post.
func (s *site) versionPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	v, err := s.visiblePost(r, me)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseInt(r.PathValue("at"), 10, 64)
	if err != nil {
		return page.ErrNotFound
	}
	later, err := s.Store.Posts.PostVersion(r.Context(), me.ID, v.ID, time.Unix(seconds, 0))
	if err != nil {
		return err
	}
	v.Title, v.Content, v.Summary = later.Title, later.Content, ""
	p, err := s.pageOf(r, me, v)
	p.Later = later.SeenAt.In(page.ZoneOr(me.TimeZone))
	for i := range p.Versions {
		p.Versions[i].Here = p.Versions[i].At.Equal(later.SeenAt)
	}
	return s.ShowPage(w, r, err, "post", p.Title, &p)
}

// placePost sets the post's place in its edition and its neighbours there, in the order of the page.
func (s *site) placePost(r *http.Request, me page.Reader, v store.VisiblePost, p *postPage) error {
	e, err := s.Store.Editions.EditionOn(r.Context(), cmp.Or(v.DigestID, me.Digest.ID), v.Edition, s.Now())
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
		if path = receivedPath(n.Slug, v.Edition); n.ArchiveID == e.DigestID { // the owner need not be a member
			path = "/n/" + n.Slug + "/" + v.Edition.String()
		}
	}
	d.Language = s.Language(r).Code
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
	if at < 0 { // the edition page shows only some posts of this site
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

// postsOfSite returns all posts of one site in an edition, nil if it has none.
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

// visiblePost returns the post in the request's path. It returns ErrNotFound if the reader may not see the post at
// the time of this process's clock (I2).
func (s *site) visiblePost(r *http.Request, me page.Reader) (store.VisiblePost, error) {
	id, err := page.PathKey(r)
	if err != nil {
		return store.VisiblePost{}, err
	}
	p, err := s.Store.Posts.VisiblePost(r.Context(), me.ID, digest.PostID(id))
	if digest.KindOf(err) == digest.NotFound || err == nil && s.Now().Before(p.DueAt) {
		return store.VisiblePost{}, page.ErrNotFound
	}
	return p, err
}
