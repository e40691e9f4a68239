package worker_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestMonthly has a site that publishes two posts a day and lists the newest five. A monthly reader gets
// all of them in one edition, and the site gets as many polls as for a daily digest.
func TestMonthly(t *testing.T) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h, p := newDatedHouse(t, st)
		p.shows = 5
		if err := st.Readers.SetCadence(t.Context(), h.d.ID, digest.LastDay, h.clock); err != nil {
			t.Fatal(err)
		}
		h.clock = time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
		polls, editions := 0, ""
		for h.clock.Month() < 12 {
			if n := h.clock.Hour(); n == 8 || n == 20 {
				p.publishAt(h.clock.Format("2006-01-02 15:04"), h.clock.Format("news of 0102-15"))
			}
			sum, err := h.job().Tick(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if polls += sum.Polled; sum.Editions > 0 {
				editions += h.clock.Format("0102-15 ")
			}
			h.clock = h.clock.Add(4 * time.Hour)
		}
		if polls != 12 || editions != "1130-00 " {
			t.Errorf("%d polls, editions at %s; want a poll each night and the edition of 30 November", polls, editions)
		}
		mails, text := h.inbox()
		for day := 18; day < 30; day++ {
			for _, hour := range []int{8, 20} {
				if title := fmt.Sprintf("news of 11%02d-%02d", day, hour); (day > 18 || hour > 8) &&
					!strings.Contains(text, title) {
					t.Errorf("%q is lost", title)
				}
			}
		}
		if mails != 1 || strings.Contains(text, "news of 1130") {
			t.Errorf("%d mails, the last day's news in it: %v", mails, strings.Contains(text, "news of 1130"))
		}
	})
}
