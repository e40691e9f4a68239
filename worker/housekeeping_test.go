package worker_test

import (
	"database/sql"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
)

// TestAFastClockDeletesLittle holds that a clock a hundred years ahead deletes nothing of this year.
func TestAFastClockDeletesLittle(t *testing.T) {
	eachHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house, s *site) {
		h.tick("2026-11-20 00:00", "Polled:1 Unchanged:1 Editions:1 Sent:1")
		h.tick("2126-11-20 00:00", "Polled:1 Unchanged:1")
		if left := len(h.oldestFirst(h.d)); left != 1 {
			t.Errorf("%d editions are left", left)
		}
	})
}

// TestTheHourMakesPartitions holds that the job creates partitions before their first rows.
func TestTheHourMakesPartitions(t *testing.T) {
	database := storetest.Postgres(t)
	db, err := sql.Open("postgres", database)
	ok(t, err)
	defer db.Close()
	h, s := newHouse(t, storetest.Open(t, database), "2046-11-29 10:00"), newSite(t, "first")
	h.reader("utc@example.org", "UTC", s)
	s.publish("of November")
	h.tick("2046-11-30 00:00", "Polled:1 Changed:1 Posts:1 Editions:1 Sent:1")
	s.publish("of December")
	h.tick("2046-12-01 00:00", "Polled:1 Changed:1 Posts:1 Editions:1 Sent:1")
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
			h.tick(midnight, "Polled:1 Changed:1 Posts:1 Editions:1 Sent:1")
		}
		var logged strings.Builder
		tick := func(keep time.Duration) (editions int) {
			t.Helper()
			job := h.job()
			job.Keep = keep
			job.Log = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelError}))
			_, err := job.Tick(t.Context())
			ok(t, err)
			all, err := h.st.Editions.Editions(t.Context(), h.d.ID, 99)
			ok(t, err)
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
		ok(t, h.st.Operator.ConfirmPrune(t.Context(), h.clock.Add(-week)))
		if n := tick(week); n != 8 || logged.Len() > 0 {
			t.Errorf("confirmed: %d editions, %s", n, logged.String())
		}
	})
}
