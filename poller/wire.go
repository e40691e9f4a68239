package poller

import (
	"context"
	"sync"
	"time"
)

const (
	// slowAfter is the time after which a request is slow and frees its place for the next one.
	slowAfter = time.Second
	// slowEach is the maximum number of slow requests for each place.
	slowEach = 25
)

// A wire limits the requests in flight. A few begin at a time, so that a few connections serve all quick
// sites. A slow request only waits, so it frees its place for the next one. So the number of requests adapts to
// slow sites, within a limit. A place becomes free after slowAfter, whatever number of sites never answer.
//
// Hosts are limited separately, to one request at a time (S34).
type wire struct {
	young chan struct{} // one token for each request in flight that is not slow
	slow  chan struct{} // one token for each slow request
	after time.Duration // the time after which a request is slow
}

func newWire(requests int, after time.Duration) *wire {
	return &wire{young: make(chan struct{}, requests), slow: make(chan struct{}, requests*slowEach), after: after}
}

// enter waits for a place. After success the caller must call leave.
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

// An underWay is a request in flight.
type underWay struct {
	wire  *wire
	mu    sync.Mutex
	timer *time.Timer
	held  chan struct{} // the channel with its token; nil after the end
}

// becomeSlow frees the place, or retries later if there are too many slow requests.
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
