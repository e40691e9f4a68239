package poller

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
)

// polled returns the record of a feed of a domain after an answer: 200, 429, 503 with a time, or "down".
func polled(answer string, at time.Time) digest.Feed {
	f := feedOf(map[string]string{"200": "status=200", "429": "status=429 errors=1", "503": "status=503 errors=1",
		"down": "status=503 errors=1 failing=0"}[answer])
	f.ID, f.LastAttemptAt = 1, at
	return f
}

// A paceOf decides the pace of a domain, like PaceDomain.
type paceOf func(digest.DomainPace, digest.Feed, time.Time) digest.DomainPace

// play records polls of a domain, such as "429@0m*2 200@61m": the answer, the minute, and the number of polls. It
// calls before first in each minute.
func (pace paceOf) play(polls string, before func(d *digest.DomainPace, at time.Time)) (d digest.DomainPace) {
	for poll := range strings.FieldsSeq(polls) {
		answer, when, _ := strings.Cut(poll, "@")
		when, times, _ := strings.Cut(when, "*")
		n := 1
		fmt.Sscan(times, &n)
		now := at(when)
		if before != nil {
			before(&d, now)
		}
		for range n {
			d = pace(d, polled(answer, now), now)
		}
	}
	return d
}

// TestPaceDomain checks how refusals and good answers change a domain's pace.
func TestPaceDomain(t *testing.T) {
	for _, test := range table(`
		polls                                  | pace | why
		429@0m 429@20m                         |      | two
		slowed                                 | 1m   | three within an hour
		429@0m*3                               | 1m   | three at once
		429@0m*2 429@61m                       |      | the third too late
		429@0m*2 429@61m*3                     | 1m   | which is the first of others
		503@0m*3                               | 1m   | 503 with a time
		down@0m*3                              |      | 503 without one
		429@0m*2 200@1m*19 429@2m              | 1m   | few good answers between
		429@0m*2 200@1m*20 429@2m              |      | many good answers between
		slowed 429@61m                         | 2m   | a further one
		slowed 429@60m*9                       | 1m   | asked before it was slowed
		slowed 429@61m 429@62m 429@63m 429@64m | 15m  | the slowest
		slowed 200@70m                         | 30s  | a good answer
		slowed 200@69m                         | 1m   | a good answer so soon
		slowed down@70m*9                      | 1m   | an error is neither
		slowed 200@70m*2                       | 30s  | each pace lasts a minute
		slowed 200@70m*3                       | 15s  | and then comes the next
		slowed 200@70m*3 429@71m               | 1m   | a refusal at a quick pace
		slowed 200@70m*96                      |      | it ends
		slowed 200@70m*95                      | 1s   | not before
		slowed 200@70m*96 429@71m*2            |      | once it has ended it has to be slowed anew`) {
		polls := strings.Replace(test["polls"], "slowed", "429@0m 429@20m 429@60m", 1)
		if d := paceOf(PaceDomain).play(polls, nil); d.Pace != span(test["pace"]) {
			t.Errorf("%s: %v, want %v", test["why"], d.Pace, test["pace"])
		}
	}
}

// TestPaceRests holds that a domain that refuses a poll rests for its pace. After a good answer, it rests
// at most for its new pace. With a frozen clock it rests until the clock moves, or not at all.
func TestPaceRests(t *testing.T) {
	claim := func(d *digest.DomainPace, at time.Time) { // sets it for each poll
		if d.FreeAt.Before(at) {
			d.FreeAt = at.Add(d.Pace)
		}
	}
	for name, test := range map[string]struct {
		pace         paceOf
		polls, rests string // counted from midnight
	}{
		"refused":            {PaceDomain, "429@0m*3", "1m"},
		"refused again":      {PaceDomain, "429@0m*3 429@1m", "3m"},
		"well":               {PaceDomain, "429@0m*3 429@1m 200@60m", "61m"},
		"still, refused":     {PaceDomainAtOnce, "429@0m*3", "1m"},
		"still, well":        {PaceDomainAtOnce, "429@0m*3 200@60m", "60m"},
		"still, well before": {PaceDomainAtOnce, "200@0m 429@0m*3 200@0m", "1m"},
	} {
		if d := test.pace.play(test.polls, claim); !d.FreeAt.Equal(at(test.rests)) {
			t.Errorf("%s: free at %v, want %v", name, d.FreeAt, test.rests)
		}
	}
}

// TestPlatformRecovers holds that a platform that refuses all polls for hours gets four requests an hour.
// All its 200 feeds are read within 45 minutes after it recovers, without a further refusal.
func TestPlatformRecovers(t *testing.T) {
	var d digest.DomainPace
	heals := at("18h")
	refused, read := 0, 0
	for now := midnight(); read < 200; now = latest(d.FreeAt, now.Add(time.Second)) {
		answer := "200"
		if now.Before(heals) {
			answer = "429"
			refused++
		} else {
			read++
		}
		d.FreeAt = now.Add(d.Pace) // the claim sets it
		d = PaceDomain(d, polled(answer, now), now)
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
