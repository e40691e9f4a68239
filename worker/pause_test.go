package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestPauseLosesNothing has a feed whose only reader is paused, and whose document keeps posts for a day
// and a half. It is polled once at each midnight. All posts come in one edition after the pause.
func TestPauseLosesNothing(t *testing.T) {
	eachHouse(t, "2026-10-20 10:00", func(t *testing.T, h *house, s *site) {
		s.shows = 3
		until := time.Date(2026, 10, 28, 0, 0, 0, 0, time.UTC)
		ok(t, h.st.Readers.PauseDigest(t.Context(), h.d.ID, until, h.clock))
		for day := 21; day < 28; day++ {
			s.publish(fmt.Sprintf("evening of %d", day-1), fmt.Sprintf("morning of %d", day-1))
			h.tick(fmt.Sprintf("2026-10-%d 00:00", day), "Polled:1 Changed:1 Posts:2")
			if asked := s.requests(); asked == "" || strings.Count(asked, " ") > 1 {
				t.Errorf("asked %v on the %dth", asked, day)
			}
			h.tick(fmt.Sprintf("2026-10-%d 06:00", day), "")
			if asked := s.requests(); asked != "" {
				t.Errorf("asked %v in the morning of the %dth", asked, day)
			}
		}
		s.publish("evening of 27", "morning of 27")
		h.tick("2026-10-28 00:00", "Polled:1 Changed:1 Posts:2 Editions:1 Sent:1")
		h.tick("2026-10-29 00:00", "Polled:1 Unchanged:1")
		n, text := h.inbox()
		if n != 1 || !strings.Contains(text,
			"Your editions were paused from 20 to 28 October. This edition has up to three posts from each site, "+
				"and headlines for the rest.") {
			t.Errorf("%d mails, want one that says what it is:\n%s", n, text)
		}
		for day := 20; day < 28; day++ {
			for _, title := range []string{fmt.Sprintf("morning of %d", day), fmt.Sprintf("evening of %d", day)} {
				if !strings.Contains(text, title) {
					t.Errorf("%q is lost", title)
				}
			}
		}
		checkBound(t, h.st, h.d, h.clock)
	})
}

func checkBound(t *testing.T, st *store.Store, d digest.Digest, now time.Time) {
	t.Helper()
	list, err := st.Editions.Editions(t.Context(), d.ID, 10)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d editions, %v", len(list), err)
	}
	posts, err := st.Editions.EditionPosts(t.Context(), []digest.Delivery{{Edition: list[0]}})
	if err != nil || len(posts[list[0].ID]) != 17 || list[0].BoundFrom.IsZero() {
		t.Errorf("%d posts, want 17; bound from %v, %v", len(posts[list[0].ID]), list[0].BoundFrom, err)
	}
	if d, err = st.Readers.Digest(t.Context(), d.ID); err != nil || !d.PausedAt.IsZero() || !d.PausedTo.IsZero() ||
		!d.NextDueAt.After(now) {
		t.Errorf("back: %+v, %v", d, err)
	}
}
