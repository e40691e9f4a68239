package poller

import (
	"slices"
	"testing"
	"time"

	"digest"
)

// A domainAnswer changes the record of a domain's feed by an answer.
type domainAnswer func(*digest.Feed)

func limitedBy429(f *digest.Feed) { f.LastStatus, f.Errors = 429, 1 }
func askedToWait(f *digest.Feed)  { f.LastStatus, f.Errors = 503, 1 }
func answered(f *digest.Feed)     { f.LastStatus = 200 }

func failing503(f *digest.Feed) { askedToWait(f); f.FirstErrorAt = midnight() }

// An answersAt describes polls of a domain, recorded in the minute in which they began.
type answersAt struct {
	minute int
	answer domainAnswer
	n      int // number of polls; 0: one
}

func (p answersAt) change(d digest.DomainPace, pace func(digest.DomainPace, digest.Feed,
	time.Time) digest.DomainPace) digest.DomainPace {
	now := midnight().Add(time.Duration(p.minute) * time.Minute)
	for range max(p.n, 1) {
		f := digest.Feed{ID: 1, Schedule: digest.Schedule{LastAttemptAt: now}}
		p.answer(&f)
		d = pace(d, f, now)
	}
	return d
}

// TestPaceDomain checks how refusals and good answers change a domain's pace.
func TestPaceDomain(t *testing.T) {
	three := []answersAt{{0, limitedBy429, 0}, {20, limitedBy429, 0}, {60, limitedBy429, 0}}
	then := func(more ...answersAt) []answersAt { return append(slices.Clip(three), more...) }
	for name, c := range map[string]struct {
		polls []answersAt
		pace  time.Duration
	}{
		"two":                          {three[:2], 0},
		"three within an hour":         {three, time.Minute},
		"three at once":                {[]answersAt{{0, limitedBy429, 3}}, time.Minute},
		"the third too late":           {[]answersAt{{0, limitedBy429, 2}, {61, limitedBy429, 0}}, 0},
		"which is the first of others": {[]answersAt{{0, limitedBy429, 2}, {61, limitedBy429, 3}}, time.Minute},
		"503 with a time":              {[]answersAt{{0, askedToWait, 3}}, time.Minute},
		"503 without one":              {[]answersAt{{0, failing503, 3}}, 0},
		"few good answers between": {[]answersAt{{0, limitedBy429, 2}, {1, answered, 19}, {2, limitedBy429, 0}},
			time.Minute},
		"many good answers between":  {[]answersAt{{0, limitedBy429, 2}, {1, answered, 20}, {2, limitedBy429, 0}}, 0},
		"a further one":              {then(answersAt{61, limitedBy429, 0}), 2 * time.Minute},
		"asked before it was slowed": {then(answersAt{60, limitedBy429, 9}), time.Minute},
		"the slowest": {then(answersAt{61, limitedBy429, 0}, answersAt{62, limitedBy429, 0},
			answersAt{63, limitedBy429, 0}, answersAt{64, limitedBy429, 0}), 15 * time.Minute},
		"a good answer":             {then(answersAt{70, answered, 0}), 30 * time.Second},
		"a good answer so soon":     {then(answersAt{69, answered, 0}), time.Minute},
		"an error is neither":       {then(answersAt{70, failing503, 9}), time.Minute},
		"each pace lasts a minute":  {then(answersAt{70, answered, 2}), 30 * time.Second},
		"and then comes the next":   {then(answersAt{70, answered, 3}), 15 * time.Second},
		"a refusal at a quick pace": {then(answersAt{70, answered, 3}, answersAt{71, limitedBy429, 0}), time.Minute},
		"it ends":                   {then(answersAt{70, answered, 1 + 2 + 4 + 9 + 20 + 60}), 0},
		"not before":                {then(answersAt{70, answered, 1 + 2 + 4 + 9 + 20 + 59}), time.Second},
		"once it has ended it has to be slowed anew": {then(answersAt{70, answered, 96},
			answersAt{71, limitedBy429, 2}), 0},
	} {
		var d digest.DomainPace
		for _, p := range c.polls {
			d = p.change(d, PaceDomain)
		}
		if d.Pace != c.pace {
			t.Errorf("%s: %v, want %v", name, d.Pace, c.pace)
		}
	}
}

// TestPaceRests holds that a domain that refuses a poll rests for its pace. After a good answer, it rests
// at most for its new pace. With a frozen clock it rests until the clock moves, or not at all.
func TestPaceRests(t *testing.T) {
	slowed := answersAt{0, limitedBy429, 3}
	for name, c := range map[string]struct {
		pace  func(digest.DomainPace, digest.Feed, time.Time) digest.DomainPace
		polls []answersAt
		rests time.Duration // counted from midnight
	}{
		"refused":       {PaceDomain, []answersAt{slowed}, time.Minute},
		"refused again": {PaceDomain, []answersAt{slowed, {1, limitedBy429, 0}}, 3 * time.Minute},
		"well": {PaceDomain, []answersAt{slowed, {1, limitedBy429, 0}, {60, answered, 0}},
			time.Hour + time.Minute},
		"still, refused":     {PaceDomainAtOnce, []answersAt{slowed}, time.Minute},
		"still, well":        {PaceDomainAtOnce, []answersAt{slowed, {60, answered, 0}}, time.Hour},
		"still, well before": {PaceDomainAtOnce, []answersAt{{0, answered, 0}, slowed, {0, answered, 0}}, time.Minute},
	} {
		var d digest.DomainPace
		for _, p := range c.polls {
			if d.FreeAt.Before(midnight().Add(time.Duration(p.minute) * time.Minute)) {
				// The claim of the poll sets it.
				d.FreeAt = midnight().Add(time.Duration(p.minute) * time.Minute).Add(d.Pace)
			}
			d = p.change(d, c.pace)
		}
		if got := d.FreeAt.Sub(midnight()); got != c.rests {
			t.Errorf("%s: free after %v, want %v", name, got, c.rests)
		}
	}
}

// TestPlatformRecovers holds that a platform that refuses all polls for hours gets four requests an hour.
// All its 200 feeds are read within 45 minutes after it recovers, without a further refusal.
func TestPlatformRecovers(t *testing.T) {
	var d digest.DomainPace
	heals := midnight().Add(18 * time.Hour)
	refused, read := 0, 0
	for now := midnight(); read < 200; now = latest(d.FreeAt, now.Add(time.Second)) {
		f := digest.Feed{ID: 1, Schedule: digest.Schedule{LastAttemptAt: now}}
		answered(&f)
		if now.Before(heals) {
			limitedBy429(&f)
			refused++
		} else {
			read++
		}
		d.FreeAt = now.Add(d.Pace) // the claim sets it
		d = PaceDomain(d, f, now)
		if took := now.Sub(heals); took > 45*time.Minute {
			t.Fatalf("%d feeds are read %v after it recovered", read, took)
		}
	}
	if refused > 80 {
		t.Errorf("%d refusals", refused)
	}
}

// TestDomainsBeginWithFew holds that a domain has few polls in flight until the first good answers, and one
// more for each of them.
func TestDomainsBeginWithFew(t *testing.T) {
	queue := with(queueOf(100, 0), func(f *digest.QueuedFeed) { f.Domain = "platform.example" })
	var l Load
	var held []*Place
	claim := func() int {
		ids := l.Next(queue, 50)
		for _, id := range ids {
			held = append(held, l.Begin(queue[id-1]))
		}
		return len(ids)
	}
	end := func(n int, well bool) {
		for _, p := range held[:n] {
			l.End(p, well)
		}
		held = held[n:]
	}
	other := l.Begin(digest.QueuedFeed{ID: 1000, Domain: "other.example"})
	if got := claim(); got != firstPolls {
		t.Errorf("%d at first", got)
	}
	if full := l.Full().Domains; !slices.Equal(full, []string{"platform.example"}) {
		t.Errorf("full: %v", full)
	}
	end(2, true)
	if got := claim(); got != 4 {
		t.Errorf("%d after two good answers, want those two and two more", got)
	}
	end(3, false)
	if got := claim(); got != 3 {
		t.Errorf("%d after three refusals, want three", got)
	}
	end(len(held), true)
	l.End(other, true)
	if got := claim(); got != firstPolls {
		t.Errorf("%d once nothing was in flight", got)
	}
}

func TestIsPlatform(t *testing.T) {
	for _, test := range []struct {
		hosts, refusing int
		want            bool
	}{{20, 20, false}, {21, 3, true}, {21, 2, false}, {200, 3, true}, {1000, 14, false}, {1000, 15, true}} {
		if got := IsPlatform(test.hosts, test.refusing); got != test.want {
			t.Errorf("%d of %d hosts refuse: %v", test.refusing, test.hosts, got)
		}
	}
}
