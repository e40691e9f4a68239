package digest

import (
	"math"
	"testing"
)

func TestLabelsOfFiles(t *testing.T) {
	for _, c := range []struct {
		file         Enclosure
		label, facts string
	}{
		{Enclosure{Type: "audio/mpeg", Length: 41e6, Seconds: 2580}, "Listen · 43 min", "MP3, 41 MB"},
		{Enclosure{Type: "audio/mpeg", Seconds: 6720}, "Listen · 1 h 52", "MP3"},
		{Enclosure{Type: "audio/mpeg", Length: 41e6}, "Listen · 41 MB", "MP3"},
		{Enclosure{Type: "audio/mpeg"}, "Listen", "MP3"},
		{Enclosure{Type: "audio/x-m4a; charset=x", Length: 1e6, Seconds: 1}, "Listen · 1 min", "M4A, 1 MB"},
		{Enclosure{Type: "audio/strange", Length: 5e6, Seconds: 60}, "Listen · 1 min", "5 MB"},
		{Enclosure{URL: "https://x.org/a.MP3?b=c.pdf", Type: "application/octet-stream"}, "Listen", "MP3"},
		{Enclosure{URL: "https://x.org/a.ogg"}, "Listen", "Ogg"},
		{Enclosure{Type: "video/mp4; codecs=avc1", Seconds: 720}, "Watch · 12 min", "MP4"},
		{Enclosure{Type: "video/mpeg", Seconds: 720}, "Watch · 12 min", ""},
		{Enclosure{Type: "video/mp4", Seconds: 4320}, "Watch · 1 h 12", "MP4"},
		{Enclosure{Type: "video/*", Seconds: 7200}, "Watch · 2 h", ""},
		{Enclosure{Type: "audio/mpeg", Seconds: 5}, "Listen · 1 min", "MP3"},
		{Enclosure{Type: "image/png", Length: 2e6}, "Picture, 2 MB", ""},
		{Enclosure{Type: "application/pdf", Length: 2_100_000}, "PDF, 2 MB", ""},
		{Enclosure{URL: "https://x.org/a.pdf"}, "PDF", ""},
		{Enclosure{Type: "application/epub+zip", Length: 999}, "EPUB, 1 KB", ""},
		{Enclosure{Type: "application/zip", Length: 1_240_000_000}, "ZIP, 1.2 GB", ""},
		{Enclosure{Type: "application/x-bittorrent", Length: 20_000}, "Torrent, 20 KB", ""},
		{Enclosure{Type: "<script>", Length: 3e9}, "File, 3 GB", ""},
		{Enclosure{Type: "application/pdf", Length: -1, Seconds: -1}, "PDF", ""},
		{Enclosure{Type: "application/zip", Length: 999_600}, "ZIP, 1 MB", ""},
	} {
		if label, facts := c.file.Label(), c.file.Facts(); label != c.label || facts != c.facts {
			t.Errorf("%+v is %q, %q, want %q, %q", c.file, label, facts, c.label, c.facts)
		}
	}
	for _, n := range []int64{1, math.MaxInt64} {
		if len(bytesWords(n)) > 20 || len(lengthWords(n/2)) > 40 {
			t.Errorf("%d: %s, %s", n, bytesWords(n), lengthWords(n/2))
		}
	}
}
