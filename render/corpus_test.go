package render_test

import (
	"cmp"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/render"
)

// proxied is the address of a picture as the mail has it.
func proxied(src string) string {
	return "https://digest.example/image/mac/" + base64.RawURLEncoding.EncodeToString([]byte(src))
}

// corpusPosts reads the real feeds beside the checkout: of each at most so many posts.
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
		for _, e := range d.Entries[:min(each, len(d.Entries))] {
			p := e.Post(time.Date(2026, 11, 19, 21, 0, 0, 0, time.UTC))
			p.Language = cmp.Or(p.Language, d.Language)
			posts[filepath.Base(name)] = append(posts[filepath.Base(name)], p)
		}
	}
	return posts
}

// pageOf is an edition of one site.
func pageOf(title string, posts []digest.Post, look digest.Look) render.Page {
	site := render.NewSite(title, "https://site.example/", "")
	for _, p := range posts {
		site.Blocks = append(site.Blocks, render.NewPictured(p, proxied))
	}
	return render.Page{
		Date: digest.Date{Year: 2026, Month: time.November, Day: 20}, Number: 7, Sites: []render.Site{site}, Look: look,
		WebURL: "https://digest.example/e/x", UnsubscribeURL: "https://digest.example/unsubscribe/y", HomeURL: "https://digest.example/",
		Recipient: "ada@example.org", PostalAddress: "The Paper, 1 Example Street, 1000 Sometown",
	}
}

// TestDrawCorpus writes editions of real feeds to the artefact directory (go
// test -artifacts), to look at them in a browser.
func TestDrawCorpus(t *testing.T) {
	for name, posts := range corpusPosts(t, 6) {
		for _, images := range []digest.Images{digest.NoImages, digest.ProxiedImages} {
			m, err := render.Edition(pageOf(name, posts, digest.Look{Layout: digest.FullText, Images: images}))
			if err != nil {
				t.Fatal(err)
			}
			base := filepath.Join(t.ArtifactDir(), strings.ReplaceAll(name, "/", "-")+"."+string(images))
			for ext, part := range map[string]string{".html": m.HTML, ".txt": m.Text} {
				if err := os.WriteFile(base+ext, []byte(part), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}
