package poller

import (
	"context"
	"sync/atomic"
	"time"
)

// A limit ends a request that takes too long. Time that it waits for us does not count.
type limit struct {
	ctx    context.Context
	cancel context.CancelFunc
	timer  *time.Timer
	end    time.Time
	over   atomic.Bool
	paused time.Duration
}

func newLimit(ctx context.Context, most time.Duration) *limit {
	l := &limit{end: time.Now().Add(most)}
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.timer = time.AfterFunc(most, func() {
		l.over.Store(true)
		l.cancel()
	})
	context.AfterFunc(l.ctx, func() { l.timer.Stop() })
	return l
}

// pause does something whose time does not count.
func (l *limit) pause(do func() error) error {
	if !l.timer.Stop() {
		return l.ctx.Err()
	}
	begun := time.Now()
	err := do()
	took := time.Since(begun)
	l.paused += took
	l.end = l.end.Add(took)
	l.timer.Reset(time.Until(l.end))
	return err
}

// blame tells that an error is that the time was over.
func (l *limit) blame(err error) error {
	if l.over.Load() {
		return context.DeadlineExceeded
	}
	return err
}
