package poller

import (
	"context"
	"sync"
	"time"
)

// A pacer lets one request at a time through to each host, and the next one an
// interval after the last has ended (S34).
type pacer struct {
	interval time.Duration
	noWait   bool
	now      func() time.Time

	mu      sync.Mutex
	hosts   map[string]*hostQueue
	sweepAt int // the number of hosts at which idle ones are forgotten
}

// A hostQueue is the way to one host.
type hostQueue struct {
	turn  chan struct{} // holds a token while nobody asks the host
	users int           // who wait or ask; guarded by pacer.mu
	free  time.Time     // written only by whoever holds the token
}

const firstSweep = 1024

func newPacer(interval time.Duration, noWait bool, now func() time.Time) *pacer {
	if noWait {
		interval = 0
	}
	return &pacer{interval: interval, noWait: noWait, now: now, hosts: make(map[string]*hostQueue), sweepAt: firstSweep}
}

// enter waits for the host to be free. Whoever got nil calls leave.
func (p *pacer) enter(ctx context.Context, host string) error {
	l := p.queue(host)
	select {
	case <-l.turn:
	case <-ctx.Done():
		p.drop(host, l)
		return ctx.Err()
	}
	if err := p.sleep(ctx, l.free); err != nil {
		l.turn <- struct{}{}
		p.drop(host, l)
		return err
	}
	return nil
}

// leave gives the host free for the next one and says from when.
func (p *pacer) leave(host string) time.Time {
	free := p.now().Add(p.interval)
	p.mu.Lock()
	l := p.hosts[host]
	p.mu.Unlock()
	l.free = free
	l.turn <- struct{}{}
	p.drop(host, l)
	return free
}

func (p *pacer) sleep(ctx context.Context, until time.Time) error {
	wait := until.Sub(p.now())
	if p.noWait || wait <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *pacer) queue(host string) *hostQueue {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.hosts[host]
	if l == nil {
		p.sweep()
		l = &hostQueue{turn: make(chan struct{}, 1)}
		l.turn <- struct{}{}
		p.hosts[host] = l
	}
	l.users++
	return l
}

func (p *pacer) drop(host string, l *hostQueue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.users--
	if l.users == 0 && p.interval == 0 {
		delete(p.hosts, host)
	}
}

// sweep forgets the hosts that nobody asks and that are free by now, once in
// a while: the map stays as large as what is going on.
func (p *pacer) sweep() {
	if len(p.hosts) < p.sweepAt {
		return
	}
	now := p.now()
	for host, l := range p.hosts {
		if l.users == 0 && !l.free.After(now) {
			delete(p.hosts, host)
		}
	}
	p.sweepAt = max(firstSweep, 2*len(p.hosts))
}
