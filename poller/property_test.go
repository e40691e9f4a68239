package poller

import (
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"digest"
)

// anyFeed returns a random record: every time and interval is random, and missing half of the time.
func anyFeed(r *rand.Rand, now time.Time) digest.Feed {
	near := func(before, after time.Duration) time.Time {
		if r.IntN(2) == 0 {
			return time.Time{}
		}
		return now.Add(-time.Duration(r.Int64N(int64(before)))).Add(
			time.Duration(r.Int64N(int64(before+after) + 1))).Truncate(time.Second)
	}
	some := func(d ...time.Duration) time.Duration { return d[r.IntN(len(d))] }
	f := digest.Feed{
		ID: digest.FeedID(r.IntN(100)),
		Schedule: digest.Schedule{
			LastAttemptAt: near(50*time.Hour, 0),
			LastOKAt:      near(50*time.Hour, 0),
			NotBefore:     near(time.Hour, 50*time.Hour),
			FreshUntil:    near(time.Hour, 24*time.Hour),
			OwnInterval:   some(0, 0, 12*time.Hour, 24*time.Hour, 37*time.Hour, 7*oneDay),
			HostInterval:  some(0, 0, 0, 48*time.Hour, 100*oneDay),
			BusyInterval:  some(0, 0, time.Hour, 5*time.Hour),
		},
		Failures: digest.Failures{Errors: r.IntN(3) * r.IntN(9),
			LastStatus: []int{0, 200, 304, 403, 404, 410, 429, 500, 503}[r.IntN(9)]},
		State: []digest.FeedState{"", digest.FeedActive, digest.FeedTrial, digest.FeedDead,
			digest.FeedGone}[r.IntN(5)],
	}
	if f.LastAttemptAt.After(now) {
		f.LastAttemptAt = now
	}
	if r.IntN(2) == 0 {
		bits := r.Uint64()
		f.SkipHours = uint32(bits) & uint32(bits>>32)
		bits = r.Uint64()
		f.SkipDays = digest.Weekdays(bits) & digest.Weekdays(bits>>32)
	}
	return f
}

// TestNeverTooEarly holds that for any record, the policy returns no instant before the feed may be polled,
// in skipped time, or in a hot minute. A feed that is not polled any longer gets no instant.
func TestNeverTooEarly(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	scheduled, besides := 0, 0
	for range 100_000 {
		now := midnight().Add(time.Duration(r.Int64N(int64(20 * oneDay)))).Truncate(time.Minute / 4)
		f, s := anyFeed(r, now), usualSpread()
		s.NoWait = r.IntN(3) == 0
		s.Window = time.Duration(r.IntN(5)) * 20 * time.Minute
		right := func(at time.Time) bool {
			m := at.UTC().Minute()
			return alive(f) && !at.Before(heldUntil(f, s.Gap)) && !at.Before(now) && !skipped(f, at) &&
				(s.NoWait || m > 1 && m != 59)
		}
		due := now.Add(-time.Duration(r.Int64N(int64(time.Hour))))
		if at, ok := MidnightPoll(f, due, now, s); ok {
			scheduled++
			if !right(at) {
				t.Fatalf("Schedule at %v for %v: %v\n%+v", now, due, at, f)
			}
		}
		if at := ExtraPoll(f, now.Add(time.Duration(r.Int64N(int64(oneDay)))), now, s); !at.IsZero() {
			besides++
			if !right(at) {
				t.Fatalf("Again at %v: %v\n%+v", now, at, f)
			}
		}
		if at := NextPoll(f, due, now, s); at.IsZero() == alive(f) || !at.IsZero() && at.Before(heldUntil(f, s.Gap)) {
			t.Fatalf("NextPoll at %v: %v\n%+v", now, at, f)
		}
	}
	if scheduled < 5_000 || besides < 5_000 {
		t.Errorf("%d of Schedule and %d of Again are too few to prove anything", scheduled, besides)
	}
}

// TestNothingStarves plays random records on sites that sometimes fail. A feed that is polled at all is
// polled again within a day after its longest wait, or when its skipped days have passed.
func TestNothingStarves(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		begin := midnight().Add(time.Duration(r.IntN(24)) * time.Hour)
		f := anyFeed(r, begin)
		f.State, f.OwnInterval, f.HostInterval = digest.FeedActive, 0, min(f.HostInterval, 48*time.Hour)
		f.SkipDays &^= 1 << time.Wednesday
		f.NotBefore, f.FreshUntil, f.Errors = time.Time{}, time.Time{}, 0
		frozen, failing := r.IntN(2) == 0, r.IntN(4)
		p := answering(t, begin, f, hourlyZones(1+r.IntN(3)*11), frozen, func(*play, time.Time) (failure, http.Header) {
			if r.IntN(4) < failing {
				return failure{status: []int{404, 429, 500, 403}[r.IntN(4)]}, nil
			}
			return failure{}, header("Cache-Control: max-age=86400")
		})
		p.run(fiftyTwo)
		longest := max(f.HostInterval, oneDay) + oneDay
		if f.SkipHours != 0 || f.SkipDays != 0 {
			longest = 8 * oneDay // a week, plus a poll at the end of its one day and not at the start
		}
		if least, most := p.gaps(); least < time.Hour || most > longest || len(p.log) < 5 {
			t.Fatalf("%d polls, %v to %v apart, frozen: %v\n%+v", len(p.log), least, most, frozen, f)
		}
	}
}
