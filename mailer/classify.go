package mailer

import "time"

// A Verdict says what a refusal means for the message.
type Verdict string

// The verdicts.
const (
	Retry   Verdict = "retry"   // this message, later
	Refused Verdict = "refused" // this message, never
	Route   Verdict = "route"   // every message this way: wait, and count nothing against this one
)

// Verdict sorts a refusal by its stage first: what goes wrong before a
// recipient was named says nothing about the recipient (RFC 5321 §4.2.1,
// §4.5.4.1). Only a reply can be permanent; a lost connection never is.
func (e *NotAcceptedError) Verdict() Verdict {
	code := e.Reply.Code
	switch {
	case e.Stage == StageCompose:
		return Refused
	case e.Stage == StageConnect:
		return Route
	case code == 0:
		return Retry
	case e.Stage == StageMail, code == 421, e.aboutUs():
		return Route
	case code == 552 && e.Stage == StageRcpt: // RFC 5321 §4.5.3.1.10: an old way to say 452
		return Retry
	case code >= 500:
		return Refused
	}
	return Retry
}

// aboutUs reports replies that speak of the sender's set-up at whatever stage
// they come: authentication (RFC 4954 §6) and domain authentication as the
// large providers word it (RFC 7372).
func (e *NotAcceptedError) aboutUs() bool {
	switch e.Reply.Code {
	case 530, 534, 535, 538:
		return true
	}
	return e.Reply.Enhanced == "5.7.515" || e.Reply.Enhanced == "5.7.26"
}

// lost reports a connection that broke without an answer: worth another one at once.
func (e *NotAcceptedError) lost() bool {
	return e.Reply.Code == 0 && e.Stage != StageCompose && e.Stage != StageConnect
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

// routeDelay is how long to leave a route alone after so many failures in a row.
func routeDelay(failures int) time.Duration {
	return min(time.Minute<<min(max(failures-1, 0), 10), 15*time.Minute)
}
