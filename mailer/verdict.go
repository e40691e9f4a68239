package mailer

import (
	"strings"

	"digest"
)

// A Verdict says what a refusal means for the message.
type Verdict string

// The verdicts.
const (
	Retry   Verdict = "retry"   // this message, later
	Refused Verdict = "refused" // this message, never
	Bounced Verdict = "bounced" // this message, never, nor any other to this address: nobody is there
	Route   Verdict = "route"   // every message this way: wait, and count nothing against this one
	Paused  Verdict = "paused"  // every message this way, until somebody changes how mail is sent
)

// Verdict sorts a refusal by its stage first: what goes wrong before a
// recipient was named says nothing about the recipient (RFC 5321 §4.2.1,
// §4.5.4.1). Only a reply can be permanent; a lost connection never is.
func (e *NotAcceptedError) Verdict() Verdict {
	code := e.Reply.Code
	connecting := e.Stage == StageConnect || e.Stage == StageAuth
	switch {
	case e.Stage == StageCompose:
		return Refused
	case e.isUnsendable():
		return Refused
	case e.aboutUs():
		return Paused
	case code >= 500 && (e.Stage == StageAuth || e.Stage == StageMail):
		return Paused
	case code >= 500 && connecting && e.Reply.hasClass("5.7."):
		return Paused
	case connecting:
		return Route
	case code == 0:
		return Retry
	case e.Stage == StageMail, code == 421:
		return Route
	case e.Stage == StageBody: // it answers no command of ours
		return Retry
	case e.Stage == StageRcpt && code == 552: // RFC 5321 §4.5.3.1.10: an old way to say 452
		return Retry
	case e.Stage == StageRcpt && e.nobodyThere():
		return Bounced
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

// nobodyThere reports an answer to RCPT that says so for good (RFC 3463 §3.2,
// §3.3; RFC 7504). An enhanced code decides; a bare 550 counts unless its words
// are about us: a blocklist must not cost a domain all its readers.
func (e *NotAcceptedError) nobodyThere() bool {
	r := e.Reply
	if digest.NoMailbox(r.Enhanced) {
		return r.Code >= 500
	}
	switch r.Code {
	case 521, 556:
		return !r.hasClass("5.7.")
	case 550:
		return r.Enhanced == "" &&
			!r.says("spam", "block", "black", "listed", "policy", "relay", "reput", "spf", "dkim",
				"dmarc", "authent", "denied", "not permitted", "not allowed", "banned", "abuse")
	}
	return false
}

// aboutMailbox reports answers that tell something of one mailbox only: its
// address (RFC 3463 X.1.x), its state (X.2.x, but for X.2.0, which says
// nothing), or that its server makes strangers come twice (RFC 6647).
func (r Reply) aboutMailbox() bool {
	switch {
	case r.hasClass("4.1."), r.hasClass("5.1."), r.hasClass("4.6."):
		return true
	case r.hasClass("4.2."), r.hasClass("5.2."):
		if !strings.HasSuffix(r.Enhanced, ".2.0") {
			return true
		}
	}
	return r.says("greylist", "graylist", "grey-list", "gray-list", "grey list", "gray list", "postgrey")
}

// aboutMessage reports replies that refuse one message for its form, size or content (RFC 3463 X.6.x, X.2.3, X.3.4).
// Without a code the words decide. A bare 552 is about size (RFC 5321 §4.2.3).
func (r Reply) aboutMessage() bool {
	switch {
	case r.hasClass("5.6."), r.Enhanced == "5.2.3", r.isTooLarge():
		return true
	}
	return r.says("virus", "malware", "attachment", "content", "header", "mime", "line length", "line too long",
		"bare lf",
		"url", "uribl", "surbl", "hyperlink")
}

// isTooLarge reports replies that refuse a message for its size.
func (r Reply) isTooLarge() bool {
	switch {
	case r.Code < 500:
		return false
	case r.Enhanced == "5.3.4", r.Enhanced == "5.2.3", r.Code == 552 && r.Enhanced == "":
		return true
	}
	return r.says("message size", "size limit", "too large", "too big")
}

// aboutDomain reports answers that put off whatever comes: the state of the
// server or its network (X.3.x, X.4.x), limits (X.5.x), and policy but for
// X.7.1, which greylists use too.
func (r Reply) aboutDomain() bool {
	switch {
	case r.aboutMailbox():
		return false
	case r.hasClass("4.3."), r.hasClass("4.4."), r.hasClass("4.5."):
		return true
	case r.hasClass("4.7."):
		if r.Enhanced != "4.7.1" {
			return true
		}
	}
	return r.says("rate limit", "rate-limit", "ratelimit", "too many", "too much", "too fast", "too quickly", "throttl",
		"slow down", "busy", "exceed", "unusual", "overload", "reputation", "resources")
}

// isFull reports a mailbox that is over its quota.
func (r Reply) isFull() bool { return r.Enhanced == "4.2.2" || r.Enhanced == "5.2.2" }

func (r Reply) hasClass(prefix string) bool { return strings.HasPrefix(r.Enhanced, prefix) }

// says reports whether the text has one of some words, given in lower case.
func (r Reply) says(words ...string) bool {
	text := strings.ToLower(r.Text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// lost reports a connection that broke without an answer: worth another one at once.
func (e *NotAcceptedError) lost() bool {
	return e.Reply.Code == 0 && !e.isUnsendable() && e.Stage != StageCompose && e.Stage != StageConnect &&
		e.Stage != StageAuth
}
