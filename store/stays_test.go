package store_test

import (
	"testing"
	"time"

	"digest"
)

func date(s string) digest.Date {
	d, err := digest.ParseDate(s)
	if err != nil {
		panic(err)
	}
	return d
}

func (w world) stay(d digest.Digest, zone, from, to string, now time.Time) digest.Stay {
	w.Helper()
	st := must(w.Readers.AddStay(w.ctx, digest.Stay{UserID: d.UserID, TimeZone: zone, From: date(from), To: date(to)},
		now))
	return st
}

func TestStays(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		refused := func(zone, from, to string) {
			w.Helper()
			_, err := w.Readers.AddStay(w.ctx, digest.Stay{UserID: ada.UserID, TimeZone: zone, From: date(from),
				To: date(to)}, noon)
			want(w, zone+" "+from+" "+to, digest.KindOf(err), digest.Invalid)
		}
		later := w.stay(ada, "Asia/Tokyo", "2026-12-03", "2026-12-17", noon)
		refused("Asia/Tokio", "2027-01-01", "2027-01-02")
		refused("Asia/Seoul", "2026-12-17", "2026-12-20")
		none, err := w.Readers.AddStay(w.ctx, digest.Stay{UserID: 999, TimeZone: "Asia/Tokyo",
			From: date("2026-12-03"),
			To:   date("2026-12-03")}, noon)
		want(w, "nobody's", digest.KindOf(err), digest.NotFound)
		want(w, "nobody's", none, digest.Stay{})

		now := w.stay(ada, "Asia/Seoul", "2026-11-18", "2026-11-20", noon)
		want(w, "begins at once", now.Begun, true)
		want(w, "home", now.Home, "Europe/Paris")
		want(w, "zone", w.again(ada).TimeZone, "Asia/Seoul")
		want(w, "next", w.again(ada).NextDueAt, time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC))
		all := must(w.Readers.Stays(w.ctx, ada.UserID))
		want(w, "stays", len(all), 2)
		want(w, "first", all[0], now)
		want(w, "second", all[1], later)
		next, ok := must2(w.Editions.NextStay(w.ctx))
		want(w, "planned", ok, true)
		want(w, "back", next, time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC))

		oneLine(w, w.Readers.RemoveStay(w.ctx, bob.UserID, now.ID, noon), digest.NotFound)
		w.ok(w.Readers.RemoveStay(w.ctx, ada.UserID, now.ID, noon))
		want(w, "home again", w.again(ada).TimeZone, "Europe/Paris")
		want(w, "at its midnight", w.again(ada).NextDueAt, parisMidnight)
		w.ok(w.Readers.RemoveStay(w.ctx, ada.UserID, later.ID, noon))
		_, ok = must2(w.Editions.NextStay(w.ctx))
		want(w, "nothing planned", ok, false)

		w.stay(ada, "Asia/Tokyo", "2027-01-01", "2027-01-01", noon)
		w.remove(ada.UserID, noon)
		w.holds("nothing is left", 0, `SELECT count(*) FROM trips`)
	})
}

// A reader who changes their time zone during a trip has their home there.
func TestZoneByHandEndsStay(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		w.stay(ada, "Asia/Tokyo", "2026-11-18", "2026-11-30", noon)
		w.stay(ada, "Asia/Seoul", "2026-12-18", "2026-12-30", noon)
		w.setZone(ada, "Asia/Tokyo", noon) // the present zone
		all := must(w.Readers.Stays(w.ctx, ada.UserID))
		want(w, "goes on", len(all), 2)
		w.setZone(ada, "America/New_York", noon)
		all = must(w.Readers.Stays(w.ctx, ada.UserID))
		want(w, "ends", len(all), 1)
		n := must(w.Editions.BeginStays(w.ctx, time.Date(2026, 12, 18, 12, 0, 0, 0, time.UTC)))
		want(w, "the next begins", n, 1)
		all = must(w.Readers.Stays(w.ctx, ada.UserID))
		want(w, "home", all[0].Home, "America/New_York")
	})
}
