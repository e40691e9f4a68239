package worker_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/test/tier"
)

// TestPlanReadsWhatDecides holds that the columns that planning reads result in the same instant as the
// whole record of a feed.
func TestPlanReadsWhatDecides(t *testing.T) {
	tier.Alone(t)
	eachEmptyHouse(t, "2026-11-19 12:00", func(t *testing.T, h *house) {
		st := h.st
		st.Policy = storetest.Policy(time.Hour)
		chance := rand.New(rand.NewPCG(25, 1))
		h.spread.Window = 10 * time.Minute
		h.reader("reader@example.org", "UTC")
		midnight := nightsLater(0)
		around := func() time.Time { // or never
			return []time.Time{{}, midnight.Add(time.Duration(chance.IntN(8*60)-6*60) * time.Minute)}[chance.IntN(2)]
		}
		hours := func() time.Duration { return time.Duration(chance.IntN(30)) * time.Hour }
		for i := range 300 {
			host := fmt.Sprintf("f%d.example", i)
			f, _, err := st.Feeds.EnsureFeed(t.Context(), digest.Feed{URL: "https://" + host + "/", Host: host})
			ok(t, err)
			_, err = st.Subscriptions.Subscribe(t.Context(), digest.Subscription{DigestID: h.d.ID, FeedID: f.ID}, eve)
			ok(t, err)
			for _, at := range []*time.Time{&f.LastAttemptAt, &f.LastOKAt, &f.NotBefore, &f.FreshUntil, &f.PollAt,
				&f.FirstErrorAt} {
				*at = around()
			}
			f.ParsedAt, f.Errors, f.LastStatus = eve, chance.IntN(2), 200+chance.IntN(330)
			f.OwnInterval, f.BusyInterval, f.DocInterval = hours(), hours(), hours()
			f.SkipHours, f.SkipDays = chance.Uint32()&chance.Uint32()&(1<<24-1),
				digest.Weekdays(chance.IntN(1<<7)&chance.IntN(1<<7))
			f.State = []digest.FeedState{digest.FeedActive, digest.FeedTrial}[chance.IntN(2)]
			_, err = st.Feeds.Record(t.Context(), eve, []store.Polled{{Feed: f}})
			ok(t, err)
		}
		whole := make(map[digest.FeedID]digest.Feed)
		for _, f := range storetest.All(t, st.Feeds.Feeds(t.Context())) {
			whole[f.ID] = f.Feed
		}
		asked, times := 0, make(map[time.Time]bool)
		_, err := st.Feeds.Plan(t.Context(), midnight, func(f digest.Feed, due time.Time) (time.Time, bool) {
			got, gotOK := poller.MidnightPoll(f, due, midnight, h.spread)
			want, wantOK := poller.MidnightPoll(whole[f.ID], due, midnight, h.spread)
			if got != want || gotOK != wantOK {
				t.Errorf("%+v\nis asked at %v (%v), by all of its record at %v (%v)", whole[f.ID], got, gotOK, want,
					wantOK)
			}
			asked++
			times[got] = true
			return got, gotOK
		})
		ok(t, err)
		if asked != len(whole) || len(times) < 10 {
			t.Errorf("%d feeds and %d times", asked, len(times))
		}
	})
}
