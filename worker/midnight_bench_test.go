package worker_test

import (
	"context"
	"database/sql"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"digest/poller"
	"digest/test/usage"
	"digest/worker"
)

// BenchmarkMidnight is a whole midnight, from planning to mail, of 5,000 readers with 20 subscriptions each
// to 4,725 feeds, three in ten of which have a new post. One run has a frozen clock, as in "tick --now".
// The other has a running clock, as in "work", with polls spread over four minutes. It reports processor
// seconds of PostgreSQL and of this process, which includes the sites, and the operations of the database.
// Both runs should have similar figures, since they handle the same rows.
func BenchmarkMidnight(b *testing.B) {
	const readers, each, feeds = 5000, 20, 4725
	for _, clock := range []string{"frozen", "running"} {
		b.Run("clock="+clock, func(b *testing.B) {
			w := &web{tenths: 3}
			items := addresses(feeds, listenEverywhere(b, w))
			eachCrowd(b, readers, each, items, func(b *testing.B, c *crowd) {
				w.night.Store(0)
				var all cost
				for b.Loop() {
					w.night.Add(1)
					due := nightsLater(c.night)
					c.night++
					all.measure(b, c.db, func() {
						if clock == "frozen" {
							c.tickMidnight(b, due, feeds)
						} else {
							c.workMidnight(b, due)
						}
					})
				}
				all.report(b)
			})
		})
	}
}

func (c *crowd) tickMidnight(b *testing.B, due time.Time, feeds int) {
	clock := func() time.Time { return due }
	job := worker.New(worker.Options{
		Store: c.Store, Poller: loopbackPoller(b, clock), Mail: c.loop(nowhere{}, 4), Spread: benchSpread, Now: clock,
		Frozen: true,
	})
	sum, err := job.Tick(b.Context())
	if err != nil || sum.Polled != feeds || sum.Sent != c.readers {
		b.Fatalf("%+v, %v", sum, err)
	}
}

// workMidnight runs a midnight with a running clock, from shortly before the end of the hot minutes until
// the last edition is sent.
func (c *crowd) workMidnight(b *testing.B, due time.Time) {
	start := time.Now()
	clock := func() time.Time { return due.Add(time.Minute + 55*time.Second + time.Since(start)) }
	spread := poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, Window: 4 * time.Minute}
	mail := c.loop(nowhere{}, 4)
	mail.Now = clock
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	var sent atomic.Int64
	job := worker.New(worker.Options{
		Store: c.Store, Poller: loopbackPoller(b, clock), Mail: mail, Spread: spread, Now: clock,
		Report: func(e worker.Event) {
			if e.Kind == worker.EventDelivered && sent.Add(int64(e.Mail.Sent)) == int64(c.readers) {
				stop()
			}
		},
	})
	ok(b, job.Run(ctx))
	if n := sent.Load(); n != int64(c.readers) {
		b.Fatalf("%d editions were sent, want %d", n, c.readers)
	}
}

// A cost adds up the resources of midnights.
type cost struct {
	program, took time.Duration
	usage.Counts
}

func (c *cost) measure(b *testing.B, db *sql.DB, work func()) {
	program := ownTime(b)
	did, err := usage.During(b.Context(), db, func() error {
		c.took += timed(work)
		return nil
	})
	ok(b, err)
	c.program += ownTime(b) - program
	c.Counts = c.Plus(did)
}

func (c *cost) report(b *testing.B) {
	n := float64(b.N)
	b.ReportMetric(c.took.Seconds()/n, "s")
	b.ReportMetric(c.program.Seconds()/n, "cpu-s")
	if c.WAL > 0 {
		b.ReportMetric(c.ServerCPU/n, "postgres-cpu-s")
		b.ReportMetric(c.Commits/n, "commits")
		b.ReportMetric(c.WAL/n, "WAL-MB")
		b.ReportMetric(c.LockWait/n, "lock-wait-s")
	}
	b.ReportMetric(0, "ns/op")
}

func ownTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	ok(b, syscall.Getrusage(syscall.RUSAGE_SELF, &r))
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
