package worker_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// TestS16_KilledAgainAndAgain kills a worker after its claim, ten times an hour. It sends no site two
// requests, because the attempt is stored before the request, and the next attempt waits for the gap.
func TestS16_KilledAgainAndAgain(t *testing.T) {
	eachDatedHouse(t, func(t *testing.T, h *house, p *site) {
		h.set("2026-11-20 00:00")
		claims := 0
		for range 30 {
			claims += claimAndKill(t, h, time.Second) // so short that only the stored attempt blocks the next claim
			h.clock = h.clock.Add(6 * time.Minute)
		}
		if claims != 3 {
			t.Errorf("%d attempts in three hours of being killed; want one an hour", claims)
		}
		h.clock = h.clock.Add(time.Hour)
		_, err := h.job().Tick(t.Context())
		ok(t, err)
		if asked := p.requests(); asked == "" {
			t.Error("the feed is never asked again")
		}
	})
}

// claimAndKill claims all feeds that may be polled now, like a worker that is then killed.
func claimAndKill(t *testing.T, h *house, lease time.Duration) int {
	t.Helper()
	_, err := h.st.Feeds.Plan(t.Context(), h.clock, func(f digest.Feed, due time.Time) (time.Time, bool) {
		return poller.MidnightPoll(f, due, h.clock, h.spread)
	})
	ok(t, err)
	o := store.ClaimOptions{N: 10, Lease: lease, Token: "dead"}
	claimed, _, err := h.st.Feeds.ClaimFeeds(t.Context(), h.clock, o)
	ok(t, err)
	return len(claimed)
}

// TestS18_OneGate holds that a feed is not polled within the gap, whatever requests the poll, and then
// once.
func TestS18_OneGate(t *testing.T) {
	wishes := map[string]func(h *house, f digest.Feed) error{
		"ping": func(h *house, f digest.Feed) error {
			return h.st.Feeds.Pinged(h.t.Context(), []string{f.URL}, h.clock)
		},
		"person": func(h *house, f digest.Feed) error {
			err := h.st.Feeds.Vouch(h.t.Context(), f.ID, h.clock)
			return err
		},
		"new reader": func(h *house, f digest.Feed) error {
			_, d, err := h.st.Readers.AddUser(h.t.Context(), "raj@example.org", "Asia/Kolkata", h.clock)
			if err == nil {
				_, err = h.st.Subscriptions.Subscribe(h.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID},
					h.clock)
			}
			return err
		},
		"another midnight": func(h *house, _ digest.Feed) error {
			_, err := h.st.Feeds.Plan(h.t.Context(), h.clock.Add(24*time.Hour),
				func(digest.Feed, time.Time) (time.Time, bool) { return h.clock, true })
			return err
		},
	}
	for name, wish := range wishes {
		t.Run(name, func(t *testing.T) {
			h, p := newDatedHouse(t, storetest.Open(t, storetest.SQLite(t)))
			h.hours("2026-11-19 00:00", 1, p)
			f := h.feed(p)
			for minute := 10; minute < 60; minute += 10 {
				h.set(fmt.Sprintf("2026-11-19 00:%02d", minute))
				if err := wish(h, f); err != nil && minute == 10 {
					t.Fatal(err)
				}
				if _, err := h.job().Poll(context.Background()); err != nil { // a start, or a deployment
					t.Fatal(err)
				}
				if asked := p.requests(); asked != "" {
					t.Fatalf("asked %s at %s", asked, h.clock.Format("15:04"))
				}
			}
			h.set("2026-11-19 01:00")
			_, err := h.job().Poll(context.Background())
			ok(t, err)
			if asked := p.requests(); name != "new reader" && asked != "GET" && asked != "HEAD" {
				t.Errorf("asked %q when the gap was over; want once", asked)
			}
		})
	}
}
