package render

import (
	"math"
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
)

func TestLabelsOfFiles(t *testing.T) {
	english := catalogue.English()
	for _, c := range []struct {
		file         digest.Enclosure
		label, facts string
	}{
		{digest.Enclosure{Type: "audio/mpeg", Length: 41e6, Seconds: 2580}, "Listen · 43 min", "MP3, 41 MB"},
		{digest.Enclosure{Type: "audio/mpeg", Seconds: 6720}, "Listen · 1 h 52 min", "MP3"},
		{digest.Enclosure{Type: "audio/mpeg", Length: 41e6}, "Listen · 41 MB", "MP3"},
		{digest.Enclosure{Type: "audio/mpeg"}, "Listen", "MP3"},
		{digest.Enclosure{Type: "audio/x-m4a; charset=x", Length: 1e6, Seconds: 1}, "Listen · 1 min", "M4A, 1 MB"},
		{digest.Enclosure{Type: "audio/strange", Length: 5e6, Seconds: 60}, "Listen · 1 min", "5 MB"},
		{digest.Enclosure{URL: "https://x.org/a.MP3?b=c.pdf", Type: "application/octet-stream"}, "Listen", "MP3"},
		{digest.Enclosure{URL: "https://x.org/a.ogg"}, "Listen", "Ogg"},
		{digest.Enclosure{Type: "video/mp4; codecs=avc1", Seconds: 720}, "Watch · 12 min", "MP4"},
		{digest.Enclosure{Type: "video/mpeg", Seconds: 720}, "Watch · 12 min", ""},
		{digest.Enclosure{Type: "video/mp4", Seconds: 4320}, "Watch · 1 h 12 min", "MP4"},
		{digest.Enclosure{Type: "video/*", Seconds: 7200}, "Watch · 2 h", ""},
		{digest.Enclosure{Type: "audio/mpeg", Seconds: 5}, "Listen · 1 min", "MP3"},
		{digest.Enclosure{Type: "image/png", Length: 2e6}, "Picture, 2 MB", ""},
		{digest.Enclosure{Type: "application/pdf", Length: 2_100_000}, "PDF, 2 MB", ""},
		{digest.Enclosure{URL: "https://x.org/a.pdf"}, "PDF", ""},
		{digest.Enclosure{Type: "application/epub+zip", Length: 999}, "EPUB, 1 KB", ""},
		{digest.Enclosure{Type: "application/zip", Length: 1_240_000_000}, "ZIP, 1.2 GB", ""},
		{digest.Enclosure{Type: "application/x-bittorrent", Length: 20_000}, "Torrent, 20 KB", ""},
		{digest.Enclosure{Type: "<script>", Length: 3e9}, "File, 3 GB", ""},
		{digest.Enclosure{Type: "application/pdf", Length: -1, Seconds: -1}, "PDF", ""},
		{digest.Enclosure{Type: "application/zip", Length: 999_600}, "ZIP, 1 MB", ""},
	} {
		if label, facts := FileLabel(c.file).In(english), english.Text(FileFacts(c.file)); label != c.label ||
			facts != c.facts {
			t.Errorf("%+v is %q, %q, want %q, %q", c.file, label, facts, c.label, c.facts)
		}
	}
	for _, n := range []int64{1, math.MaxInt64} {
		if len(bytesWords(n).In(english)) > 24 || len(lengthWords(n/2).In(english)) > 40 {
			t.Errorf("%d: %s, %s", n, bytesWords(n).In(english), lengthWords(n/2).In(english))
		}
	}
}

// TestFilesAreToldApart: files with equal labels are numbered. Both versions of an email show the kind and size of a
// file beside its link.
func TestFilesAreToldApart(t *testing.T) {
	p := plain.Post(digest.Post{URL: "https://a.example/1", Title: "Parts", Enclosures: []digest.Enclosure{
		{URL: "https://a.example/1.mp3", Length: 12_000_000}, {URL: "https://a.example/2.mp3", Length: 12_000_000},
		{URL: "https://a.example/3.mp3", Length: 12_000_000, Seconds: 60 * 43},
	}})
	want := []string{"1. Listen · 12 MB MP3", "2. Listen · 12 MB MP3", "Listen · 43 min MP3, 12 MB"}
	for i, f := range p.Files {
		if got := f.Label + " " + f.Facts; i >= len(want) || got != want[i] {
			t.Errorf("file %d is %q, want %q", i, got, want)
		}
	}
	e := page(sampleSite{"A", "https://a.example/", "en", nil})
	e.Sections[0].Posts = []*Post{p}
	m := checkedMail(t, e)
	if !strings.Contains(strings.Join(strings.Fields(shownText(t, m.HTML)), " "),
		"2. Listen · 12 MB (MP3) · Listen · 43 min (MP3, 12 MB)") ||
		!strings.Contains(m.Text, "Listen · 43 min (MP3, 12 MB):\nhttps://a.example/3.mp3\n") {
		t.Errorf("%s\n%s", shownText(t, m.HTML), m.Text)
	}
}
