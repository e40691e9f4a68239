package poller

import (
	"context"
	"errors"
	"sync"
	"time"

	"digest/feed"
)

const (
	picturesAtOnce = 8  // over all hosts
	picturesASite  = 4  // at once of all hosts under a registered domain, who may name as many as they like
	picturesAHost  = 2  // at once: a browser has six
	picturesWait   = 32 // for one host or site, those under way included

	// How long a host that says it is asked too often is left alone, whatever it says.
	leastPause = time.Minute
	mostPause  = time.Hour
)

// pictureQueues lets a few pictures at once through to each host.
type pictureQueues struct {
	now  func() time.Time
	wire chan struct{} // holds a token for each picture under way

	mu    sync.Mutex
	hosts map[string]*pictureQueue // by host; and by site, with a dot before it
}

// A pictureQueue is the way to one host or site; its fields are guarded by pictureQueues.mu.
type pictureQueue struct {
	wire        chan struct{} // holds a token for each picture under way
	users       int           // who wait or ask
	pausedUntil time.Time     // until when the host is left alone
}

func newPictureQueues(now func() time.Time) *pictureQueues {
	return &pictureQueues{now: now, wire: make(chan struct{}, picturesAtOnce), hosts: make(map[string]*pictureQueue)}
}

// enter waits for a turn at a host. Whoever got nil calls leave.
func (p *pictureQueues) enter(ctx context.Context, host string) (leave func(), err error) {
	l, err := p.join(host, picturesAHost)
	if err != nil {
		return nil, err
	}
	name := "." + feed.Domain(host)
	site, err := p.join(name, picturesASite)
	if err != nil {
		p.part(host, l)
		return nil, err
	}
	var held []chan struct{}
	leave = func() {
		for _, wire := range held {
			<-wire
		}
		p.part(name, site)
		p.part(host, l)
	}
	for _, wire := range []chan struct{}{l.wire, site.wire, p.wire} { // who waits for a slow host keeps no other waiting
		select {
		case wire <- struct{}{}:
			held = append(held, wire)
		case <-ctx.Done():
			leave()
			return nil, ErrPicturesBusy
		}
	}
	if p.isPaused(l) { // by what it said meanwhile
		leave()
		return nil, errPaused
	}
	return leave, nil
}

// errPaused says that a host is left alone because it asked for it.
var errPaused = errors.New("the host asked to be left alone for a while")

func (p *pictureQueues) join(host string, width int) (*pictureQueue, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.hosts[host]
	switch {
	case l == nil:
		p.sweep()
		l = &pictureQueue{wire: make(chan struct{}, width)}
		p.hosts[host] = l
	case l.pausedUntil.After(p.now()):
		return nil, errPaused
	case l.users >= picturesWait:
		return nil, ErrPicturesBusy
	}
	l.users++
	return l, nil
}

// part ends what join began. A queue is forgotten when nobody uses it, unless
// its host is paused.
func (p *pictureQueues) part(host string, l *pictureQueue) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l.users--; l.users == 0 && !l.pausedUntil.After(p.now()) {
		delete(p.hosts, host)
	}
}

func (p *pictureQueues) isPaused(l *pictureQueue) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return l.pausedUntil.After(p.now())
}

// pause leaves a host alone until a time. The caller has entered.
func (p *pictureQueues) pause(host string, until time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.hosts[host]; until.After(l.pausedUntil) {
		l.pausedUntil = until
	}
}

// sweep forgets hosts whose pause is over, once there are many.
func (p *pictureQueues) sweep() {
	if len(p.hosts) < firstSweep {
		return
	}
	for host, l := range p.hosts {
		if l.users == 0 && !l.pausedUntil.After(p.now()) {
			delete(p.hosts, host)
		}
	}
}
