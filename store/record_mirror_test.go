package store_test

import (
	"testing"
	"time"

	"digest/store"
)

// A feed that redirects to another feed brings the posts of that one. Readers of both get them from the other (I4).
func TestPostsOfAnotherFeed(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		old, other := w.feed("old.example"), w.feed("other.example")
		w.subscribe(ada, old)
		w.subscribe(ada, other)
		w.subscribe(bob, old)
		w.record(noon.Add(-time.Hour), other, posts(noon.Add(-time.Hour), "o"))
		p := store.Polled{Feed: old, Posts: posts(noon, "p", "q"), Listed: []string{"p", "q"}, ReadAt: other.URL}
		must(w.Feeds.Record(w.ctx, noon, []store.Polled{p}))
		waiting := func(d string, want int) {
			w.Helper()
			w.holds(d, want, `SELECT count(*) FROM digest_posts dp JOIN digests d ON d.id = dp.digest_id
				JOIN users u ON u.id = d.user_id JOIN posts p ON p.id = dp.post_id
				WHERE p.identity IN ('p', 'q') AND u.email LIKE '`+d+`%'`)
		}
		waiting("ada", 0)
		waiting("bob", 2)

		w.exec(`UPDATE feeds SET state = 'dead' WHERE id = ?`, other.ID)
		p.Posts, p.Listed = posts(noon, "r"), []string{"p", "q", "r"}
		must(w.Feeds.Record(w.ctx, noon.Add(time.Hour), []store.Polled{p}))
		w.holds("nobody else brings it", 2,
			`SELECT count(*) FROM digest_posts dp JOIN posts p ON p.id = dp.post_id WHERE p.identity = 'r'`)
	})
}

// TestComesBackToATakenPlace: a feed is missing where it moved, and another feed has its old address. It stays, and
// its failure does not affect the other.
func TestComesBackToATakenPlace(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		moved, holder := w.feed("new.example"), w.feed("old.example")
		w.subscribe(ada, moved)
		w.subscribe(ada, holder)
		w.ok(w.Enqueue(w.ctx, holder.ID, noon))
		was := moved
		was.MovedFrom, was.MovedAt = holder.URL, noon.Add(-day)
		w.exec(`UPDATE feeds SET moved_from = ?, moved_at = ? WHERE id = ?`, was.MovedFrom,
			was.MovedAt.Unix(), was.ID)
		back := was
		back.URL, back.Host, back.MovedFrom, back.MovedAt, back.Errors, back.LastStatus = holder.URL, holder.Host, "",
			time.Time{}, 2, 404
		w.poll(noon, store.Polled{Feed: back, Was: was})
		f := w.feedAgain(moved)
		want(w, "stays", f.URL, moved.URL)
		want(w, "remembers", f.MovedFrom, holder.URL)
		want(w, "the other is asked", len(w.claim(noon, 9, "t")), 1)
	})
}
