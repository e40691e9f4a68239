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
	w.t.Helper()
	st, err := w.Readers.AddStay(w.ctx(), digest.Stay{UserID: d.UserID, TimeZone: zone, From: date(from), To: date(to)},
		now)
	w.ok(err)
	return st
}

func TestStays(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		refused := func(zone, from, to string) {
			w.t.Helper()
			_, err := w.Readers.AddStay(w.ctx(), digest.Stay{UserID: ada.UserID, TimeZone: zone, From: date(from),
				To: date(to)}, noon)
			want(w.t, zone+" "+from+" "+to, digest.KindOf(err), digest.Invalid)
		}
		later := w.stay(ada, "Asia/Tokyo", "2026-12-03", "2026-12-17", noon)
		refused("Asia/Tokio", "2027-01-01", "2027-01-02")
		refused("Asia/Seoul", "2026-12-17", "2026-12-20")
		none, err := w.Readers.AddStay(w.ctx(), digest.Stay{UserID: 999, TimeZone: "Asia/Tokyo",
			From: date("2026-12-03"),
			To:   date("2026-12-03")}, noon)
		want(w.t, "nobody's", digest.KindOf(err), digest.NotFound)
		want(w.t, "nobody's", none, digest.Stay{})

		now := w.stay(ada, "Asia/Seoul", "2026-11-18", "2026-11-20", noon)
		want(w.t, "begins at once", now.Begun, true)
		want(w.t, "home", now.Home, "Europe/Paris")
		want(w.t, "zone", w.again(ada).TimeZone, "Asia/Seoul")
		want(w.t, "next", w.again(ada).NextDueAt, time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC))
		all, err := w.Readers.Stays(w.ctx(), ada.UserID)
		w.ok(err)
		want(w.t, "stays", len(all), 2)
		want(w.t, "first", all[0], now)
		want(w.t, "second", all[1], later)
		next, ok, err := w.Editions.NextStay(w.ctx())
		w.ok(err)
		want(w.t, "planned", ok, true)
		want(w.t, "back", next, time.Date(2026, 11, 20, 13, 0, 0, 0, time.UTC))

		want(w.t, "another's", digest.KindOf(w.Readers.RemoveStay(w.ctx(), bob.UserID, now.ID, noon)), digest.NotFound)
		w.ok(w.Readers.RemoveStay(w.ctx(), ada.UserID, now.ID, noon))
		want(w.t, "home again", w.again(ada).TimeZone, "Europe/Paris")
		want(w.t, "at its midnight", w.again(ada).NextDueAt, parisMidnight)
		w.ok(w.Readers.RemoveStay(w.ctx(), ada.UserID, later.ID, noon))
		_, ok, err = w.Editions.NextStay(w.ctx())
		w.ok(err)
		want(w.t, "nothing planned", ok, false)

		w.stay(ada, "Asia/Tokyo", "2027-01-01", "2027-01-01", noon)
		w.ok(w.Readers.RemoveUser(w.ctx(), ada.UserID, noon))
		w.holds("nothing is left", 0, `SELECT count(*) FROM trips`)
	})
}

// A reader who changes their time zone during a trip has their home there.
func TestZoneByHandEndsStay(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		w.stay(ada, "Asia/Tokyo", "2026-11-18", "2026-11-30", noon)
		w.stay(ada, "Asia/Seoul", "2026-12-18", "2026-12-30", noon)
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "Asia/Tokyo", noon)) // the present zone
		all, err := w.Readers.Stays(w.ctx(), ada.UserID)
		w.ok(err)
		want(w.t, "goes on", len(all), 2)
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "America/New_York", noon))
		all, err = w.Readers.Stays(w.ctx(), ada.UserID)
		w.ok(err)
		want(w.t, "ends", len(all), 1)
		n, err := w.Editions.BeginStays(w.ctx(), time.Date(2026, 12, 18, 12, 0, 0, 0, time.UTC))
		w.ok(err)
		want(w.t, "the next begins", n, 1)
		all, err = w.Readers.Stays(w.ctx(), ada.UserID)
		w.ok(err)
		want(w.t, "home", all[0].Home, "America/New_York")
	})
}
