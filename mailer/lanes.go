package mailer

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"digest"
)

// These functions compute the next state of a lane from its state and an instant. The queue calls them in a
// transaction, so that workers that have the same trouble at the same time count it once.

// LaneEvent is the effect of an answer on the route or a domain.
type LaneEvent string

const (
	LaneRouteServes    LaneEvent = "route serves"    // a route that had failed has delivered an answer
	LaneRouteFailed    LaneEvent = "route failed"    // mail cannot be sent for now
	LaneRoutePaused    LaneEvent = "route paused"    // mail cannot be sent until the operator changes something
	LaneDomainAccepted LaneEvent = "domain accepted" // a recovering domain has accepted a message
	LaneDomainSlowed   LaneEvent = "domain slowed"   // a domain limits our mail
	LaneDomainRefused  LaneEvent = "domain refused"  // a domain rejects our mail in general
)

// A LaneChange is an event for one lane. Without an Event it changes nothing.
type LaneChange struct {
	Event     LaneEvent
	Domain    string // empty for the route
	Reason    string // one line
	Pause     bool   // for a slowed domain: send nothing to it for a while
	IfAlarmed bool   // for a refusing domain: apply only if it has an alarm, because the refused message was a probe
}

const (
	leastPause = time.Minute
	mostPause  = time.Hour        // for a domain, and for trouble that only the operator can end
	routePause = 15 * time.Minute // the longest other pause of the route
)

// after returns the lane after the change. inUse is the number of messages in flight to the domain, connections the
// maximum for the run.
func (c LaneChange) after(l digest.Lane, now time.Time, inUse, connections int) digest.Lane {
	switch c.Event {
	case LaneRouteServes:
		if !l.Until.After(now) { // otherwise another worker has found trouble since
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

// hasTrouble reports whether the lane differs from a healthy one.
func hasTrouble(l digest.Lane) bool {
	return l.Width > 0 || l.Pause > 0 || l.Failures > 0 || l.Alarm || !l.Until.IsZero()
}

func withoutTrouble(l digest.Lane) digest.Lane { return digest.Lane{Name: l.Name, Limits: l.Limits} }

// routeFailed pauses the route after a failure, for a minute at first. Each further failure doubles the pause, up to 15
// minutes.
func routeFailed(l digest.Lane, now time.Time, reason string) digest.Lane {
	if l.Until.After(now) { // another worker has paused it
		return l
	}
	l.Failures++
	l.Pause = min(leastPause<<min(l.Failures-1, 10), routePause)
	l.Until, l.Reason = now.Add(l.Pause), reason
	return l
}

// routeRefused pauses the route for an hour when only the operator can help. The operator can resume it earlier.
func routeRefused(l digest.Lane, now time.Time, reason string) digest.Lane {
	if !l.Alarm || !l.Until.After(now) {
		l.Failures++
	}
	l.Alarm, l.Pause, l.Until, l.Reason = true, mostPause, now.Add(mostPause), reason
	return l
}

// domainSlowed halves the width of a domain's lane. If pause is set, it also pauses the lane for twice the last pause.
// inUse is the number of messages in flight to the domain.
func domainSlowed(l digest.Lane, now time.Time, inUse int, pause bool, reason string) digest.Lane {
	if l.Until.After(now) { // the same trouble as before
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

// mostProbes is the number of messages that a domain gets after its pause. It may refuse some readers for their own
// reasons, so only the refusal of all probes pauses it again.
const mostProbes = 3

// domainRefused returns a domain's lane after the domain refused too many messages to different recipients. The lane
// pauses for an hour and then sends a few probes. Each refused probe reduces their number. The last one pauses the lane
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

// domainAccepted widens a domain's lane by one after an accepted message and halves its next pause. At the width of the
// route the lane is healthy. A message accepted during a pause has no effect, because it was sent before the trouble.
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

// A counter counts the answers of a domain in the last ten minutes, by minute.
type counter [10]struct {
	minute int64
	Answers
}

// Answers counts the answers of a domain. Refusals (permanent) and Deferrals count only answers that may concern the
// domain as a whole.
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

const leastEvidence = 3 // fewer messages can be chance

// refused reports whether a domain refuses our mail in general: more than one answer in twenty.
func (a Answers) refused() bool { return a.Refusals >= leastEvidence && a.Refusals*20 > a.All }

// deferred reports whether answers that look like greylisting are too many for chance: more than one in ten.
func (a Answers) deferred() bool { return a.Deferrals >= leastEvidence && a.Deferrals*10 > a.All }

// counters are a Deliverer's counters by domain. They exist only in memory, because lanes store their effects.
type counters struct {
	mu sync.Mutex
	by map[string]*counter
}

// add counts answers and returns the sum of the last ten minutes.
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

// forget drops the domains without recent answers.
func (t *counters) forget(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.by, func(_ string, one *counter) bool { return one.sum(now).All == 0 })
}

// lanes is the state of the route and of domains within one run, beyond the state in the queue.
type lanes struct {
	queue       Queue
	ctx         context.Context
	clock       func() time.Time
	connections int // the maximum of the run
	log         *slog.Logger

	mu     sync.Mutex
	route  routeState
	inUse  map[string]int
	claims int // number of claims so far
	slowed map[string]slowdown
}

type routeState struct {
	ill     bool // its stored lane has trouble, and no answer has disproved it
	answers int
	trouble string      // the latest trouble; empty if none
	halted  bool        // only the operator can help: the run ends
	lane    digest.Lane // set when this run pauses the route
}

// A slowdown limits a domain within a run. The run returns editions that it claimed before.
type slowdown struct {
	claim  int       // the last claim before the slowdown
	until  time.Time // zero if the domain is only narrowed, not paused
	reason string
}

// apply changes the lane of an answer in the queue, and returns it. It only records the failure of a route: see endRun.
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

// halt ends the run, because only the operator can help the route.
func (k *lanes) halt(l digest.Lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.route.halted {
		k.log.Error("the mail server refuses us; fix the cause, then run: digest queue resume", "reason", l.Reason,
			"again_at", l.Until)
	}
	k.route.halted, k.route.lane = true, l
}

// answered counts an answer to a message. The first answer ends the route's trouble.
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

// endRun pauses the route if it failed and editions are left because of that.
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

func (k *lanes) use(domain string, n int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.inUse[domain] += n; k.inUse[domain] == 0 {
		delete(k.inUse, domain)
	}
}

func (k *lanes) nextClaim() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.claims++
	return k.claims
}

// remember makes the run return editions of a lane that it has claimed before.
func (k *lanes) remember(l digest.Lane) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.slowed[l.Name] = slowdown{k.claims, l.Until, l.Reason}
}

// handBack returns an uncounted mark for an edition whose domain was slowed after its claim. The next claim respects
// the lane. It returns false if the edition may be sent.
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
