package worker_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"digest/internal/textsearch"
	"digest/store"
	"digest/store/storetest"
	"digest/worker"
)

// TestTheHourIndexesWhatItBrings holds that new posts can be searched at the end of the hour.
func TestTheHourIndexesWhatItBrings(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		s.publish("evening news")
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		u, err := h.st.Readers.UserByEmail(t.Context(), "utc@example.org")
		if err != nil {
			t.Fatal(err)
		}
		q, err := textsearch.Parse("evening")
		if err != nil {
			t.Fatal(err)
		}
		found, err := h.st.Posts.Search(t.Context(), u.ID, store.SearchQuery{Query: q, Now: h.clock, Limit: 9})
		if err != nil || len(found.Posts) != 1 || found.Posts[0].Title != "evening news" {
			t.Errorf("found %v, %v", found.Posts, err)
		}
	})
}

// TestAFastClockDeletesLittle holds that a clock a hundred years ahead deletes nothing of this year.
func TestAFastClockDeletesLittle(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		s.publish("evening news")
		h.tick("2026-11-20 00:00", worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		h.tick("2126-11-20 00:00", worker.Summary{Polled: 1, Unchanged: 1})
		u, err := h.st.Readers.UserByEmail(t.Context(), "utc@example.org")
		if err != nil {
			t.Fatal(err)
		}
		d, err := h.st.Readers.DigestOf(t.Context(), u.ID)
		if err != nil {
			t.Fatal(err)
		}
		editions, err := h.st.Editions.Editions(t.Context(), d.ID, 9)
		if err != nil || len(editions) != 1 {
			t.Errorf("%d editions are left, %v", len(editions), err)
		}
	})
}

// TestTheHourMakesPartitions holds that the job creates partitions before their first rows.
func TestTheHourMakesPartitions(t *testing.T) {
	database := storetest.Postgres(t)
	db, err := sql.Open("postgres", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	h, s := newHouse(t, storetest.Open(t, database), "2046-11-29 10:00"), newSite(t, "first")
	h.reader("utc@example.org", "UTC", s)
	s.publish("of November")
	h.tick("2046-11-30 00:00", worker.Summary{Polled: 1, Changed: 1, Editions: 1, Sent: 1, Posts: 1})
	s.publish("of December")
	h.tick("2046-12-01 00:00", worker.Summary{Polled: 1, Changed: 1, Editions: 1, Sent: 1, Posts: 1})
	var november, december, later int
	err = db.QueryRowContext(t.Context(),
		`SELECT (SELECT count(*) FROM digest_posts_2046_11), (SELECT count(*) FROM digest_posts_2046_12),
		(SELECT count(*) FROM digest_posts_2047_03)`).Scan(&november, &december, &later)
	if err != nil || november != 2 || december != 1 || later != 0 {
		t.Errorf("%d rows of November, %d of December, %d of March, %v", november, december, later, err)
	}
}

// TestTheHourWaitsWithALargePrune holds that a far too short DIGEST_KEEP deletes nothing until an operator
// confirms it, and that the log says so.
func TestTheHourWaitsWithALargePrune(t *testing.T) {
	eachHouse(t, "2026-11-01 10:00", func(t *testing.T, h *house, s *site) {
		const days = 20
		for day := range days {
			s.publish(fmt.Sprint("news of day ", day))
			midnight := fmt.Sprintf("2026-11-%02d 00:00", 2+day)
			h.tick(midnight, worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1})
		}
		var logged strings.Builder
		tick := func(keep time.Duration) (editions int) {
			t.Helper()
			job := h.job()
			job.Keep = keep
			job.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelError}))
			if _, err := job.Tick(t.Context()); err != nil {
				t.Fatal(err)
			}
			all, err := h.st.Editions.Editions(t.Context(), h.d.ID, 99)
			if err != nil {
				t.Fatal(err)
			}
			return len(all)
		}
		const week = 7 * 24 * time.Hour
		if n := tick(week); n != days || !strings.Contains(logged.String(), "digest prune --confirm") ||
			!strings.Contains(logged.String(), "editions=12 editions_of=20") {
			t.Errorf("%d editions are left; the log says %s", n, logged.String())
		}
		logged.Reset()
		if n := tick(400 * 24 * time.Hour); n != days || logged.Len() > 0 {
			t.Errorf("with a longer time: %d editions, %s", n, logged.String())
		}
		if n := tick(12 * 24 * time.Hour); n != 13 || logged.Len() > 0 {
			t.Errorf("with less than half to delete: %d editions, %s", n, logged.String())
		}
		if err := h.st.Operator.ConfirmPrune(t.Context(), h.clock.Add(-week)); err != nil {
			t.Fatal(err)
		}
		if n := tick(week); n != 8 || logged.Len() > 0 {
			t.Errorf("confirmed: %d editions, %s", n, logged.String())
		}
	})
}
