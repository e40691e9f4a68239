package store_test

import (
	"testing"
	"time"

	"digest"
)

// Some readers had a post at their midnight, others wait for it. It is withdrawn and then listed again. It goes only
// to the readers who waited (I4), also if it was found by the poll for that midnight, a minute after it.
func TestRestoredOnce(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		ada, hana := w.reader("ada"), w.reader("hana", "Pacific/Honolulu")
		w.subscribe(ada, f)
		w.subscribe(hana, f)
		at := func(identity string, published time.Time) digest.Post {
			p := post(identity, published)
			p.PublishedAt = published
			return p
		}
		old, gone, newer := at("old", noon.Add(-time.Hour)), at("gone", noon), at("newer", noon.Add(time.Hour))
		w.record(noon, f, []digest.Post{old})
		polled := parisMidnight.Add(time.Minute)
		gone.SeenAt, newer.SeenAt = polled, polled.Add(2*time.Hour)
		w.record(polled, f, []digest.Post{old, gone})
		want(w, "released", w.hour(polled.Add(time.Hour)), 1)
		want(w, "in Paris", w.editions(ada), "2026-11-20 old gone")
		w.record(polled.Add(2*time.Hour), f, []digest.Post{old, newer})
		want(w, "in Honolulu, while it is deleted", w.waiting(hana), "old newer")
		bob := w.reader("bob", "Pacific/Honolulu")
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: bob.ID, FeedID: f.ID},
			polled.Add(2*time.Hour)))
		want(w, "of who comes while it is deleted", w.waiting(bob), "old newer")
		w.record(polled.Add(3*time.Hour), f, []digest.Post{old, gone, newer})
		want(w, "in Honolulu, when it is listed again", w.waiting(hana), "old gone newer")
		want(w, "in Paris, for the next day", w.waiting(ada), "newer")
	})
}
