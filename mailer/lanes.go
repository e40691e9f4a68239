package mailer

import (
	"context"
	"maps"
	"sync"
	"time"

	"digest"
)

// A slowdown is what this run knows of a domain that asked for less: what was
// claimed before is handed back.
type slowdown struct {
	claim  int       // the last one before
	until  time.Time // zero: it rests not, but gets fewer at once
	reason string
}

// change has the queue change a lane; an error ends the run.
func (r *run) change(name string, change func(l digest.Lane, now time.Time) digest.Lane) (digest.Lane, bool) {
	now := r.clock()
	l, err := r.l.Queue.ChangeLane(r.marks.ctx, now, name, func(l digest.Lane) digest.Lane { return change(l, now) })
	if err != nil {
		r.fail(err)
	}
	return l, err == nil
}

// routeFailed puts the job back. One that had come to its dot is not leased any
// more and has to be marked.
func (r *run) routeFailed(j job, dotted bool, e *NotAcceptedError) {
	next := r.clock().Add(leastPause)
	if e.Verdict() == Paused {
		next = r.pauseRoute(e)
	}
	r.mu.Lock()
	r.routeTrouble = e
	r.mu.Unlock()
	if !dotted {
		r.leave(j)
		return
	}
	r.marks.mark(digest.Mark{
		ID: j.ID, State: digest.EditionReady, Reply: e.Reply.String(), Error: e.reason(), NextAt: next, Uncounted: true,
	})
}

// pauseRoute stops every worker, at once, for what the operator has to put right.
func (r *run) pauseRoute(e *NotAcceptedError) (until time.Time) {
	l, ok := r.change("", func(l digest.Lane, now time.Time) digest.Lane { return routeRefused(l, now, e.reason()) })
	if !ok {
		return r.clock().Add(leastPause)
	}
	r.mu.Lock()
	first := !r.halted
	r.halted = true
	r.stats.RouteRetryAt, r.stats.RouteTrouble = l.Until, l.Reason
	r.mu.Unlock()
	if first {
		r.log.Error("the mail server refuses us; all mail waits until that is put right", "reason", l.Reason, "again_at", l.Until)
	}
	return l.Until
}

// judgeRoute decides whether to leave the route alone for a while. It was bad
// when something is left over that could not be sent for its sake.
func (r *run) judgeRoute(ctx context.Context) {
	r.mu.Lock()
	bad := r.routeTrouble != nil && (len(r.left) > 0 || r.progress == 0) && !r.halted && r.err == nil && ctx.Err() == nil
	r.mu.Unlock()
	if !bad {
		return
	}
	l, ok := r.change("", func(l digest.Lane, now time.Time) digest.Lane {
		return routeFailed(l, now, r.routeTrouble.reason())
	})
	if ok {
		r.stats.RouteRetryAt, r.stats.RouteTrouble = l.Until, l.Reason
		r.log.Warn("no mail can be sent; the editions wait", "reason", l.Reason, "again_at", l.Until)
	}
}

// routeServes ends the route's trouble once it told something of a message.
func (r *run) routeServes() {
	r.mu.Lock()
	ill := r.routeIll
	r.routeIll = false
	r.mu.Unlock()
	if ill {
		r.change("", func(l digest.Lane, now time.Time) digest.Lane {
			if l.Until.After(now) { // another worker met trouble meanwhile
				return l
			}
			return well(l)
		})
	}
}

// use counts the messages on their way to a domain.
func (r *run) use(domain string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inUse[domain] += n; r.inUse[domain] == 0 {
		delete(r.inUse, domain)
	}
}

// accepted tells a domain's lane, if it is recovering.
func (r *run) accepted(j job) {
	r.l.counters.add(j.Domain, r.clock(), answers{all: 1})
	if j.Slow && j.Domain != "" {
		r.change(j.Domain, func(l digest.Lane, now time.Time) digest.Lane { return domainAccepted(l, now, r.l.connections()) })
	}
}

// deferred judges a 4xx at RCPT or later. What is about one mailbox says
// nothing of its domain. What is about the server slows the domain at once.
// What could be either is most likely a greylist, which has to see each
// recipient once: it never halts a domain at first sight, and if it is too much
// to be chance the domain gets fewer messages at once; from the second attempt
// on, when greylists have had their way, it rests as well.
func (r *run) deferred(j job, reply Reply) {
	if j.Domain == "" || reply.Code/100 != 4 {
		return
	}
	plain := reply.aboutDomain()
	mute := !plain && !reply.aboutMailbox()
	seen := answers{all: 1}
	if mute {
		seen.deferrals = 1
	}
	sum := r.l.counters.add(j.Domain, r.clock(), seen)
	if plain || mute && sum.deferred() {
		r.slow(j, plain || j.Attempt > 1, reply)
	}
}

func (r *run) slow(j job, rest bool, reply Reply) {
	r.mu.Lock()
	inUse := r.inUse[j.Domain]
	r.mu.Unlock()
	l, ok := r.change(j.Domain, func(l digest.Lane, now time.Time) digest.Lane {
		return domainSlowed(l, now, inUse, rest, reply.String())
	})
	if ok {
		r.log.Info("a domain wants less mail", "domain", l.Name, "at_once", l.Width, "again_at", l.Until, "reason", l.Reason)
		r.remember(l)
	}
}

// refusedByPolicy judges a 5xx that is not about the mailbox, and reports
// whether the message waits with its domain instead of failing.
func (r *run) refusedByPolicy(j job, reply Reply) (wait bool, until time.Time) {
	seen := answers{all: 1}
	if !reply.aboutMailbox() {
		seen.refusals = 1
	}
	sum := r.l.counters.add(j.Domain, r.clock(), seen)
	tripped := seen.refusals > 0 && sum.refused()
	if j.Domain == "" || seen.refusals == 0 || !tripped && !j.Slow {
		return false, time.Time{}
	}
	l, ok := r.change(j.Domain, func(l digest.Lane, now time.Time) digest.Lane {
		if !tripped && !l.Alarm { // slow for another reason
			return l
		}
		return domainRefused(l, now, reply.String())
	})
	if !ok || !l.Alarm {
		return false, time.Time{}
	}
	r.log.Error("a domain refuses our mail; it is tried again in an hour", "domain", l.Name, "again_at", l.Until, "reason", l.Reason)
	r.remember(l)
	return true, l.Until
}

// remember makes this run hand back what it has claimed of a lane before.
func (r *run) remember(l digest.Lane) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.slowed[l.Name] = slowdown{r.claims, l.Until, l.Reason}
}

// handBack gives a job back, uncounted, when its domain asked for less since it
// was claimed: the next claim minds the lane.
func (r *run) handBack(j job) bool {
	r.mu.Lock()
	s, slowed := r.slowed[j.Domain]
	r.mu.Unlock()
	if !slowed || j.claim > s.claim {
		return false
	}
	next := j.NextAt
	if s.until.After(next) {
		next = s.until
	}
	r.marks.mark(digest.Mark{ID: j.ID, State: digest.EditionReady, Error: s.reason, NextAt: next, Uncounted: true})
	return true
}

// counters are those of a Loop, by domain. They live in memory: what they led to
// is in the lanes.
type counters struct {
	mu sync.Mutex
	by map[string]*counter
}

// add counts answers and gives the sum of the last ten minutes.
func (t *counters) add(domain string, now time.Time, a answers) answers {
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
	maps.DeleteFunc(t.by, func(_ string, one *counter) bool { return one.sum(now).all == 0 })
}
