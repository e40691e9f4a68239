package hourly_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestTroubledNewsletter: two letters of a newsletter are called spam; the next ones do not leave, its owner is
// told once, and what gathered comes after a person has released it.
func TestTroubledNewsletter(t *testing.T) {
	eachHouse(t, "2026-11-20 10:00", func(t *testing.T, h *house, s *site) {
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		st, ctx := h.st, t.Context()
		n, err := st.AddNewsletter(ctx, digest.Newsletter{
			Slug: "paper", Name: "Paper", Cadence: digest.Daily, State: digest.NewsletterActive, Look: digest.Look{Layout: digest.FullText, Images: digest.NoImages},
		}, h.d.UserID, h.clock)
		ok(err)
		feeds, err := st.AllSubscriptions(ctx, h.d.ID)
		ok(err)
		ok(st.AddNewsletterFeed(ctx, n.ID, digest.Subscription{FeedID: feeds[0].FeedID}, h.clock))
		var members []digest.Member
		for i := range 3 {
			m, _, err := st.Join(ctx, n.ID, store.Joining{Email: fmt.Sprintf("m%d@example.org", i), TimeZone: "UTC", Asked: true}, h.clock)
			ok(err)
			members = append(members, m)
		}
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
			ok(err)
			return sum.Sent
		}
		s.publish("second")
		if sent := tick("2026-11-21 00:00"); sent != 4 {
			t.Fatalf("%d mails, want those of a reader and three members", sent)
		}
		for _, m := range members[:2] {
			editions, err := st.Editions(ctx, m.DigestID, 1)
			ok(err)
			_, _, err = st.RecordBounce(ctx, h.clock.Add(time.Hour), digest.Bounce{Edition: editions[0].ID, Kind: digest.Complaint})
			ok(err)
		}
		s.publish("third")
		if sent := tick("2026-11-22 00:00"); sent != 1 {
			t.Errorf("%d mails leave, want the reader's own", sent)
		}
		s.publish("fourth")
		tick("2026-11-23 00:00")
		if want := "utc@example.org: 2 letters of 3 were called spam, which is more than 0.3 %"; strings.Join(told, "; ") != want {
			t.Errorf("told: %q, want %q", told, want)
		}
		ok(st.SetNewsletterState(ctx, n.ID, digest.NewsletterActive, "", h.clock))
		s.publish("fifth")
		if sent := tick("2026-11-24 00:00"); sent != 2 {
			t.Errorf("%d mails after the release, want two", sent)
		}
		editions, err := st.Editions(ctx, members[2].DigestID, 2)
		ok(err)
		posts, err := st.EditionPosts(ctx, []digest.Delivery{{Edition: editions[0]}})
		ok(err)
		if got := len(posts[editions[0].ID]); len(editions) != 2 || got != 3 {
			t.Errorf("the last member has %d editions, the last one with %d posts; want 2 and 3", len(editions), got)
		}
	})
}
