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
	p.Content = "<p>" + title + `</p><img src="` + p.ImageURL + `" alt="Of ` + title + `"` + size + ">"
	return p
}

// TestFrontPage checks that the lead is the newest post of the first section, and that each section
// has one picture with known size. A post without a title has no headline, and the page has an end.
func TestFrontPage(t *testing.T) {
	each(t, func(r *room) {
		r.pictures = newGallery(t)
		r.open("")
		v, d := r.reader("ann@example.org")
		r.must(r.store.SetDigestName(t.Context(), d.ID, "The Courier"))
		untitled := post("It was the wind")
		untitled.Untitled, untitled.Summary = true, "It was the wind. Nobody minded."
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 10"}, "Late one", post("Ten"))
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 2"}, "Ant",
			pictured("One", ` width="900" height="560"`), pictured("Two", ""))
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 2"}, "Bee", pictured("Three", ""))
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Week 2"}, "Cat", untitled)
		r.midnight()
		a := v.get("/").status(http.StatusOK)
		a.stepsDown()
		a.shows(".nameplate", "The Courier").shows(".folio p", "No. 1 Made at midnight in Paris")
		a.shows(".leading .name", "Ant").shows(".leading > article .headline").shows(".folder h2", "Week 2", "Week 10")
		a.shows(".headline", "One", "Two", "Three", "Ten").shows(".note .excerpt",
			"It was the wind. Nobody minded.").shows(".note .byline a", "site.example")
		a.has(".shot img", "alt", "Of One", "Of Three")
		a.has(".shot img", "width", "600", "")
		a.has(".shot img", "class", "", "unsized")
		a.has(".shot img", "loading", "eager", "lazy")
		a.shows(".contents summary", "Week 2 · Week 10").has(".contents li a", "href", "#site-0", "#site-1", "#site-2",
			"#site-3")
		a.has(".contents p a", "href", "#folder-0", "#folder-1")
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
			heads[0] != "It was the wind. Nobody minded." || len(bands) != 1 {
			t.Errorf("%d headlines in %d lists, the first %q", len(heads), len(bands), heads[0])
		}
		a.has(".contents .view", "href", "/")
		a.has(".sheets a", "href", "/?view=headlines", "/?sheet=2&view=headlines")
		a.has(".brief .here", "href", a.postPaths()...)
		v.get("/?view=other").status(http.StatusOK).shows(".contents .view", "Headlines")
	})
}

// TestHeadlinesViewOfFew checks that an edition with few sites has no contents and no link to its
// headlines. The headlines still link back to the excerpts.
func TestHeadlinesViewOfFew(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Site", posts(2, "Story ")...)
		r.midnight()
		if a := v.get("/").status(http.StatusOK); len(a.find(".contents")) != 0 {
			t.Error("one site has contents")
		}
		a := v.get("/?view=headlines").status(http.StatusOK).shows(".contents .view", "Excerpts").has(".contents .view",
			"href", "/")
		if len(a.find(".contents details")) != 0 {
			t.Error("one site has contents in its headlines")
		}
	})
}

// TestDayWithoutEdition checks that a day without an edition has its own page, and that the first
// page says so.
func TestDayWithoutEdition(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("One"))
		r.midnight()
		v.get("/").status(http.StatusOK).shows(".absent")
		r.midnight()
		r.midnight()
		v.get("/").status(http.StatusOK).shows(".absent",
			"No edition today: your sites had nothing new. Here is the edition of Saturday 21 November.").shows(
			".finis", "That’s all for Saturday. Your next edition is on Tuesday.")
		_, err := r.store.AddFilter(t.Context(), digest.Filter{DigestID: d.ID, Words: "Held"}, r.now)
		r.must(err)
		r.arrives(d, post("Held one"))
		r.arrives(d, post("Held two"))
		r.midnight()
		v.get("/").status(http.StatusOK).shows(".absent",
			"No edition today: your filters hid all 2 new posts. Here is the edition of Saturday 21 November.")
		none := v.get("/editions/2026-11-22").status(http.StatusOK).shows("h1", "Sunday 22 November 2026").shows(
			".finis", "There was no edition on Sunday.")
		none.has(".turn a", "href", "/editions/2026-11-21")
		for _, far := range []string{"2026-11-20", "2026-11-25", "2027-01-01"} {
			v.get("/editions/" + far).status(http.StatusNotFound)
		}
		r.arrives(d, post("Two"))
		r.midnight()
		v.get("/editions/2026-11-23").status(http.StatusOK).has(".turn a", "href", "/editions/2026-11-21",
			"/editions/2026-11-25")
		v.get("/editions/2026-11-21").status(http.StatusOK).shows(".finis", "That’s all for Saturday.").shows(
			".absent")
		r.must(r.store.PauseDigest(t.Context(), d.ID, time.Time{}, r.now))
		v.get("/").status(http.StatusOK).shows(".finis", "That’s all for Wednesday.").shows(".absent")
	})
}

// TestArrangeFrontPage checks that name, order and lead can be chosen with buttons, without
// scripts.
func TestArrangeFrontPage(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for i, folder := range []string{"Week 10", "Week 2", ""} {
			p := post(fmt.Sprint("Post ", i))
			p.URL += fmt.Sprint(i)
			r.brings(digest.Subscription{DigestID: d.ID, Folder: folder}, fmt.Sprint("Site ", i), p)
		}
		r.midnight()
		v.get("/").status(http.StatusOK).shows(".headline", "Post 2", "Post 1", "Post 0")
		v.get("/settings/appearance").shows(".rows bdi", "Other sites", "Week 2", "Week 10")
		v.saves("/settings/appearance", url.Values{"folder": {"Week 10"}, "move": {"up"}}).shows("[role=status]",
			"Saved. Pages change now, emails with your next edition.").shows(".rows bdi", "Other sites", "Week 10",
			"Week 2")
		v.saves("/settings/appearance", url.Values{"folder": {""}, "move": {"down"}})
		v.get("/").shows(".headline", "Post 0", "Post 2", "Post 1").shows(".folder h2", "Week 10", "Other sites",
			"Week 2")
		v.get("/feeds").status(http.StatusOK)

		lead := v.get("/settings/appearance").attrs("#feed option", "value")[2] // Site 1
		v.saves("/settings/appearance", url.Values{"feed": {lead}}).has("#feed option[selected]", "value", lead)
		v.get("/").shows(".headline", "Post 1", "Post 0", "Post 2").shows(".leading .name", "Site 1")
		v.saves("/settings/appearance", url.Values{"feed": {"0"}})
		v.get("/").shows(".leading .name", "Site 0")

		v.saves("/settings/appearance", url.Values{"name": {"  The\nCourier "}}).contains("[role=status]", "Saved.")
		for _, path := range []string{"/", "/feeds", "/settings", "/saved", "/search", "/filters", "/editions"} {
			v.get(path).status(http.StatusOK).shows(".nameplate", "The Courier")
		}
		r.visitor().get("/help").shows(".nameplate", "Daily Digest")
		v.post("/settings/appearance", url.Values{"name": {strings.Repeat("n", 81)}}).status(
			http.StatusBadRequest).contains("[role=alert]", "can have at most 80 characters; yours has 81").
			has("#name", "value", strings.Repeat("n", 80)).has("#name", "maxlength", "80").shows(".nameplate",
			"The Courier")
		r.must(r.store.SetDigestName(r.t.Context(), d.ID, strings.Repeat("n", 300))) // stored before the limit
		v.get("/settings/appearance").status(http.StatusOK).shows(".nameplate", strings.Repeat("n", 300)).has("#name",
			"value", strings.Repeat("n", 300))
		v.saves("/settings/appearance", url.Values{"name": {""}})
		v.get("/").shows(".nameplate", "Daily Digest")

		for _, form := range []url.Values{{"folder": {"Week 2"}, "move": {"sideways"}}, {"feed": {"x"}}} {
			v.post("/settings/appearance", form).status(http.StatusBadRequest)
		}
		v.post("/settings/appearance", url.Values{"feed": {"999"}}).status(http.StatusNotFound)
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
		p.add("edition", v.get("/").shows("details.notice summary", "Notes on your sites"))
		p.add("edition", v.get("/?view=headlines"))
		p.misses(d, 2)
		p.midnight()
		p.midnight() // without an edition
		p.add("edition", v.get("/").shows("details.notice summary", "Notes on your sites"))
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
	subs, err := r.store.Subscriptions(r.t.Context(), d.ID)
	r.must(err)
	for _, sub := range subs[:n] {
		p := post(fmt.Sprint("After a gap, ", r.now, sub.Feed.ID))
		p.FeedID, p.PublishedAt = sub.Feed.ID, r.now
		gap := &digest.Gap{From: r.now.Add(-time.Hour), To: r.now.Add(time.Minute)}
		_, err := r.store.Record(r.t.Context(), r.now.Add(time.Minute),
			[]store.Polled{{Feed: sub.Feed, Posts: []digest.Post{p}, Listed: []string{p.Identity}, Gap: gap}})
		r.must(err)
	}
}
