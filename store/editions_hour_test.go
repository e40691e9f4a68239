package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestDeliveryHour checks when editions are sent in local time. calendar.TestSending has more kinds of days.
func TestDeliveryHour(t *testing.T) {
	for _, test := range []struct {
		zone, now, clock string // now: time of the release, after midnight
		send, expires    string // local time
	}{
		{"Europe/Paris", "2026-11-20T00:03", "00:00", "2026-11-20T00:03", "2026-11-20T20:00"},
		{"Europe/Paris", "2026-11-20T00:03", "12:01", "2026-11-20T12:01", "2026-11-21T08:01"},
		{"Europe/Paris", "2026-11-20T09:00", "07:00", "2026-11-20T09:00", "2026-11-20T20:00"}, // late: immediately
		{"America/Santiago", "2026-09-06T01:03", "00:30", "2026-09-06T01:03", "2026-09-06T20:00"},
		{"Asia/Kathmandu", "2026-11-20T00:03", "06:15", "2026-11-20T06:15", "2026-11-20T20:00"},
	} {
		t.Run(test.zone+" "+test.now+" "+test.clock, func(t *testing.T) {
			each(t, func(w world) {
				loc, err := time.LoadLocation(test.zone)
				w.ok(err)
				local := func(s string) time.Time {
					at, err := time.ParseInLocation("2006-01-02T15:04", s, loc)
					w.ok(err)
					return at.UTC()
				}
				hour, err := time.Parse("15:04", test.clock)
				w.ok(err)
				now := local(test.now)
				_, d, err := w.Readers.AddUser(w.ctx(), "ada@example.org", test.zone, now.Add(-12*time.Hour))
				w.ok(err)
				w.ok(w.Readers.SetDeliverAt(w.ctx(), d.ID, hour.Sub(hour.Truncate(day))))
				f := w.feed("f.example")
				w.subscribe(d, f)
				w.record(now.Add(-12*time.Hour), f, posts(now.Add(-12*time.Hour), "p"))
				want(w.t, "released", w.hour(now), 1)
				list, err := w.Editions.Editions(w.ctx(), d.ID, 1)
				w.ok(err)
				want(w.t, "sent", list[0].SendAt, local(test.send))
				want(w.t, "date of the message", list[0].Date, local(test.send))
				want(w.t, "expires", list[0].ExpiresAt, local(test.expires))
				want(w.t, "not before", len(w.claimEditions(list[0].SendAt.Add(-time.Second), 1, "t")), 0)
				want(w.t, "then", len(w.claimEditions(list[0].SendAt, 1, "t")), 1)
			})
		})
	}
}

// If an hour occurs twice, the first one counts.
func TestDeliveryHourThatComesTwice(t *testing.T) {
	each(t, func(w world) {
		midnight := time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC)
		_, d, err := w.Readers.AddUser(w.ctx(), "ada@example.org", "Europe/Paris", midnight.Add(-time.Hour))
		w.ok(err)
		w.ok(w.Readers.SetDeliverAt(w.ctx(), d.ID, 150*time.Minute))
		f := w.feed("f.example")
		w.subscribe(d, f)
		w.record(midnight.Add(-time.Hour), f, posts(midnight.Add(-time.Hour), "p"))
		w.hour(midnight)
		list, err := w.Editions.Editions(w.ctx(), d.ID, 1)
		w.ok(err)
		want(w.t, "sent", list[0].SendAt, midnight.Add(150*time.Minute))
	})
}

// One run releases digests with different hours. After an outage, the hours are on the edition's date.
func TestDeliveryHoursOfManyReaders(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		var ds []digest.Digest
		for i, hour := range []time.Duration{0, 7 * time.Hour, 7 * time.Hour, 18 * time.Hour} {
			d := w.reader(fmt.Sprint("r", i), "Europe/Paris")
			w.subscribe(d, f)
			w.ok(w.Readers.SetDeliverAt(w.ctx(), d.ID, hour))
			ds = append(ds, d)
		}
		w.record(noon, f, posts(noon, "p"))
		now := parisMidnight.Add(2*day + 10*time.Hour)
		want(w.t, "released", w.hour(now), 4)
		for i, wanted := range []time.Time{now, now, now, parisMidnight.Add(2*day + 18*time.Hour)} {
			list, err := w.Editions.Editions(w.ctx(), ds[i].ID, 1)
			w.ok(err)
			want(w.t, "date", list[0].LocalDate.String(), "2026-11-22")
			want(w.t, fmt.Sprint("reader ", i), list[0].SendAt, wanted)
		}
	})
}

// A change of the hour during the release does not lose an edition.
func TestDeliveryHourChangedMeanwhile(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "p"))
		_, err := w.Feeds.Plan(w.ctx(), parisMidnight, queueNothing)
		w.ok(err)
		n, err := w.ReleaseWith(w.ctx(), parisMidnight,
			func() { w.ok(w.Readers.SetDeliverAt(w.ctx(), ada.ID, 7*time.Hour)) })
		w.ok(err)
		want(w.t, "the other's", n, 1)
		want(w.t, "hers is still due", w.hour(parisMidnight.Add(time.Minute)), 1)
		want(w.t, "ada's", w.editions(ada), "2026-11-20 p")
		want(w.t, "bob's", w.editions(bob), "2026-11-20 p")
		list, err := w.Editions.Editions(w.ctx(), ada.ID, 9)
		w.ok(err)
		want(w.t, "at her hour", list[0].SendAt, parisMidnight.Add(7*time.Hour))
	})
}

func TestDeliveryHourByCadence(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, 1<<time.Sunday, noon))
		w.ok(w.Readers.SetDeliverAt(w.ctx(), ada.ID, 21*time.Hour))
		w.record(noon, f, posts(noon, "p"))
		sunday := w.again(ada).NextDueAt
		w.hour(sunday)
		list, err := w.Editions.Editions(w.ctx(), ada.ID, 1)
		w.ok(err)
		want(w.t, "sent on Sunday evening", list[0].SendAt, sunday.Add(21*time.Hour))
		want(w.t, "worth sending all week", list[0].ExpiresAt, sunday.Add(7*day-4*time.Hour))
	})
}

func TestLook(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		look := digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages, Threaded: true, DateSubject: true}
		w.ok(w.Readers.SetLook(w.ctx(), ada.ID, look))
		want(w.t, "look", w.again(ada).Look, look)
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		want(w.t, "a delivery's", w.claimEditions(parisMidnight, 1, "t")[0].Look, look)
		for _, wrong := range []digest.Look{{}, {Layout: "big", Images: digest.NoImages},
			{Layout: digest.Excerpts, Images: "on"}} {
			oneLine(w.t, w.Readers.SetLook(w.ctx(), ada.ID, wrong), digest.Invalid)
		}
		oneLine(w.t, w.Readers.SetLook(w.ctx(), 99, look), digest.NotFound)
	})
}
