package store_test

import (
	"testing"
	"time"
)

func TestRefusals(t *testing.T) {
	each(t, func(w world) {
		const url = "https://f.example/feed"
		refusal := func(now time.Time) time.Time {
			until, why := must2(w.Operator.Refusal(w.ctx, url, now))
			want(w, "a reason", why != "", !until.IsZero())
			return until
		}
		want(w, "none", refusal(noon), time.Time{})
		w.ok(w.Operator.NoteRefusal(w.ctx, url, noon.Add(time.Hour), "429", noon))
		w.ok(w.Operator.NoteRefusal(w.ctx, url, noon.Add(2*time.Hour), "503", noon))
		want(w, "the latest", refusal(noon), noon.Add(2*time.Hour))
		want(w, "over", refusal(noon.Add(2*time.Hour)), time.Time{})
		w.ok(w.Operator.NoteRefusal(w.ctx, "https://g.example/", noon.Add(9*time.Hour), "429", noon.Add(3*time.Hour)))
		want(w, "forgotten", refusal(noon), time.Time{})
	})
}
