package worker_test

import (
	"strings"
	"testing"
)

// TestEventsToCome holds that a new reader of a calendar, whose posts have the dates of events, gets one of
// its posts, and then each new one.
func TestEventsToCome(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		s := newSite(t)
		for _, day := range []string{"01", "02", "03"} {
			s.publishAt("2026-12-"+day+" 20:00", "concert "+day)
		}
		h.reader("ann@example.org", "UTC", s)
		h.hours("2026-11-20 00:00", 1, s)
		_, text := h.inbox()
		if n := strings.Count(text, "1 post from 1 site"); n == 0 {
			t.Errorf("the first edition has more than one event:\n%s", text)
		}
		s.publishAt("2026-12-24 20:00", "concert of Christmas")
		h.tick("2026-11-21 00:00", "Polled:1 Changed:1 Posts:1 Editions:1 Sent:1")
	})
}
