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
	"digest/store/storetest"
	"digest/test/browser"
)

// pictured returns a post with a picture.
func pictured(title, size string) digest.Post {
	p := post(title)
	p.ImageURL = "https://pictures.example/" + url.PathEscape(title) + ".gif"
	p.Content = "<p>" + title + ` It was the wind.</p><img src="` + p.ImageURL + `" alt="Of ` + title + `"` + size + ">"
	return p
}

// TestFrontPage checks that the lead is the post with a headline and a large picture. The other posts of its site stay
// in their folder, and each section has one picture. A post without a title has no headline, and the page has an end.
func TestFrontPage(t *testing.T) {
	each(t, func(r *room) {
		r.pictures = newGallery(t)
		r.open("")
		v, d := r.reader("ann@example.org")
		r.must(r.store.Readers.SetDigestName(t.Context(), d.ID, "The Courier"))
		untitled := post("It was the wind")
		untitled.Untitled, untitled.Summary = true, "It was the wind. Nobody minded."
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 10"}, "Late one", post("Ten"))
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 2"}, "Ant",
			pictured("The first one", ` width="900" height="560"`), pictured("Two", ""))
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 2"}, "Bee", pictured("Three", ""))
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 2"}, "Cat", untitled)
		r.must(r.store.Posts.LearnPicture(t.Context(), pictured("The first one", "").ImageURL,
			digest.PictureSize{}, r.now))
		r.midnight()
		a := v.get("/").status(http.StatusOK)
		a.stepsDown()
		a.shows(".nameplate", "The Courier").shows(".folio p", "No. 1 Made at midnight in Paris")
		a.shows(".leading .name", "Ant").shows(".leading > article .headline").shows(".folder h2", "Week 2", "Week 10")
		a.shows(".headline", "The first one", "Two", "Three", "Ten").shows(".note .excerpt",
			"It was the wind. Nobody minded.").shows(".note .byline a", "site.example")
		a.has(".shot img", "alt", "Of The first one", "Of Two", "Of Three")
		a.has(".shot img", "width", "600", "", "")
		a.has(".shot img", "class", "", "unsized", "unsized")
		a.has(".shot img", "loading", "eager", "lazy", "lazy")
		a.shows(".contents summary", "Week 2 · Week 10").has(".contents li a", "href", "#site-1", "#site-2", "#site-3",
			"#site-4")
		a.has(".contents p a", "href", "#folder-1", "#folder-2")
		a.shows(".finis", "That’s all for Saturday. Your next edition is on Sunday.")
		for _, n := range a.find("details") {
			if _, open := attr(n, "open"); open {
				t.Error("something is open that nobody asked for")
			}
		}
		for _, path := range a.postPaths() {
			v.get(path).status(http.StatusOK).stepsDown()
		}
		v.get(a.postPaths()[3]).shows("h1.headline").shows("h1.aloud", "It was the wind. Nobody minded.").contains(
			"main", "Nobody minded.")
		if strings.Contains(a.body, "4 sites") || strings.Contains(a.body, "5 posts") {
			t.Error("posts are counted")
		}
		linked := r.visitor().get("/e/" +
			r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))).status(http.StatusOK)
		linked.shows(".finis").shows(".midnight").shows("summary", "Week 2 · Week 10")
	})
}

// TestHeadlinesOpenHere checks that a mark shows which posts have a text, and that their headlines open it if the reader
// chose so.
func TestHeadlinesOpenHere(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		long := post("Long")
		long.Content = "<p>" + strings.Repeat("The tide came in. ", 60) + "</p>"
		r.brings(digest.Subscription{DigestID: d.ID}, "Ant", long, post("Short"))
		r.midnight()
		a := v.get("/").has(".headline a", "href", long.URL, long.URL).has(".headline i", "title", "Text stored here")
		path := a.attrs(".here", "href")[0]
		v.saves("/settings/appearance", url.Values{"headlines": {"text"}, "layout": {"excerpts"}})
		v.get("/").has(".headline a", "href", path, long.URL).shows(".acts a", "Open site", "Site settings",
			"Open the author’s page")
		v.saves("/settings/appearance", url.Values{"headlines": {"text"}, "web-layout": {"full"}})
		v.get("/").has(".headline a", "href", long.URL, long.URL).has(".headline i", "title")
		linked := r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))
		r.visitor().get("/e/"+linked).has(".headline a", "href", long.URL, long.URL)
	})
}

// TestKeepsTheLead checks that the first view of an edition stores its lead. The page of one site stores none.
func TestKeepsTheLead(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		long := post("The lighthouse, painted at last")
		long.Content = "<p>" + strings.Repeat("The keeper painted it. ", 100) + "</p>"
		r.brings(digest.Subscription{DigestID: d.ID}, "Harbour", long)
		r.brings(digest.Subscription{DigestID: d.ID}, "Ant", post("The ant"))
		r.midnight()
		id := r.idOf(d, long.Title)
		keeps := func(path string, want digest.PostID) {
			r.t.Helper()
			v.get(path).status(http.StatusOK)
			if got := r.edition(d).Lead; got != want {
				r.t.Errorf("%s: the lead is %d, want %d", path, got, want)
			}
		}
		posts, err := r.store.Editions.Posts(r.t.Context(), []digest.PostID{id})
		r.must(err)
		keeps(fmt.Sprint("/?site=", posts[0].FeedID), 0)
		keeps("/", id)
		v.get("/").shows(".leading .headline", long.Title)
		keeps("/?view=headlines", id)
	})
}

// TestHeadlinesView checks the headlines of an edition with the link back. A post without a title
// appears with the beginning of its text.
func TestHeadlinesView(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for i := range 4 {
			r.brings(digest.Subscription{DigestID: d.ID}, fmt.Sprint("Site ", i), posts(60, fmt.Sprint("Story ", i))...)
		}
		untitled := post("It was the wind")
		untitled.Untitled, untitled.Summary = true, "It was the wind. Nobody minded."
		r.brings(digest.Subscription{DigestID: d.ID}, "A note", untitled)
		r.midnight()
		v.get("/").status(http.StatusOK).shows(".contents .view", "Headlines").has(".contents .view", "href",
			"/?view=headlines")
		a := v.get("/?view=headlines").status(http.StatusOK).shows(".excerpt").shows(".leading").shows(
			".contents .view", "Excerpts")
		if heads, bands := a.texts(".brief .headline"), a.find(".lines"); len(heads) != 150 ||
			heads[1] != "It was the wind. Nobody minded." || len(bands) != 1 {
			t.Errorf("%d headlines in %d lists, the second %q", len(heads), len(bands), heads[1])
		}
		a.has(".contents .view", "href", "/")
		a.has(".sheets a", "href", "/?view=headlines", "/?sheet=2&view=headlines")
		a.has(".brief .here", "href", a.postPaths()...)
		v.get("/?view=other").status(http.StatusOK).shows(".contents .view", "Headlines")
	})
}

// bottom writes where the first headline of each frame ends into a <pre>.
const bottom = `<pre></pre><script>onload = () => {
	for (const f of document.querySelectorAll('iframe')) {
		const head = f.contentDocument.querySelector('article :is(.headline, .excerpt)').getBoundingClientRect();
		document.querySelector('pre').append(f.title, head.bottom <= f.clientHeight ? ' is on the first screen' : ' ends at ' + head.bottom, '\n');
	}
}</script>`

// TestFirstScreen opens editions of 4 and 150 sites at the size of phones. The first headline must
// be on the first screen, even below notices.
func TestFirstScreen(t *testing.T) {
	browser.Find(t)
	p := &pageShow{room: newRoom(t, storetest.Open(t, storetest.SQLite(t)))}
	for _, n := range []int{4, 150} {
		v, d := p.reader(fmt.Sprintf("reader%d@example.org", n))
		for i := range n {
			p.brings(digest.Subscription{DigestID: d.ID, Folder: []string{"", mixed, "Sea", endless}[i%4]},
				fmt.Sprint([]string{endless, "Harbour "}[i%2], i),
				pictured(fmt.Sprint("The ferry was an hour late, and nobody minded ", i), ` width="400" height="900"`))
		}
		p.misses(d, 2)
		p.midnight()
		p.add("edition", v.get("/").shows("details.notice summary", "Notices about your sites"))
		p.add("edition", v.get("/?view=headlines"))
		p.misses(d, 2)
		p.midnight()
		p.midnight() // without an edition
		p.add("edition", v.get("/").shows("details.notice summary", "Notices about your sites"))
	}
	var frames, want strings.Builder
	for i := range p.answers {
		fmt.Fprintf(&frames, `<iframe title="%d" src="/shown/%d" width="390" height="844" style="border:0"></iframe>`,
			i, i)
		fmt.Fprintf(&want, "%d is on the first screen\n", i)
	}
	mux := http.NewServeMux()
	mux.Handle("/", p)
	mux.HandleFunc("/frames",
		func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<!doctype html>"+frames.String()+bottom) })
	if got := browser.Written(t, mux, "/frames"); got != want.String() {
		t.Errorf("Chromium shows\n%s", got)
	}
}

// misses records that the first n feeds of a digest dropped posts before they were polled.
func (r *room) misses(d digest.Digest, n int) {
	r.t.Helper()
	subs, err := r.store.Subscriptions.Subscriptions(r.t.Context(), d.ID)
	r.must(err)
	for _, sub := range subs[:n] {
		p := post(fmt.Sprint("After a gap, ", r.now, sub.Feed.ID))
		p.FeedID, p.PublishedAt = sub.Feed.ID, r.now
		gap := &digest.Gap{From: r.now.Add(-time.Hour), To: r.now.Add(time.Minute)}
		_, err := r.store.Feeds.Record(r.t.Context(), r.now.Add(time.Minute),
			[]store.Polled{{Feed: sub.Feed, Posts: []digest.Post{p}, Listed: []string{p.Identity}, Gap: gap}})
		r.must(err)
	}
}

// TestArchiveDecidesLeads checks that the archive shows the lead of each edition that nobody has opened, the one with
// which the edition then begins. A site that led rests, and an edition without a lead shows its first post.
func TestArchiveDecidesLeads(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for day := range 2 {
			for i, words := range []int{10, 700, 500} {
				p := post(fmt.Sprintf("%s site %d", []string{"Fog at", "A fine day for"}[day], i)) // no series
				p.Summary, p.Content = prose(20, p.Title, 1), "<p>"+prose(words, p.Title, i)+"</p>"
				if day == 0 {
					r.brings(digest.Subscription{DigestID: d.ID}, fmt.Sprint("Site ", i), p)
					continue
				}
				f := feedAt(r, fmt.Sprintf("https://site.example/%d", i+1))
				p.FeedID, p.SeenAt, p.PublishedAt = f.ID, r.now, r.now
				_, err := r.store.Feeds.Record(r.t.Context(), r.now, []store.Polled{{Feed: f, Posts: []digest.Post{p},
					Listed: []string{p.Identity}}})
				r.must(err)
			}
			r.midnight()
			r.now = r.now.Add(time.Hour)
		}
		note := post("no headline")
		note.Untitled = true
		r.arrives(d, note)
		r.midnight()
		for range 2 {
			a := v.get("/editions").status(http.StatusOK).shows(".dates .lead", "no headline", "A fine day for site 2",
				"Fog at site 1")
			for i, date := range a.attrs(".dates li a", "href")[1:] {
				v.get(date).shows(".leading .headline", a.texts(".dates .lead")[i+1])
			}
		}
		if lead := r.edition(d).Lead; lead != digest.NoLead {
			r.t.Errorf("the lead of an edition that has none is %d", lead)
		}
	})
}
