package mailer

import (
	"math/rand/v2"
	"testing"
	"time"

	"digest"
)

func TestRouteLane(t *testing.T) {
	now := midnight
	l := digest.Lane{Limits: digest.Limits{Connections: 7}}
	for i, want := range []time.Duration{1, 2, 4, 8, 15, 15, 15} {
		l = routeFailed(l, now, "down")
		if l.Until.Sub(now) != want*time.Minute || l.Failures != i+1 || l.Alarm {
			t.Fatalf("failure %d: %+v", i+1, l)
		}
		if again := routeFailed(l, now.Add(time.Second), "down too"); again != l {
			t.Errorf("a second worker's word of the same trouble counted: %+v", again)
		}
		now = l.Until
	}
	l = routeRefused(l, now, "535 wrong password")
	if !l.Alarm || l.Until.Sub(now) != time.Hour || l.Reason != "535 wrong password" {
		t.Errorf("%+v", l)
	}
	now = l.Until
	if l = routeFailed(l, now, "down"); !l.Alarm {
		t.Error("the alarm ended before anything was sent")
	}
	serves := LaneChange{Event: LaneRouteServes}
	if got := serves.after(l, now, 0, 4); got != l {
		t.Errorf("an answer ended the pause that another worker has just set: %+v", got)
	}
	if got := serves.after(l, l.Until, 0, 4); got != (digest.Lane{Limits: digest.Limits{Connections: 7}}) {
		t.Errorf("well, it is %+v", got)
	}
}

func TestDomainLane(t *testing.T) {
	now := midnight
	l := domainSlowed(digest.Lane{Name: "example.org"}, now, 8, true, "451 slow down")
	if l.Width != 4 || l.Until.Sub(now) != time.Minute || l.Failures != 1 {
		t.Fatalf("%+v", l)
	}
	if again := domainSlowed(l, now.Add(time.Second), 8, true, "451 slow down"); again != l {
		t.Errorf("one wave counted twice: %+v", again)
	}
	if early := domainAccepted(l, now.Add(time.Second), 8); early != l {
		t.Errorf("what was under way before lifted the pause: %+v", early)
	}
	for _, want := range []struct {
		width int
		pause time.Duration
	}{{2, 2}, {1, 4}, {1, 8}, {1, 16}, {1, 32}, {1, 60}, {1, 60}} {
		now = l.Until
		l = domainSlowed(l, now, 1, true, "451 slow down")
		if l.Width != want.width || l.Until.Sub(now) != want.pause*time.Minute {
			t.Fatalf("%+v, want %v", l, want)
		}
	}
	now = l.Until
	l = domainAccepted(l, now, 4)
	if l.Width != 2 || l.Pause != 30*time.Minute || l.Failures != 0 {
		t.Errorf("after an acceptance %+v", l)
	}
	l = domainAccepted(domainAccepted(l, now, 4), now, 4)
	if l != (digest.Lane{Name: "example.org"}) {
		t.Errorf("as wide as the route it is well: %+v", l)
	}
	if again := domainAccepted(l, now, 4); again != l {
		t.Errorf("an acceptance made trouble: %+v", again)
	}
}

// TestDomainLaneForgets: old trouble does not count, and a lane without a pause only becomes narrower.
func TestDomainLaneForgets(t *testing.T) {
	l := digest.Lane{Name: "example.org", Width: 1, Pause: time.Hour, Failures: 9, Until: midnight}
	l = domainSlowed(l, midnight.Add(2*time.Hour), 4, true, "451 slow down")
	if l.Pause != time.Minute || l.Failures != 1 {
		t.Errorf("%+v", l)
	}
	l = domainSlowed(digest.Lane{}, midnight, 4, false, "451 later")
	if l.Width != 2 || !l.Until.IsZero() || l.Pause != 0 {
		t.Errorf("%+v", l)
	}
}

// TestDomainLaneKeepsLimits: a domain with its own limits has recovered at their width.
func TestDomainLaneKeepsLimits(t *testing.T) {
	own := digest.Limits{Connections: 2, Rate: digest.Rate{Messages: 100, Per: time.Minute}}
	l := domainRefused(digest.Lane{Name: "example.org", Limits: own}, midnight, LaneChange{Reason: "554 5.7.1 spam"})
	if !l.Alarm || l.Width != mostProbes || l.Until.Sub(midnight) != time.Hour {
		t.Errorf("%+v", l)
	}
	if l = domainAccepted(l, l.Until, 16); l != (digest.Lane{Name: "example.org", Limits: own}) {
		t.Errorf("%+v", l)
	}
}

// TestProbes: it takes several refused probes to pause a domain again, and one accepted ends its alarm.
func TestProbes(t *testing.T) {
	probe := LaneChange{Reason: "554", IfAlarmed: true}
	if l := (digest.Lane{Width: 2}); domainRefused(l, midnight, probe) != l {
		t.Error("a domain that is slow, and refuses one message, is paused")
	}
	l := domainRefused(digest.Lane{}, midnight, LaneChange{Reason: "554"})
	now := l.Until
	for n := range mostProbes - 1 {
		if l = domainRefused(l, now, probe); l.IsPaused(now) || l.Width < 1 {
			t.Fatalf("after %d probes: %+v", n+1, l)
		}
	}
	if again := domainRefused(l, now, probe); !again.IsPaused(now) || again.Width != mostProbes {
		t.Errorf("after the last probe: %+v", again)
	}
	if l = domainAccepted(l, now, 16); l.Alarm || l.IsPaused(now) {
		t.Errorf("after an acceptance: %+v", l)
	}
}

// TestLaneProperty: after any events in any order, a lane is at least one message wide, pauses for at most an hour, and
// keeps its limits. Accepted messages heal it.
func TestLaneProperty(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 0))
		own := digest.Limits{Connections: random.IntN(3)}
		l, now := digest.Lane{Name: "example.org", Limits: own}, midnight
		for range 100 {
			now = now.Add(time.Duration(random.Int64N(int64(90 * time.Minute))))
			switch random.IntN(4) {
			case 0:
				l = domainSlowed(l, now, random.IntN(20), random.IntN(2) == 0, "451")
			case 1:
				l = domainRefused(l, now, LaneChange{Reason: "554", IfAlarmed: random.IntN(2) == 0})
			default:
				l = domainAccepted(l, now, 4)
			}
			if l.Until.Sub(now) > time.Hour || l.Limits != own || l.Width < 1 && hasTrouble(l) ||
				l.Name != "example.org" {
				t.Fatalf("seed %d: %+v", seed, l)
			}
		}
		now = now.Add(time.Hour)
		for range 20 {
			l = domainAccepted(l, now, 4)
		}
		if hasTrouble(l) {
			t.Fatalf("seed %d: still %+v", seed, l)
		}
	}
}

func TestCounter(t *testing.T) {
	var one counter
	one.add(midnight, Answers{All: 60, Refusals: 3})
	if s := one.sum(midnight.Add(9 * time.Minute)); s != (Answers{All: 60, Refusals: 3}) || s.refused() {
		t.Errorf("exactly one in twenty is no more than that: %+v", s)
	}
	one.add(midnight.Add(9*time.Minute), Answers{All: 1, Refusals: 1})
	if !one.sum(midnight.Add(9 * time.Minute)).refused() {
		t.Error("4 in 61")
	}
	if s := one.sum(midnight.Add(10 * time.Minute)); s != (Answers{All: 1, Refusals: 1}) || s.refused() {
		t.Errorf("after ten minutes %+v", s)
	}
	one.add(midnight.Add(24*time.Hour), Answers{All: 2, Refusals: 2, Deferrals: 2})
	if s := one.sum(midnight.Add(24 * time.Hour)); s != (Answers{All: 2, Refusals: 2, Deferrals: 2}) || s.refused() ||
		s.deferred() {
		t.Errorf("two are chance: %+v", s)
	}
}
