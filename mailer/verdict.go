package mailer

import (
	"strings"

	"digest"
)

// A Verdict is the meaning of a refusal for the message.
type Verdict string

const (
	Retry   Verdict = "retry"   // send this message later
	Refused Verdict = "refused" // do not send this message again
	Bounced Verdict = "bounced" // send no message to this address again: the mailbox does not exist
	Route   Verdict = "route"   // pause the route; the attempt does not count
	Paused  Verdict = "paused"  // pause the route until somebody changes the setup
)

// Verdict classifies a refusal. The stage comes first, because a failure before RCPT does not concern the recipient
// (RFC 5321 §4.2.1, §4.5.4.1). Only a reply can be permanent; a lost connection never is.
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
	case e.Stage == StageBody: // it replies to no command
		return Retry
	case e.Stage == StageRcpt && code == 552: // RFC 5321 §4.5.3.1.10: an old form of 452
		return Retry
	case e.Stage == StageRcpt && e.nobodyThere():
		return Bounced
	case code >= 500:
		return Refused
	}
	return Retry
}

// aboutUs reports replies about the sender's setup at any stage: authentication (RFC 4954 §6), and domain
// authentication in the form of the large providers (RFC 7372).
func (e *NotAcceptedError) aboutUs() bool {
	switch e.Reply.Code {
	case 530, 534, 535, 538:
		return true
	}
	return e.Reply.Enhanced == "5.7.515" || e.Reply.Enhanced == "5.7.26"
}

// nobodyThere reports whether RCPT was rejected because the mailbox does not exist (RFC 3463 §3.2, §3.3; RFC 7504). An
// enhanced code decides. A bare 550 counts unless its text concerns the sender, because a blocklist must not suppress
// all readers of a domain.
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

// aboutMailbox reports replies about one mailbox: its address (RFC 3463 X.1.x), its state (X.2.x, except the unspecific
// X.2.0), or greylisting (RFC 6647).
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

// aboutMessage reports replies that reject one message for its form, size or content (RFC 3463 X.6.x, X.2.3, X.3.4).
// Without a code the text decides. A bare 552 concerns the size (RFC 5321 §4.2.3).
func (r Reply) aboutMessage() bool {
	switch {
	case r.hasClass("5.6."), r.Enhanced == "5.2.3", r.isTooLarge():
		return true
	}
	return r.says("virus", "malware", "attachment", "content", "header", "mime", "line length", "line too long",
		"bare lf",
		"url", "uribl", "surbl", "hyperlink")
}

func (r Reply) isTooLarge() bool {
	switch {
	case r.Code < 500:
		return false
	case r.Enhanced == "5.3.4", r.Enhanced == "5.2.3", r.Code == 552 && r.Enhanced == "":
		return true
	}
	return r.says("message size", "size limit", "too large", "too big")
}

// aboutDomain reports replies that defer all mail: the state of the server or its network (X.3.x, X.4.x), limits
// (X.5.x), and policy except X.7.1, which greylisting also uses.
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

func (r Reply) isFull() bool { return r.Enhanced == "4.2.2" || r.Enhanced == "5.2.2" }

func (r Reply) hasClass(prefix string) bool { return strings.HasPrefix(r.Enhanced, prefix) }

// says reports whether the text contains one of some words in lower case.
func (r Reply) says(words ...string) bool {
	text := strings.ToLower(r.Text)
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}

// lost reports whether the connection broke without a reply. Then another connection may succeed.
func (e *NotAcceptedError) lost() bool {
	return e.Reply.Code == 0 && !e.isUnsendable() && e.Stage != StageCompose && e.Stage != StageConnect &&
		e.Stage != StageAuth
}
