package store_test

import (
	"testing"
	"time"

	"digest"
)

// TestPictures: facts about pictures are found by address, the latest counts, and it is stored as long as posts.
func TestPictures(t *testing.T) {
	each(t, func(w world) {
		const a, b = "https://far.example/a.jpg?x=1", "https://far.example/b.jpg"
		size := digest.PictureSize{Width: 1200, Height: 800}
		w.ok(w.Posts.LearnPicture(w.ctx, a, digest.PictureSize{Width: 1, Height: 2}, noon))
		w.ok(w.Posts.LearnPicture(w.ctx, a, size, noon.Add(time.Hour)))
		sizes := must(w.Editions.PictureSizes(w.ctx, []string{a, b, a}))
		want(w, "known", len(sizes), 1)
		want(w, "the size", sizes[a], size)
		none := must(w.Editions.PictureSizes(w.ctx, nil))
		want(w, "of none", len(none), 0)

		w.ok(w.Posts.PictureFailed(w.ctx, a, 1, noon.Add(2*time.Hour), noon))
		want(w, "dead", must(w.Editions.PictureSizes(w.ctx, []string{a}))[a].Dead, true)
		want(w, "due early", len(must(w.Posts.ClaimPictures(w.ctx, noon.Add(time.Hour), noon.Add(3*time.Hour), 0,
			9))), 0)
		w.ok(w.Posts.LearnPicture(w.ctx, a, size, noon.Add(time.Hour)))
		want(w, "back", must(w.Editions.PictureSizes(w.ctx, []string{a}))[a], size)
		want(w, "due", len(must(w.Posts.ClaimPictures(w.ctx, noon.Add(9*time.Hour), noon.Add(10*time.Hour), 0, 9))), 0)

		w.prune(noon.Add(keep))
		w.holds("sizes", 1, `SELECT count(*) FROM pictures`)
		w.prune(noon.Add(keep + 2*time.Hour))
		w.holds("sizes", 0, `SELECT count(*) FROM pictures`)
	})
}

// TestQueuedPictures: the pictures of a poll's newest posts are queued once, and claimed once until the retry. A failed
// one is due later and comes after new ones, and a second report of the same failure does not move it.
func TestQueuedPictures(t *testing.T) {
	each(t, func(w world) {
		_, feed := w.follows()
		var posts []digest.Post
		for i, at := range []int{1, 4, 3, 2} {
			p := post(string(rune('a'+i)), noon.Add(time.Duration(at)*time.Minute))
			p.ImageURL = "https://far.example/" + p.Identity + ".jpg"
			posts = append(posts, p)
		}
		w.record(noon.Add(time.Hour), feed, posts)
		claim := func(at time.Duration) (urls []string) {
			now := noon.Add(time.Hour + at)
			for _, p := range must(w.Posts.ClaimPictures(w.ctx, now, now.Add(10*time.Minute), 48*time.Hour, 9)) {
				urls = append(urls, p.URL)
			}
			return urls
		}
		want(w, "queued", len(claim(0)), 3) // not the oldest
		want(w, "claimed twice", len(claim(time.Minute)), 0)
		sizes := must(w.Editions.PictureSizes(w.ctx, []string{posts[1].ImageURL}))
		want(w, "known before the request", len(sizes), 0)
		w.ok(w.Posts.LearnPicture(w.ctx, posts[1].ImageURL, digest.PictureSize{}, noon))
		again := noon.Add(2 * time.Hour)
		w.ok(w.Posts.PictureFailed(w.ctx, posts[2].ImageURL, 1, again, noon))
		w.ok(w.Posts.PictureFailed(w.ctx, posts[2].ImageURL, 1, noon, noon))
		wantDiff(w, "after the retry", claim(20*time.Minute), []string{posts[3].ImageURL})
		wantDiff(w, "after the failure", claim(2*time.Hour), []string{posts[3].ImageURL, posts[2].ImageURL})
		wantDiff(w, "after days", claim(72*time.Hour), []string{posts[2].ImageURL})
	})
}

// TestHomePicture: only a feed that was read in an allowed network, and that published the picture, is found.
func TestHomePicture(t *testing.T) {
	each(t, func(w world) {
		_, feed := w.follows()
		p := post("a", noon)
		p.ImageURL = "https://far.example/a.jpg?x=1&y=2"
		p.Content = `<img src="https://far.example/b.jpg?x=1&amp;y=2">`
		w.record(noon.Add(time.Hour), feed, []digest.Post{p})
		for picture, n := range map[string]int{p.ImageURL: 1, "https://far.example/b.jpg?x=1&y=2": 1,
			"https://far.example/c.jpg": 0} {
			want(w, picture, len(must(w.Feeds.HomePicture(w.ctx, feed.Host, picture))), n)
			want(w, picture, len(must(w.Feeds.HomePicture(w.ctx, "other.example", picture))), 0)
		}
		w.exec(`UPDATE feeds SET public_only = 1`)
		want(w, "public", len(must(w.Feeds.HomePicture(w.ctx, feed.Host, p.ImageURL))), 0)
	})
}
