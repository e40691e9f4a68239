package edition

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/render"
)

// TestRealStories: the sample feeds beside the checkout tell no story twice, apart from feeds that are there twice. The
// newer posts of no feed sound as if somebody else wrote them.
func TestRealStories(t *testing.T) {
	dir, r := cmp.Or(os.Getenv("DIGEST_SHARED"), "../../shared"), render.New(func(string) string { return "" })
	var all []teller
	urls, feeds := map[digest.PostID]string{}, 0
	err := filepath.WalkDir(filepath.Join(dir, "corpus"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		d, err := feed.Parse(b, "", "https://site.example/feed")
		if err != nil || !d.IsFeed() || len(d.Posts) == 0 {
			return nil
		}
		feeds++
		var posts []digest.Post
		var shown []*render.Post
		for _, entry := range d.Posts[:min(60, len(d.Posts))] {
			p := entry.Sanitise(time.Date(2026, 11, 19, 21, 0, 0, 0, time.UTC))
			p.ID, p.SiteURL = digest.PostID(len(all)+1), d.Link
			posts, shown = append(posts, p), append(shown, r.Brief(p))
			all = append(all, teller{&post{Post: shown[len(shown)-1], seen: seconds(p.SeenAt),
				story: storyOf(p, shown[len(shown)-1].Words)}, digest.FeedID(feeds)})
			urls[p.ID] = p.URL
		}
		if n := len(posts) / 2; n > 5 && voiceOf(posts[n:]).differsFrom(shown[:n]) {
			t.Errorf("%s sounds as if somebody else wrote its newer posts", path)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Skip("no corpus beside the checkout")
	}
	left := retold(all)
	for from, to := range left {
		if urls[from] != urls[to] {
			t.Errorf("%s is left out for %s", urls[from], urls[to])
		}
	}
	t.Logf("%d posts of %d feeds, %d copies", len(all), feeds, len(left))
}
