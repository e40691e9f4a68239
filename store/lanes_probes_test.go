package store_test

import (
	"slices"
	"testing"
	"time"

	"digest"
)

// TestProbesOfADomainUnderAlarm: probes use readers whose last edition was not rejected.
func TestProbesOfADomainUnderAlarm(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(6)
		for _, e := range w.claimEditions(parisMidnight, 9, "t") {
			m := digest.Mark{ID: e.ID, State: digest.EditionFailed}
			if e.DigestID == ds[3].ID || e.DigestID == ds[4].ID {
				m.State = digest.EditionSent
			}
			w.mark(parisMidnight, "t", m)
		}
		f := must(w.Feeds.FeedByURL(w.ctx, "https://f.example/feed"))
		second := parisMidnight.Add(day)
		w.record(second.Add(-time.Hour), f, posts(second.Add(-time.Hour), "q"))
		want(w, "editions", w.hour(second), 6)
		must(w.Editions.ChangeLane(w.ctx, second, "example.org", func(l digest.Lane) digest.Lane {
			l.Alarm, l.Width = true, 2
			return l
		}))
		var probed []digest.DigestID
		for _, e := range w.claimEditions(second, 9, "t") {
			probed = append(probed, e.DigestID)
		}
		slices.Sort(probed)
		wantDiff(w, "probed", probed, []digest.DigestID{ds[3].ID, ds[4].ID})
	})
}
