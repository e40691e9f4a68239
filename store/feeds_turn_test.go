package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// queueMany queues n feeds on their own hosts, with one reader.
func (w world) queueMany(d digest.Digest, name string, n int, from time.Time) (feeds []digest.Feed) {
	w.Helper()
	for i := range n {
		f := w.newFeed(fmt.Sprintf("%s%d.example", name, i))
		w.subscribe(d, f)
		w.ok(w.Enqueue(w.ctx, f.ID, from))
		feeds = append(feeds, f)
	}
	return feeds
}

// claimFairly claims as the hourly job does.
func (w world) claimFairly(now time.Time, n int, load *poller.Load) (readers map[digest.DigestID]int) {
	w.Helper()
	claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, now, store.ClaimOptions{
		N: n, Lease: time.Hour, Token: "t", Full: load.Full(), Next: load.Next,
	}))
	readers = map[digest.DigestID]int{}
	for _, c := range claimed {
		load.Begin(c.Queued())
		readers[c.First]++
	}
	return readers
}

// Many queued feeds of one reader do not delay other readers' feeds.
func TestClaimInTurn(t *testing.T) {
	each(t, func(w world) {
		mallory, ada := w.reader("mallory"), w.reader("ada")
		w.queueMany(mallory, "tarpit", 30, noon)
		w.queueMany(ada, "good", 3, noon.Add(time.Minute))
		now := noon.Add(time.Hour)
		var load poller.Load
		got := w.claimFairly(now, 20, &load)
		want(w, "of the one with few", got[ada.ID], 3)
		want(w, "of the one with many", got[mallory.ID], 17)
		want(w, "the rest", w.claimFairly(now, 20, &load)[mallory.ID], 13)
	})
}

// A feed with several readers counts for the first or the last of them who is subscribed.
func TestReadersOfAQueuedFeed(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f := w.queueMany(ada, "popular", 1, noon)[0]
		bob, cyd, dan := w.reader("bob"), w.reader("cyd"),
			w.reader("dan")
		for _, d := range []digest.Digest{dan, bob, cyd} {
			w.subscribe(d, f)
		}
		w.pauseFeed(ada, f)
		claim := func(full ...digest.DigestID) []store.ClaimedFeed {
			claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, noon.Add(time.Hour), store.ClaimOptions{
				N: 9, Lease: time.Hour, Token: "t", Full: digest.FullShares{Digests: full},
			}))
			return claimed
		}
		want(w, "while both have their share", len(claim(bob.ID, dan.ID)), 0)
		claimed := claim(ada.ID, bob.ID)
		want(w, "claimed", len(claimed), 1)
		want(w, "first", claimed[0].First, bob.ID)
		want(w, "last", claimed[0].Last, dan.ID)
	})
}

// Nothing is claimed for a reader, a domain or a reliability whose share is used up.
func TestClaimWithinShares(t *testing.T) {
	each(t, func(w world) {
		mallory := w.reader("mallory")
		f := w.queueMany(mallory, "tarpit", 1, noon)[0]
		failing := f
		failing.Reliability, failing.PollAt = digest.Troubled, noon
		w.poll(noon, store.Polled{Feed: failing})
		now := noon.Add(time.Hour)
		for _, full := range []digest.FullShares{
			{Digests: []digest.DigestID{mallory.ID}}, {Domains: []string{"x.example", f.Domain}},
			{Reliabilities: []digest.Reliability{digest.Unproven, digest.Troubled}},
		} {
			claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, now,
				store.ClaimOptions{N: 9, Lease: time.Hour, Token: "t", Full: full}))
			want(w, fmt.Sprintf("claimed beyond %+v", full), len(claimed), 0)
		}
		var load poller.Load
		want(w, "claimed", w.claimFairly(now, 9, &load)[mallory.ID], 1)
	})
}
