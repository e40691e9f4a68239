package poller

import (
	"context"
	"sync"
	"time"
)

const (
	// slowAfter is how long a request is one of the few that are on the wire at
	// once. From then on it is slow, and the next one comes.
	slowAfter = time.Second
	// slowEach is how many slow requests there may be for each of the few.
	slowEach = 25
)

// A wire holds the requests under way. Few begin at once, so that quick sites are
// asked one after the other by few connections. A request that takes long is
// all waiting: it makes way for the next. So there are as many requests as the sites are
// slow and as there is to ask, within a bound, and a place is free
// after slowAfter however many sites never answer.
//
// None of that is about one host, to which one request goes at a time (S34).
type wire struct {
	young chan struct{} // holds a token for each request under way that is not slow
	slow  chan struct{} // and for each that is
	after time.Duration // from when on a request is slow
}

func newWire(requests int, after time.Duration) *wire {
	return &wire{young: make(chan struct{}, requests), slow: make(chan struct{}, requests*slowEach), after: after}
}

// enter waits for room. Whoever got nil calls leave.
func (w *wire) enter(ctx context.Context) (leave func(), err error) {
	select {
	case w.young <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	u := &underWay{wire: w, held: w.young}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer = time.AfterFunc(w.after, u.becomeSlow)
	return u.leave, nil
}

// An underWay is one request on a wire.
type underWay struct {
	wire  *wire
	mu    sync.Mutex
	timer *time.Timer
	held  chan struct{} // where its token is; nil when it has left
}

// becomeSlow gives the place to the next request, or tries again later where
// there are slow ones enough.
func (u *underWay) becomeSlow() {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.held == nil {
		return
	}
	select {
	case u.wire.slow <- struct{}{}:
		<-u.held
		u.held = u.wire.slow
	default:
		u.timer.Reset(u.wire.after)
	}
}

func (u *underWay) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.timer.Stop()
	<-u.held
	u.held = nil
}
