package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestTextsAreFixed: the statements of a midnight on posts, editions and subscriptions have the same texts for five
// readers and feeds as for eight.
func TestTextsAreFixed(t *testing.T) {
	few, more := textsOfMidnight(t, 5), textsOfMidnight(t, 8)
	if len(few) < 20 {
		t.Errorf("only %d statements were seen", len(few))
	}
	for text := range more {
		if !few[text] {
			t.Errorf("a statement has a text of its own for eight: %s", text)
		}
	}
}

// textsOfMidnight runs a midnight of n readers of n feeds, and returns the statements that have arguments.
func textsOfMidnight(t *testing.T, n int) map[string]bool {
	w := newWorld(t, storetest.Open(t, storetest.SQLite(t)))
	var readers []digest.Digest
	var polls []store.Polled
	for i := range n {
		host := fmt.Sprintf("%d.example", i)
		f, d := w.feed(host), w.reader(host)
		w.subscribe(d, f)
		readers = append(readers, d)
		found := posts(noon, "a", "b")
		polls = append(polls, store.Polled{Feed: f, Posts: found, Listed: []string{"a", "b"}, ReadAt: f.URL})
	}
	for range 2 { // in the second round all posts are known and edited
		w.poll(noon, polls...)
		for i := range polls {
			for j := range polls[i].Posts {
				polls[i].Posts[j].ContentHash = "another"
			}
		}
	}
	w.hour(parisMidnight)
	later := noon.Add(14 * time.Hour)
	full := digest.FullShares{Domains: []string{"other.example"}, Digests: []digest.DigestID{1 << 40}}
	for i, p := range polls {
		w.ok(w.Enqueue(w.ctx, p.Feed.ID, later))
		full.Domains, full.Digests = append(full.Domains, p.Feed.URL), append(full.Digests, digest.DigestID(i+1<<20))
	}
	claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, later,
		store.ClaimOptions{N: n, Lease: time.Hour, Token: "t", Full: full}))
	want(t, "claimed", len(claimed), n)
	polls = nil
	for _, f := range claimed {
		was := f.Feed
		f.PollAt = time.Time{}
		polls = append(polls, store.Polled{Feed: f.Feed, Was: was, Token: "t", HostFreeAt: later})
	}
	w.poll(later, polls...)
	var editions []digest.Delivery
	for _, d := range readers {
		list := must(w.Editions.Editions(w.ctx, d.ID, 1))
		editions = append(editions, digest.Delivery{Edition: list[0]})
	}
	must(w.Editions.EditionPosts(w.ctx, editions))
	ids := make([]digest.DigestID, n)
	for i, d := range readers {
		ids[i] = d.ID
	}
	must(w.Editions.SubscriptionSettings(w.ctx, ids))
	return w.Texts(t)
}
