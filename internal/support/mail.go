package support

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// address reports why the address gets no mail, if it gets none.
func (c *consultation) address() {
	if s := c.Suppressed; s != nil {
		var why catalogue.Sayable = map[digest.Reason]catalogue.Key{
			digest.ForHardBounce: catalogue.Key("mail to it came back"), digest.ForSoftBounces: catalogue.Key("mail to it came back for a week"),
			digest.ForComplaint: catalogue.Key("its reader called a mail spam"), digest.ForOperator: catalogue.Key("an operator said so"),
		}[s.Reason]
		if s.Evidence != "" {
			why = catalogue.Key("%s (%s)").With(why, s.Evidence)
		}
		c.say("digest suppressions remove "+c.User.Email, catalogue.Key("nothing is mailed to %s since %s: %s; mail it again once it takes mail and its reader wants it").With(c.User.Email, c.when(s.CreatedAt), why))
	}
}

// lanes reports what delays mail to the address.
func (c *consultation) lanes() {
	for _, l := range c.Lanes {
		what, do := laneName(l)
		switch {
		case l.IsPaused(c.Now):
			c.say(do, catalogue.Key("%s is paused until %s: %s").With(what, c.when(l.Until), l.Reason))
		case l.Alarm:
			c.say(do, catalogue.Key("%s is in trouble that an operator has to end: %s").With(what, l.Reason))
		case l.Reason != "" && c.isWaiting():
			c.say(do, catalogue.Key("%s is slow while it recovers from trouble: %s").With(what, l.Reason))
		}
	}
}

// laneName returns the name of a lane, and the command that ends its trouble.
func laneName(l digest.Lane) (what catalogue.Sayable, do string) {
	if l.Name == "" {
		return catalogue.Key("all mail"), "digest queue resume"
	}
	return catalogue.Key("mail to %s").With(l.Name), "digest queue resume " + l.Name
}

// isWaiting reports whether an edition waits although its time has come.
func (c *consultation) isWaiting() bool {
	return slices.ContainsFunc(c.Editions, func(e store.MailedEdition) bool { return e.State == digest.EditionReady && !e.NextAt.After(c.Now) })
}

// trouble returns the last trouble with the mail of an edition; "": none is known.
func (c *consultation) trouble(e store.MailedEdition) string {
	for _, l := range c.Lanes {
		if l.Reason != "" {
			return l.Reason
		}
	}
	return cmp.Or(e.Error, e.Reply)
}

// edition reports what happened to an edition's mail.
func (c *consultation) edition(e store.MailedEdition) {
	again := fmt.Sprintf("digest user resend %s %s", c.User.Email, e.LocalDate)
	if p := c.digestOf(e); p.Newsletter != nil {
		again += " --newsletter " + p.Newsletter.Slug
	}
	for _, b := range e.Returned {
		c.say("", catalogue.Key("the edition of %s came back: %s").With(e.LocalDate, cmp.Or(b.Evidence, b.Status, string(b.Kind))))
	}
	switch e.State {
	case digest.EditionSent:
		if len(e.Returned) == 0 {
			var at catalogue.Sayable = c.when(e.SentAt)
			if e.Reply != "" {
				at = catalogue.Key("%s (%s)").With(at, e.Reply)
			}
			c.say(again, catalogue.Key("a server took the edition of %s for %s at %s; if it is not there, their spam folder or their provider has it, who finds it by Message-ID <%s>").With(e.LocalDate, e.Email, at, e.MessageID))
		}
	case digest.EditionUnconfirmed:
		c.say(again, catalogue.Key("the edition of %s was sent twice and no server said that it has it").With(e.LocalDate))
	case digest.EditionFailed:
		c.say(again, catalogue.Key("the edition of %s was refused for good: %s").With(e.LocalDate, unsent(e)))
	case digest.EditionExpired:
		c.say(again, catalogue.Key("the edition of %s could not be sent in its time (%s); the next one brings its posts").With(e.LocalDate, unsent(e)))
	case digest.EditionUnmailed:
		c.say(again, catalogue.Key("the edition of %s was not mailed: %s").With(e.LocalDate, unsent(e)))
	default:
		c.waiting(e)
	}
}

// unsent returns why an edition was not sent: the error, or the server's reply.
func unsent(e store.MailedEdition) catalogue.Sayable {
	return catalogue.Unsent(cmp.Or(e.Error, e.Reply))
}

// waiting reports why a mailer has not sent an edition yet.
func (c *consultation) waiting(e store.MailedEdition) {
	late := c.Now.Sub(e.NextAt) > longWait
	switch {
	case e.State == digest.EditionInDoubt:
		c.say("", catalogue.Key("nobody knows whether a server accepted the edition of %s; it will be sent again %s").With(e.LocalDate, c.when(e.NextAt)))
	case e.State != digest.EditionReady:
		c.say("", catalogue.Key("the edition of %s is on its way to the server now").With(e.LocalDate))
	case e.Error != "" && e.NextAt.After(c.Now):
		c.say("", catalogue.Key("the edition of %s was refused for now (%s); it is tried again %s").With(e.LocalDate, unsent(e), c.when(e.NextAt)))
	case e.NextAt.After(c.Now):
		c.say("", catalogue.Key("the edition of %s leaves %s").With(e.LocalDate, c.when(e.NextAt)))
	case late && c.trouble(e) != "":
		c.say("digest queue", catalogue.Key("the edition of %s has waited to be sent since %s; the last mail error was: %s").With(e.LocalDate, c.when(e.NextAt), catalogue.Unsent(c.trouble(e))))
	case late && c.Now.Sub(c.Beat) > longWait:
		c.say("digest serve", catalogue.Key("the edition of %s has waited to be sent since %s; last run of the hourly job: %s").With(e.LocalDate, c.when(e.NextAt), c.beat()))
	case late:
		c.say("digest queue", catalogue.Key("the edition of %s has waited to be sent since %s, and no mail error is known").With(e.LocalDate, c.when(e.NextAt)))
	default:
		c.say("", catalogue.Key("the edition of %s has waited to be sent since %s").With(e.LocalDate, c.when(e.NextAt)))
	}
}

// longWait is how long an edition may wait before that needs an explanation.
const longWait = time.Hour

// beat returns when the hourly job last worked.
func (c *consultation) beat() catalogue.Sayable {
	if c.Beat.IsZero() {
		return catalogue.Key("never")
	}
	return c.when(c.Beat)
}
