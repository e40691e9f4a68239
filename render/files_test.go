package render

import (
	"strings"
	"testing"

	"digest"
)

func TestFilesOfAPost(t *testing.T) {
	post := digest.Post{Title: "T", Enclosures: []digest.Enclosure{
		{URL: "javascript:alert(1)", Type: "audio/mpeg"}, {URL: "https://x.org/e.png", Type: "image/png"},
		{URL: "https://x.org/n.pdf", Type: "application/pdf", Length: 2e6, Transcript: "javascript:alert(2)"},
		{URL: "https://x.org/a.mp3?a=1&b=2", Type: "audio/mpeg", Seconds: 2580, Transcript: "https://x.org/t.html"},
	}}
	p := New(nil).Post(post)
	if len(p.Files) != 3 || !p.Files[0].Sound {
		t.Fatalf("%+v", p.Files)
	}
	m := mailOf(t, Edition{Date: page().Date, HomeURL: page().HomeURL, UnsubscribeURL: page().HomeURL,
		Sections: []Section{{Title: "S", Posts: []*Post{p}}}})
	html, text := m.HTML, m.Text
	for _, want := range []string{`href="https://x.org/a.mp3?a=1&amp;b=2"`, ">Listen · 43 min</a>", ">Transcript</a>",
		">PDF, 2 MB</a>"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	if strings.Contains(html+text, "javascript") || strings.Contains(html, "e.png") {
		t.Errorf("%s\n%s", html, text)
	}
	const want = "\nT\nListen · 43 min " +
		"(MP3):\nhttps://x.org/a.mp3?a=1&b=2\nTranscript:\nhttps://x.org/t.html\nPDF, 2 MB:\nhttps://x.org/n.pdf\n"
	if !strings.Contains(text, want) {
		t.Errorf("%q", text)
	}
	if row := p.row(); !strings.Contains(row.text.decoded(), "     Listen · 43 min (MP3):\n     https://x.org/a.mp3") {
		t.Errorf("%s", row.text.decoded())
	}
	for range 100 {
		post.Enclosures = append(post.Enclosures, digest.Enclosure{URL: "https://x.org/b.mp3", Type: "audio/mpeg"})
	}
	if n := len(New(nil).Post(post).Files); n > mostFiles+1 {
		t.Errorf("%d files", n)
	}
}

// TestChapters: titles are plain lines, and each link starts at its chapter.
func TestChapters(t *testing.T) {
	p := New(nil).Post(digest.Post{Title: "T",
		Enclosures: []digest.Enclosure{{URL: "https://x.org/a.mp3?a=1#x", Type: "audio/mpeg",
			ChapterList: []digest.Chapter{
				{Title: "Hello"}, {Start: 65, Title: " <b>\u202eevil\x00\n "}, {Start: 70, Title: "\u202e"},
				{Start: 3723, Title: strings.Repeat("x", 500)},
			}}}})
	got := p.Files[0].Chapters()
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	want := []Chapter{{"0:00", "Hello", "https://x.org/a.mp3?a=1#t=0"},
		{"1:05", "<b>evil", "https://x.org/a.mp3?a=1#t=65"}}
	if got[0] != want[0] || got[1] != want[1] || got[2].At != "1:02:03" || len(got[2].Title) > 200 {
		t.Errorf("%+v", got)
	}
	if strings.Contains(p.files.html.decoded()+p.files.text.decoded()+p.rest.html.decoded(), "Hello") {
		t.Error("they are in mail too")
	}
}
