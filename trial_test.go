package digest_test

import (
	"testing"
	"time"

	"digest"
)

func TestTrial(t *testing.T) {
	on := func(day int) digest.Date { return digest.Date{Year: 2026, Month: time.November, Day: day} }
	begun := digest.NewTrial(on(1), true)
	stays := digest.NewTrial(on(1), false)
	asked := digest.Trial{TrialUntil: on(22), TrialEnds: true, TrialAsked: true}
	askedLate := digest.Trial{TrialUntil: on(27), TrialAsked: true}
	askedStays := digest.Trial{TrialUntil: on(22), TrialAsked: true}
	back := digest.Trial{TrialUntil: on(22), TrialEnds: true} // a pause has taken the question back
	for name, c := range map[string]struct {
		trial digest.Trial
		date  digest.Date
		next  digest.Trial
		step  digest.TrialStep
	}{
		"no trial":                    {digest.Trial{}, on(1), digest.Trial{}, digest.TrialWaits},
		"day 13":                      {begun, on(14), begun, digest.TrialWaits},
		"day 14":                      {begun, on(15), asked, digest.TrialAsks},
		"the first edition after":     {stays, on(20), askedLate, digest.TrialAsks},
		"six days after the question": {asked, on(21), asked, digest.TrialWaits},
		"no answer, ends":             {asked, on(22), digest.Trial{}, digest.TrialStops},
		"no answer, stays":            {askedStays, on(22), digest.Trial{}, digest.TrialLapses},
		"months later":                {asked, on(30).Plus(90), digest.Trial{}, digest.TrialStops},
		"back before the decision":    {back, on(21), back, digest.TrialWaits},
		"back after it": {back, on(23), digest.Trial{TrialUntil: on(30), TrialEnds: true,
			TrialAsked: true}, digest.TrialAsks},
	} {
		if next, step := c.trial.On(c.date); next != c.next || step != c.step {
			t.Errorf("%s: %+v, step %d; want %+v, step %d", name, next, step, c.next, c.step)
		}
	}
	for _, c := range []struct {
		trial digest.Trial
		name  string
		want  digest.Trial
		ok    bool
	}{
		{digest.Trial{}, "", digest.Trial{}, true},
		{digest.Trial{}, "ends", begun, true},
		{digest.Trial{}, "stays", stays, true},
		{asked, "ends", asked, true},
		{asked, "stays", askedStays, true},
		{asked, "", digest.Trial{}, true},
		{asked, "perhaps", asked, false},
	} {
		if got, ok := c.trial.Named(c.name, on(1)); got != c.want || ok != c.ok {
			t.Errorf("%q: %+v %v, want %+v %v", c.name, got, ok, c.want, c.ok)
		} else if ok && got.TrialName() != c.name {
			t.Errorf("%q is named %q", c.name, got.TrialName())
		}
	}
}
