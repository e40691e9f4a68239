package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// claimUntil claims feeds that are due by until.
func (w world) claimUntil(now, until time.Time, n int) (claimed []store.ClaimedFeed, left bool) {
	w.Helper()
	claimed, left = must2(w.Feeds.ClaimFeeds(w.ctx, now, store.ClaimOptions{N: n, Lease: time.Hour, Token: "t",
		Until: until}))
	return claimed, left
}

// A claim ahead records the attempt for the start of the poll, from which the gap counts (I5).
func TestClaimAhead(t *testing.T) {
	each(t, func(w world) {
		soon, later := noon.Add(3*time.Second), noon.Add(9*time.Second)
		now, ahead, far := w.newFeed("now.example"), w.newFeed("ahead.example"), w.newFeed("far.example")
		ada := w.reader("ada")
		w.subscribe(ada, now, ahead, far)
		for f, at := range map[digest.Feed]time.Time{now: noon, ahead: soon, far: later} {
			w.exec(`UPDATE feed_times SET poll_at = ? WHERE feed_id = ?`, at.Unix(), f.ID)
		}
		claimed, left := w.claimUntil(noon, noon.Add(5*time.Second), 9)
		want(w, "claimed", len(claimed), 2)
		want(w, "left", left, false)
		for i, start := range []time.Time{noon, soon} {
			c := claimed[i]
			want(w, c.Host+" starts", c.StartAt.Equal(start), true)
			want(w, c.Host+" attempt", w.feedAgain(c.Feed).LastAttemptAt.Equal(start), true)
		}
		w.ok(w.Feeds.GiveBackFeed(w.ctx, ahead.ID, "t", claimed[1].AttemptBefore, time.Time{}))
		want(w, "attempt given back", w.feedAgain(ahead).LastAttemptAt.IsZero(), true)
		claimed, _ = w.claimUntil(later, time.Time{}, 9)
		want(w, "claimed when the last is due", len(claimed), 2)
	})
}

// left reports whether a new claim is useful when a poll ends.
func TestClaimLeaves(t *testing.T) {
	each(t, func(w world) {
		a, b := w.newFeed("one.example"), w.newFeed("two.example")
		beside, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://one.example/other", Host: "one.example",
			Title: "other"}))
		w.subscribe(w.reader("ada"), a, b, beside)
		for _, f := range []digest.Feed{a, b, beside} {
			w.ok(w.Enqueue(w.ctx, f.ID, noon))
		}
		claimed, left := w.claimUntil(noon, time.Time{}, 1)
		want(w, "claimed of three", len(claimed), 1)
		want(w, "left where there were more", left, true)
		_, left = w.claimUntil(noon, time.Time{}, 9)
		want(w, "left where a host is busy", left, true)
		w.exec(`UPDATE hosts SET lease_until = 0`)
		_, left = w.claimUntil(noon, time.Time{}, 9)
		want(w, "left when all are claimed", left, false)
	})
}

// Feeds of a paced domain are not claimed ahead, because the domain is only free then.
func TestClaimAheadLeavesPacedDomains(t *testing.T) {
	each(t, func(w world) {
		f := w.inDomain("slow.example", 1, noon.Add(3*time.Second))[0]
		w.exec(`INSERT INTO domains (domain, limited_at, pace, free_at) VALUES (?, ?, ?, 0)`,
			f.Domain, noon.Add(-time.Hour).Unix(), int64(time.Minute/time.Second))
		claimed, left := w.claimUntil(noon, noon.Add(5*time.Second), 9)
		want(w, "claimed", len(claimed), 0)
		want(w, "left", left, true)
		claimed, _ = w.claimUntil(noon.Add(3*time.Second), noon.Add(8*time.Second), 9)
		want(w, "claimed in its time", len(claimed), 1)
	})
}
