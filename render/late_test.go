package render

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// order is what a page or a text says of some words: which come after which.
func order(t *testing.T, where, text string, words ...string) {
	t.Helper()
	at := 0
	for _, w := range words {
		i := strings.Index(text[at:], w)
		if i < 0 {
			t.Errorf("%s: %q does not come next", where, w)
			return
		}
		at += i + len(w)
	}
}

// shownText is the words of a page, a line for each stretch.
func shownText(t *testing.T, page string) string {
	t.Helper()
	var b strings.Builder
	for n := range parse(t, page).Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "style" {
			b.WriteString(strings.TrimSpace(n.Data) + "\n")
		}
	}
	return b.String()
}

// TestLatePostsComeLast: in the index and below, in both versions, a site's
// late posts stand after a quiet label.
func TestLatePostsComeLast(t *testing.T) {
	p := page(garden(), harbour())
	p.Sections[0].Late = 1
	m := mailOf(t, p)
	for where, text := range map[string]string{"page": shownText(t, m.HTML), "text": m.Text} {
		order(t, where, text, "A Walled Garden", "First frost", "What the quince", "Late", "The seed swap", "The Harbour Log", // the index
			"A Walled Garden", "First frost", "What the quince", lateWords, "The seed swap", "The Harbour Log", "The fog signal")
		if n := strings.Count(text, "Late"); n != 2 {
			t.Errorf("%s: %d labels", where, n)
		}
	}
}

func TestLateLabels(t *testing.T) {
	for name, c := range map[string]struct {
		page   Edition
		late   []int
		labels int // in each version: in the index and below
	}{
		"nothing is late":             {page(garden(), harbour()), []int{0, 0}, 0},
		"one site":                    {page(garden(), harbour()), []int{0, 1}, 2},
		"both sites":                  {page(garden(), harbour()), []int{2, 1}, 4},
		"all of a site":               {page(garden()), []int{3}, 2},
		"the only post, not indexed":  {page(kitchen()), []int{1}, 1},
		"more than there are":         {page(garden()), []int{30}, 2},
		"less than none":              {page(garden()), []int{-1}, 0},
		"a site that was set already": {Edition{Date: page().Date, HomeURL: page().HomeURL, UnsubscribeURL: page().HomeURL, Sections: []Section{ready()}}, []int{1}, 2},
	} {
		for i, n := range c.late {
			c.page.Sections[i].Late = n
		}
		m := mailOf(t, c.page)
		for where, text := range map[string]string{"page": shownText(t, m.HTML), "text": m.Text} {
			if n := strings.Count(text, "Late"); n != c.labels {
				t.Errorf("%s: the %s has %d labels, want %d", name, where, n, c.labels)
			}
		}
	}
}

func ready() Section {
	s := NewSection("A Walled Garden", "https://garden.example/", "en")
	s.Posts = page(garden()).Sections[0].Posts
	return s
}

// TestLateInALargeEdition: where posts give way, each label that is shown has
// its posts after it.
func TestLateInALargeEdition(t *testing.T) {
	for _, posts := range []int{75, 200, 900} {
		p := large(posts)
		for i := range p.Sections {
			p.Sections[i].Late = i % len(p.Sections[i].Posts)
		}
		checkEdition(t, p)
	}
}

// checkLate: as many labels as there are sites of which a late post is shown.
func checkLate(t *testing.T, p Edition, m Message, doc *html.Node) {
	t.Helper()
	want := map[string]int{"Late": 0, lateWords: 0}
	e, err := plain.newMail(p)
	if err != nil {
		t.Fatal(err)
	}
	pl := e.fit()
	for i, s := range e.Sections {
		if s.Late == 0 {
			continue
		}
		switch d := e.depth(pl, i, len(s.Posts)-s.Late); {
		case d >= short:
			want[lateWords]++
			fallthrough
		case d == headline:
			want["Late"]++
		}
	}
	if !pl.index {
		want["Late"] = 0
	}
	got := map[string]int{}
	for _, para := range all(doc, "p") {
		if _, ok := want[textOf(para)]; ok && attr(para, "class") == "by" {
			got[textOf(para)]++
		}
	}
	lines := strings.Split(m.Text, "\n")
	for label, n := range want {
		line := map[string]string{"Late": "  Late:", lateWords: lateWords + ":"}[label]
		inText := len(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l != line }))
		if got[label] != n || inText != n {
			t.Errorf("%q: %d times on the page and %d in the text, want %d", label, got[label], inText, n)
		}
	}
}

// TestLabelsForThePage: the web view asks for the same words.
func TestLabelsForThePage(t *testing.T) {
	s := ready()
	s.Late = 2
	for i, want := range []string{"", lateWords, ""} {
		if got := s.LateLabel(i); got != want {
			t.Errorf("before post %d: %q, want %q", i, got, want)
		}
	}
}

// TestLateRunsWithItsPosts: a label stands where the posts after it begin.
func TestLateRunsWithItsPosts(t *testing.T) {
	for site, want := range map[string]bool{"harbour": false, "haifa": true} {
		p := page(map[string]sampleSite{"harbour": harbour(), "haifa": haifa()}[site])
		p.Sections[0].Late = 1
		m := mailOf(t, p)
		for _, para := range all(parse(t, m.HTML), "p") {
			if textOf(para) == lateWords && strings.Contains(attr(para, "style"), "text-align:right") != want {
				t.Errorf("%s: style %s", site, attr(para, "style"))
			}
		}
	}
}

// TestAPostIsTheSameLateOrNot: posts are shared by readers in time and late.
func TestAPostIsTheSameLateOrNot(t *testing.T) {
	p := page(garden())
	before := fmt.Sprintf("%+v", p.Sections[0].Posts[2].excerpt.html) + p.Sections[0].Posts[2].headline.html.decoded()
	p.Sections[0].Late = 2
	m, err := plain.EncodedMail(p)
	if err != nil {
		t.Fatal(err)
	}
	b := p.Sections[0].Posts[2]
	if !slices.Contains(m.HTML, b.excerpt.html.coded) || !slices.Contains(m.Text, b.excerpt.text.coded) {
		t.Error("a late post is not what it is in time")
	}
	if after := fmt.Sprintf("%+v", b.excerpt.html) + b.headline.html.decoded(); after != before {
		t.Errorf("the post became %s", after)
	}
}
