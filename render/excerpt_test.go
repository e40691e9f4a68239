package render

import (
	"html"
	"slices"
	"strings"
	"testing"

	"digest"
)

func TestTold(t *testing.T) {
	for name, c := range map[string]struct{ title, summary, wantTitle, wantSummary string }{
		"nothing twice": {"First frost", "Four degrees below.", "First frost", "Four degrees below."},
		"all of it":     {"Same", "same.", "Same", ""},
		"a sentence": {"First frost", "First frost. Four degrees below.", "First frost",
			"Four degrees below."},
		"in other marks": {"It’s “late”: the frost", "It's \"late\" - the frost — Four degrees.",
			"It’s “late”: the frost", "Four degrees."},
		"a heading": {"What the quince taught", "What the quince taught Eight years from planting.",
			"What the quince taught", "Eight years from planting."},
		"a sentence by chance": {"Rust", "Rust is a language.", "Rust", "Rust is a language."},
		"three words by chance": {"The first frost", "The first frost came late.", "The first frost",
			"The first frost came late."},
		"a word that goes on": {"Frost", "Frosty days.", "Frost", "Frosty days."},
		"a title cut from the text": {"Bought a lamp for the…", "Bought a lamp for the end of the pier.", "",
			"Bought a lamp for the end of the pier."},
		"cut with dots": {"Bought a lamp for [...]", "Bought a lamp for the end of the pier.", "",
			"Bought a lamp for the end of the pier."},
		"an excerpt cut from it": {"Bought a lamp for the end of the pier", "Bought a lamp for the…",
			"Bought a lamp for the end of the pier", ""},
		"a title cut in a word": {"The horn at Skerry Point has been heard eleven miles out and its te…",
			"The horn at Skerry Point has been heard eleven miles out and its tenor is low.", "",
			"The horn at Skerry Point has been heard eleven miles out and its tenor is low."},
		"one word cut by chance": {"Te…", "Tenor and bass.", "Te…", "Tenor and bass."},
		"said twice": {"Mayor speaks", "Mayor speaks. Mayor speaks. He said little.", "Mayor speaks",
			"He said little."},
		"a placeholder": {"(Untitled)", "A note of Tuesday.", "", "A note of Tuesday."},
		"a film": {"Trams", "Watch on YouTube Watch on YouTube For these trams…", "Trams",
			"For these trams…"},
		"a link to its own page": {"Trams", "“They come.” I doubt it. ★", "Trams",
			"“They come.” I doubt it."},
		"a film alone":                 {"Trams", "Watch on YouTube", "Trams", "Watch on YouTube"},
		"a stop and a cut":             {"Trams", "They come sometimes.…", "Trams", "They come sometimes.…"},
		"a stop and a cut in brackets": {"Trams", "They come sometimes. [...]", "Trams", "They come sometimes.…"},
		"a word with a dot":            {"Runtimes", "Runtimes. .NET 12 is out.", "Runtimes", ".NET 12 is out."},
		"a number below zero":          {"Frost", "Frost: -5 degrees.", "Frost", "-5 degrees."},
		"a quotation":                  {"Frost", "Frost. \"It came,\" she said.", "Frost", "\"It came,\" she said."},
		"only dots":                    {"…", "Bought a lamp.", "…", "Bought a lamp."},
		"Japanese": {"銭湯の煙突", "銭湯の煙突。昭和三年に建てられた。",
			"銭湯の煙突", "昭和三年に建てられた。"},
		"no title":   {"", "A note.", "", "A note."},
		"no summary": {"A title", "\u202e", "A title", ""},
	} {
		if title, summary := told(c.title, c.summary); title != c.wantTitle || summary != c.wantSummary {
			t.Errorf("%s: %q, %q", name, title, summary)
		}
	}
}

// TestTitleSaidAgain: if a text begins with paragraphs or headings that only repeat the title, the title appears once,
// in an excerpt and in a full text, however short it is. Text that only begins with the same words stays.
func TestTitleSaidAgain(t *testing.T) {
	const wheel = `<img src="https://far.example/wheel.jpg">`
	for _, c := range []struct{ title, content, summary, excerpt, text string }{
		{"Title. Again", "<h2>Title. Again</h2><p>Title. Again</p><p>The body then.</p>", "", "The body then.",
			"The body then."},
		{"Title here", "<h1>Title here</h1>" + wheel + "<p>Title here</p><p>Title here</p>", "", "", "[Picture] [1]"},
		{"Title here", "<h1>Title here</h1><hr><p><b>Title</b> here!</p><p>Title here</p><hr><p>Body.</p>", "", "Body.",
			"Body."},
		{"Rust", "<h1>Rust</h1><p>A metal goes red.</p>", "", "A metal goes red.", "A metal goes red."},
		{"Rust &amp; iron", "<p><a href='/'>Rust &amp; iron</a></p><p>Red.</p>", "", "Red.", "Red."},
		{"Rust", "<p>Rust is a language.</p>", "", "Rust is a language.", "Rust is a language."},
		{"A find", "<p><a href='https://a.example/1'>A find</a></p><p>Worth it.</p>", "", "Worth it.", "Worth it."},
		{"A find", "<p><a href='https://far.example/'>A find</a></p><p>Worth it.</p>", "", "Worth it.",
			"A find [1] Worth it."},
		{"Rust", "<p>Rust</p><p>Rust 2.0 is out.</p>", "", "Rust 2.0 is out.", "Rust 2.0 is out."},
		{"Rust", "<h1>Rust</h1><p>A metal goes red.</p>", "Rust 2.0 is out.", "Rust 2.0 is out.", "A metal goes red."},
		{"New York", "<h1>New York</h1><p>New York Times readers</p>", "", "New York Times readers",
			"New York Times readers"},
		{"New York", "<p>A city.</p>", "New York New York is a city.", "New York is a city.", "A city."},
		{"Duran", "<p>A band.</p>", "Duran Duran play.", "Duran Duran play.", "A band."},
		{"Same", "<blockquote>Same</blockquote><p>And more.</p>", "", "And more.", "> Same And more."},
	} {
		from := digest.Post{URL: "https://a.example/1", Title: html.UnescapeString(c.title), Content: c.content,
			Summary: c.summary}
		if c.summary == "" {
			from.Summary = html.UnescapeString(strings.Join(strings.Fields(string(slices.Collect(letters(c.content)))),
				" "))
		}
		p := New(testProxy).Post(from)
		if p.Excerpt != c.excerpt {
			t.Errorf("%s: the excerpt is %q, want %q", c.content, p.Excerpt, c.excerpt)
		}
		body := p.body(digest.LinkedImages, nil)
		web, _ := p.WebText(2, true, nil)
		if got := strings.Join(strings.Fields(body.all.text.decoded()), " "); got != c.text {
			t.Errorf("%s: the text is %q, want %q", c.content, got, c.text)
		}
		if n := strings.Count(body.all.html.decoded(), ">"+html.EscapeString(p.Title)+"<") + strings.Count(web.HTML,
			">"+html.EscapeString(p.Title)+"<"); n > 0 && !strings.Contains(c.content, "quote") &&
			!strings.Contains(c.content, "far.example/'") {
			t.Errorf("%s: the title stands %d times in HTML", c.content, n)
		}
	}
}

func FuzzTold(f *testing.F) {
	f.Add("First frost", "First frost. Four degrees below.")
	f.Add("Bought a…", "Bought a lamp")
	f.Add("…[…]", "\xff…")
	f.Add("Trams", "They come sometimes.…")
	f.Add("Trams", "Trams .NET. Read more…")
	f.Fuzz(func(t *testing.T, title, summary string) {
		a, b := told(title, summary)
		text, left := scrub(summary, dropped), scrub(summary, dropped)
		if head := scrub(title, dropped); head != "" && !isPlaceholder(head) {
			left = without(text, head)
		}
		if a != "" && a != scrub(title, dropped) || !strings.HasSuffix(left, b) {
			t.Errorf("%q, %q became %q, %q", title, summary, a, b)
		}
		if kept, cut := strings.CutSuffix(left, "…"); cut { // a mark for a cut must not remove a dot of the text
			_, marks, _ := strings.Cut(withoutFilm(withoutMarkup(text)), strings.TrimRight(kept, "… "))
			marks = strings.NewReplacer("[…]", "", "[...]", "", "(…)", "", "(...)", "").Replace(marks)
			if strings.Contains(marks, ".") && strings.Trim(marks, ".… ") == "" {
				t.Errorf("%q lost a dot: %q", text, left)
			}
		}
	})
}

// TestUntitled: a post without a title has no headline, contains each of its words once in every layout, and links to
// its page.
func TestUntitled(t *testing.T) {
	const words = "The ferry was an hour late and nobody minded."
	for _, l := range layouts {
		p := page(sampleSite{"Pier", "https://pier.example/", "en", []digest.Post{
			{URL: "https://pier.example/a", Summary: words, Content: "<p>" + words + "</p>"},
			{URL: "https://pier.example/b", Content: `<img src="https://pier.example/b.jpg">`},
		}})
		p.Layout = l
		m := checkedMail(t, p)
		doc := parse(t, m.HTML)
		shown := shownText(t, m.HTML)
		_, shown, _ = strings.Cut(shown, "No. 128") // after the preheader
		if n := len(all(doc, "h3")); n != 0 {
			t.Errorf("%s: %d headlines", l, n)
		}
		if n, k := strings.Count(shown, words), strings.Count(m.Text, words); n != 1 || k != 1 {
			t.Errorf("%s: the words stand %d times on the page and %d times in the text:\n%s", l, n, k, m.Text)
		}
		for _, url := range []string{"https://pier.example/a", "https://pier.example/b"} {
			if !hasLink(doc, url) || strings.Count(m.Text, url+"\n") != 1 {
				t.Errorf("%s: no way to %s", l, url)
			}
		}
		if strings.Contains(m.HTML+m.Text, "Untitled") {
			t.Errorf("%s: a made-up headline", l)
		}
	}
}

// TestFolders: the name of each folder appears once, before its sites.
func TestFolders(t *testing.T) {
	p := folders()
	m := checkedMail(t, p)
	// the end of the list of sites
	_, page, _ := strings.Cut(strings.Join(strings.Fields(shownText(t, m.HTML)), " "), "Small Compilers")
	_, text, _ := strings.Cut(m.Text, ruleText)
	for where, version := range map[string]string{"page": page, "text": text} {
		order(t, where, version, "Notes from the pier", "A Walled Garden", "Abroad", "Cuisine de quartier",
			"دفاتر المدينة", "Sea & shore", "The Harbour Log", "Small Compilers")
		if strings.Count(version, "Abroad") != 1 || strings.Count(version, "Sea & shore") != 1 {
			t.Errorf("%s: a folder's name stands twice", where)
		}
	}
	p.Sections = p.Sections[2:]
	if m = checkedMail(t, p); strings.Contains(m.HTML,
		"<h2 class=\"fold bar\" dir=\"auto\" lang=\"\" style=\"margin:0 0 12px;padding") != true ||
		strings.Count(m.HTML, "4px double") != 2 {
		t.Error("above the first folder stand two rules, or above the second none")
	}
}

// TestContentsOfNamesakes: each entry of the list links to its own section, even if sites have equal names and
// addresses.
func TestContentsOfNamesakes(t *testing.T) {
	sites := []sampleSite{harbour(), harbour(), kitchen(), harbour(), compiler(), tokyo(), harbour(), kitchen()}
	m := checkedMail(t, page(sites...))
	doc, ids := parse(t, m.HTML), map[string]int{}
	var entries, heads []string
	for _, a := range all(doc, "a") {
		if name, within := strings.CutPrefix(attr(a, "href"), "#"); within {
			entries = append(entries, name)
		}
	}
	for _, h := range all(doc, "h2") {
		if id := attr(h, "id"); id != "" {
			heads = append(heads, id)
			ids[id]++
		}
	}
	if len(ids) != len(sites) || !slices.Equal(entries, heads) {
		t.Errorf("entries lead to %q, sections are %q", entries, heads)
	}
	if again := checkedMail(t, page(sites...)); again.HTML != m.HTML {
		t.Error("the same edition gives another mail")
	}
}

// TestContents: an edition of twelve or more posts begins with the names of its sites, limited to a few lines.
func TestContents(t *testing.T) {
	for _, c := range []struct {
		edition Edition
		entries int
		more    string
	}{
		{page(harbour(), kitchen()), 0, ""},
		{typical(), 7, ""},
		{large(11), 0, ""},
		{large(12), 0, ""}, // of one site
		{large(480), 18, "and 22 more"},
	} {
		m := checkedMail(t, c.edition)
		if n := strings.Count(m.HTML, `href="#s`); n != c.entries {
			t.Errorf("%d entries, want %d", n, c.entries)
		}
		if c.more != "" && (!strings.Contains(m.HTML, c.more) ||
			!strings.Contains(strings.ReplaceAll(m.Text, "\n", " "), c.more)) {
			t.Errorf("it is not said that there are %s", c.more)
		}
	}
}
