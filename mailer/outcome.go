package mailer

import (
	"errors"
	"time"

	"digest"
)

// An Attempt is one try to deliver an edition, and how it ended.
type Attempt struct {
	Delivery digest.Delivery
	Reply    Reply // the server's acceptance, when Err is nil
	Err      error // as a Transport or Compose gives it, or of the commit before the dot

	// Dotted says that the dot was committed: the edition is not leased any more.
	Dotted bool
	// Small says that the message was made smaller, because the server had found it too large.
	Small bool
	// Idempotent says that sending again replaces the message: see Transport.
	Idempotent bool
	// Domain is what the recipient's domain answered within ten minutes, this
	// answer included.
	Domain Answers
}

// A Result is what becomes of an edition after an Attempt. It has a Mark, or is
// PutBack, or is neither: then another worker has the edition by now.
type Result struct {
	Mark    digest.Mark // what to record; without a State nothing
	PutBack bool        // the edition stays leased, for another try or to be given back
	Lane    LaneChange  // what the answer tells of the route or of the domain

	// WithLane is recorded in place of Mark if the lane, once changed, is under
	// alarm: the edition waits with all others of its domain.
	WithLane digest.Mark

	// Answered says that the route brought an answer about a message: the route serves.
	Answered bool
	// Err ends the run: the queue cannot be used.
	Err error
}

// RouteFailed reports whether the edition was not sent for the route's sake.
func (r Result) RouteFailed() bool {
	return r.Lane.Event == LaneRouteFailed || r.Lane.Event == LaneRoutePaused
}

// doubtWait is how long an edition in doubt waits for its resend. Whoever could
// still be waiting for the answer has given up by then.
const doubtWait = 15 * time.Minute

// Outcome says what becomes of an edition. It depends on nothing but what it is
// given. jitter gives what to add to a retry's delay; nil: nothing.
func Outcome(a Attempt, now time.Time, jitter func(time.Duration) time.Duration) Result {
	d, refused := a.Delivery, a.refusal()
	switch {
	case a.Err == nil:
		return Result{
			Mark:     digest.Mark{ID: d.ID, State: digest.EditionSent, Reply: a.Reply.String()},
			Lane:     acceptedLane(d),
			Answered: true,
		}
	case !a.Dotted && errors.Is(a.Err, errTooLate):
		return Result{PutBack: true} // we stopped, not the server
	case errors.Is(a.Err, errFenced):
		return Result{} // the lease was lost; whoever has it now does the rest
	case errors.Is(a.Err, errQueue):
		return Result{Err: a.Err}
	case refused == nil:
		return Result{Mark: doubtMark(a, now, jitter), Answered: true}
	}
	var r Result
	switch refused.Verdict() {
	case Route:
		return routeResult(a, refused, LaneRouteFailed, now.Add(leastPause))
	case Paused:
		return routeResult(a, refused, LaneRoutePaused, now.Add(mostPause))
	case Bounced:
		r.Mark = failedMark(d, refused, digest.HardBounce)
	case Refused:
		if refused.isTooLarge() && a.Dotted && !a.Small {
			return Result{Mark: digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: refused.Reply.String(),
				Error: lineOf(refused), NextAt: now}, Answered: true}
		}
		r = refusedResult(a, refused, now)
	case Retry:
		r = Result{Mark: retryMark(d, refused.Reply, refused, now, jitter), Lane: deferredLane(a, refused.Reply)}
	}
	r.Answered = refused.Reply.Code != 0
	return r
}

// refusal is the error of an attempt that was certainly not accepted, else nil.
func (a Attempt) refusal() *NotAcceptedError {
	refused, _ := errors.AsType[*NotAcceptedError](a.Err)
	return refused
}

// answers is what an attempt adds to the answers of its domain.
func (a Attempt) answers() Answers {
	if a.Err == nil {
		return Answers{All: 1}
	}
	refused := a.refusal()
	if refused == nil || refused.Reply.Code == 0 {
		return Answers{}
	}
	reply := refused.Reply
	switch verdict := refused.Verdict(); {
	case verdict == Bounced, verdict == Refused && (reply.aboutMailbox() || reply.aboutMessage()):
		return Answers{All: 1}
	case verdict == Refused:
		return Answers{All: 1, Refusals: 1}
	case verdict != Retry || reply.Code/100 != 4:
		return Answers{}
	case reply.aboutDomain() || reply.aboutMailbox():
		return Answers{All: 1}
	}
	return Answers{All: 1, Deferrals: 1}
}

// routeResult puts an edition back that was not sent for the route's sake. One
// that had come to its dot is not leased any more and has to be marked; no
// attempt is counted.
func routeResult(a Attempt, e *NotAcceptedError, event LaneEvent, next time.Time) Result {
	r := Result{Lane: LaneChange{Event: event, Reason: e.reason()}}
	if !a.Dotted {
		r.PutBack = true
		return r
	}
	r.Mark = waitMark(a.Delivery, e.Reply, e.reason(), next)
	return r
}

// refusedResult fails an edition, unless its domain refuses all of them: then it
// waits with the others, and no attempt is counted. The domain is tried next
// with another: this one may be refused for itself.
func refusedResult(a Attempt, e *NotAcceptedError, now time.Time) Result {
	var kind digest.BounceKind
	if e.Reply.isFull() {
		kind = digest.SoftBounce
	}
	r := Result{Mark: failedMark(a.Delivery, e, kind)}
	tripped := a.Domain.refused()
	if a.Delivery.Domain == "" || a.answers().Refusals == 0 || !tripped && !a.Delivery.Slow {
		return r
	}
	r.Lane = LaneChange{Event: LaneDomainRefused, Domain: a.Delivery.Domain, Reason: e.Reply.String(),
		IfAlarmed: !tripped}
	r.WithLane = waitMark(a.Delivery, e.Reply, e.reason(), now.Add(mostPause).Add(leastPause))
	return r
}

// acceptedLane tells a domain's lane of an acceptance, if it is recovering.
func acceptedLane(d digest.Delivery) LaneChange {
	if !d.Slow || d.Domain == "" {
		return LaneChange{}
	}
	return LaneChange{Event: LaneDomainAccepted, Domain: d.Domain}
}

// deferredLane judges a 4xx at RCPT or later. What is about one mailbox says
// nothing of its domain. What is about the server slows the domain at once.
// What could be either is most likely a greylist, which has to see each
// recipient once: it never halts a domain at first sight, and if it is too much
// to be chance the domain gets fewer messages at once; from the second attempt
// on, when greylists have had their way, it pauses as well.
func deferredLane(a Attempt, reply Reply) LaneChange {
	d, about := a.Delivery, reply.aboutDomain()
	unclear := a.answers().Deferrals > 0 && a.Domain.deferred()
	if d.Domain == "" || reply.Code/100 != 4 || !about && !unclear {
		return LaneChange{}
	}
	return LaneChange{Event: LaneDomainSlowed, Domain: d.Domain, Reason: reply.String(), Pause: about || d.Attempt > 1}
}

// failedMark ends an edition for good. kind is what the refusal tells of the
// reader's address; empty: nothing.
func failedMark(d digest.Delivery, e *NotAcceptedError, kind digest.BounceKind) digest.Mark {
	return digest.Mark{
		ID: d.ID, State: digest.EditionFailed, Reply: e.Reply.String(), Error: e.reason(),
		Bounce: bounce(d.ID, kind, e.Reply),
	}
}

func bounce(id digest.EditionID, kind digest.BounceKind, reply Reply) *digest.Bounce {
	if kind == "" {
		return nil
	}
	return &digest.Bounce{Edition: id, Kind: kind, Status: reply.Enhanced, Evidence: reply.String()}
}

// doubtMark records that nobody knows. Where sending again replaces the message it
// is simply sent again; elsewhere once more, and never a third time.
func doubtMark(a Attempt, now time.Time, jitter func(time.Duration) time.Duration) digest.Mark {
	d := a.Delivery
	switch {
	case a.Idempotent:
		return retryMark(d, Reply{}, a.Err, now, jitter)
	case d.WasInDoubt:
		return digest.Mark{ID: d.ID, State: digest.EditionUnconfirmed, Error: lineOf(a.Err)}
	}
	return digest.Mark{ID: d.ID, State: digest.EditionInDoubt, Error: lineOf(a.Err), NextAt: now.Add(doubtWait)}
}

// waitMark puts an edition off and takes the attempt back: it failed for its
// route's or its domain's sake.
func waitMark(d digest.Delivery, reply Reply, reason string, next time.Time) digest.Mark {
	return digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: reply.String(), Error: reason, NextAt: next,
		Uncounted: true}
}

// retryMark puts an edition off by the schedule, or for as long as the server
// asks if that is longer, or ends it when the schedule or its time ends.
func retryMark(d digest.Delivery, reply Reply, err error, now time.Time,
	jitter func(time.Duration) time.Duration) digest.Mark {
	delay, ok := retryDelay(d.Attempt)
	if jitter != nil {
		more := jitter(delay)
		if d.Attempt <= 1 {
			more = more.Abs() // a greylist's time must be over
		}
		delay += more
	}
	next := now.Add(max(delay, reply.waitHint()))
	if !ok || !d.ExpiresAt.IsZero() && !next.Before(d.ExpiresAt) {
		return expiredMark(d, reply, lineOf(err))
	}
	return digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: reply.String(), Error: lineOf(err), NextAt: next}
}

// expiredMark gives an edition up. A mailbox that was full all the time
// bounced, softly.
func expiredMark(d digest.Delivery, reply Reply, reason string) digest.Mark {
	m := digest.Mark{ID: d.ID, State: digest.EditionExpired, Reply: reply.String(), Error: reason}
	if reply.isFull() {
		m.Bounce = bounce(d.ID, digest.SoftBounce, reply)
	}
	return m
}

// retryDelay is how long to wait after the attempt of that number, 1 for the
// first; false when the schedule is at its end, 17 hours on. The first step
// clears the usual greylist (RFC 6647 §5).
func retryDelay(attempt int) (time.Duration, bool) {
	schedule := [...]time.Duration{
		5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 40 * time.Minute, 80 * time.Minute,
		160 * time.Minute, 4 * time.Hour, 4 * time.Hour, 4 * time.Hour,
	}
	attempt = max(attempt, 1)
	if attempt > len(schedule) {
		return 0, false
	}
	return schedule[attempt-1], true
}

// reason is one line for people.
func (e *NotAcceptedError) reason() string {
	if e.Err != nil {
		return lineOf(e.Err)
	}
	return e.Reply.String()
}

func lineOf(err error) string { return shorten(digest.OneLine(err.Error()), maxReplyText) }
