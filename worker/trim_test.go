package worker

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/poller"
)

// TestTrim holds that few contents of posts that no reader sees are kept of a new feed.
func TestTrim(t *testing.T) {
	now := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	const large = poller.UnseenBytes/2 + 1
	// A post is hours:size, in units of large. The texts say which contents are kept.
	for name, test := range map[string][2]string{
		"recent ones, however large":            {"1:1 2:1 23:10", "+++"},
		"old ones, as far as there is room":     {"1:1 25:1 48:1 72:0", "++--"},
		"the newest, wherever it is":            {"72:1 48:1 25:3", "+-+"},
		"the first, where none has a date":      {"0:3 0:1 0:1", "++-"},
		"a day ago to the second is not recent": {"1:0 24:3", "+-"},
		"none":                                  {},
	} {
		var posts []digest.Post
		for word := range strings.FieldsSeq(test[0]) {
			var hours, size int
			if _, err := fmt.Sscanf(word, "%d:%d", &hours, &size); err != nil {
				t.Fatal(err)
			}
			p := digest.Post{Content: strings.Repeat("x", max(10, size*large)), Enclosures: []digest.Enclosure{{}}}
			if hours > 0 {
				p.PublishedAt = now.Add(-time.Duration(hours) * time.Hour)
			}
			posts = append(posts, p)
		}
		trim(posts, now)
		got := ""
		for _, p := range posts {
			if (p.Content == "") != (p.Enclosures == nil) {
				t.Errorf("%s: %d bytes and %d files", name, len(p.Content), len(p.Enclosures))
			}
			if p.Content == "" {
				got += "-"
			} else {
				got += "+"
			}
		}
		if got != test[1] {
			t.Errorf("%s: %s, want %s", name, got, test[1])
		}
	}
}
