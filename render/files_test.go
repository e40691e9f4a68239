package render

import (
	"math"
	"strings"
	"testing"

	"digest"
)

func TestFileLabel(t *testing.T) {
	for _, c := range []struct {
		file digest.Enclosure
		want string
	}{
		{digest.Enclosure{Type: "audio/mpeg", Length: 41e6, Seconds: 2580}, "Listen · 43 min"},
		{digest.Enclosure{Type: "audio/mpeg", Length: 41e6}, "Listen · 41 MB"},
		{digest.Enclosure{Type: "audio/mpeg"}, "Listen"},
		{digest.Enclosure{URL: "https://x.org/a.MP3?b=c.pdf", Type: "application/octet-stream"}, "Listen"},
		{digest.Enclosure{URL: "https://x.org/a.ogg"}, "Listen"},
		{digest.Enclosure{Type: "video/mp4; codecs=avc1", Seconds: 720}, "Watch · 12 min"},
		{digest.Enclosure{Type: "video/mp4", Seconds: 4320}, "Watch · 1 h 12"},
		{digest.Enclosure{Type: "video/mp4", Seconds: 7200}, "Watch · 2 h"},
		{digest.Enclosure{Type: "audio/mpeg", Seconds: 5}, "Listen · 1 min"},
		{digest.Enclosure{Type: "application/pdf", Length: 2_100_000}, "PDF, 2 MB"},
		{digest.Enclosure{URL: "https://x.org/a.pdf"}, "PDF"},
		{digest.Enclosure{Type: "application/epub+zip", Length: 999}, "EPUB, 1 KB"},
		{digest.Enclosure{Type: "application/zip", Length: 1_240_000_000}, "ZIP, 1.2 GB"},
		{digest.Enclosure{Type: "application/x-bittorrent", Length: 20_000}, "Torrent, 20 KB"},
		{digest.Enclosure{Type: "<script>", Length: 3e9}, "File, 3 GB"},
		{digest.Enclosure{Type: "application/pdf", Length: -1, Seconds: -1}, "PDF"},
		{digest.Enclosure{Type: "application/zip", Length: 999_600}, "ZIP, 1 MB"},
	} {
		if got := fileLabel(c.file); got != c.want {
			t.Errorf("%+v is %q, want %q", c.file, got, c.want)
		}
	}
	for _, n := range []int64{1, math.MaxInt64} {
		if len(bytesWords(n)) > 20 || len(lengthWords(n/2)) > 40 {
			t.Errorf("%d: %s, %s", n, bytesWords(n), lengthWords(n/2))
		}
	}
}

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
	m := mailOf(t, Edition{Date: page().Date, HomeURL: page().HomeURL, UnsubscribeURL: page().HomeURL, Sections: []Section{{Title: "S", Posts: []*Post{p}}}})
	html, text := m.HTML, m.Text
	for _, want := range []string{`href="https://x.org/a.mp3?a=1&amp;b=2"`, ">Listen · 43 min</a>", ">Transcript</a>", ">PDF, 2 MB</a>"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %s in\n%s", want, html)
		}
	}
	if strings.Contains(html+text, "javascript") || strings.Contains(html, "e.png") {
		t.Errorf("%s\n%s", html, text)
	}
	const want = "\nT\nListen · 43 min:\nhttps://x.org/a.mp3?a=1&b=2\nTranscript:\nhttps://x.org/t.html\nPDF, 2 MB:\nhttps://x.org/n.pdf\n"
	if !strings.Contains(text, want) {
		t.Errorf("%q", text)
	}
	if row := p.row(); !strings.Contains(row.text.decoded(), "    Listen · 43 min:\n    https://x.org/a.mp3") {
		t.Errorf("%s", row.text.decoded())
	}
	for range 100 {
		post.Enclosures = append(post.Enclosures, digest.Enclosure{URL: "https://x.org/b.mp3", Type: "audio/mpeg"})
	}
	if n := len(New(nil).Post(post).Files); n > mostFiles+1 {
		t.Errorf("%d files", n)
	}
}

// TestChapters: titles are plain lines, and each link begins at its chapter.
func TestChapters(t *testing.T) {
	p := New(nil).Post(digest.Post{Title: "T", Enclosures: []digest.Enclosure{{URL: "https://x.org/a.mp3?a=1#x", Type: "audio/mpeg", ChapterList: []digest.Chapter{
		{Title: "Hello"}, {Start: 65, Title: " <b>\u202eevil\x00\n "}, {Start: 70, Title: "\u202e"}, {Start: 3723, Title: strings.Repeat("x", 500)},
	}}}})
	got := p.Files[0].Chapters()
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	want := []Chapter{{"0:00", "Hello", "https://x.org/a.mp3?a=1#t=0"}, {"1:05", "<b>evil", "https://x.org/a.mp3?a=1#t=65"}}
	if got[0] != want[0] || got[1] != want[1] || got[2].At != "1:02:03" || len(got[2].Title) > 200 {
		t.Errorf("%+v", got)
	}
	if strings.Contains(p.files.html.decoded()+p.files.text.decoded()+p.rest.html.decoded(), "Hello") {
		t.Error("they are in mail too")
	}
}
