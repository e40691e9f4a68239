package poller

import (
	"testing"
	"time"

	"digest"
)

// An answer is what a poll of a domain's feed came to.
type domainAnswer func(*digest.Feed)

func limitedBy429(f *digest.Feed) { f.LastStatus, f.Errors = 429, 1 }
func askedToWait(f *digest.Feed)  { f.LastStatus, f.Errors = 503, 1 }
func answered(f *digest.Feed)     { f.LastStatus = 200 }

func failing503(f *digest.Feed) { askedToWait(f); f.FirstErrorAt = midnight() }

// TestPaceDomain: what limits and good answers make of a domain's pace. Polls
// are recorded in the minute in which they were asked.
func TestPaceDomain(t *testing.T) {
	type poll struct {
		minute int
		feed   digest.FeedID
		answer domainAnswer
	}
	for name, c := range map[string]struct {
		polls []poll
		pace  time.Duration
	}{
		"one is no domain":             {[]poll{{0, 1, limitedBy429}}, 0},
		"one twice is one":             {[]poll{{0, 1, limitedBy429}, {5, 1, limitedBy429}}, 0},
		"two within ten minutes":       {[]poll{{0, 1, limitedBy429}, {10, 2, limitedBy429}}, time.Minute},
		"two too far apart":            {[]poll{{0, 1, limitedBy429}, {11, 2, limitedBy429}}, 0},
		"the second of them counts on": {[]poll{{0, 1, limitedBy429}, {11, 2, limitedBy429}, {15, 3, limitedBy429}}, time.Minute},
		"503 with a time":              {[]poll{{0, 1, askedToWait}, {1, 2, limitedBy429}}, time.Minute},
		"503 without one":              {[]poll{{0, 1, failing503}, {1, 2, failing503}}, 0},
		"half a pair more":             {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {3, 3, limitedBy429}}, time.Minute},
		"a further pair": {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {3, 3, limitedBy429}, {5, 1, limitedBy429}},
			2 * time.Minute},
		"a good poll": {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {3, 3, limitedBy429}, {5, 1, limitedBy429}, {15, 2, answered}},
			time.Minute},
		"a good poll so soon": {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {10, 2, answered}}, time.Minute},
		"it ends":             {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {11, 3, answered}}, 0},
		"an error is neither": {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {3, 3, failing503}}, time.Minute},
		"asked before it was slowed": {[]poll{{0, 1, limitedBy429}, {1, 2, limitedBy429}, {1, 3, limitedBy429}, {1, 1, limitedBy429},
			{1, 3, answered}}, time.Minute},
	} {
		var d digest.DomainPace
		for _, p := range c.polls {
			now := midnight().Add(time.Duration(p.minute) * time.Minute)
			f := digest.Feed{ID: p.feed, Schedule: digest.Schedule{LastAttemptAt: now}}
			p.answer(&f)
			d = PaceDomain(d, f, now)
		}
		if d.Pace != c.pace {
			t.Errorf("%s: %v, want %v", name, d.Pace, c.pace)
		}
	}
}

// TestPaceRestsAndEnds: a domain is asked once an hour at least, rests for its
// pace, and is free again by halves.
func TestPaceRestsAndEnds(t *testing.T) {
	var d digest.DomainPace
	now := midnight()
	for i := range 20 {
		now = now.Add(5 * time.Minute)
		f := digest.Feed{ID: digest.FeedID(1 + i%2), Schedule: digest.Schedule{LastAttemptAt: now}}
		limitedBy429(&f)
		if d = PaceDomain(d, f, now); d.Pace > 0 && d.LimitedFeed == 0 && d.FreeAt.Before(now.Add(d.Pace)) {
			t.Errorf("a pace of %v, and free at %v", d.Pace, d.FreeAt)
		}
	}
	if d.Pace != time.Hour {
		t.Errorf("a pace of %v at the worst, want an hour", d.Pace)
	}
	polls := 0
	for ; d.Pace > 0; polls++ {
		now = now.Add(time.Hour)
		d = PaceDomain(d, digest.Feed{ID: 1, Schedule: digest.Schedule{LastAttemptAt: now}}, now)
	}
	if polls != 6 {
		t.Errorf("%d good polls until it is free, want 6", polls)
	}
}
