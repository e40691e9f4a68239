package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestArchive: editions are found by date and month, but not before their midnight by the clock of the request (I2).
func TestArchive(t *testing.T) {
	each(t, func(w world) {
		d, other := w.reader("ann", "UTC"), w.reader("bob", "UTC")
		first := time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)
		for i := range 4 { // 29 and 30 November, 1 and 2 December
			due := first.AddDate(0, 0, i)
			w.exec(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number,
				state, date, next_at, expires_at) VALUES (?, ?, ?, 0, ?, 'sent', 0, 0, 0)`,
				d.ID, digest.DateOf(due).String(), due.Unix(), i+1)
		}
		date := func(day int) digest.Date { return digest.DateOf(first.AddDate(0, 0, day)) }
		now := first.AddDate(0, 0, 3).Add(-time.Second) // before the midnight of the last edition

		list, err := w.Editions.LatestEditions(w.ctx, d.ID, now, 2)
		w.ok(err)
		want(t, "latest", fmt.Sprint(len(list), list[0].LocalDate, list[1].LocalDate), "2 2026-12-01 2026-11-30")
		_, err = w.Editions.EditionOn(w.ctx, d.ID, date(3), now)
		want(t, "ahead", digest.KindOf(err), digest.NotFound)
		_, err = w.Editions.EditionOn(w.ctx, other.ID, date(0), now)
		want(t, "another's", digest.KindOf(err), digest.NotFound)
		e := must(w.Editions.EditionOn(w.ctx, d.ID, date(3), now.Add(time.Second)))
		want(t, "out", e.Number, 4)

		list = must(w.Editions.EditionsIn(w.ctx, d.ID, 2026, time.December, now))
		want(t, "December", len(list), 1)
		list = must(w.Editions.EditionsIn(w.ctx, d.ID, 2026, time.November, now))
		want(t, "November", fmt.Sprint(len(list), list[0].LocalDate), "2 2026-11-30")

		for day, beside := range map[int]string{0: "0000-00-00 2026-11-30", 1: "2026-11-29 2026-12-01",
			2: "2026-11-30 0000-00-00"} {
			b := must(w.Editions.Beside(w.ctx, digest.Edition{DigestID: d.ID, LocalDate: date(day)}, now))
			want(t, "beside", fmt.Sprint(b.Earlier, " ", b.Later), beside)
		}
		months := must(w.Editions.Months(w.ctx, d.ID, now))
		want(t, "months", fmt.Sprint(months), "[{2026 December 1} {2026 November 2}]")
		months = must(w.Editions.Months(w.ctx, other.ID, now))
		want(t, "another's months", len(months), 0)
	})
}
