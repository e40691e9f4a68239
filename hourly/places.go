package hourly

import (
	"sync"
	"time"

	"digest"
	"digest/poller"
)

// slowPoll is how long a poll may take before it counts as slow and another may begin
// in its place: sites that never answer hold up nobody for longer.
const slowPoll = 10 * time.Second

// places are the polls in flight, by whom they are made for.
type places struct {
	free func() // told when a place is free

	mu    sync.Mutex
	all   int // polls in flight
	quick int // those among them that are not slow
	load  poller.Load
}

// A place is that of one poll.
type place struct {
	all   *places
	feed  digest.QueuedFeed
	timer *time.Timer
	quick bool // guarded by all.mu
}

// count says how many polls may begin.
func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return min(poller.QuickPolls-p.quick, poller.MostPolls-p.all)
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
	p.all++
	p.quick++
	p.load.Begin(f)
	l := &place{all: p, feed: f, quick: true}
	l.timer = time.AfterFunc(slowPoll, l.becomeSlow)
	return l
}

func (l *place) becomeSlow() {
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.leaveQuick()
}

// end gives the place to the next poll.
func (l *place) end() {
	l.timer.Stop()
	l.all.mu.Lock()
	defer l.all.mu.Unlock()
	l.leaveQuick()
	l.all.all--
	l.all.load.End(l.feed)
	l.all.free()
}

// leaveQuick counts the poll among the quick ones no more.
func (l *place) leaveQuick() {
	if l.quick {
		l.quick = false
		l.all.quick--
		l.all.free()
	}
}
