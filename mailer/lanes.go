package mailer

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"digest"
)

// What trouble and success make of a lane. These are functions of a lane and an
// instant: the queue calls them in a transaction of its own, so that workers
// that meet the same trouble at once do not count it twice.

// LaneEvent is what an answer tells of the route or of a domain.
type LaneEvent string

// The events.
const (
	LaneRouteServes    LaneEvent = "route serves"    // a route that had trouble brought an answer
	LaneRouteFailed    LaneEvent = "route failed"    // mail cannot be sent for now
	LaneRoutePaused    LaneEvent = "route paused"    // mail cannot be sent until the operator changes something
	LaneDomainAccepted LaneEvent = "domain accepted" // a domain that recovers took a message
	LaneDomainSlowed   LaneEvent = "domain slowed"   // a domain wants less mail
	LaneDomainRefused  LaneEvent = "domain refused"  // a domain refuses our mail for what it is
)

// A LaneChange is an event for one lane; without an Event there is nothing to change.
type LaneChange struct {
	Event     LaneEvent
	Domain    string // empty: the route
	Reason    string // one line
	Pause     bool   // of a slowed domain: nothing is sent to it for a while
	IfAlarmed bool   // of a refusing domain: a probe was refused, which says something only if it is under alarm
}

const (
	leastPause = time.Minute
	mostPause  = time.Hour        // of a domain, and of what an operator has to put right
	routePause = 15 * time.Minute // the most that the route is left alone otherwise
)

// after is a lane as the change leaves it. inUse is how many messages were on
// their way to the domain, connections how many the run has at once.
func (c LaneChange) after(l digest.Lane, now time.Time, inUse, connections int) digest.Lane {
	switch c.Event {
	case LaneRouteServes:
		if !l.Until.After(now) { // else another worker met trouble meanwhile
			return withoutTrouble(l)
		}
	case LaneRouteFailed:
		return routeFailed(l, now, c.Reason)
	case LaneRoutePaused:
		return routeRefused(l, now, c.Reason)
	case LaneDomainAccepted:
		return domainAccepted(l, now, connections)
	case LaneDomainSlowed:
		return domainSlowed(l, now, inUse, c.Pause, c.Reason)
	case LaneDomainRefused:
		return domainRefused(l, now, c)
	}
	return l
}

// hasTrouble reports whether there is anything to recover from.
func hasTrouble(l digest.Lane) bool {
	return l.Width > 0 || l.Pause > 0 || l.Failures > 0 || l.Alarm || !l.Until.IsZero()
}

// withoutTrouble is the lane without its trouble.
func withoutTrouble(l digest.Lane) digest.Lane { return digest.Lane{Name: l.Name, Limits: l.Limits} }

// routeFailed is the route after mail could not be sent for its sake: left
// alone for a minute, doubling to 15.
func routeFailed(l digest.Lane, now time.Time, reason string) digest.Lane {
	if l.Until.After(now) { // another worker has said so
		return l
	}
	l.Failures++
	l.Pause = min(leastPause<<min(l.Failures-1, 10), routePause)
	l.Until, l.Reason = now.Add(l.Pause), reason
	return l
}

// routeRefused is the route when only the operator can help it: tried again
// each hour, or when the operator says so.
func routeRefused(l digest.Lane, now time.Time, reason string) digest.Lane {
	if !l.Alarm || !l.Until.After(now) {
		l.Failures++
	}
	l.Alarm, l.Pause, l.Until, l.Reason = true, mostPause, now.Add(mostPause), reason
	return l
}

// domainSlowed is a domain's lane after it asked for less: half the width, and,
// if it is to pause, one twice as long as the last. inUse is how many messages were on
// their way to it.
func domainSlowed(l digest.Lane, now time.Time, inUse int, pause bool, reason string) digest.Lane {
	if l.Until.After(now) { // of the same wave
		return l
	}
	if now.Sub(l.Until) > mostPause { // the last trouble is long past
		l.Pause, l.Failures = 0, 0
	}
	if l.Width > 0 {
		inUse = l.Width
	}
	l.Width = max(inUse/2, 1)
	l.Failures++
	l.Reason = reason
	if pause {
		l.Pause = min(max(2*l.Pause, leastPause), mostPause)
		l.Until = now.Add(l.Pause)
	}
	return l
}

// mostProbes is the number of messages that a domain gets after its pause. It may refuse single readers for themselves,
// so only the refusal of all probes pauses it again.
const mostProbes = 3

// domainRefused returns a domain's lane after the domain refused too many messages to any recipients. The lane
// pauses for an hour and then sends a few probes. Each refused probe leaves one fewer. The last one pauses the lane
// again.
func domainRefused(l digest.Lane, now time.Time, c LaneChange) digest.Lane {
	switch {
	case c.IfAlarmed && !l.Alarm: // it is slow for another reason
		return l
	case c.IfAlarmed && l.Width > 1:
		l.Width--
		return l
	}
	l = routeRefused(l, now, c.Reason)
	l.Width = mostProbes
	return l
}

// domainAccepted is a domain's lane after an acceptance: one message more at
// once, half the pause next time, and well again when it is as wide as the
// route. What was under way when the trouble came says nothing of it.
func domainAccepted(l digest.Lane, now time.Time, route int) digest.Lane {
	if l.Until.After(now) || !hasTrouble(l) {
		return l
	}
	if l.Connections > 0 {
		route = min(route, l.Connections)
	}
	l.Alarm, l.Failures = false, 0
	l.Width++
	if l.Pause /= 2; l.Pause < leastPause {
		l.Pause = 0
	}
	if l.Width >= route {
		return withoutTrouble(l)
	}
	return l
}

// A counter counts what a domain answered in the last ten minutes, by the minute.
type counter [10]struct {
	minute int64
	Answers
}

// Answers are how many a domain gave, and how many of them told something of
// the domain rather than of one mailbox: refusals for good, and deferrals.
type Answers struct{ All, Refusals, Deferrals int }

func (a *Answers) count(b Answers) {
	a.All += b.All
	a.Refusals += b.Refusals
	a.Deferrals += b.Deferrals
}

func (t *counter) add(now time.Time, a Answers) {
	minute := now.Unix() / 60
	slot := &t[minute%int64(len(t))]
	if slot.minute != minute {
		slot.minute, slot.Answers = minute, Answers{}
	}
	slot.count(a)
}

func (t *counter) sum(now time.Time) (s Answers) {
	last := now.Unix() / 60
	for _, slot := range t {
		if slot.minute > last-int64(len(t)) && slot.minute <= last {
			s.count(slot.Answers)
		}
	}
	return s
}

const leastEvidence = 3 // messages: less is chance

// refused reports whether a domain refuses our mail, not this or that message:
// more than one answer in twenty.
func (a Answers) refused() bool { return a.Refusals >= leastEvidence && a.Refusals*20 > a.All }

// deferred reports whether answers that could be a greylist's are too many to
// be chance: more than one in ten.
func (a Answers) deferred() bool { return a.Deferrals >= leastEvidence && a.Deferrals*10 > a.All }

// counters are those of a Deliverer, by domain. They live in memory: what they led to
// is in the lanes.
type counters struct {
	mu sync.Mutex
	by map[string]*counter
}

// add counts answers and gives the sum of the last ten minutes.
func (t *counters) add(domain string, now time.Time, a Answers) Answers {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == nil {
		t.by = map[string]*counter{}
	}
	one := t.by[domain]
	if one == nil {
		one = new(counter)
		t.by[domain] = one
	}
	one.add(now, a)
	return one.sum(now)
}

// forget drops the domains that answered nothing lately.
func (t *counters) forget(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.by, func(_ string, one *counter) bool { return one.sum(now).All == 0 })
}

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
		k.log.Info("a domain limits our email", "domain", l.Name, "at_once", l.Width, "again_at", l.Until, "reason",
			l.Reason)
		k.remember(l)
	case c.Event == LaneDomainRefused && l.Alarm && l.Until.After(k.clock()):
		k.log.Error("a domain refuses our email; retrying in an hour", "domain", l.Name, "again_at", l.Until, "reason",
			l.Reason)
		k.remember(l)
	}
	return l, nil
}

func (k *lanes) change(c LaneChange, inUse int) (digest.Lane, error) {
	now := k.clock()
	return k.queue.ChangeLane(k.ctx, now, c.Domain,
		func(l digest.Lane) digest.Lane { return c.after(l, now, inUse, k.connections) })
}

// halt ends the run: only the operator can help the route.
func (k *lanes) halt(l digest.Lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.route.halted {
		k.log.Error("the mail server refuses us; fix the cause, then run: digest queue resume", "reason", l.Reason,
			"again_at", l.Until)
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
	k.log.Warn("cannot send email; editions wait", "reason", l.Reason, "again_at", l.Until)
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
