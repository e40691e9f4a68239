package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// queueMany queues feeds on hosts of their own for an account.
func (w world) queueMany(d digest.Digest, name string, n int, from time.Time) (feeds []digest.Feed) {
	w.t.Helper()
	for i := range n {
		f := w.newFeed(fmt.Sprintf("%s%d.example", name, i))
		w.subscribe(d, f)
		w.ok(w.Enqueue(w.ctx(), f.ID, from))
		feeds = append(feeds, f)
	}
	return feeds
}

// claimFairly claims as the hourly job does.
func (w world) claimFairly(now time.Time, n int, load *poller.Load) (accounts map[digest.DigestID]int) {
	w.t.Helper()
	claimed, err := w.ClaimFeeds(w.ctx(), now, store.ClaimOptions{
		N: n, Lease: time.Hour, Token: "t", Pace: true, Full: load.Full(), Next: load.Next,
	})
	w.ok(err)
	accounts = map[digest.DigestID]int{}
	for _, c := range claimed {
		load.Begin(c.Queued())
		accounts[c.Account]++
	}
	return accounts
}

// An account that has many feeds in the queue does not hold up the others,
// though its feeds came first.
func TestClaimInTurn(t *testing.T) {
	each(t, func(w world) {
		mallory, ada := w.reader("mallory", "Europe/Paris"), w.reader("ada", "Europe/Paris")
		w.queueMany(mallory, "tarpit", 30, noon)
		w.queueMany(ada, "good", 3, noon.Add(time.Minute))
		now := noon.Add(time.Hour)
		var load poller.Load
		got := w.claimFairly(now, 20, &load)
		want(w.t, "of the one with few", got[ada.ID], 3)
		want(w.t, "of the one with many", got[mallory.ID], 17)
		want(w.t, "the rest", w.claimFairly(now, 20, &load)[mallory.ID], 13)
	})
}

// A feed of many readers is on nobody's account.
func TestAccounts(t *testing.T) {
	each(t, func(w world) {
		f := w.queueMany(w.reader("ada", "Europe/Paris"), "popular", 1, noon)[0]
		now := noon.Add(time.Hour)
		for _, name := range []string{"bob", "cyd", "dan"} {
			w.subscribe(w.reader(name, "Europe/Paris"), f)
		}
		var load poller.Load
		want(w.t, "of four readers", w.claimFairly(now, 9, &load)[0], 1)
	})
}

// Of an account, a domain, and feeds that fail, nothing is claimed while they
// have their share.
func TestClaimWithinShares(t *testing.T) {
	each(t, func(w world) {
		mallory := w.reader("mallory", "Europe/Paris")
		f := w.queueMany(mallory, "tarpit", 1, noon)[0]
		failing := f
		failing.Errors, failing.PollAt = 1, noon
		_, err := w.Record(w.ctx(), noon, []store.Polled{{Feed: failing}})
		w.ok(err)
		now := noon.Add(time.Hour)
		for _, full := range []digest.FullShares{
			{Accounts: []digest.DigestID{mallory.ID}}, {Domains: []string{"x.example", f.Domain}}, {Failing: true},
		} {
			claimed, err := w.ClaimFeeds(w.ctx(), now, store.ClaimOptions{N: 9, Lease: time.Hour, Token: "t", Full: full})
			w.ok(err)
			want(w.t, fmt.Sprintf("claimed beyond %+v", full), len(claimed), 0)
		}
		var load poller.Load
		want(w.t, "claimed", w.claimFairly(now, 9, &load)[mallory.ID], 1)
	})
}
