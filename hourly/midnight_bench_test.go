package hourly_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"digest/hourly"
	"digest/poller"
)

// BenchmarkMidnight is a whole midnight, planning to mail, of 5,000 readers with 20
// subscriptions each to 4,725 feeds, three in ten of which have a new post:
// once with a clock that stands still, as "tick --now" works, and once with one
// that runs, as "work" does, its polls spread over four minutes. It reports
// processor seconds, of this process with the sites it asks in it and of
// PostgreSQL's, and what the database did. The figures of the two should be alike: all of
// it is work for the same rows.
func BenchmarkMidnight(b *testing.B) {
	const readers, each, feeds = 5000, 20, 4725
	for _, clock := range []string{"frozen", "running"} {
		b.Run("clock="+clock, func(b *testing.B) {
			w := &web{tenths: 3}
			items := addresses(feeds, listenEverywhere(b, w))
			eachCrowd(b, readers, each, items, func(b *testing.B, c *crowd) {
				w.night.Store(0)
				use := usage{b: b, db: c.db}
				for b.Loop() {
					w.night.Add(1)
					due := nightsLater(c.night)
					c.night++
					use.measure(func() {
						if clock == "frozen" {
							c.tickMidnight(b, due, feeds)
						} else {
							c.workMidnight(b, due)
						}
					})
				}
				use.report()
			})
		})
	}
}

// tickMidnight does a midnight with a clock that stands still.
func (c *crowd) tickMidnight(b *testing.B, due time.Time, feeds int) {
	clock := func() time.Time { return due }
	job := hourly.New(hourly.Options{
		Store: c.Store, Poller: loopbackPoller(b, clock), Mail: c.loop(nowhere{}, 4), Spread: benchSpread, Now: clock, Frozen: true,
	})
	sum, err := job.Tick(b.Context())
	if err != nil || sum.Polled != feeds || sum.Sent != c.readers {
		b.Fatalf("%+v, %v", sum, err)
	}
}

// workMidnight does a midnight with a clock that runs, from just before the end
// of the hot minutes until the last edition has been sent.
func (c *crowd) workMidnight(b *testing.B, due time.Time) {
	start := time.Now()
	clock := func() time.Time { return due.Add(time.Minute + 55*time.Second + time.Since(start)) }
	spread := poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 4 * time.Minute}
	mail := c.loop(nowhere{}, 4)
	mail.Now = clock
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var sent atomic.Int64
	job := hourly.New(hourly.Options{
		Store: c.Store, Poller: loopbackPoller(b, clock), Mail: mail, Spread: spread, Now: clock,
		Report: func(e hourly.Event) {
			if e.Kind == hourly.EventDelivered && sent.Add(int64(e.Mail.Sent)) == int64(c.readers) {
				stop()
			}
		},
	})
	ok(b, job.Run(ctx))
	if n := sent.Load(); n != int64(c.readers) {
		b.Fatalf("%d editions were sent, want %d", n, c.readers)
	}
}

// A usage adds up what midnights cost.
type usage struct {
	b       *testing.B
	db      *sql.DB
	program time.Duration
	server  time.Duration // PostgreSQL's processes
	took    time.Duration
	did     counts
	waited  time.Duration // for locks, by all sessions together
}

// counts are PostgreSQL's own.
type counts struct{ commits, wal int64 }

func (u *usage) measure(work func()) {
	program, server, did := ownTime(u.b), u.serverTime(), u.counts()
	ctx, stop := context.WithCancel(u.b.Context())
	waited := make(chan time.Duration)
	go func() { waited <- u.watchLocks(ctx) }()
	u.took += timed(work)
	stop()
	u.waited += <-waited
	now := u.counts()
	u.program += ownTime(u.b) - program
	u.server += u.serverTime() - server
	u.did.commits += now.commits - did.commits
	u.did.wal += now.wal - did.wal
}

func (u *usage) report() {
	n := float64(u.b.N)
	u.b.ReportMetric(u.took.Seconds()/n, "s")
	u.b.ReportMetric(u.program.Seconds()/n, "cpu-s")
	if u.did.wal > 0 {
		u.b.ReportMetric(u.server.Seconds()/n, "postgres-cpu-s")
		u.b.ReportMetric(float64(u.did.commits)/n, "commits")
		u.b.ReportMetric(float64(u.did.wal)/(1<<20)/n, "WAL-MB")
		u.b.ReportMetric(u.waited.Seconds()/n, "lock-wait-s")
	}
	u.b.ReportMetric(0, "ns/op")
}

// counts reads what the database has done; zero of SQLite.
func (u *usage) counts() (c counts) {
	_ = u.db.QueryRowContext(u.b.Context(), `SELECT xact_commit, (SELECT wal_bytes FROM pg_stat_wal)::BIGINT
		FROM pg_stat_database WHERE datname = current_database()`).Scan(&c.commits, &c.wal)
	return c
}

// watchLocks looks a few times a second how many sessions wait for a lock: more often
// it would be a load itself.
func (u *usage) watchLocks(ctx context.Context) (waited time.Duration) {
	const every = 250 * time.Millisecond
	for {
		select {
		case <-ctx.Done():
			return waited
		case <-time.After(every):
		}
		var n int64
		_ = u.db.QueryRowContext(ctx, `SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'`).Scan(&n)
		waited += time.Duration(n) * every
	}
}

func ownTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	ok(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// serverTime is the processor time of PostgreSQL's processes, those that have ended
// included; zero of SQLite, and of a server elsewhere.
func (u *usage) serverTime() (sum time.Duration) {
	var session string
	if u.db.QueryRowContext(u.b.Context(), `SELECT pg_backend_pid()`).Scan(&session) != nil {
		return 0
	}
	server := processOf("/proc/" + session + "/stat").parent
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		if p := processOf(path); p.parent == server {
			sum += p.time
		} else if path == "/proc/"+server+"/stat" {
			sum += p.time + p.ended
		}
	}
	return sum
}

// A process is what proc(5) says of one.
type process struct {
	parent      string
	time, ended time.Duration // its own, and that of its children that have ended
}

func processOf(path string) (p process) {
	const tick = 10 * time.Millisecond
	text, _ := os.ReadFile(path)
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 15 {
		return p
	}
	times := make([]time.Duration, 4) // utime, stime, cutime, cstime
	for i := range times {
		n, _ := strconv.ParseInt(fields[11+i], 10, 64)
		times[i] = time.Duration(n) * tick
	}
	return process{fields[1], times[0] + times[1], times[2] + times[3]}
}
