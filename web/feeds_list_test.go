package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestLastPostIsNoHiddenOne checks that the list does not reveal posts since the last midnight, not
// even by date (I2).
func TestLastPostIsNoHiddenOne(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		old := post("Old")
		old.PublishedAt = r.now.AddDate(0, 0, -2)
		r.brings(digest.Subscription{DigestID: d.ID}, "Had", old)
		r.midnight()
		r.now = r.now.Add(5 * time.Hour)
		f := r.knows(digest.Feed{URL: "https://site.example/1"})
		f.NewestAt, f.ParsedAt = r.now, r.now
		hidden := post("Hidden")
		hidden.PublishedAt, hidden.SeenAt = r.now, r.now
		_, err := r.store.Feeds.Record(t.Context(), r.now,
			[]store.Polled{{Feed: f, Posts: []digest.Post{hidden}, Listed: []string{"Hidden", "Old"}}})
		r.must(err)
		v.get("/feeds?sort=last").status(http.StatusOK).shows(".picks .when", "18 November")
	})
}

// TestAllPostsOfAFeed checks that all received posts of a feed are listed, newest first and in
// pages, even after unsubscribing.
func TestAllPostsOfAFeed(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		var posts []digest.Post
		for i := range 60 {
			p := post(fmt.Sprintf("Post %02d", i))
			p.PublishedAt = r.now.Add(-time.Duration(60-i) * time.Minute)
			posts = append(posts, p)
		}
		r.brings(digest.Subscription{DigestID: d.ID}, "Prolific", posts...)
		path := v.get("/feeds").attrs(".rows .name", "href")[0]
		v.get(path + "/posts").status(http.StatusOK).shows(".delivered li") // hidden until midnight
		r.midnight()
		a := v.get(path+"/posts").status(http.StatusOK).shows("h1", "All posts")
		if n := len(a.find(".delivered li")); n != 50 {
			r.t.Errorf("%d posts on a page", n)
		}
		older := a.attrs(".turn a", "href")
		if len(older) != 1 {
			r.t.Fatalf("leads on to %q", older)
		}
		if b := v.get(older[0]).status(http.StatusOK); len(b.find(".delivered li")) != 10 ||
			len(b.attrs(".turn a", "href")) != 1 {
			r.t.Errorf("the second page has %d", len(b.find(".delivered li")))
		}
		v.get(path + "/posts?after=x").status(http.StatusNotFound)
		v.get(path + "/posts?after=99999999999.1").status(http.StatusNotFound)
		v.post(path+"/leave", nil).status(http.StatusOK)
		a = v.get(path+"/posts").status(http.StatusOK).shows("h1", "Prolific")
		v.post("/feeds/return", url.Values{"feed": a.attrs("input[name=feed]", "value")}).status(http.StatusSeeOther)
		if got := v.takes(); got != "Prolific" {
			r.t.Errorf("takes %q", got)
		}
	})
}

// TestAtMostInAnEdition checks that posts over the reader's limit stay readable behind a link and
// on their own pages. This includes visitors with the link of the edition.
func TestAtMostInAnEdition(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		var posts []digest.Post
		for i := range 5 {
			p := post(fmt.Sprint("Post ", i))
			p.PublishedAt = r.now.Add(-time.Duration(i) * time.Hour)
			posts = append(posts, p)
		}
		r.brings(digest.Subscription{DigestID: d.ID}, "Prolific", posts...)
		path := v.get("/feeds").attrs(".rows .name", "href")[0]
		v.post(path, url.Values{"most": {"2"}}).status(http.StatusSeeOther)
		v.get(path).status(http.StatusOK).shows("#most option[selected]", "At most 2 posts")
		other := post("Else")
		other.URL = "https://other.example/else"
		r.brings(digest.Subscription{DigestID: d.ID}, "Other", other)
		r.midnight()
		a := v.get("/").status(http.StatusOK).shows("h3", "Else", "Post 0", "Post 1").shows(".beyond a",
			"and 3 more").shows(".menu a", "Open site", "Site settings", "Open site", "Site settings")
		a.has(".change", "href", "/feeds/2?from=%2F%23site-0", "/feeds/1?from=%2F%23site-1")
		more := a.attrs(".beyond a", "href")[0]
		all := v.get(more).status(http.StatusOK).shows("h3", "Post 0", "Post 1", "Post 2", "Post 3",
			"Post 4").shows(".menu a", "Open site", "Site settings")
		last := all.postPaths()[4]
		v.get(last).status(http.StatusOK).shows("h1", "Post 4")
		if got := v.get(last).attrs(".folio a", "href"); len(got) != 3 ||
			!strings.HasPrefix(got[2], "/editions/2026-11-21?site=1#post-") ||
			!strings.HasPrefix(got[1], path+"?from=") {
			r.t.Errorf("it leads to %q", got)
		}
		mailed := "/e/" + r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))
		r.visitor().get(mailed+"?site=1").status(http.StatusOK).shows("h3", "Post 0", "Post 1", "Post 2", "Post 3",
			"Post 4").shows(".change")
		for _, wrong := range []string{"?site=99", "?site=x", "?site=-1", "?site=1&sheet=2"} {
			v.get("/" + wrong).status(http.StatusNotFound)
		}
	})
}
