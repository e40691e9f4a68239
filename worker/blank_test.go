package worker_test

import (
	"strings"
	"testing"

	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// TestBlankPost holds that a post without content appears as soon as it has some.
func TestBlankPost(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		h.hours("2026-11-19 11:00", 14, s)
		published := s.posts
		s.posts = append([]string{
			`<item><guid>b</guid><link>http://example.org/b</link>` +
				`<description>&lt;p&gt;&lt;/p&gt;</description></item>`},
			published...)
		h.tick("2026-11-21 00:00", worker.Summary{Polled: 1, Changed: 1})
		s.posts = append([]string{
			`<item><guid>b</guid><link>http://example.org/b</link><description>Now it has words.</description></item>`},
			published...)
		h.tick("2026-11-22 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		if _, text := h.inbox(); !strings.Contains(unfold(text), "Now it has words") {
			t.Error("the post that was filled in has not arrived")
		}
	})
}

// TestEventsToCome holds that a new reader of a calendar, whose posts have the dates of events, gets one of
// its posts, and then each new one.
func TestEventsToCome(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		s := newSite(t)
		for _, day := range []string{"01", "02", "03"} {
			s.publishAt("2026-12-"+day+" 20:00", "concert "+day)
		}
		h := newHouse(t, st, "2026-11-19 10:00")
		h.reader("ann@example.org", "UTC", s)
		h.hours("2026-11-20 00:00", 1, s)
		_, text := h.inbox()
		if n := strings.Count(unfold(text), "1 post from 1 site"); n == 0 {
			t.Errorf("the first edition has more than one event:\n%s", text)
		}
		s.publishAt("2026-12-24 20:00", "concert of Christmas")
		h.tick("2026-11-21 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
	})
}
