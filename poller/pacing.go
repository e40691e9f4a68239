package poller

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"digest"
)

const (
	leaseRetry    = time.Second     // between two looks at a host that is leased elsewhere
	leasePatience = 2 * time.Minute // with it, all together, give or take a quarter
	leaseMargin   = 5 * time.Minute // for what comes before the request itself
)

// errBusy ends a poll that came to a host which others keep asking. Nothing is
// held against its feed.
var errBusy = errors.New(string(digest.Words("the host it redirects to is busy with other polls")))

// acquire waits until a request may go to host: no other worker asks it (S34), no
// other poll of this process does, its pause is over, the minute is not a hot
// one and there is room on the wire. Whoever got nil calls leave.
func (s *session) acquire(ctx context.Context, host string) (leave func(), err error) {
	free, err := s.lease(ctx, host)
	if err != nil {
		return nil, err
	}
	leaveHost, err := s.poller.pace.enter(ctx, host)
	if err != nil {
		free(s.poller.now())
		return nil, err
	}
	leaveWire, err := s.acquireWire(ctx)
	if err != nil {
		free(leaveHost())
		return nil, err
	}
	return func() {
		leaveWire()
		at := leaveHost()
		if host == s.host {
			s.freeAt = at
		}
		free(at)
	}, nil
}

// acquireWire waits for room on the wire, outside the hot minutes.
func (s *session) acquireWire(ctx context.Context) (leave func(), err error) {
	for {
		leave, err := s.poller.wire.enter(ctx)
		if err != nil {
			return nil, err
		}
		now := s.poller.now()
		calm := avoidHotMinutes(now, s.feed)
		if !s.avoidsHotMinutes || !calm.After(now) {
			return leave, nil
		}
		leave()
		if err := s.poller.pace.sleep(ctx, calm); err != nil {
			return nil, err
		}
	}
}

// isHot reports whether t lies in minute :59, :00 or :01.
func isHot(t time.Time) bool { return avoidHotMinutes(t, 0).After(t) }

// lease leases a host that the caller has not, across all workers. With a
// clock that stands still there is nothing to wait for.
func (s *session) lease(ctx context.Context, host string) (free func(time.Time), err error) {
	if s.poller.hosts == nil || s.poller.pace.noWait || host == s.leasedHost {
		return func(time.Time) {}, nil
	}
	// Two that wait for each other's host do not give up together, time and again.
	for end := s.poller.now().Add(leasePatience*3/4 + rand.N(leasePatience/2)); ; {
		token, again, err := s.poller.hosts.LeaseHost(ctx, s.poller.now(), host, s.poller.timeout+leaseMargin)
		if err != nil {
			return nil, fmt.Errorf("leasing a host: %w", err)
		}
		if token != "" {
			return func(at time.Time) { s.poller.free(ctx, host, token, at) }, nil
		}
		now := s.poller.now()
		if !now.Before(end) {
			return nil, errBusy
		}
		wait := min(max(again.Sub(now), leaseRetry/10), leaseRetry)
		if err := s.poller.pace.sleep(ctx, now.Add(wait)); err != nil {
			return nil, err
		}
	}
}

// free gives a host back, also at the end of the process.
func (p *Poller) free(ctx context.Context, host, token string, at time.Time) {
	if err := p.hosts.GiveBackHost(context.WithoutCancel(ctx), host, token, at); err != nil {
		p.log.Warn("cannot release a host; its lease will expire", "host", host, "err", err)
	}
}

// A pacer lets one request at a time through to each host, and the next one an
// interval after the last has ended (S34).
type pacer struct {
	*queues
	interval time.Duration
	noWait   bool
}

func newPacer(interval time.Duration, noWait bool, now func() time.Time) *pacer {
	if noWait {
		interval = 0
	}
	return &pacer{queues: newQueues(now), interval: interval, noWait: noWait}
}

// enter waits for the host to be free. Whoever got nil calls leave, which gives
// it free for the next one and says from when.
func (p *pacer) enter(ctx context.Context, host string) (leave func() time.Time, err error) {
	l := p.join(host, 1)
	select {
	case l.wire <- struct{}{}:
	case <-ctx.Done():
		l.part()
		return nil, ctx.Err()
	}
	if err := p.sleep(ctx, l.freeAt()); err != nil {
		<-l.wire
		l.part()
		return nil, err
	}
	return func() time.Time {
		free := p.now().Add(p.interval)
		l.rest(free)
		<-l.wire
		l.part()
		return free
	}, nil
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
