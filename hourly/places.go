package hourly

import (
	"sync"
	"time"

	"digest"
	"digest/poller"
)

// places are the polls in flight, by whom they are made for.
type places struct {
	free func() // told when a place is free

	mu   sync.Mutex
	load poller.Load
}

// A place is that of one poll.
type place struct {
	all   *places
	held  *poller.Place // guarded by all.mu
	timer *time.Timer
}

// count says how many polls may begin.
func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.load.Free()
}

// full gives whose shares are used up.
func (p *places) full() digest.FullShares {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.load.Full()
}

// next chooses whose turn it is.
func (p *places) next(queue []digest.QueuedFeed, n int) []digest.FeedID {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.load.Next(queue, n)
}

// begin gives a place to a poll.
func (p *places) begin(f digest.QueuedFeed) *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &place{all: p, held: p.load.Begin(f)}
}

// start is called when the poll begins, which may be a while after it has its place.
func (l *place) start() { l.timer = time.AfterFunc(poller.SlowPoll, l.becomeSlow) }

func (l *place) becomeSlow() {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	if l.all.load.Slow(l.held) {
		l.all.free()
	}
}

// end frees the place for the next poll; well reports that the site answered this one well.
func (l *place) end(well bool) {
	l.timer.Stop()
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.all.load.End(l.held, well)
	l.all.free()
}
