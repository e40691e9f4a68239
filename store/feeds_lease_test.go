package store_test

import (
	"context"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestLeaseHost: at most one request to a host is in flight, for a poll of its feed or a redirect.
func TestLeaseHost(t *testing.T) {
	each(t, func(w world) {
		const host, lease = "a.example", time.Minute
		token, free := must2(w.Feeds.LeaseHost(w.ctx, noon, host, lease))
		want(w, "leased", token != "", true)
		want(w, "may be asked", free.IsZero(), true)
		other, free := must2(w.Feeds.LeaseHost(w.ctx, noon.Add(time.Second), host, lease))
		want(w, "leased twice", other, "")
		want(w, "free again", free, noon.Add(lease))
		w.ok(w.Feeds.GiveBackHost(w.ctx, host, "another's", noon))
		w.ok(w.Feeds.GiveBackHost(w.ctx, host, token, noon.Add(5*time.Second)))
		other, free = must2(w.Feeds.LeaseHost(w.ctx, noon.Add(4*time.Second), host, lease))
		want(w, "leased while it rests", other, "")
		want(w, "left alone until", free, noon.Add(5*time.Second))
		other, _ = must2(w.Feeds.LeaseHost(w.ctx, noon.Add(5*time.Second), host, lease))
		want(w, "leased after its rest", other != "" && other != token, true)
		w.ok(w.Feeds.GiveBackHost(w.ctx, host, token, noon)) // the first lease has expired
		again, _ := must2(w.Feeds.LeaseHost(w.ctx, noon.Add(6*time.Second), host, lease))
		want(w, "the old token freed it", again, "")
		back, free := must2(w.Feeds.LeaseHost(w.ctx, noon.Add(-time.Hour), host, lease))
		want(w, "leased by a clock that is a little late", back, "")
		want(w, "free again", free, noon.Add(65*time.Second))
		back, _ = must2(w.Feeds.LeaseHost(w.ctx, noon.Add(-day), host, lease))
		want(w, "leased although the lease is of another day", back != "", true)
	})
}

// TestLeaseHostOfFeed: LeaseHost and claims of the host's feeds exclude each other.
func TestLeaseHostOfFeed(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		w.subscribe(w.reader("ann", "UTC"), f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		token, _ := must2(w.Feeds.LeaseHost(w.ctx, noon, f.Host, time.Minute))
		want(w, "claimed though its host is leased", len(w.claimSide(noon)), 0)
		w.ok(w.Feeds.GiveBackHost(w.ctx, f.Host, token, noon))
		want(w, "claimed", len(w.claimSide(noon)), 1)
		token, _ = must2(w.Feeds.LeaseHost(w.ctx, noon, f.Host, time.Minute))
		want(w, "leased though a feed is polled", token, "")
	})
}

// TestLeaseHostTogether: one of several concurrent callers gets the lease.
func TestLeaseHostTogether(t *testing.T) {
	each(t, func(w world) {
		got := make(chan string)
		for range 8 {
			go func() {
				token, _, err := w.Feeds.LeaseHost(context.Background(), noon, "a.example", time.Minute)
				if err != nil {
					t.Error(err)
				}
				got <- token
			}()
		}
		won := 0
		for range 8 {
			if <-got != "" {
				won++
			}
		}
		want(w, "winners", won, 1)
	})
}

func (w world) claimSide(now time.Time) []store.ClaimedFeed {
	w.Helper()
	claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, now, store.ClaimOptions{N: 10, Lease: time.Minute, Token: "side"}))
	return claimed
}

// TestGiveBackFeed: a feed whose poll was abandoned is free again, and so is its host. The attempt counts.
func TestGiveBackFeed(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		beside, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "http://a.example/beside", Host: "a.example"}))
		ann := w.reader("ann", "UTC")
		w.subscribe(ann, f, beside)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		w.one(noon, "t")
		begun, free := noon.Add(90*time.Second), noon.Add(2*time.Minute)
		w.ok(w.Feeds.GiveBackFeed(w.ctx, f.ID, "another's", begun, free))
		want(w, "by another", w.feedAgain(f).LastAttemptAt, noon)
		w.ok(w.Feeds.GiveBackFeed(w.ctx, f.ID, "t", begun, free))
		want(w, "the attempt", w.feedAgain(f).LastAttemptAt, begun)
		want(w, "in the queue", w.feedAgain(f).PollAt, noon)

		w.ok(w.Enqueue(w.ctx, beside.ID, noon))
		want(w, "claimed while the host rests", len(w.claim(free.Add(-time.Second), 9, "u")), 0)
		want(w, "its neighbour", w.one(free, "u").ID, beside.ID)
		w.ok(w.Feeds.GiveBackFeed(w.ctx, beside.ID, "u", free, free))
		want(w, "within the gap", len(w.claim(begun.Add(time.Hour-time.Second), 9, "v")), 0)
		want(w, "after the gap", w.one(begun.Add(time.Hour), "v").ID, f.ID)
	})
}
