package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// One run releases digests with different hours. After an outage, the hours are on the edition's date.
func TestDeliveryHoursOfManyReaders(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		var ds []digest.Digest
		for i, hour := range []time.Duration{0, 7 * time.Hour, 7 * time.Hour, 18 * time.Hour} {
			d := w.reader(fmt.Sprint("r", i))
			w.subscribe(d, f)
			w.ok(w.Readers.SetDeliverAt(w.ctx, d.ID, hour))
			ds = append(ds, d)
		}
		w.posted(f, "p")
		now := parisMidnight.Add(2*day + 10*time.Hour)
		want(w, "released", w.hour(now), 4)
		for i, wanted := range []time.Time{now, now, now, parisMidnight.Add(2*day + 18*time.Hour)} {
			list := must(w.Editions.Editions(w.ctx, ds[i].ID, 1))
			want(w, "date", list[0].LocalDate.String(), "2026-11-22")
			want(w, fmt.Sprint("reader ", i), list[0].SendAt, wanted)
		}
	})
}

// A change of the hour during the release does not lose an edition.
func TestDeliveryHourChangedMeanwhile(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		ada, bob := w.two()
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "p")
		must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
		n := must(w.ReleaseWith(w.ctx, parisMidnight,
			func() { w.ok(w.Readers.SetDeliverAt(w.ctx, ada.ID, 7*time.Hour)) }))
		want(w, "the other's", n, 1)
		want(w, "hers is still due", w.hour(parisMidnight.Add(time.Minute)), 1)
		want(w, "ada's", w.editions(ada), "2026-11-20 p")
		want(w, "bob's", w.editions(bob), "2026-11-20 p")
		want(w, "at her hour", must(w.Editions.Editions(w.ctx, ada.ID, 9))[0].SendAt, parisMidnight.Add(7*time.Hour))
	})
}

func TestLook(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		look := digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages, Threaded: true, DateSubject: true}
		w.ok(w.Readers.SetLook(w.ctx, ada.ID, look))
		want(w, "look", w.again(ada).Look, look)
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.posted(f, "p")
		w.hour(parisMidnight)
		want(w, "a delivery's", w.claimEditions(parisMidnight, 1, "t")[0].Look, look)
		for _, wrong := range []digest.Look{{}, {Layout: "big", Images: digest.NoImages},
			{Layout: digest.Excerpts, Images: "on"}} {
			oneLine(w, w.Readers.SetLook(w.ctx, ada.ID, wrong), digest.Invalid)
		}
		oneLine(w, w.Readers.SetLook(w.ctx, 99, look), digest.NotFound)
	})
}
