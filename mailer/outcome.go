package mailer

import (
	"errors"
	"time"

	"digest"
)

// An Attempt is one attempt to deliver an edition, with its result.
type Attempt struct {
	Delivery digest.Delivery
	Reply    Reply // the server's acceptance if Err is nil
	Err      error // the error of Transport, Compose or the commit before the dot

	// Dotted is true if the dot was committed. The edition is then no longer leased.
	Dotted bool
	// Small is true if the message was made smaller, because the server had rejected its size.
	Small bool
	// Idempotent is true if a resend replaces the message: see Transport.
	Idempotent bool
	// Domain counts the answers of the recipient's domain in the last ten minutes, including this one.
	Domain Answers
}

// A Result is the consequence of an Attempt for an edition. It has a Mark or PutBack. If it has neither, another worker
// has the edition.
type Result struct {
	Mark    digest.Mark // the mark to store; none if State is empty
	PutBack bool        // the edition stays leased, for another try or to return to the queue
	Lane    LaneChange  // the change of the route or of the domain

	// WithLane replaces Mark if the changed lane has an alarm. The edition then waits with the others of its domain.
	WithLane digest.Mark

	// Answered is true if the route delivered an answer to a message.
	Answered bool
	Err      error
}

// RouteFailed reports whether the edition was not sent because the route failed.
func (r Result) RouteFailed() bool {
	return r.Lane.Event == LaneRouteFailed || r.Lane.Event == LaneRoutePaused
}

// doubtWait is how long an edition in doubt waits before it is sent again. Any connection that waits for an answer ends
// earlier.
const doubtWait = 15 * time.Minute

// Outcome decides what happens to an edition after an attempt. It is a pure function. jitter returns a change of a
// retry's delay; it may be nil.
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
		return Result{} // the lease was lost; the worker that has it continues
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

// refusal returns the error of an attempt that was certainly not accepted, or nil.
func (a Attempt) refusal() *NotAcceptedError {
	refused, _ := errors.AsType[*NotAcceptedError](a.Err)
	return refused
}

// answers returns the addition of an attempt to the answers of its domain.
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

// routeResult puts back an edition that was not sent because of the route. After the dot it is no longer leased, so it
// gets a mark. The attempt does not count.
func routeResult(a Attempt, e *NotAcceptedError, event LaneEvent, next time.Time) Result {
	r := Result{Lane: LaneChange{Event: event, Reason: e.reason()}}
	if !a.Dotted {
		r.PutBack = true
		return r
	}
	r.Mark = waitMark(a.Delivery, e.Reply, e.reason(), next)
	return r
}

// refusedResult fails an edition, unless its domain refuses all mail. Then the edition waits with the others and the
// attempt does not count. Another edition probes the domain next, because this one may be refused for its own reasons.
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

func acceptedLane(d digest.Delivery) LaneChange {
	if !d.Slow || d.Domain == "" {
		return LaneChange{}
	}
	return LaneChange{Event: LaneDomainAccepted, Domain: d.Domain}
}

// deferredLane returns the change of a lane after a 4xx at RCPT or later. A reply about one mailbox has no effect on
// the domain. A reply about the server slows the domain immediately.
//
// A reply that may mean either is most likely greylisting, which sees each recipient once before it accepts mail. If
// such replies are too many for chance, the domain gets fewer messages at the same time. It pauses only from the second
// attempt of an edition on, when greylisting is over.
func deferredLane(a Attempt, reply Reply) LaneChange {
	d, about := a.Delivery, reply.aboutDomain()
	unclear := a.answers().Deferrals > 0 && a.Domain.deferred()
	if d.Domain == "" || reply.Code/100 != 4 || !about && !unclear {
		return LaneChange{}
	}
	return LaneChange{Event: LaneDomainSlowed, Domain: d.Domain, Reason: reply.String(), Pause: about || d.Attempt > 1}
}

// failedMark fails an edition permanently. kind is the kind of bounce for the reader's address; empty for none.
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

// doubtMark marks an edition whose acceptance is unknown. With an idempotent Transport it is sent again as usual.
// Otherwise it is sent once again, and never a third time.
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

// waitMark delays an edition without counting the attempt, because the route or the domain failed.
func waitMark(d digest.Delivery, reply Reply, reason string, next time.Time) digest.Mark {
	return digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: reply.String(), Error: reason, NextAt: next,
		Uncounted: true}
}

// retryMark delays an edition by the schedule, or longer if the server asks for it. It expires the edition when the
// schedule or its time ends.
func retryMark(d digest.Delivery, reply Reply, err error, now time.Time,
	jitter func(time.Duration) time.Duration) digest.Mark {
	delay, ok := retryDelay(d.Attempt)
	if jitter != nil {
		more := jitter(delay)
		if d.Attempt <= 1 {
			more = more.Abs() // the delay of a greylist must be over
		}
		delay += more
	}
	next := now.Add(max(delay, reply.waitHint()))
	if !ok || !d.ExpiresAt.IsZero() && !next.Before(d.ExpiresAt) {
		return expiredMark(d, reply, lineOf(err))
	}
	return digest.Mark{ID: d.ID, State: digest.EditionReady, Reply: reply.String(), Error: lineOf(err), NextAt: next}
}

// expiredMark expires an edition. A mailbox that stayed full is a soft bounce.
func expiredMark(d digest.Delivery, reply Reply, reason string) digest.Mark {
	m := digest.Mark{ID: d.ID, State: digest.EditionExpired, Reply: reply.String(), Error: reason}
	if reply.isFull() {
		m.Bounce = bounce(d.ID, digest.SoftBounce, reply)
	}
	return m
}

// retryDelay returns the delay after an attempt, 1 for the first. It returns false at the end of the schedule, after 17
// hours. The first delay passes the usual greylist (RFC 6647 §5).
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

func (e *NotAcceptedError) reason() string {
	if e.Err != nil {
		return lineOf(e.Err)
	}
	return e.Reply.String()
}

func lineOf(err error) string { return short(err.Error()) }

// short makes one line of a text, of the length of a reply.
func short(text string) string { return digest.FirstBytes(digest.OneLine(text), maxReplyText) }
