package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
)

// idOf returns the number of a post in the last edition by its title.
func (r *room) idOf(d digest.Digest, title string) digest.PostID {
	r.t.Helper()
	refs, err := r.store.Editions.EditionPosts(r.t.Context(), []digest.Delivery{{Edition: r.edition(d)}})
	r.must(err)
	for _, list := range refs {
		for _, ref := range list {
			posts, err := r.store.Editions.Posts(r.t.Context(), []digest.PostID{ref.PostID})
			r.must(err)
			if posts[0].Title == title {
				return ref.PostID
			}
		}
	}
	r.t.Fatalf("there is no %q", title)
	return 0
}

// indexed indexes all stored posts.
func (r *room) indexed() {
	r.t.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = r.store.Posts.IndexPosts(r.t.Context(), 100)
		r.must(err)
	}
}

func savePath(id digest.PostID) string { return fmt.Sprintf("/posts/%d/save", id) }

func TestSaveLeadsNowhereElse(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Mine"))
		r.midnight()
		path := savePath(r.idOf(d, "Mine"))
		for _, back := range []string{
			"//evil.example", `/\evil.example`, `\\evil.example`, "https://evil.example", "javascript:alert(1)", "evil",
			"/a//evil", "/\t/evil", "/a\r\nX: y",
			"/%5Cevil", "/%2F/evil", "///evil", " /saved", "http:/evil", "?q", "#x", "/a\x00", "/%0d%0aX:y", "/" +
				strings.Repeat("a", 9000), "mailto:a@b", "/a%zz",
		} {
			a := v.post(path, url.Values{"back": {back}}).status(http.StatusBadRequest)
			if to := a.Header.Get("Location"); to != "" {
				r.t.Errorf("%q leads to %q", back, to)
			}
		}
		v.get("/saved").shows("h2") // nothing was saved
	})
}

func TestSavedPages(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for i := range 27 {
			r.arrives(d, post(fmt.Sprintf("Post %02d", i)))
		}
		r.midnight()
		for i := range 27 {
			r.now = r.now.Add(time.Second)
			v.post(savePath(r.idOf(d, fmt.Sprintf("Post %02d", i))), nil).status(http.StatusSeeOther)
		}
		page := v.get("/saved")
		if n := len(page.find("h2")); n != 25 || page.texts("h2")[0] != "Post 26" {
			r.t.Errorf("%d posts: %q", n, page.texts("h2"))
		}
		next := page.attrs(".turn a", "href")
		v.get(next[0]).status(http.StatusOK).shows("h2", "Post 01", "Post 00").shows(".turn a", "Latest posts")
		for _, after := range []string{"x", "1", "1.x", "-1.1", "9999999999999.1", "1.99999999999999999999", "1.1.1"} {
			v.get("/saved?after=" + after).status(http.StatusNotFound)
			v.get("/search?q=post&after=" + after).status(http.StatusNotFound)
		}
		r.indexed()
		found := v.get("/search?q=post")
		if n := len(found.find("h2")); n != 25 {
			r.t.Errorf("%d are found", n)
		}
		v.get(found.attrs(".turn a", "href")[0]).status(http.StatusOK).shows(".turn a", "Latest posts").shows("h2",
			"Post 01", "Post 00")
	})
}
