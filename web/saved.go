package web

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/internal/textsearch"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

func (s *site) save(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	return s.withPost(w, r, me,
		func(id digest.PostID) error { return s.Store.Posts.SavePost(r.Context(), me.ID, id, s.Now()) })
}

// unsave removes a post from the saved ones. It is no error if the post is not saved.
func (s *site) unsave(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	return s.withPost(w, r, me,
		func(id digest.PostID) error { return s.Store.Posts.UnsavePost(r.Context(), me.ID, id, time.Time{}) })
}

// withPost calls do with the post in the form's address, and redirects back to the page with the button.
func (s *site) withPost(w http.ResponseWriter, r *http.Request, me page.Reader, do func(digest.PostID) error) error {
	back, ok := page.LocalPath(cmp.Or(r.PostForm.Get("back"), "/saved"))
	if !ok {
		return page.ErrBadForm
	}
	id, err := page.PathKey(r)
	if err == nil {
		err = do(digest.PostID(id))
	}
	if err != nil {
		return err
	}
	return page.SeeOther(w, r, back)
}

// A listedPost is a post in a list of posts of several sites.
type listedPost struct {
	*render.Post
	Site    render.Section
	Edition digest.Date // the date of its edition
	Saved   bool
	Heading []textsearch.Piece // the title, with the search words marked
	Snippet []textsearch.Piece // an extract of the text with the search words; nil without a search
}

// NamedBy returns the prefix of the id of the element that names the post: its headline, or the whole post if it has
// no title.
func (p listedPost) NamedBy() string {
	if p.Untitled {
		return "post"
	}
	return "head"
}

// Path returns the address of the post's page.
func (p listedPost) Path() string { return "/posts/" + strconv.FormatInt(int64(p.ID), 10) }

func (s *site) listed(r *http.Request, v store.VisiblePost) listedPost {
	return s.listedIn(s.Language(r), v)
}

// listedIn is listed for a page in language l.
func (s *site) listedIn(l *catalogue.Language, v store.VisiblePost) listedPost {
	if v.Language == "" {
		v.Language = v.Label.Language
	}
	v.Post.SiteURL = v.Label.SiteURL
	p := listedPost{Post: s.Editions.Post(v.Post, l.Code), Edition: v.Edition, Saved: v.Saved}
	p.Site = render.NewSection(v.Label.Title, v.Label.SiteURL, v.Label.Language)
	p.Site.Title = cmp.Or(p.Site.Title, render.Nameless.In(l))
	p.Heading = []textsearch.Piece{{Text: p.Title}}
	return p
}

// listPage is the number of posts on a page of a list.
const listPage = 25

type savedPage struct {
	page.NamedPage
	Posts []listedPost
	Here  string // address of this page
	Older string // address of the next page; "": this is the last
	First bool
}

func (s *site) savedPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	at, id, ok := placeIn(r)
	if !ok {
		return page.ErrNotFound
	}
	p := savedPage{NamedPage: page.Named(me.Digest), Here: "/saved", First: at.IsZero()}
	if !p.First {
		p.Here += "?after=" + place(at, id)
	}
	list, err := s.Store.Posts.SavedPosts(r.Context(), me.ID, store.SavedKey{SavedAt: at, Post: id}, listPage+1)
	if len(list) > listPage {
		list = list[:listPage]
		last := list[listPage-1].Key()
		p.Older = "/saved?after=" + place(last.SavedAt, last.Post)
	}
	for _, v := range list {
		p.Posts = append(p.Posts, s.listed(r, v.VisiblePost))
	}
	return s.ShowPage(w, r, err, "saved", catalogue.Key("Saved"), p)
}
