package worker

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/poller"
)

// TestTrim holds that few contents of posts that no reader sees are kept of a new feed.
func TestTrim(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	const large, small = poller.UnseenBytes/2 + 1, 10
	post := func(hours, bytes int) digest.Post {
		p := digest.Post{Content: strings.Repeat("x", bytes), Enclosures: []digest.Enclosure{{}}}
		if hours > 0 {
			p.PublishedAt = now.Add(-time.Duration(hours) * time.Hour)
		}
		return p
	}
	for name, test := range map[string]struct {
		posts []digest.Post
		want  string // whether the content of each is kept
	}{
		"recent ones, however large": {[]digest.Post{post(1, large), post(2, large), post(23, 10*large)},
			"+++"},
		"old ones, as far as there is room": {[]digest.Post{post(1, large), post(25, large), post(48, large),
			post(72, small)}, "++--"},
		"the newest, wherever it is": {[]digest.Post{post(72, large), post(48, large), post(25, 3*large)},
			"+-+"},
		"the first, where none has a date": {[]digest.Post{post(0, 3*large), post(0, large), post(0, large)},
			"++-"},
		"a day ago to the second is not recent": {[]digest.Post{post(1, small), post(24, 3*large)}, "+-"},
		"none":                                  {nil, ""},
	} {
		trim(test.posts, now)
		got := ""
		for _, p := range test.posts {
			if (p.Content == "") != (p.Enclosures == nil) {
				t.Errorf("%s: %d bytes and %d files", name, len(p.Content), len(p.Enclosures))
			}
			if p.Content == "" {
				got += "-"
			} else {
				got += "+"
			}
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
}
