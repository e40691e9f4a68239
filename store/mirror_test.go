package store_test

import (
	"testing"

	"digest/store"
)

// A feed whose address leads to another's brings that one's posts; who takes
// both has them from there (I4).
func TestPostsOfAnotherFeed(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		old, other := w.feed("old.example"), w.feed("other.example")
		w.subscribe(ada, old)
		w.subscribe(ada, other)
		w.subscribe(bob, old)
		p := store.Polled{Feed: old, Posts: posts(noon, "p", "q"), Listed: []string{"p", "q"}, ReadAt: other.URL}
		_, err := w.Record(w.ctx(), noon, []store.Polled{p})
		w.ok(err)
		waiting := func(d string, want int) {
			w.t.Helper()
			w.holds(d, want, `SELECT count(*) FROM digest_posts dp JOIN digests d ON d.id = dp.digest_id
				JOIN users u ON u.id = d.user_id JOIN posts p ON p.id = dp.post_id
				WHERE p.identity IN ('p', 'q') AND u.email LIKE '`+d+`%'`)
		}
		waiting("ada", 0)
		waiting("bob", 2)
	})
}
