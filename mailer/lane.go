package mailer

import (
	"time"

	"digest"
)

// What trouble and success make of a lane. These are functions of a lane and an
// instant: the queue calls them in a transaction of its own, so that workers
// that meet the same trouble at once do not count it twice.

const (
	leastPause = time.Minute
	mostPause  = time.Hour        // of a domain, and of what an operator has to put right
	routePause = 15 * time.Minute // the most that the route is left alone otherwise
)

// hasTrouble reports whether there is anything to recover from.
func hasTrouble(l digest.Lane) bool {
	return l.Width > 0 || l.Pause > 0 || l.Failures > 0 || l.Alarm || !l.Until.IsZero()
}

// well is the lane without its trouble.
func well(l digest.Lane) digest.Lane { return digest.Lane{Name: l.Name, Limits: l.Limits} }

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
// if it is to rest, a pause twice the last. inUse is how many messages were on
// their way to it.
func domainSlowed(l digest.Lane, now time.Time, inUse int, rest bool, reason string) digest.Lane {
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
	if rest {
		l.Pause = min(max(2*l.Pause, leastPause), mostPause)
		l.Until = now.Add(l.Pause)
	}
	return l
}

// domainRefused is a domain's lane after it refused too much for what it is,
// not for whom it is to: it rests an hour, and then gets one message at a time.
func domainRefused(l digest.Lane, now time.Time, reason string) digest.Lane {
	if !l.Alarm || !l.Until.After(now) {
		l.Failures++
	}
	l.Alarm, l.Width, l.Pause, l.Until, l.Reason = true, 1, mostPause, now.Add(mostPause), reason
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
		return well(l)
	}
	return l
}

// A counter counts what a domain answered in the last ten minutes, by the minute.
type counter [10]struct {
	minute int64
	answers
}

// answers are how many there were, and how many of them told something of the
// domain rather than of one mailbox.
type answers struct{ all, refusals, deferrals int }

func (t *counter) add(now time.Time, a answers) {
	minute := now.Unix() / 60
	slot := &t[minute%int64(len(t))]
	if slot.minute != minute {
		slot.minute, slot.answers = minute, answers{}
	}
	slot.all += a.all
	slot.refusals += a.refusals
	slot.deferrals += a.deferrals
}

func (t *counter) sum(now time.Time) (s answers) {
	last := now.Unix() / 60
	for _, slot := range t {
		if slot.minute > last-int64(len(t)) && slot.minute <= last {
			s.all += slot.all
			s.refusals += slot.refusals
			s.deferrals += slot.deferrals
		}
	}
	return s
}

const leastEvidence = 3 // messages: less is chance

// refused reports whether a domain refuses our mail, not this or that message:
// more than one answer in twenty.
func (a answers) refused() bool { return a.refusals >= leastEvidence && a.refusals*20 > a.all }

// deferred reports whether answers that could be a greylist's are too many to
// be chance: more than one in ten.
func (a answers) deferred() bool { return a.deferrals >= leastEvidence && a.deferrals*10 > a.all }
