package mailer

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// TestLoopStops: after a stop, the run stops claiming, finishes messages at their dot, and returns the rest uncounted.
func TestLoopStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{answer: func(c string, n int) string {
			if c == "DOT" && n <= 2 {
				time.Sleep(3 * time.Minute)
			}
			if c == "MAIL" && n > 2 {
				time.Sleep(4 * time.Minute)
			}
			return ""
		}}
		q := newMemQueue(100, midnight)
		tr := s.dialed()
		l := testDeliverer(t, q, tr)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		start := time.Now()
		got, err := l.Deliver(ctx, midnight)
		if took := time.Since(start); err != nil || got != (Stats{Sent: 2}) || took > 4*time.Minute {
			t.Errorf("%+v, %v after %s", got, err, took)
		}
		wantStates(t, q, states{digest.EditionSent: 2, digest.EditionReady: 98})
		for _, row := range q.rows {
			if row.State == digest.EditionReady && row.Attempt != 0 {
				t.Errorf("counted: %+v", row)
			}
		}
		tr.Close()
		time.Sleep(time.Hour)
	})
}

// TestLoopIsKilled: a hard stop waits for no message.
func TestLoopIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{answer: slow("DOT", 9*time.Minute)}
		q := newMemQueue(100, midnight)
		l := testDeliverer(t, q, s.dialed())
		ctx, cancel := context.WithCancel(t.Context())
		hard, kill := context.WithCancel(t.Context())
		l.Hard = hard
		time.AfterFunc(time.Minute, cancel)
		time.AfterFunc(2*time.Minute, kill)
		start := time.Now()
		got, err := l.Deliver(ctx, midnight)
		if err != nil || got != (Stats{InDoubt: 4}) || time.Since(start) > 121*time.Second {
			t.Errorf("%+v, %v after %s", got, err, time.Since(start))
		}
		wantStates(t, q, states{digest.EditionInDoubt: 4, digest.EditionReady: 96})
		time.Sleep(time.Hour)
	})
}

// A queueOfAStop stops the run during the recovery of dead runs.
type queueOfAStop struct {
	Queue
	stop func()
}

func (q queueOfAStop) RecoverEditions(ctx context.Context, _ time.Time, _ bool) (int, int, error) {
	q.stop()
	return 0, 0, ctx.Err()
}

// TestLoopStopsAtItsBeginning: a stop during the recovery of dead runs is not an error.
func TestLoopStopsAtItsBeginning(t *testing.T) {
	q := newMemQueue(1, midnight)
	ctx, stop := context.WithCancel(t.Context())
	l := testDeliverer(t, q, newSMTP(server{host: "mail.example.org", port: 25, security: plain}, Options{}))
	l.Queue = queueOfAStop{q, stop}
	if got, err := l.Deliver(ctx, midnight); err != nil || got != (Stats{}) {
		t.Errorf("%+v, %v", got, err)
	}
	wantStates(t, q, states{digest.EditionReady: 1})
}
