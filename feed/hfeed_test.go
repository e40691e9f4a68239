package feed

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func asFeed(t *testing.T, page, address string) *Document {
	t.Helper()
	d, err := Parse([]byte(page), "text/html", address)
	if err != nil {
		t.Fatal(err)
	}
	if d = d.AsFeed(); d == nil {
		t.Fatal("the page is no feed")
	}
	return d
}

const notes = `<!DOCTYPE html><html lang="en"><head><title>Page</title>
<link rel="alternate" type="application/atom+xml" href="/atom"></head><body>
<p class="h-card"><a class="u-url p-name" href="/">Ann Example</a></p>
<main class="h-feed"><h1 class="p-name">Ann's notes</h1>
<article class="h-entry" id="n1"><a class="u-url" href="/n/1"><time class="dt-published" datetime="2026-03-01T10:00:00+01:00">1 March</time></a>
 <div class="e-content p-name">Rain again, <a href="/rain">as said</a>.</div><a class="u-author" href="/"></a></article>
<article class="h-entry"><h2 class="p-name"><a class="u-url" href="/a/2">On rain</a></h2><p class="p-summary">It rains.</p>
 <div class="e-content"><p>It rains, and rains.</p><script>alert(1)</script></div><img class="u-photo" src="/r.jpg" alt="A puddle">
 <span class="p-author h-card"><span class="p-name">Bea</span></span></article>
<article class="h-entry"><a class="u-url" href="/r/3"></a><a class="u-like-of" href="https://other.example/x">x</a></article>
<article class="h-entry">nobody finds this again</article>
</main></body></html>`

func TestPageAsFeed(t *testing.T) {
	d := asFeed(t, notes, "https://ann.example/notes")
	if d.Kind != HFeed || d.Title != "Ann's notes" || d.Language != "en" || d.Link != "https://ann.example/notes" ||
		len(d.Feeds) != 1 {
		t.Errorf("the feed is %+v", d)
	}
	if len(d.Posts) != 3 {
		t.Fatalf("%d posts", len(d.Posts))
	}
	seen := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	note, article, like := d.Posts[0].Sanitise(seen), d.Posts[1].Sanitise(seen), d.Posts[2].Sanitise(seen)
	if d.Posts[0].Title != "" || note.Author != "Ann Example" ||
		!note.PublishedAt.Equal(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)) ||
		!strings.Contains(note.Content, `href="https://ann.example/rain"`) {
		t.Errorf("the note is %+v", note)
	}
	if article.Title != "On rain" || article.URL != "https://ann.example/a/2" || article.Author != "Bea" ||
		article.ImageURL != "https://ann.example/r.jpg" ||
		strings.Contains(article.Content, "alert") || !strings.Contains(article.Content, `alt="A puddle"`) {
		t.Errorf("the article is %+v", article)
	}
	if !strings.Contains(like.Content, `href="https://other.example/x"`) {
		t.Errorf("the like is %+v", like)
	}
}

// A page that is no feed stays a page, whatever classes it has.
func TestPageIsNoFeed(t *testing.T) {
	for name, page := range map[string]string{
		"without classes": `<html><body><article><h1>One</h1></article></body></html>`,
		"the page of one post": `<html><body><div class="h-entry"><a class="u-url p-name" href="/p#top">One</a>` +
			`</div></body></html>`,
		"a word that looks so": `<html><body><p>h-entry is a class</p></body></html>`,
		"entries nobody can find": `<html><body><div class="h-entry">One</div><div class="h-entry">Two</div>` +
			`</body></html>`,
	} {
		d, err := Parse([]byte(page), "text/html", "https://a.example/p")
		if err != nil || d.AsFeed() != nil {
			t.Errorf("%s: a feed, %v", name, err)
		}
	}
}

// Changes outside of the posts do not change their hashes.
func TestPageAroundPosts(t *testing.T) {
	a := asFeed(t, notes, "https://ann.example/notes")
	b := asFeed(t, strings.Replace(notes, "<main", "<aside>42 visitors</aside><main data-nonce=x", 1),
		"https://ann.example/notes")
	for i := range a.Posts {
		if a.Posts[i].Hash != b.Posts[i].Hash || a.Posts[i].Identity != b.Posts[i].Identity {
			t.Errorf("post %d changed", i)
		}
	}
}

// The pages of XRay's suite, with the expectations of its tests.
func TestXRayPages(t *testing.T) {
	root := filepath.Join(sharedDir(t), "corpus", "suites", "xray", "tests", "data", "feed.example.com")
	for name, want := range map[string]string{
		"h-card-with-child-h-entrys": "One by Author Name, Two by Author Name, Three by Author Name, Four " +
			"by Author Name",
		"h-card-with-child-h-feed": "One by Author Name, Two by Author Name, Three by Author Name, Four " +
			"by Author Name",
		"h-card-with-sibling-h-entrys": "One by Author Name, Two by Author Name, Three by Author Name, Four " +
			"by Author Name",
		"h-feed-with-child-author": "One by Author Name, Two by Author Name, Three by Author Name, Four " +
			"by Author Name",
		"top-level-h-feed": "One by Author Name, Two by Author Name, Three by Author Name, Four " +
			"by Author Name",
		"list-of-hentrys":                   "One by , Two by , Three by , Four by ",
		"short-list-of-hentrys-with-h-card": "One by Author",
	} {
		response, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := bytes.Cut(bytes.ReplaceAll(response, []byte("\r\n"), []byte("\n")), []byte("\n\n"))
		d := asFeed(t, string(body), "http://feed.example.com/"+name)
		var got []string
		for i := range d.Posts {
			p := d.Posts[i].Sanitise(time.Now())
			got = append(got, p.Title+" by "+p.Author)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s; want %s", name, strings.Join(got, ", "), want)
		}
	}
}

// Report prints a page with marked posts as a feed, with the feeds that it offers.
func TestReportOfPage(t *testing.T) {
	d, err := Parse([]byte(notes), "", "")
	if err != nil {
		t.Fatal(err)
	}
	r := Report(d)
	if r.Kind != HFeed || r.Count != 3 || len(r.Posts) != 3 || len(r.Feeds) != 1 || *r.Title != "Ann's notes" {
		t.Errorf("%+v", r)
	}
	if d, err = Parse([]byte(`<html><head><title>Page</title></head><body></body></html>`), "", ""); err != nil {
		t.Fatal(err)
	}
	if r := Report(d); r.Kind != HTML || r.Count != 0 || r.Feeds == nil || r.Posts != nil {
		t.Errorf("%+v", r)
	}
}

// Deviations of sites from the specification, and the resulting posts.
func TestHFeedFacts(t *testing.T) {
	for why, test := range map[string]struct{ page, want string }{
		"a feed that is but a heading": {
			`<header class="h-feed"><h1 class="p-name">Notes</h1></header><ul><li class="h-entry"><a class="u-url ` +
				`p-name" href="/1">One</a></li><li class="h-entry"><a class="u-url p-name" href="/2">Two</a></li></ul>`,
			"Notes: One by , Two by "},
		"a feed without entries before another": {
			`<div class="h-feed"><p class="p-name">Links</p></div><div class="h-feed"><p class="p-name">Notes</p>` +
				`<p class="h-entry"><a class="u-url p-name" href="/1">One</a></p></div>`,
			"Notes: One by "},
		"the author of the feed": {
			`<div class="h-feed"><p class="p-name">Notes</p><p class="p-author h-card">Ann</p><div ` +
				`class="h-entry"><a class="u-url p-name" href="/1">One</a></div><div class="h-entry"><a ` +
				`class="u-url p-name" href="/2">Two</a> <i class="p-author h-card">Bea</i></div></div>`,
			"Notes: One by Ann, Two by Bea"},
		"an ID alone": {`<div class="h-feed"><p class="p-name">Notes</p><div class="h-entry"><span ` +
			`class="p-uid">tag:a.example,2011:1</span><p class="p-name">One</p></div></div>`,
			"Notes: One by "},
	} {
		d := asFeed(t, "<html><body>"+test.page, "https://a.example/notes")
		var got []string
		for _, p := range Report(d).Posts {
			by := ""
			if p.Author != nil {
				by = *p.Author
			}
			got = append(got, *p.Title+" by "+by)
		}
		if all := d.Title + ": " + strings.Join(got, ", "); all != test.want {
			t.Errorf("%s: %q, want %q", why, all, test.want)
		}
	}
	d := asFeed(t, `<html><body><div class="h-feed"><article class="h-entry"><a class="u-url" href="/1"></a><img class="u-featured" src="/f.jpg" alt="A boat"><div class="e-content">Look</div>
		<blockquote class="u-quotation-of h-cite"><a class="u-url p-name" href="https://b.example/q">Bob</a><p class="e-content">said so</p></blockquote></article></div>`, "https://a.example/")
	if p := d.Posts[0].Sanitise(seenAt); p.ImageURL != "https://a.example/f.jpg" ||
		!strings.Contains(p.Content, `alt="A boat"`) || !strings.Contains(p.Content, "<blockquote>said so") ||
		!strings.Contains(p.Content, `href="https://b.example/q"`) {
		t.Errorf("%+v", p)
	}
}

// TestOtherPosts checks that events, reviews and recipes become posts with their properties.
func TestOtherPosts(t *testing.T) {
	d := asFeed(t, `<html lang=en><body><div class="h-feed"><h1 class="p-name">All</h1>
		<div class="h-event"><h2 class="p-name"><a class="u-url" href="/e/1">Club</a></h2><time class="dt-start"
			datetime="2026-12-02T18:00-08:00">2 Dec</time>
			<time class="dt-end" datetime="2026-12-02T20:00-08:00"></time><p class="p-location h-card"><span
				class="p-name">The Quay</span>, <span class="p-locality">Portland</span></p>
			<p class="p-organizer h-card">Ann</p><p class="e-content">Come along</p></div>
		<div class="h-event"><a class="u-url p-name" href="/e/2">Fair</a><time class="dt-start"
			datetime="2026-12-05">5</time><time class="dt-end" datetime="2026-12-06">6</time><p
			class="p-location">Hall &lt;2&gt;</p></div>
		<div class="h-review"><a class="u-url p-name" href="/r/1">A fine boat</a><div class="p-item h-product"><span
			class="p-name">Boat 3000</span></div>
			<data class="p-rating" value="4">★★★★</data><p class="e-content">Floats</p><time class="dt-reviewed"
				datetime="2026-11-20T07:00:00Z"></time></div>
		<div class="h-recipe"><a class="u-url p-name" href="/k/1">Soup</a><ul><li
			class="p-ingredient">1 leek</li></ul><div class="e-instructions"><p>Boil.</p></div></div>
		<div class="h-entry"><a class="u-in-reply-to" href="https://e.example/5">Event</a> <data class="p-rsvp"
			value="yes">going</data><a class="u-url" href="/5"></a></div>
		<div class="h-entry">Finished reading: <span class="u-read-of h-cite"><a class="p-name u-url"
			href="https://books.example/7">Moby-Dick</a></span><a class="u-url" href="/7"></a></div>
		<div class="h-entry"><p class="p-content">at <span class="u-checkin h-card"><a class="u-url p-name"
			href="https://osm.example/6">The Harbour</a></span></p><a class="u-url" href="/6"></a></div>
		<div class="h-entry"><p class="p-ate h-food"><span class="p-name">Toast</span></p><a class="u-url"
			href="/8"></a></div>
		</div>`, "https://ann.example/")
	want := []struct{ title, content string }{
		{"Club", `<p><strong>Wednesday 2 December 2026, 18:00–20:00 (-08:00)</strong><br>📍 The Quay, ` +
			`Portland</p>Come along`},
		{"Fair", `<p><strong>Saturday 5 December 2026 – Sunday 6 December 2026</strong><br>📍 Hall &lt;2&gt;</p>`},
		{"A fine boat", `<p>Boat 3000<br>4/5</p>Floats`},
		{"Soup", `<ul><li>1 leek</li></ul><p>Boil.</p>`},
		{"", `<p>→ <a href="https://e.example/5">https://e.example/5</a></p><p>going</p>`},
		{"", `<p>→ <a href="https://books.example/7">Moby-Dick</a></p>`},
		{"", `<p>at The Harbour</p>`},
		{"", `<p>Toast</p>`},
	}
	if len(d.Posts) != len(want) {
		t.Fatalf("%d posts", len(d.Posts))
	}
	for i, p := range d.Posts {
		got := strings.ReplaceAll(strings.ReplaceAll(p.Sanitise(time.Time{}).Content, ` rel="noopener noreferrer"`, ""),
			"<br/>", "<br>")
		if p.Title != want[i].title || got != want[i].content {
			t.Errorf("%d: %q\n%s, want\n%s", i, p.Title, got, want[i].content)
		}
	}
	if d.Posts[0].Author != "Ann" || d.Posts[2].Published.IsZero() || !d.Posts[0].Published.IsZero() {
		t.Errorf("%q, %s, %s", d.Posts[0].Author, d.Posts[2].Published, d.Posts[0].Published)
	}
}

// TestEventsAlone checks that a page with several events is a feed. One event, or an event beside entries, is not a
// post.
func TestEventsAlone(t *testing.T) {
	event := func(n string) string {
		return `<div class="vevent"><a class="url summary" href="/e/` + n +
			`">E</a><abbr class="dtstart" title="2026-12-0` + n + `">x</abbr></div>`
	}
	for _, c := range []struct {
		page string
		want int
	}{
		{event("1") + event("2"), 2},
		{event("1"), 0},
		{`<div class="h-recipe"><h1 class="p-name">Soup</h1><time class="dt-published" datetime="2026-11-20">` +
			`x</time></div>`, 0},
		{`<div class="h-entry"><a class="u-url p-name" href="/1">1</a></div><div class="h-entry"><a class="u-url ` +
			`p-name" href="/2">2</a></div>` + `<div class="h-event"><a class="u-url p-name" href="/e/1">E</a></div>`,
			2},
	} {
		d, err := Parse([]byte("<html><body>"+c.page), "text/html", "https://ann.example/")
		if err != nil || len(d.Posts) != c.want || (d.AsFeed() != nil) != (c.want > 0) {
			t.Errorf("%s: %d posts, %v", c.page, len(d.Posts), err)
		}
	}
}
