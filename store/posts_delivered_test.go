package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"digest"
)

// TestDeliveredOfManyEditions: in any number of editions, the latest posts of a feed are first, including posts of a
// feed that was merged into it.
func TestDeliveredOfManyEditions(t *testing.T) {
	type delivered struct {
		date digest.Date
		post digest.PostID
	}
	each(t, func(w world) {
		chance := rand.New(rand.NewPCG(13, 5))
		ann, often, seldom, merged, never := w.reader("ann", "UTC"), w.feed("a.example"), w.feed("b.example"),
			w.feed("c.example"), w.feed("d.example")
		var names []string
		for i := range 300 {
			names = append(names, fmt.Sprint(i))
		}
		for _, f := range []digest.Feed{often, seldom, merged} {
			w.posted(f, names...)
			w.exec(`INSERT INTO subscriptions (digest_id, feed_id, created_at) VALUES (?, ?, 0)`, ann.ID,
				f.ID)
		}
		w.exec(`UPDATE feeds SET merged_into = ? WHERE id = ?`, seldom.ID, merged.ID)
		const editions = 170
		night := func(i int) time.Time { return parisMidnight.AddDate(0, 0, i) }
		want := map[digest.FeedID][]delivered{}
		for i := range editions {
			date := digest.DateOf(night(i))
			w.exec(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date,
				next_at, expires_at)
				VALUES (?, ?, ?, 0, ?, 'sent', 0, 0, 0)`, ann.ID, date.String(), night(i).Unix(), i+1)
			share := map[digest.FeedID]int{often.ID: 2, seldom.ID: 0, merged.ID: 0}
			if i == 1 || i == 40 {
				share[seldom.ID], share[merged.ID] = 2, 1
			}
			for f, n := range share {
				for range n {
					post := 1 + int64(chance.IntN(300)) + 300*int64(f-often.ID)
					if slices.Contains(want[f], delivered{date, digest.PostID(post)}) {
						continue
					}
					w.exec(`INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES (?, ?, ?)`,
						ann.ID, night(i).Unix(), post)
					want[f] = append(want[f], delivered{date, digest.PostID(post)})
				}
			}
		}
		want[seldom.ID] = append(want[seldom.ID], want[merged.ID]...)
		for _, f := range []digest.Feed{often, seldom, never} {
			slices.SortFunc(want[f.ID], func(a, b delivered) int {
				return cmp.Or(cmp.Compare(b.date.String(), a.date.String()), cmp.Compare(b.post, a.post))
			})
			for _, last := range []int{-1, 0, 1, 15, 16, 17, 39, 40, 41, 79, 80, 81, 143, 144, 145, editions - 1} {
				seen := slices.DeleteFunc(slices.Clone(want[f.ID]),
					func(d delivered) bool { return d.date.String() > digest.DateOf(night(last)).String() })
				for _, limit := range []int{1, 5, 10, 33, 1000} {
					list := must(w.Posts.DeliveredPosts(w.ctx, ann.ID, f.ID, night(last), limit))
					got := []delivered{}
					for _, p := range list {
						got = append(got, delivered{p.Date, p.PostID})
					}
					if !slices.Equal(got, seen[:min(limit, len(seen))]) {
						w.Fatalf("%s on night %d, %d at most: %v, want %v", f.URL, last, limit, got,
							seen[:min(limit, len(seen))])
					}
				}
			}
		}
	})
}
