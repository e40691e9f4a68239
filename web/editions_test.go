package web_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store/storetest"
	"digest/test/tier"
)

func posts(n int, of string) []digest.Post {
	all := make([]digest.Post, n)
	for i := range all {
		all[i] = post(fmt.Sprintf("%s, part %d", of, i))
		all[i].URL += fmt.Sprint(i)
		all[i].Summary = prose(60, of, i)
		all[i].Content = "<p>" + prose(600, of, i) + "</p>"
	}
	return all
}

// prose returns pseudo-random words that compress about as badly as natural text.
func prose(words int, of string, number int) string {
	random := rand.New(rand.NewPCG(uint64(number), uint64(len(of)*1000+int(of[len(of)-1]))))
	var b strings.Builder
	for range words {
		for range 1 + random.IntN(4) {
			b.WriteByte("bdfghklmnprstvz"[random.IntN(15)])
			b.WriteByte("aeiou"[random.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// postPaths returns the paths of the posts on a page.
func (a answer) postPaths() (paths []string) {
	for _, id := range a.attrs("article", "id") {
		paths = append(paths, "/posts/"+strings.TrimPrefix(id, "post-"))
	}
	return paths
}

// TestHiddenPost checks that nobody can open a post before its midnight, and only its reader can
// after it. The clock of another process may be ahead (I2).
func TestHiddenPost(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.user("ann@example.org")
		bob, bobs := r.user("bob@example.org")
		v, other := r.visitor().signIn(ann), r.visitor().signIn(bob)
		r.arrives(bobs, post("Bob's own"))
		r.arrives(d, post("Secret"))
		guesses := []string{
			"/posts/1", "/posts/2", "/posts/3", "/posts/0", "/posts/-1", "/posts/9223372036854775808", "/posts/x",
			"/posts/", "/posts/1/", "/posts/2?sheet=1",
			"/editions/2026-11-21", "/editions/2026-11", "/editions/2026-11-21?sheet=1", "/editions/0000-00-00", "/e/1",
			"/e/2",
		}
		closed := func(v *visitor) {
			r.t.Helper()
			for _, path := range guesses {
				v.get(path).status(http.StatusNotFound)
			}
			for _, path := range append(guesses, "/", "/editions", "/?sheet=1", "/saved", "/search?q=Secret") {
				if body := v.get(path).body; strings.Contains(body, ">Secret") ||
					strings.Contains(body, "sentences about Secret") {
					r.t.Errorf("%s shows what is hidden", path)
				}
			}
		}
		closed(v)
		r.beforeMidnight(time.Second)
		closed(v)
		r.now = r.now.Add(time.Second)
		closed(v) // not released yet
		r.midnightNow()
		midnight := r.now
		r.now = midnight.Add(-time.Second) // the state after another process with a fast clock
		closed(v)
		link := "/e/" + r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))
		r.visitor().get(link).status(http.StatusNotFound)

		r.now = midnight
		path := v.get("/").status(http.StatusOK).postPaths()[0]
		v.get(path).status(http.StatusOK).shows("h1", "Secret")
		r.visitor().get(link).status(http.StatusOK)
		other.get(path).status(http.StatusNotFound)
		if got := r.visitor().get(path).status(http.StatusSeeOther).Header.Get("Location"); got != "/sign-in" {
			r.t.Errorf("a stranger is led to %q", got)
		}
		r.now = midnight.Add(time.Hour)
		v.get(path).status(http.StatusOK)
		other.get(path).status(http.StatusNotFound)
	})
}

const hostileContent = `<h1>Said again</h1><h5 id="main" class="top" style="position:fixed">Deep</h5><h2 onclick="x()">Two</h2>
<script>alert(1)</script><style>body{display:none}</style><iframe src="https://evil.example"></iframe><form action="/sign-out" method="post"><button>x</button><input name=a></form>
<p style="color:red" class="notice" id="keys" onmouseover="x()" dir="rtl" lang="he">text <a href="javascript:alert(1)">a</a> <a href="https://ok.example/?a=1&b=2" target="_top" rel="opener" onclick="x()">b</a> <a href="//evil.example">c</a></p>
<img src="https://pictures.example/a.png" onerror="x()" srcset="https://evil.example 2x" width="99999" height="10"><img src="javascript:x"><svg onload="x()"></svg><math><mi xlink:href="javascript:x"></mi></math>
<table><tr><th>n</th><th>what</th></tr><tr><td>1</td><td onclick="x()">` + "averyverylongwordthatisnotbrokenatall averyverylongwordthatisnotbrokenatall" + `</td></tr></table>
<template><b>t</b></template><base href="https://evil.example"><meta http-equiv="refresh" content="0;url=https://evil.example"><link rel="stylesheet" href="https://evil.example">{{.}} </div></article></main><p>after`

// TestPostIsHarmless checks that a page contains only text, checked links and proxied pictures of a
// feed.
func TestPostIsHarmless(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		p := post(`Title <script>alert(1)</script> "'`)
		p.Author, p.Summary, p.Language = `<b onclick=x>Tom</b>`, `<img src=x onerror=alert(1)>`, `"><b>`
		p.Content = hostileContent
		r.brings(digest.Subscription{DigestID: d.ID, Display: digest.FullText}, `</h2><script>x</script>`, p)
		r.midnight()
		front := v.get("/").status(http.StatusOK)
		page := v.get(front.postPaths()[0]).status(http.StatusOK)
		for name, a := range map[string]answer{"front": front, "post": page} {
			if len(a.find("article .text")) != 1 {
				r.t.Errorf("%s: the full text is not shown", name)
			}
			for _, selector := range []string{"article [style]", "article [onclick]", "article [onerror]",
				"article [onmouseover]", "article script", "article style",
				"article iframe", "article svg", "article math", "article template", "article base", "article meta",
				"article link", "article [target]",
				"article [srcset]", "main form[action=/sign-out]", ".text [id]", ".text form", ".text input",
				".text button", "article b", ".text .notice", ".text .top", "article img"} {
				if n := len(a.find(selector)); n != 0 {
					r.t.Errorf("%s: %d of %q", name, n, selector)
				}
			}
			a.has(".text a", "href", "https://ok.example/?a=1&b=2")
			a.has(".text a", "rel", "noopener noreferrer")
			a.has(".text .scroll", "tabindex", "0")
			if len(a.find("main")) != 1 || len(a.find("h1")) != 1 || len(a.find("footer.foot")) != 1 {
				r.t.Errorf("%s: the page around the post is broken", name)
			}
			a.stepsDown()
		}
	})
}

// stepsDown checks that the headings begin with the only h1 and skip no level.
func (a answer) stepsDown() {
	a.t.Helper()
	last := 0
	for _, m := range regexp.MustCompile(`<h([1-6])`).FindAllStringSubmatch(a.body, -1) {
		level := int(m[1][0] - '0')
		if level > last+1 || level == 1 && last > 0 {
			a.t.Errorf("%s: h%d after h%d", a.Request.URL, level, last)
		}
		last = level
	}
}

// TestLargeEdition checks that a large edition has small pages, and that every post is reachable.
func TestLargeEdition(t *testing.T) {
	tier.Alone(t)
	const sites, each1 = 25, 20
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for i := range sites {
			r.brings(digest.Subscription{DigestID: d.ID, Display: digest.FullText}, fmt.Sprintf("Site %02d", i),
				posts(each1, fmt.Sprintf("Story %d", i))...)
		}
		r.midnight()
		seen := map[string]bool{}
		for sheet := range 4 {
			a := v.get(fmt.Sprintf("/?sheet=%d", sheet+1)).status(http.StatusOK)
			a.stepsDown()
			for _, path := range a.postPaths() {
				seen[path] = true
			}
			a.has(".sheets a", "href", "/", "/?sheet=2", "/?sheet=3", "/?sheet=4")
			a.shows(".folio p", "No. 1 Made at midnight in Paris")
		}
		if len(seen) != sites*each1 {
			r.t.Errorf("%d posts can be reached", len(seen))
		}
		for _, sheet := range []string{"0", "5", "-1", "x", "99999999999999999999"} {
			v.get("/?sheet=" + sheet).status(http.StatusNotFound)
		}
		total := v.weight("/")
		r.t.Logf("the first page weighs %d bytes", total)
		if total > 60_000 {
			r.t.Errorf("the first page weighs %d bytes, want at most 60,000", total)
		}
	})
}

// weight returns the compressed size of a page with its style sheet and scripts in bytes.
func (v *visitor) weight(path string) int {
	v.t.Helper()
	v.header["Accept-Encoding"] = "gzip"
	defer delete(v.header, "Accept-Encoding")
	unpack := func(a answer) string {
		zr, err := gzip.NewReader(strings.NewReader(a.body))
		if err != nil {
			v.t.Fatalf("%s does not come compressed: %v", a.Request.URL, err)
		}
		b, err := io.ReadAll(zr)
		if err != nil {
			v.t.Fatal(err)
		}
		return string(b)
	}
	a := v.get(path).status(http.StatusOK)
	total := len(a.body)
	page := answer{a.Response, a.t, unpack(a)}
	for _, url := range append(page.attrs("link[rel=stylesheet]", "href"), page.attrs("script", "src")...) {
		total += len(v.get(url).status(http.StatusOK).body)
	}
	return total
}

func TestCompressed(t *testing.T) {
	each(t, func(r *room) {
		v := r.visitor()
		if got := v.get("/bot"); got.Header.Get("Content-Encoding") != "" ||
			!slices.Contains(got.Header.Values("Vary"), "Accept-Encoding") {
			r.t.Errorf("plain: %q", got.Header)
		}
		v.header["Accept-Encoding"] = "gzip, br"
		a := v.get("/bot").status(http.StatusOK)
		if a.Header.Get("Content-Encoding") != "gzip" || !slices.Contains(a.Header.Values("Vary"), "Accept-Encoding") ||
			!slices.Contains(a.Header.Values("Vary"), "Cookie") {
			r.t.Errorf("compressed: %q", a.Header)
		}
		if !bytes.HasPrefix([]byte(a.body), []byte{0x1f, 0x8b}) {
			r.t.Error("the page is not compressed")
		}
		v.do("HEAD", "/bot", "", nil).status(http.StatusOK)
	})
	g := newGallery(t)
	w := g.see(g.imagePath("https://site.example/"+strings.Repeat("a", 1500)+".gif"), "Accept-Encoding", "gzip")
	if w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("a picture: %d %q", w.Code, w.Header())
	}
}

// TestArchiveByMonth checks that a large archive consists of a few small pages.
func TestArchiveByMonth(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for range 45 { // into January
			r.arrives(d, post(r.now.String()))
			r.midnight()
		}
		a := v.get("/editions").status(http.StatusOK)
		a.stepsDown()
		if got := len(a.find(".dates a")); got != 31 {
			r.t.Errorf("%d editions are listed", got)
		}
		a.shows(".month h2", "January 2027", "December 2026").has(".months a", "href", "/editions/2027-01",
			"/editions/2026-12", "/editions/2026-11")
		if open := len(a.find("details.month[open]")); open != 1 {
			r.t.Errorf("%d months are open", open)
		}
		a.shows(".year", "2027", "2026")
		m := v.get("/editions/2026-12").status(http.StatusOK).shows("h1", "December 2026").shows(".turn a",
			"Previous November 2026", "Next January 2027")
		if got := m.attrs(".dates a", "href"); len(got) != 31 || got[0] != "/editions/2026-12-31" ||
			got[30] != "/editions/2026-12-01" {
			r.t.Errorf("December is %q", got)
		}
		m.stepsDown()
		v.get("/editions/2026-11").status(http.StatusOK).shows(".turn a", "Next December 2026")
		for _, path := range []string{"/editions/2026-10", "/editions/2026-13", "/editions/2026", "/editions/2026-1",
			"/editions/2026-11-20", "/editions/2026-11-31"} {
			v.get(path).status(http.StatusNotFound)
		}
	})
}

// TestReaderFromTheRight checks that the page has the reader's text direction and posts have their
// own. Keyboard shortcuts work only if they are on.
func TestReaderFromTheRight(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		r.must(r.store.Readers.SetPages(r.t.Context(), u.ID, pages(digest.RightToLeft, true)))
		p := post("דבר")
		p.Language, p.Content = "he", "<p>"+
			strings.Repeat("טקסט ארוך מאוד ", 20)+`</p><p dir="ltr">And English.</p>`
		r.brings(digest.Subscription{DigestID: d.ID}, "A", p)
		r.midnight()
		v := r.visitor().signIn(u)
		front := v.get("/").status(http.StatusOK)
		post := v.get(front.postPaths()[0]).status(http.StatusOK)
		for _, selector := range []string{"html[dir=rtl]", "html[data-keys]", ".text[dir=rtl]", ".text p[dir=ltr]",
			"dialog#keys"} {
			if len(post.find(selector)) != 1 {
				r.t.Errorf("no %q", selector)
			}
		}
		r.must(r.store.Readers.SetPages(r.t.Context(), u.ID, pages(digest.LeftToRight, false)))
		post = v.get("/").status(http.StatusOK)
		if len(post.find("html[data-keys]"))+len(post.find("dialog")) != 0 {
			r.t.Error("keys act though they are turned off")
		}
	})
}

// TestPicturesComeThroughHere checks that pictures of a post are loaded from this instance, under
// the host name of the page, and nothing is loaded from elsewhere.
func TestPicturesComeThroughHere(t *testing.T) {
	each(t, func(r *room) {
		r.pictures = newGallery(t)
		r.open("")
		v, d := r.reader("ann@example.org")
		p := post("One")
		p.Content = `<p>Fog</p><img src="https://pictures.example/fog.gif" alt="Fog" width="200" height="600">` +
			`<img src="http://pictures.example/b.gif">`
		r.brings(digest.Subscription{DigestID: d.ID, Display: digest.FullText}, "A", p)
		r.midnight()
		front := v.get("/").status(http.StatusOK)
		for _, path := range append(front.postPaths(), "/") {
			a := v.get(path).status(http.StatusOK)
			a.has("img", "src", r.imagePath("https://pictures.example/fog.gif"),
				r.imagePath("http://pictures.example/b.gif"))
			v.get(a.attrs("img", "src")[0]).status(http.StatusOK)
		}
	})
}

// TestArchiveSaysWhatCame checks that the archive shows the first headline of each edition, in any
// script, or the text of a post without a title.
func TestArchiveSaysWhatCame(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		titles := []string{"הכותרת של היום", "今日の見出し", "<b>Bold</b> & \"more\"", ""}
		for _, title := range titles {
			p := post(title)
			p.Title, p.Language = title, map[string]string{titles[0]: "he", titles[1]: "ja"}[title]
			r.arrives(d, p)
			r.midnight()
		}
		for _, path := range []string{"/editions", "/editions/2026-11"} {
			page := v.get(path).status(http.StatusOK).has(".dates .lead", "dir", "auto", "auto", "auto",
				"rtl").has(".dates .lead[lang]", "lang", "ja", "he")
			if got := page.texts(".dates .lead"); len(got) != 4 || got[1] != titles[2] || got[2] != titles[1] ||
				got[3] != titles[0] || got[0] == "" {
				r.t.Errorf("%s: %q", path, got)
			}
			if n := len(page.find(".dates .lead b")); n > 0 {
				r.t.Errorf("%s: a headline became part of the page", path)
			}
			for i, date := range page.attrs(".dates li a", "href") {
				if front := v.get(date).status(http.StatusOK).texts("article .headline"); titles[3-i] != "" &&
					front[0] != page.texts(".dates .lead")[i] {
					r.t.Errorf("%s: %q, but the page of %s begins with %q", path, page.texts(".dates .lead")[i], date,
						front)
				}
			}
		}
	})
}

// TestArchiveIsLight checks that the archive of 400 editions with long headlines has small pages.
func TestArchiveIsLight(t *testing.T) {
	tier.Alone(t)
	r := newRoom(t, storetest.Open(t, storetest.SQLite(t)))
	u, d := r.user("ann@example.org")
	for i := range 400 {
		r.arrives(d, post(fmt.Sprintf("%d %s", i, prose(40, "title", i))))
		r.midnight()
	}
	v := r.visitor().signIn(u)
	for _, path := range []string{"/editions", "/editions/2027-10"} {
		if n := len(v.get(path).status(http.StatusOK).body); n > 60<<10 {
			t.Errorf("%s has %d bytes", path, n)
		}
	}
}
