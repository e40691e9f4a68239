package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestTroubledNewsletter holds that a newsletter stops after two complaints about spam. Its owner gets one
// email, and the collected posts are sent after somebody releases it.
func TestTroubledNewsletter(t *testing.T) {
	eachHouse(t, "2026-11-20 10:00", func(t *testing.T, h *house, s *site) {

		st, ctx := h.st, t.Context()
		n, members := h.newsletter(3)
		var told []string
		tick := func(clock string) (sent int) {
			t.Helper()
			h.set(clock)
			j := h.job()
			j.Held = func(n store.HeldNewsletter) error {
				told = append(told, n.Owner+": "+n.HeldReason)
				return nil
			}
			sum, err := j.Tick(ctx)
			ok(t, err)
			return sum.Sent
		}
		s.publish("second")
		if sent := tick("2026-11-21 00:00"); sent != 4 {
			t.Fatalf("%d mails, want those of a reader and three members", sent)
		}
		for _, m := range members[:2] {
			editions, err := st.Editions.Editions(ctx, m.DigestID, 1)
			ok(t, err)
			_, _, err = st.Editions.RecordBounce(ctx, h.clock.Add(time.Hour),
				digest.Bounce{Edition: editions[0].ID, Kind: digest.Complaint})
			ok(t, err)
		}
		s.publish("third")
		if sent := tick("2026-11-22 00:00"); sent != 1 {
			t.Errorf("%d mails leave, want the reader's own", sent)
		}
		s.publish("fourth")
		tick("2026-11-23 00:00")
		if want := "utc@example.org: 2 of 3 emails were marked as spam, which is more than 0.3 %"; strings.Join(told,
			"; ") != want {
			t.Errorf("told: %q, want %q", told, want)
		}
		ok(t, st.Newsletters.SetNewsletterState(ctx, n.ID, digest.NewsletterActive, "", h.clock))
		s.publish("fifth")
		if sent := tick("2026-11-24 00:00"); sent != 2 {
			t.Errorf("%d mails after the release, want two", sent)
		}
		editions, err := st.Editions.Editions(ctx, members[2].DigestID, 2)
		ok(t, err)
		posts, err := st.Editions.EditionPosts(ctx, []digest.Delivery{{Edition: editions[0]}})
		ok(t, err)
		if got := len(posts[editions[0].ID]); len(editions) != 2 || got != 3 {
			t.Errorf("the last member has %d editions, the last one with %d posts; want 2 and 3", len(editions), got)
		}
	})
}

// TestIssuesWaitForApproval ticks like cron, each time with a new job as after a restart, and with two
// workers. An issue that waits for approval is sent when its publisher approves it. An issue on hold is not
// sent at its hour.
func TestIssuesWaitForApproval(t *testing.T) {
	eachHouse(t, "2026-11-20 10:00", func(t *testing.T, h *house, s *site) {
		n, _ := h.newsletter(1)
		n.ApproveWithin, n.DeliverAt = 6*time.Hour, 7*time.Hour
		ok(t, h.st.Newsletters.SetNewsletter(t.Context(), n, h.clock))
		s.publish("second")
		tick := func(want int, clocks ...string) {
			t.Helper()
			for _, clock := range clocks {
				h.set("2026-11-21 " + clock)
				for range 2 {
					sum, err := h.job().Tick(t.Context())
					ok(t, err)
					if want -= sum.Sent; want < 0 {
						t.Fatalf("%s: sent too early", clock)
					}
				}
			}
			if want > 0 {
				t.Fatalf("%s: %d were not sent", clocks, want)
			}
		}
		tick(1, "00:00", "00:05", "00:59") // the reader's own edition
		tick(0, "01:00", "06:59", "07:00", "07:05", "08:10")
		ok(t, h.st.Newsletters.SetNewsletterState(t.Context(), n.ID, digest.NewsletterHeld, "spam", h.clock))
		tick(0, "13:00", "13:05")
		_, err := h.st.Newsletters.ApproveNewsletterLetter(t.Context(), n.ID, digest.DateOf(h.clock), h.clock)
		ok(t, err)
		tick(0, "13:10", "14:10")
		ok(t, h.st.Newsletters.SetNewsletterState(t.Context(), n.ID, digest.NewsletterActive, "", h.clock))
		tick(1, "14:15", "14:20", "15:00")
	})
}

// newsletter adds a newsletter with the feed of the house's reader and members in UTC.
func (h *house) newsletter(members int) (digest.Newsletter, []digest.Member) {
	h.t.Helper()
	ctx := h.t.Context()
	n, err := h.st.Newsletters.AddNewsletter(ctx, digest.Newsletter{
		Slug: "paper", Name: "Paper", Cadence: digest.Daily, State: digest.NewsletterActive,
		Look: digest.Look{Layout: digest.FullText, Images: digest.NoImages},
	}, h.d.UserID, h.clock)
	ok(h.t, err)
	feeds, err := h.st.Subscriptions.AllSubscriptions(ctx, h.d.ID)
	ok(h.t, err)
	ok(h.t, h.st.Newsletters.AddNewsletterFeed(ctx, n.ID, digest.Subscription{FeedID: feeds[0].FeedID}, h.clock))
	var joined []digest.Member
	for i := range members {
		joining := store.Joining{Email: fmt.Sprintf("m%d@example.org", i), TimeZone: "UTC", Asked: true}
		m, _, err := h.st.Members.Join(ctx, n.ID, joining, h.clock)
		ok(h.t, err)
		joined = append(joined, m)
	}
	return n, joined
}
