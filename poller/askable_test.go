package poller

import (
	"math/rand/v2"
	"testing"
	"time"

	"digest"
	"digest/test/tier"
)

// mayAsk states I5 independently of Askable, rule by rule: whether f may be polled at t.
func mayAsk(f digest.Feed, gap time.Duration, t time.Time) bool {
	since := t.Sub(f.LastAttemptAt) // huge for a feed that was never polled
	stored := since
	if f.Errors == 0 && !f.LastOKAt.IsZero() && f.LastOKAt.Before(f.LastAttemptAt) {
		stored = t.Sub(f.LastOKAt) // the last attempt stored nothing
	}
	switch {
	case t.Before(f.LeaseUntil): // S38
	case since < gap: // S14, S16
	case stored < f.OwnInterval: // S33
	case since < f.HostInterval: // the operator's rule
	case t.Before(f.NotBefore): // S19, S20
	case t.Before(f.FreshUntil): // S15
	case f.SkipHours != 1<<24-1 && f.SkipHours>>t.UTC().Hour()&1 == 1:
	case f.SkipDays != 1<<7-1 && f.SkipDays>>t.UTC().Weekday()&1 == 1:
	default:
		return true
	}
	return false
}

// TestAskable holds that a feed may be polled at the instant of Askable, and at none before it.
func TestAskable(t *testing.T) {
	tier.Alone(t)
	r := rand.New(rand.NewPCG(7, 8))
	held, skipping := 0, 0
	for range 20_000 {
		now := midnight().Add(time.Duration(r.Int64N(int64(20 * oneDay)))).Truncate(time.Second)
		f := anyFeed(r, now)
		if r.IntN(3) == 0 {
			f.LeaseUntil = now.Add(time.Duration(r.Int64N(int64(time.Hour)))).Truncate(time.Second)
		}
		gap := time.Duration(r.IntN(3)) * time.Hour
		from := now.Add(time.Duration(r.Int64N(int64(10*oneDay))) - 5*oneDay).Truncate(time.Second)
		at := Askable(f, gap, from)
		if at.Before(from) || !mayAsk(f, gap, at) {
			t.Fatalf("%v, from %v on: %+v", at, from, f.Schedule)
		}
		// A feed becomes pollable now, at the end of a wait, or at a full hour.
		begins := []time.Time{from, f.LeaseUntil, f.NotBefore, f.FreshUntil, f.LastOKAt.Add(f.OwnInterval)}
		for _, d := range []time.Duration{gap, f.OwnInterval, f.HostInterval} {
			begins = append(begins, f.LastAttemptAt.Add(d))
		}
		for hour := from.Truncate(time.Hour); hour.Before(at); hour = hour.Add(time.Hour) {
			begins = append(begins, hour)
		}
		for _, b := range begins {
			if !b.Before(from) && b.Before(at) && mayAsk(f, gap, b) {
				t.Fatalf("%v, though %v would do, from %v on: %+v", at, b, from, f.Schedule)
			}
		}
		if at.After(from) {
			held++
		}
		if at.After(latest(from, f.LeaseUntil, heldUntil(f, gap))) {
			skipping++
		}
	}
	if held < 5000 || skipping < 1000 {
		t.Errorf("%d feeds had to wait, %d of them for an hour that is not skipped: too few to say anything", held,
			skipping)
	}
}

// TestAskableIsStored holds that instants are rounded up to seconds, and that a new feed may be polled
// immediately.
func TestAskableIsStored(t *testing.T) {
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	f := digest.Feed{Schedule: digest.Schedule{NotBefore: noon.Add(-time.Millisecond), SkipHours: 1 << 12}}
	if at, want := Askable(f, time.Hour, time.Time{}), noon.Add(time.Hour); !at.Equal(want) {
		t.Errorf("%v, want %v", at, want)
	}
	if at := Askable(digest.Feed{}, time.Hour, time.Time{}); !at.IsZero() {
		t.Errorf("%v, want the zero time", at)
	}
}
