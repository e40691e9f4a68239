package poller

import (
	"context"
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
	k := &token{held: w.young}
	var timer *time.Timer
	k.mu.Lock() // until timer is set
	defer k.mu.Unlock()
	timer = time.AfterFunc(w.after, func() {
		if moved, ended := k.move(w.slow); !moved && !ended {
			timer.Reset(w.after) // there are too many slow requests
		}
	})
	return func() { timer.Stop(); k.leave() }, nil
}
