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
	refs, err := r.store.EditionPosts(r.t.Context(), []digest.Delivery{{Edition: r.edition(d)}})
	r.must(err)
	for _, list := range refs {
		for _, ref := range list {
			posts, err := r.store.Posts(r.t.Context(), []digest.PostID{ref.PostID})
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
		n, err = r.store.IndexPosts(r.t.Context(), 100)
		r.must(err)
	}
}

func savePath(id digest.PostID) string { return fmt.Sprintf("/posts/%d/save", id) }

// TestListedNote checks that lists show a post without a title by its text, with the search words marked, and then by
// its site.
func TestListedNote(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		note := post("It was the wind")
		note.Untitled, note.Summary = true, "It was the wind. Nobody minded."
		r.arrives(d, note)
		r.midnight()
		r.indexed()
		v := r.visitor().signIn(u)
		v.post(savePath(r.idOf(d, "It was the wind")), url.Values{"back": {"/"}})
		for _, path := range []string{"/saved", "/search?q=minded"} {
			p := v.get(path).status(http.StatusOK)
			p.shows(".found .headline").shows(".found .excerpt", "It was the wind. Nobody minded.").shows(
				".found .byline a", site, "site.example")
			p.has(".found .note", "aria-label", "It was the wind. Nobody minded.")
		}
	})
}

func TestSave(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		for _, title := range []string{"First", "Second"} {
			r.arrives(d, post(title))
		}
		r.midnight()
		first, second := r.idOf(d, "First"), r.idOf(d, "Second")
		v := r.visitor().signIn(ann)
		v.get("/saved").status(http.StatusOK).contains(".notice", "No saved posts yet")
		leads := func(path, back, want string) {
			r.t.Helper()
			if got := v.post(path, url.Values{"back": {back}}).status(http.StatusSeeOther).Header.Get(
				"Location"); got != want {
				r.t.Errorf("%s with %q leads to %q, want %q", path, back, got, want)
			}
		}
		leads(savePath(first), "", "/saved")
		leads(savePath(first), "/editions/2026-11-21?sheet=2#post-1", "/editions/2026-11-21?sheet=2#post-1")
		r.now = r.now.Add(time.Minute)
		leads(savePath(second), "/search?q=caf%C3%A9+x", "/search?q=caf%C3%A9+x")
		page := v.get("/saved").status(http.StatusOK).shows("h2", "Second", "First")
		page.shows(".from", site+" 21 November 2026", site+" 21 November 2026").shows("button.link[aria-pressed=true]",
			"Save", "Save")
		v.get(fmt.Sprintf("/posts/%d", first)).status(http.StatusOK).shows(".keep [aria-pressed=true]", "Save")
		leads(strings.Replace(savePath(second), "/save", "/unsave", 1), "/saved", "/saved")
		leads(strings.Replace(savePath(second), "/save", "/unsave", 1), "/saved", "/saved")
		v.get("/saved").shows("h2", "First")

		r.visitor().signIn(bob).get("/saved").shows("h2")
		if got := r.visitor().get("/saved").status(http.StatusSeeOther).Header.Get("Location"); got != "/sign-in" {
			r.t.Errorf("a stranger is led to %q", got)
		}
	})
}

// TestSaveByGuessing checks that a reader cannot save posts of others or hidden posts by guessing their numbers.
func TestSaveByGuessing(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.user("ann@example.org")
		_, bobs := r.user("bob@example.org")
		r.arrives(d, post("Mine"))
		r.arrives(bobs, post("Others"))
		r.midnight()
		others := r.idOf(bobs, "Others")
		r.arrives(d, post("Hidden"))
		v := r.visitor().signIn(ann)
		r.beforeMidnight(time.Second)
		for id := range digest.PostID(9) {
			if want := r.idOf(d, "Mine"); id != want {
				v.post(savePath(id), nil).status(http.StatusNotFound)
				v.get(fmt.Sprintf("/posts/%d", id)).status(http.StatusNotFound)
			}
		}
		for _, id := range []string{"-1", "1e3", "99999999999999999999", "x", "%20", "0x1", "1%00"} {
			v.post("/posts/"+id+"/save", nil).status(http.StatusNotFound)
		}
		v.get(savePath(r.idOf(d, "Mine"))).status(http.StatusSeeOther)
		r.visitor().post(savePath(others), nil).status(http.StatusForbidden)
		foreign := r.visitor().signIn(ann)
		foreign.from("https://evil.example", "cross-site")
		foreign.post(savePath(r.idOf(d, "Mine")), nil).status(http.StatusForbidden)
		v.get("/saved").shows("h2")
		r.midnight()
		hidden := r.idOf(d, "Hidden")
		r.now = r.now.Add(-time.Second) // this process's clock is behind the clock of the release
		v.post(savePath(hidden), nil).status(http.StatusNotFound)
		r.now = r.now.Add(time.Second)
		v.post(savePath(hidden), nil).status(http.StatusSeeOther)
	})
}

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

func TestSearch(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.user("ann@example.org")
		_, bobs := r.user("bob@example.org")
		evil := post("Das <b>Café</b> & \"more\"")
		evil.Content = `<p>At the café &lt;script&gt;alert(1)&lt;/script&gt; one <em>kernel</em> &lt;img src=x onerror=alert(1)&gt;</p>`
		r.arrives(d, evil)
		r.arrives(bobs, post("Bob has a kernel"))
		r.midnight()
		r.arrives(d, post("Hidden kernel"))
		r.indexed()
		r.beforeMidnight(time.Second)
		v := r.visitor().signIn(ann)
		v.get("/search").status(http.StatusOK).shows("h2").contains("label", "Search your posts")
		page := v.get("/search?q=KERNEL+cafe").status(http.StatusOK).shows("h2", evil.Title).shows("mark", "Café",
			"café", "kernel")
		page.shows("script", "", "").contains(".excerpt", "<script>alert(1)</script>").shows(".from", site+
			" 21 November 2026")
		if len(page.find("article.post img")) > 0 {
			r.t.Error("what is found became part of the page")
		}
		v.get("/search?q=kernel&in=saved").status(http.StatusOK).shows("h2").contains(".notice", "No posts found")
		v.post(savePath(r.idOf(d, evil.Title)), nil).status(http.StatusSeeOther)
		v.get("/search?q=kernel&in=saved").shows("h2", evil.Title)
		v.get("/search?q=nowhere").status(http.StatusOK).contains(".notice", "No posts found")
		r.midnight()
		v.get("/search?q=kernel").shows("h2", "Hidden kernel", evil.Title)
		r.now = r.now.Add(-time.Second)
		v.get("/search?q=kernel").shows("h2", evil.Title)

		for typed, why := range map[string]string{
			"": "Enter a word", "!?.": "Enter a word", "-kernel": "only excludes words",
			strings.Repeat("a", 10_000): "too long", strings.Repeat("a ", 20): "too many words",
		} {
			a := v.get("/search?"+url.Values{"q": {typed}}.Encode()).status(http.StatusUnprocessableEntity).contains(
				".wrong", why)
			a.has("#q", "value", typed)
		}
		v.get("/search?q=a").status(http.StatusOK)
		a := v.get(`/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E`).status(http.StatusOK)
		if strings.Contains(a.body, "<script>alert") {
			r.t.Error("what was typed became part of the page")
		}
	})
}

// TestSearchWithin checks that a site, days and links narrow a search, by words in the query or by the form's fields.
// An error keeps the whole query.
func TestSearchWithin(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		bob, bobs := r.user("bob@example.org")
		for i, name := range []string{"Ann's \"Boats\"", "Kites", "Boats at sea"} {
			r.brings(digest.Subscription{DigestID: d.ID, Title: name}, "x",
				pointing(fmt.Sprintf("Wind %d", i), "https://w.example/"+fmt.Sprint(i), "https://far.example/"))
			r.midnight()
		}
		r.brings(digest.Subscription{DigestID: bobs.ID, Title: "Bob's secret site"}, "y", post("Bob's"))
		r.midnight()
		r.indexed()
		finds := func(query string, want ...string) answer {
			r.t.Helper()
			return v.get("/search?q="+url.QueryEscape(query)).status(http.StatusOK).shows("h2", want...)
		}
		finds("wind", "Wind 2", "Wind 1", "Wind 0")
		finds("site:kites", "Wind 1").shows("mark").has("[name=site]", "value", "kites").has("#q", "value", "")
		finds(`wind site:"boats at SEA"`, "Wind 2").has("#q", "value", "wind")
		finds(`site:boats`, "Wind 2", "Wind 0")
		finds(`site:boats site:kites`, "Wind 2", "Wind 1", "Wind 0").has("#q", "value", "site:kites")
		finds("after:2026-11-22", "Wind 2", "Wind 1")
		finds("before:2026-11-22 wind", "Wind 0").has("#to", "value", "2026-11-21")
		finds("after:2026-11-22 before:2026-11-23", "Wind 1")
		finds("before:2026")
		finds("after:2026", "Wind 2", "Wind 1", "Wind 0").has("#from", "value", "2026-01-01")
		finds("links:far.example site:kites", "Wind 1").has("#q", "value", "links:far.example")
		finds("links:nowhere.example after:2026")
		if to := v.get("/search?q=links:far.example").status(http.StatusSeeOther).Header.Get(
			"Location"); to != "/links?site=far.example" {
			r.t.Errorf("links alone lead to %q", to)
		}

		form := url.Values{"q": {"wind"}, "site": {"Boats at sea"}, "from": {"2026-11-22"}, "to": {"2026-11-23"}}
		to := v.get("/search?" + form.Encode()).status(http.StatusSeeOther).Header.Get("Location")
		if want := "/search?q=" +
			url.QueryEscape(`wind site:"Boats at sea" after:2026-11-22 before:2026-11-24`); to != want {
			r.t.Errorf("the form says %s, want %s", to, want)
		}
		page := v.get(to).shows("h2", "Wind 2").has("#q", "value", "wind").has("[name=site]", "value",
			"Boats at sea").has("#from", "value", "2026-11-22").has("#to", "value", "2026-11-23")
		if strings.Contains(page.body, "secret") {
			r.t.Error("she is offered a site of another reader's")
		}
		if n := len(page.find("datalist option")); n != 3 {
			r.t.Errorf("%d sites are offered", n)
		}

		for typed, why := range map[string]string{
			"wind after:yesterday": "after: needs a date such as 2026-11-20", "before:": "before: needs a date",
			"site: ":                 "site: needs a site",
			"site:secret wind":       "You don’t follow a site called “secret”",
			"after:2027 before:2026": "No day is after", "links:x wind": "links: needs one site",
		} {
			v.get("/search?q="+url.QueryEscape(typed)).status(http.StatusUnprocessableEntity).contains(".wrong",
				why).has("#q", "value", typed)
		}
		for _, c := range []struct{ site, from, to, why string }{
			{"kites", "soon", "", "Enter a date like"},
			{"kites", "2026-11-23", "2026-11-21",
				"The end date (21 November 2026) is before the start date (23 November 2026)"},
			{"secret", "", "2026-11-21", "You don’t follow a site called “secret”"},
		} {
			form := url.Values{"q": {"wind"}, "site": {c.site}, "from": {c.from}, "to": {c.to}}
			v.get("/search?"+form.Encode()).status(http.StatusUnprocessableEntity).contains(".wrong", c.why).has("#q",
				"value", "wind").
				has("[name=site]", "value", c.site).has("#from", "value", c.from).has("#to", "value",
				c.to).has("details", "open", "")
		}
		r.visitor().signIn(bob).get("/search?q=" + url.QueryEscape("site:kites")).status(http.StatusUnprocessableEntity)
	})
}

func TestSearchSaysWhenItIsBehind(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("First"))
		r.midnight()
		v.get("/search?q=first").contains(".notice", "No posts found", "still indexing")
		r.indexed()
		v.get("/search?q=first").shows("h2", "First").shows(".notice")
	})
}
