package render

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
)

// corpusPosts reads the real feeds beside the checkout, with at most each posts of a feed.
func corpusPosts(t *testing.T, each int) map[string][]digest.Post {
	t.Helper()
	dir := os.Getenv("DIGEST_SHARED")
	if dir == "" {
		dir = "../../shared"
	}
	files, _ := filepath.Glob(filepath.Join(dir, "corpus", "dev", "*"))
	if len(files) == 0 {
		t.Skip("no corpus beside the checkout")
	}
	posts := map[string][]digest.Post{}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := feed.Parse(b, "", "https://site.example/feed")
		if err != nil || !d.IsFeed() {
			continue
		}
		for _, e := range d.Posts[:min(each, len(d.Posts))] {
			p := e.Sanitise(time.Date(2026, 11, 19, 21, 0, 0, 0, time.UTC))
			p.Language = cmp.Or(p.Language, d.Language)
			posts[filepath.Base(name)] = append(posts[filepath.Base(name)], p)
		}
	}
	return posts
}

func pageOf(title string, posts []digest.Post, look digest.Look) Edition {
	site := NewSection(title, "https://site.example/", "")
	for _, p := range posts {
		site.Posts = append(site.Posts, proxied.Post(p))
	}
	return Edition{
		Date: digest.Date{Year: 2026, Month: time.November, Day: 20}, Number: 7, Sections: []Section{site}, Look: look,
		WebURL: "https://digest.example/e/x", UnsubscribeURL: "https://digest.example/unsubscribe/y",
		HomeURL:   "https://digest.example/",
		Recipient: "ada@example.org", PostalAddress: "The Paper, 1 Example Street, 1000 Sometown",
	}
}

// looks returns all display settings that change an email.
func looks() []digest.Look {
	return []digest.Look{
		{}, {Layout: digest.Headlines}, {Layout: digest.FullText},
		{Layout: digest.FullText, Images: digest.LinkedImages}, {Layout: digest.FullText, Images: digest.ProxiedImages},
	}
}

// TestRealFeeds renders editions of real feeds in every look. Mail clients must support them, and both versions must
// have the same content. With -artifacts it keeps the files.
func TestRealFeeds(t *testing.T) {
	for name, posts := range corpusPosts(t, 6) {
		for _, look := range looks() {
			m := mailOf(t, pageOf(name, posts, look))
			base := filepath.Join(t.ArtifactDir(), fmt.Sprintf("%s.%s.%s", name, look.Layout, look.Images))
			for ext, part := range map[string]string{".html": m.HTML, ".txt": m.Text} {
				if err := os.WriteFile(base+ext, []byte(part), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if faults := faultsOf(t, m); len(faults) > 0 {
				t.Errorf("%s, %v: %s", name, look, strings.Join(faults, "; "))
			}
		}
	}
}
