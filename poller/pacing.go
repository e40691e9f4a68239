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
	leaseRetry    = time.Second     // between attempts to lease a host that another worker has
	leasePatience = 2 * time.Minute // total wait for such a lease, plus or minus a quarter
	leaseMargin   = 5 * time.Minute // for the work before the request itself
)

// errBusy ends a poll whose redirect goes to a host that other workers keep using. It is no failure of the
// feed.
var errBusy = errors.New(string(digest.Words("it redirects to a host that is busy with other polls")))

// acquire waits until a request may go to host. No other worker and no other poll of this process uses it
// (S34), its pause has passed, the minute is not hot, and a place on the wire is free. After success the
// caller must call leave.
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

// acquireWire waits for a free connection outside the hot minutes.
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

// lease leases a host across all workers, unless the caller has leased it. With a frozen clock it does
// nothing.
func (s *session) lease(ctx context.Context, host string) (free func(time.Time), err error) {
	if s.poller.hosts == nil || s.poller.pace.noWait || host == s.leasedHost {
		return func(time.Time) {}, nil
	}
	// Random, so that two polls that wait for each other's host do not give up together.
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

// free releases the lease of a host, even after a stop.
func (p *Poller) free(ctx context.Context, host, token string, at time.Time) {
	if err := p.hosts.GiveBackHost(context.WithoutCancel(ctx), host, token, at); err != nil {
		p.log.Warn("cannot release a host; its lease will expire", "host", host, "err", err)
	}
}

// A pacer permits one request at a time to each host, and the next one an interval after the end of the
// previous one (S34).
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

// enter waits until the host is free. After success the caller must call leave, which returns when the next
// request may start.
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
