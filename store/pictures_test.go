package store_test

import (
	"testing"
	"time"

	"digest"
)

// TestPictureSizes: sizes are found by address, the latest one counts, and they are stored as long as posts.
func TestPictureSizes(t *testing.T) {
	each(t, func(w world) {
		const a, b = "https://far.example/a.jpg?x=1", "https://far.example/b.jpg"
		w.ok(w.Posts.LearnPictureSize(w.ctx, a, digest.PictureSize{Width: 1, Height: 2}, noon))
		w.ok(w.Posts.LearnPictureSize(w.ctx, a, digest.PictureSize{Width: 1200, Height: 800}, noon.Add(time.Hour)))
		sizes := must(w.Editions.PictureSizes(w.ctx, []string{a, b, a}))
		want(w, "known", len(sizes), 1)
		want(w, "the size", sizes[a], digest.PictureSize{Width: 1200, Height: 800})
		none := must(w.Editions.PictureSizes(w.ctx, nil))
		want(w, "of none", len(none), 0)
		w.prune(noon.Add(keep))
		w.holds("sizes", 1, `SELECT count(*) FROM picture_sizes`)
		w.prune(noon.Add(keep + 2*time.Hour))
		w.holds("sizes", 0, `SELECT count(*) FROM picture_sizes`)
	})
}
