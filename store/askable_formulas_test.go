package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"digest"
	"digest/poller"
)

// TestOldFormulas holds each formula that says when a feed may be asked against
// the one in poller, before they go.
func TestOldFormulas(t *testing.T) {
	s, err := Open(t.Context(), filepath.Join(t.TempDir(), "digest.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const n, gap = 400, time.Hour
	r := rand.New(rand.NewPCG(1, 2))
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	near := func() instant {
		if r.IntN(2) == 0 {
			return 0
		}
		return at(noon.Add(time.Duration(r.Int64N(int64(60*time.Hour))) - 40*time.Hour))
	}
	rows := map[digest.FeedID]queuedFeed{}
	err = s.write(t.Context(), func(c conn) error {
		for i := range n {
			f := queuedFeed{ID: digest.FeedID(i + 1), PollAt: at(noon.Add(-48 * time.Hour)), NotBefore: near(), FreshUntil: near(),
				LastAttemptAt: min(near(), at(noon)), OwnInterval: []int64{0, 0, 43200, 86400, 200000}[r.IntN(5)], HostInterval: []int64{0, 0, 172800}[r.IntN(3)]}
			if r.IntN(5) == 0 {
				f.LeaseUntil = f.LastAttemptAt.plus(15 * time.Minute)
			}
			if r.IntN(2) == 0 {
				f.SkipHours = int64(r.Uint64() & r.Uint64() & (1<<24 - 1))
				f.SkipDays = int64(r.Uint64() & r.Uint64() & r.Uint64() & 127)
			}
			rows[f.ID] = f
			_, err := c.exec(t.Context(), `INSERT INTO feeds (id, url, host, poll_at, not_before, fresh_until, last_attempt_at, lease_until,
				own_interval, host_interval, skip_hours, skip_days) VALUES (?, ?, 'a.example', ?, ?, ?, ?, ?, ?, ?, ?, ?)`, f.ID, fmt.Sprint(f.ID),
				f.PollAt, f.NotBefore, f.FreshUntil, f.LastAttemptAt, f.LeaseUntil, f.OwnInterval, f.HostInterval, f.SkipHours, f.SkipDays)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	record := func(f queuedFeed) digest.Feed {
		return digest.Feed{ID: f.ID, Schedule: digest.Schedule{NotBefore: f.NotBefore.time(), FreshUntil: f.FreshUntil.time(),
			LastAttemptAt: f.LastAttemptAt.time(), LeaseUntil: f.LeaseUntil.time(), OwnInterval: span(f.OwnInterval), HostInterval: span(f.HostInterval),
			SkipHours: uint32(f.SkipHours), SkipDays: digest.Weekdays(f.SkipDays)}}
	}
	differ := map[string]int{}
	for range 300 {
		now := at(noon.Add(time.Duration(r.Int64N(int64(80*time.Hour))) - 40*time.Hour))
		q := claiming{ClaimOptions: ClaimOptions{Gap: gap}, now: now}
		claim := some(t, s, `SELECT f.id FROM feeds f WHERE `+askable, q.askableArgs()...)
		fence := some(t, s, `SELECT f.id FROM feeds f WHERE f.state IN ('active', 'trial') AND f.not_before <= ? AND f.fresh_until <= ?
			AND f.last_attempt_at + f.own_interval <= ? AND f.last_attempt_at + f.host_interval <= ?`, now, now, now, now)
		for id, row := range rows {
			f := record(row)
			may := at(poller.Askable(f, gap, now.time())) == now
			if claim[id] != may {
				t.Fatalf("claim: %t at %v, %+v; want %t", claim[id], now.time(), row, may)
			}
			if fence[id] != may {
				if may {
					t.Fatalf("fence knows of a reason that nobody else does")
				}
				free := f
				free.SkipHours, free.SkipDays, free.LeaseUntil = 0, 0, time.Time{}
				if !poller.Askable(free, 0, now.time()).Equal(now.time()) {
					t.Fatalf("fence: %+v at %v", row, now.time())
				}
				differ["fence lists a feed that may not be asked: gap, lease or skipped time"]++
			}
			queued := row
			queued.PollAt = now
			if got, want := queued.askable(gap), at(poller.Askable(f, gap, now.time())); got != want {
				t.Fatalf("next: %v, want %v: %+v", got.time(), want.time(), row)
			}
			old := max(now, row.NotBefore, row.FreshUntil, row.LastAttemptAt+instant(row.OwnInterval), row.LastAttemptAt+instant(row.HostInterval))
			if got := at(poller.Askable(f, gap, now.time())); got != old {
				if got < old {
					t.Fatalf("queue, and record's again: %v is later than %v: %+v", old.time(), got.time(), row)
				}
				differ["queue and record put a feed into the queue before it may be asked: gap, lease or skipped time"]++
			}
		}
	}
	t.Log(differ)
}

func some(t *testing.T, s *Store, query string, args ...any) map[digest.FeedID]bool {
	var ids []digest.FeedID
	if err := s.read().all(context.Background(), &ids, query, args...); err != nil {
		t.Fatal(err)
	}
	found := map[digest.FeedID]bool{}
	for _, id := range ids {
		found[id] = true
	}
	return found
}

// TestOldPace holds the store's steps of a domain's pace against poller's.
func TestOldPace(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	seen := map[int64]int{}
	for range 2000 {
		row, pace, now := domainRow{}, digest.DomainPace{}, time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
		for range 60 {
			now = now.Add(time.Duration(r.Int64N(int64(6 * time.Minute))))
			f := digest.Feed{ID: digest.FeedID(r.IntN(3) + 1)}
			f.LastAttemptAt = now.Add(-time.Duration(r.Int64N(int64(5 * time.Minute))))
			switch r.IntN(4) {
			case 0:
				f.LastStatus, f.Errors, f.FirstErrorAt = 429, 1, now
			case 1:
				f.LastStatus, f.Errors = 503, 1
			case 2:
				f.LastStatus, f.Errors, f.FirstErrorAt = 500, 1, now
			}
			row.step(&polled{Polled: Polled{Feed: f}}, at(now))
			pace = poller.PaceDomain(pace, f, at(now).time())
			if row.Pace != seconds(pace.Pace) || row.FreeAt != at(pace.FreeAt) || row.LimitedAt != at(pace.LimitedAt) || row.LimitedFeed != pace.LimitedFeed {
				t.Fatalf("%+v, and %+v", row, pace)
			}
			seen[row.Pace]++
		}
	}
	t.Log(seen)
}
