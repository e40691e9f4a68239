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
	switch {
	case err == nil:
		r.count(func(s *Stats) { s.Sent++ })
		r.marks.mark(digest.Mark{ID: j.ID, State: digest.EditionSent, Reply: reply.String()})
		return true
	case !dotted && errors.Is(err, errTooLate):
		r.leave(j) // we stopped, not the server
		return true
	case errors.Is(err, errFenced):
		return true // the lease was lost; whoever has it now does the rest
	case errors.Is(err, errQueue):
		r.fail(err)
		return true
	case !isRefused:
		r.doubt(j, err)
		return true
	}
	switch refused.Verdict() {
	case Route:
		r.routeFailed(j, dotted, refused)
		return false
	case Refused:
		r.count(func(s *Stats) { s.Failed++ })
		r.log.Warn("an edition was refused", "edition", j.ID, "digest", j.DigestID, "reason", refused.reason())
		r.marks.mark(digest.Mark{ID: j.ID, State: digest.EditionFailed, Reply: refused.Reply.String(), Error: refused.reason()})
	case Retry:
		r.retry(j.Delivery, refused.Reply, refused)
	}
	return true
}

func (r *run) count(add func(*Stats)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.progress++
	add(&r.stats)
}

// routeFailed puts the job back. One that had come to its dot is not leased any
// more and has to be marked.
func (r *run) routeFailed(j job, dotted bool, e *NotAcceptedError) {
	r.mu.Lock()
	r.routeTrouble = e
	r.mu.Unlock()
	if !dotted {
		r.leave(j)
		return
	}
	r.marks.mark(digest.Mark{
		ID: j.ID, State: digest.EditionReady, Reply: e.Reply.String(), Error: e.reason(),
		NextAt: r.clock().Add(routeDelay(1)), Uncounted: true,
	})
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

// retry puts a delivery off by the schedule, or ends it when the schedule or
// its time ends.
func (r *run) retry(d digest.Delivery, reply Reply, err error) {
	reason := lineOf(err)
	delay, ok := retryDelay(d.Attempt)
	if r.l.Jitter != nil {
		delay += r.l.Jitter(delay)
	}
	next := r.clock().Add(delay)
	if !ok || !d.ExpiresAt.IsZero() && !next.Before(d.ExpiresAt) {
		r.expire(d, reason)
		return
	}
	r.count(func(s *Stats) { s.Retried++ })
	r.log.Info("an edition has to wait", "edition", d.ID, "attempt", d.Attempt, "again_at", next, "reason", reason)
	r.marks.mark(digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: reply.String(), Error: reason, NextAt: next})
}

func (r *run) expire(d digest.Delivery, reason string) {
	r.count(func(s *Stats) { s.Failed++ })
	r.log.Warn("an edition is given up", "edition", d.ID, "digest", d.DigestID, "attempt", d.Attempt, "reason", reason)
	r.marks.mark(digest.Mark{ID: d.ID, State: digest.EditionExpired, Error: reason})
}

// reason is one line for people.
func (e *NotAcceptedError) reason() string {
	if e.Err != nil {
		return lineOf(e.Err)
	}
	return e.Reply.String()
}

func lineOf(err error) string { return shorten(oneLine(err.Error()), maxReplyText) }
