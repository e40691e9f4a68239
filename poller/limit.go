package poller

import (
	"context"
	"sync/atomic"
	"time"
)

// A limit ends a request that takes too long. Pauses do not count.
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

// pause calls do without counting its time.
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

// blame returns DeadlineExceeded if the limit caused err, otherwise err.
func (l *limit) blame(err error) error {
	if l.over.Load() {
		return context.DeadlineExceeded
	}
	return err
}
