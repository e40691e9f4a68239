package render

import (
	"digest/internal/catalogue"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

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

// shownText returns the visible words of a page, one line for each text node.
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

// TestLatePostsComeLast: in both versions a site's late posts come last, and their bylines say so.
func TestLatePostsComeLast(t *testing.T) {
	for _, l := range layouts {
		p := page(garden(), harbour())
		p.Layout, p.Sections[0].Late, p.Sections[1].Late = l, 1, 1
		m := mailOf(t, p)
		for where, text := range map[string]string{"page": strings.Join(strings.Fields(shownText(t, m.HTML)), " "),
			"text": strings.Join(strings.Fields(m.Text), " ")} {
			order(t, where, text, "A Walled Garden", "First frost", "What the quince", "The seed swap",
				"From an earlier day", "The Harbour Log", "The fog signal", "tide tables",
				"From an earlier day · 3 min read")
			if n := strings.Count(text, "From an earlier day"); n != 2 {
				t.Errorf("%s: %d late posts", where, n)
			}
		}
	}
}

func TestLateLabels(t *testing.T) {
	for name, c := range map[string]struct {
		page Edition
		late []int
		want int // labels in each version
	}{
		"nothing is late":     {page(garden(), harbour()), []int{0, 0}, 0},
		"one site":            {page(garden(), harbour()), []int{0, 1}, 1},
		"both sites":          {page(garden(), harbour()), []int{2, 1}, 3},
		"all of a site":       {page(garden()), []int{3}, 3},
		"the only post":       {page(kitchen()), []int{1}, 1},
		"more than there are": {page(garden()), []int{30}, 3},
		"less than none":      {page(garden()), []int{-1}, 0},
		"a site that was set already": {Edition{Date: page().Date, HomeURL: page().HomeURL,
			UnsubscribeURL: page().HomeURL, Sections: []Section{ready()}}, []int{1}, 1},
	} {
		for i, n := range c.late {
			c.page.Sections[i].Late = n
		}
		m := mailOf(t, c.page)
		for where, text := range map[string]string{"page": shownText(t, m.HTML), "text": m.Text} {
			if n := strings.Count(text, "From an earlier day"); n != c.want {
				t.Errorf("%s: the %s has %d late posts, want %d", name, where, n, c.want)
			}
		}
	}
}

func ready() Section {
	s := NewSection("A Walled Garden", "https://garden.example/", "en")
	s.Posts = page(garden()).Sections[0].Posts
	return s
}

// TestLateInALargeEdition: if posts lose detail, each visible label still has its posts after it.
func TestLateInALargeEdition(t *testing.T) {
	for _, posts := range []int{75, 200, 900} {
		p := large(posts)
		for i := range p.Sections {
			p.Sections[i].Late = i % len(p.Sections[i].Posts)
		}
		checkEdition(t, p)
	}
}

// checkLate checks that each visible late post has one label.
func checkLate(t *testing.T, p Edition, m Message) {
	t.Helper()
	e, err := plain.newMail(p)
	if err != nil {
		t.Fatal(err)
	}
	pl, want := e.fit(), 0
	for i := range e.Sections {
		s := &e.Sections[i]
		for j := range s.Posts {
			if s.isLate(j) && e.depth(pl, i, j) > omitted {
				want++
			}
		}
	}
	html, text := 0, 0
	unmarked := strings.NewReplacer("\u2068", "", "\u2069", "", "\u200e", "", "\u200f", "")
	for line := range strings.Lines(unmarked.Replace(m.HTML)) {
		if line == "From an earlier day\n" || strings.HasSuffix(line, ">From an earlier day</span>\n") {
			html++
		}
	}
	for line := range strings.Lines(unmarked.Replace(m.Text)) {
		if first, _, _ := strings.Cut(strings.TrimSpace(line)+
			" ", " · "); strings.TrimSpace(first) == "From an earlier day" {
			text++
		}
	}
	if html != want || text != want {
		t.Errorf("%d posts are late on the page and %d in the text, want %d", html, text, want)
	}
}

// TestLabelsForThePage: the web edition uses the same words.
func TestLabelsForThePage(t *testing.T) {
	s := ready()
	s.Late = 2
	for i, want := range []string{"", "From an earlier day", ""} {
		if got := catalogue.English().Text(s.LateLabel(i)); got != want {
			t.Errorf("before post %d: %q, want %q", i, got, want)
		}
	}
}

// TestAPostIsTheSameLateOrNot: rendering a late post does not change the shared post.
func TestAPostIsTheSameLateOrNot(t *testing.T) {
	p := page(garden())
	before := p.Sections[0].Posts[2].rest.html.decoded() + p.Sections[0].Posts[2].by.html.decoded()
	p.Sections[0].Late = 2
	m, err := plain.EncodedMail(p)
	if err != nil {
		t.Fatal(err)
	}
	b := p.Sections[0].Posts[2]
	if !slices.Contains(m.HTML, b.rest.html.coded) || !slices.Contains(m.Text, b.rest.text.coded) {
		t.Error("a late post is not what it is in time")
	}
	if after := b.rest.html.decoded() + b.by.html.decoded(); after != before {
		t.Errorf("the post became %s", after)
	}
}
