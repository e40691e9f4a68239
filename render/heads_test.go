package render

import (
	"strings"
	"testing"

	"digest"
)

// TestRepeats: words repeat a title only if they contain nothing more.
func TestRepeats(t *testing.T) {
	for _, c := range []struct {
		words, title string
		want         bool
	}{
		{"Fog", "Fog", true}, {" FOG. ", "Fog", true}, {"“Fog”", "Fog", true}, {"[Fog]", "Fog", true},
		{"Fog¶", "Fog", true}, {"Fog #", "Fog", true}, {"It’s fog", "It's fog", true},
		{"C#", "C", false}, {"C++", "C", false}, {"10%", "10", false}, {"🎉 Fog 🎉", "Fog", false},
		{"Fog, again", "Fog", false}, {"", "", false}, {"…", "…", false},
		{"A status and more of it", "A status…", false},
	} {
		if got := repeats(c.words, c.title); got != c.want {
			t.Errorf("%q and %q: %t", c.words, c.title, got)
		}
	}
}

// TestHeadsTakeNothingElse: the excerpt loses a head with all its signs, and no text after it.
func TestHeadsTakeNothingElse(t *testing.T) {
	for _, c := range []struct{ title, content, summary, want string }{
		{"Fog", `<h1>Fog<a href="#fog">¶</a></h1><p>It came.</p>`, "Fog ¶ It came.", "It came."},
		{"Fog", `<h1>Fog <a href="#fog">#</a></h1><p>It came.</p>`, "Fog # It came.", "It came."},
		{"Fog", `<p>[Fog]</p><p>It came.</p>`, "[Fog] It came.", "It came."},
		{"Fog", `<p>Fog</p><p>'Tis it.</p>`, "Fog 'Tis it.", "'Tis it."},
		{"C", `<p>C++</p><p>It came.</p>`, "C++ It came.", "C++ It came."},
		{"10", `<p>10%</p><p>It came.</p>`, "10% It came.", "10% It came."},
	} {
		if got := beyondHeads(c.title, c.summary, c.content); got != c.want {
			t.Errorf("%s of %q becomes %q, want %q", c.content, c.title, got, c.want)
		}
	}
}

// TestHeadsOfFullTexts: a full text loses heads that only repeat the title, however long it is. It loses no other word,
// and no link to another page.
func TestHeadsOfFullTexts(t *testing.T) {
	status := strings.Repeat("A sentence of a status. ", 12)
	long := strings.Repeat("word ", 150) + "end."
	for _, c := range []struct{ title, content, there, gone string }{
		{status, "<p>" + status + "THE POINT OF IT.</p><p>More.</p>", "THE POINT OF IT.", ""},
		{status, "<p>" + status + "</p><p>More.</p>", "More.", ""},
		{long, "<p>" + long + "</p>", "end.", ""},
		{"C", "<p>C++</p><p>More.</p>", "C++", ""},
		{"Fog", `<h2><a href="https://far.example/x">Fog</a></h2><p>More.</p>`, "https://far.example/x", ""},
		{"Fog at sea", `<h2><a href="https://a.example/fog#top">Fog at sea</a></h2><p>More.</p>`, "More.",
			"Fog at sea"},
	} {
		p := plain.Post(digest.Post{URL: "https://a.example/fog", Title: c.title, Content: c.content, Summary: "Else."})
		text, ok := p.WebText(2, false, nil)
		if !ok || !strings.Contains(text.HTML, c.there) || c.gone != "" && strings.Contains(text.HTML, c.gone) {
			t.Errorf("of %.80s stands %t %.300s", c.content, ok, text.HTML)
		}
	}
}
