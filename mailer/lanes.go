package mailer

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"digest"
)

// lanes is what one run knows of the route and of the domains it mails, beyond
// what the queue has.
type lanes struct {
	queue       Queue
	ctx         context.Context
	clock       func() time.Time
	connections int // of the run at once
	log         *slog.Logger

	mu     sync.Mutex
	route  routeState
	inUse  map[string]int      // messages on their way, by domain
	claims int                 // so far
	slowed map[string]slowdown // by domain
}

// routeState is what a run knows of the route.
type routeState struct {
	ill     bool        // its lane has trouble, and nothing yet speaks against it
	answers int         // messages of which it brought an answer
	trouble string      // the latest; empty: none
	halted  bool        // only the operator can help: the run ends
	lane    digest.Lane // when this run paused it
}

// A slowdown is what a run knows of a domain that asked for less: what was
// claimed before is handed back.
type slowdown struct {
	claim  int       // the last one before
	until  time.Time // zero: it does not pause, but gets fewer at once
	reason string
}

// apply has the queue change the lane that an answer speaks of, and gives it as
// it is then. A route that failed is only noted: see endRun.
func (k *lanes) apply(c LaneChange) (digest.Lane, error) {
	k.mu.Lock()
	inUse := k.inUse[c.Domain]
	if c.Event == LaneRouteFailed || c.Event == LaneRoutePaused {
		k.route.trouble = c.Reason
	}
	k.mu.Unlock()
	if c.Event == LaneRouteFailed || c.Event == "" {
		return digest.Lane{}, nil
	}
	l, err := k.change(c, inUse)
	switch {
	case err != nil:
		return l, err
	case c.Event == LaneRoutePaused:
		k.halt(l)
	case c.Event == LaneDomainSlowed:
		k.log.Info("a domain wants less mail", "domain", l.Name, "at_once", l.Width, "again_at", l.Until, "reason", l.Reason)
		k.remember(l)
	case c.Event == LaneDomainRefused && l.Alarm:
		k.log.Error("a domain refuses our mail; it is tried again in an hour", "domain", l.Name, "again_at", l.Until, "reason", l.Reason)
		k.remember(l)
	}
	return l, nil
}

func (k *lanes) change(c LaneChange, inUse int) (digest.Lane, error) {
	now := k.clock()
	return k.queue.ChangeLane(k.ctx, now, c.Domain, func(l digest.Lane) digest.Lane { return c.after(l, now, inUse, k.connections) })
}

// halt ends the run: only the operator can help the route.
func (k *lanes) halt(l digest.Lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.route.halted {
		k.log.Error("the mail server refuses us; all mail waits until that is put right", "reason", l.Reason, "again_at", l.Until)
	}
	k.route.halted, k.route.lane = true, l
}

// answered counts an answer about a message, which ends the route's trouble.
func (k *lanes) answered() error {
	k.mu.Lock()
	k.route.answers++
	ill := k.route.ill
	k.route.ill = false
	k.mu.Unlock()
	if !ill {
		return nil
	}
	_, err := k.change(LaneChange{Event: LaneRouteServes}, 0)
	return err
}

// endRun pauses the route for a while if it was bad: something is left over
// that could not be sent for its sake.
func (k *lanes) endRun(leftOver bool) error {
	route := k.routeState()
	if route.trouble == "" || !leftOver && route.answers > 0 || route.halted {
		return nil
	}
	l, err := k.change(LaneChange{Event: LaneRouteFailed, Reason: route.trouble}, 0)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.route.lane = l
	k.log.Warn("no mail can be sent; the editions wait", "reason", l.Reason, "again_at", l.Until)
	return nil
}

func (k *lanes) routeState() routeState {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.route
}

// use counts the messages on their way to a domain.
func (k *lanes) use(domain string, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.inUse[domain] += n; k.inUse[domain] == 0 {
		delete(k.inUse, domain)
	}
}

// nextClaim numbers the claims of the run.
func (k *lanes) nextClaim() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.claims++
	return k.claims
}

// remember makes the run hand back what it has claimed of a lane before.
func (k *lanes) remember(l digest.Lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.slowed[l.Name] = slowdown{k.claims, l.Until, l.Reason}
}

// handBack gives the mark of an edition, uncounted, whose domain asked for less
// since it was claimed: the next claim minds the lane. False: it may be sent.
func (k *lanes) handBack(c claimed) (digest.Mark, bool) {
	k.mu.Lock()
	s, slowed := k.slowed[c.Domain]
	k.mu.Unlock()
	if !slowed || c.claim > s.claim {
		return digest.Mark{}, false
	}
	next := c.NextAt
	if s.until.After(next) {
		next = s.until
	}
	return digest.Mark{ID: c.ID, State: digest.EditionReady, Error: s.reason, NextAt: next, Uncounted: true}, true
}
