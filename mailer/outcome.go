package mailer

import (
	"errors"
	"time"

	"digest"
)

// doubtWait is how long an edition in doubt waits for its resend. Whoever could
// still be waiting for the answer has given up by then.
const doubtWait = 15 * time.Minute

// settle records what came of an attempt; false when the route failed.
func (r *run) settle(j job, dotted bool, reply Reply, err error) (ok bool) {
	refused, isRefused := errors.AsType[*NotAcceptedError](err)
	if r.told(err) {
		r.routeServes()
	}
	switch {
	case err == nil:
		r.count(func(s *Stats) { s.Sent++ })
		r.marks.mark(digest.Mark{ID: j.ID, State: digest.EditionSent, Reply: reply.String()})
		r.accepted(j)
		return true
	case !dotted && errors.Is(err, errTooLate):
		r.leave(j) // we stopped, not the server
		return true
	case errors.Is(err, errFenced):
		r.flow.settled(1)
		return true // the lease was lost; whoever has it now does the rest
	case errors.Is(err, errQueue):
		r.fail(err)
		r.flow.settled(1)
		return true
	case !isRefused:
		r.doubt(j, err)
		return true
	}
	switch refused.Verdict() {
	case Route, Paused:
		r.routeFailed(j, dotted, refused)
		return false
	case Bounced:
		r.l.counters.add(j.Domain, r.clock(), answers{all: 1})
		r.refuse(j, refused, digest.HardBounce)
	case Refused:
		r.refused(j, refused)
	case Retry:
		r.deferred(j, refused.Reply)
		r.retry(j.Delivery, refused.Reply, refused)
	}
	return true
}

// told reports whether the route brought an answer about a message, and counts it.
func (r *run) told(err error) bool {
	refused, isRefused := errors.AsType[*NotAcceptedError](err)
	if isRefused && (refused.Reply.Code == 0 || refused.Verdict() == Route || refused.Verdict() == Paused) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress++
	return true
}

func (r *run) count(add func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	add(&r.stats)
}

// refused fails an edition, unless its domain refuses all of them: then it
// waits with the others, and no attempt is counted. The domain is tried next
// with another: this one may be refused for itself.
func (r *run) refused(j job, e *NotAcceptedError) {
	if e.Stage != StageCompose {
		if wait, until := r.refusedByPolicy(j, e.Reply); wait {
			r.count(func(s *Stats) { s.Retried++ })
			r.marks.mark(digest.Mark{
				ID: j.ID, State: digest.EditionReady, Reply: e.Reply.String(), Error: e.reason(), NextAt: until.Add(leastPause), Uncounted: true,
			})
			return
		}
	}
	var kind digest.BounceKind
	if e.Reply.isFull() {
		kind = digest.SoftBounce
	}
	r.refuse(j, e, kind)
}

// refuse fails an edition for good.
func (r *run) refuse(j job, e *NotAcceptedError, kind digest.BounceKind) {
	r.count(func(s *Stats) { s.Failed++ })
	r.log.Warn("an edition was refused", "edition", j.ID, "digest", j.DigestID, "reason", e.reason())
	r.marks.mark(digest.Mark{
		ID: j.ID, State: digest.EditionFailed, Reply: e.Reply.String(), Error: e.reason(), Bounce: bounce(j.ID, kind, e.Reply),
	})
}

// bounce is what a refusal tells of the reader's address; none if kind is empty.
func bounce(id digest.EditionID, kind digest.BounceKind, reply Reply) *digest.Bounce {
	if kind == "" {
		return nil
	}
	return &digest.Bounce{Edition: id, Kind: kind, Status: reply.Enhanced, Evidence: reply.String()}
}

// doubt records that nobody knows. Where sending again replaces the message it
// is simply sent again; elsewhere once more, and never a third time.
func (r *run) doubt(j job, err error) {
	if r.l.Transport.Idempotent() {
		r.retry(j.Delivery, Reply{}, err)
		return
	}
	m := digest.Mark{ID: j.ID, State: digest.EditionInDoubt, Error: lineOf(err), NextAt: r.clock().Add(doubtWait)}
	if j.WasInDoubt {
		m.State, m.NextAt = digest.EditionUnconfirmed, time.Time{}
	}
	r.count(func(s *Stats) { s.InDoubt++ })
	r.log.Warn("the server took an edition and did not say whether it accepts it",
		"edition", j.ID, "digest", j.DigestID, "state", m.State, "reason", m.Error)
	r.marks.mark(m)
}

// retry puts a delivery off by the schedule, or for as long as the server asks
// if that is longer, or ends it when the schedule or its time ends.
func (r *run) retry(d digest.Delivery, reply Reply, err error) {
	reason := lineOf(err)
	delay, ok := retryDelay(d.Attempt)
	if r.l.Jitter != nil {
		jitter := r.l.Jitter(delay)
		if d.Attempt <= 1 {
			jitter = jitter.Abs() // a greylist's time must be over
		}
		delay += jitter
	}
	next := r.clock().Add(max(delay, reply.waitHint()))
	if !ok || !d.ExpiresAt.IsZero() && !next.Before(d.ExpiresAt) {
		r.expire(d, reply, reason)
		return
	}
	r.count(func(s *Stats) { s.Retried++ })
	r.log.Info("an edition has to wait", "edition", d.ID, "attempt", d.Attempt, "again_at", next, "reason", reason)
	r.marks.mark(digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: reply.String(), Error: reason, NextAt: next})
}

// expire gives an edition up. A mailbox that was full all the time bounced, softly.
func (r *run) expire(d digest.Delivery, reply Reply, reason string) {
	r.count(func(s *Stats) { s.Failed++ })
	r.log.Warn("an edition is given up", "edition", d.ID, "digest", d.DigestID, "attempt", d.Attempt, "reason", reason)
	m := digest.Mark{ID: d.ID, State: digest.EditionExpired, Reply: reply.String(), Error: reason}
	if reply.isFull() {
		m.Bounce = bounce(d.ID, digest.SoftBounce, reply)
	}
	r.marks.mark(m)
}

// reason is one line for people.
func (e *NotAcceptedError) reason() string {
	if e.Err != nil {
		return lineOf(e.Err)
	}
	return e.Reply.String()
}

func lineOf(err error) string { return shorten(oneLine(err.Error()), maxReplyText) }
