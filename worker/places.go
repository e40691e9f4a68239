package worker

import (
	"sync"
	"time"

	"digest"
	"digest/poller"
)

// places limits polls in flight and shares them fairly between feeds.
type places struct {
	free func() // called when a place becomes free

	mu   sync.Mutex
	load poller.Load
}

// A place is the permission for one poll.
type place struct {
	all   *places
	held  *poller.Place // guarded by all.mu
	timer *time.Timer
}

func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.load.Free()
}

func (p *places) full() digest.FullShares {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.load.Full()
}

// next chooses up to n feeds to poll from a queue.
func (p *places) next(queue []digest.QueuedFeed, n int) []digest.FeedID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.load.Next(queue, n)
}

func (p *places) begin(f digest.QueuedFeed) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &place{all: p, held: p.load.Begin(f)}
}

// start starts the timer of a slow poll. The poll may begin some time after it got its place.
func (l *place) start() { l.timer = time.AfterFunc(poller.SlowPoll, l.becomeSlow) }

func (l *place) becomeSlow() {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.load.Slow(l.held) {
		l.all.free()
	}
}

// end frees the place. well reports that the poll succeeded.
func (l *place) end(well bool) {
	l.timer.Stop()
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.all.load.End(l.held, well)
	l.all.free()
}
