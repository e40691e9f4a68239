package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

func (c *consultation) address() {
	if s := c.Suppressed; s != nil {
		c.say("digest suppressions remove "+c.User.Email,
			catalogue.Key("%s has been suppressed since %s: %s; send email to it again when the mailbox works and the reader agrees").With(c.User.Email, c.when(s.CreatedAt), catalogue.Suppression(s.Reason, s.Evidence)))
	}
}

func (c *consultation) lanes() {
	for _, l := range c.Lanes {
		what, do := laneName(l)
		switch {
		case l.IsPaused(c.Now):
			c.say(do, because(catalogue.Key("%s is paused until %s").With(what, c.when(l.Until)), l.Reason))
		case l.Alarm:
			c.say(do, catalogue.Key("%s: %s").With(what, with(catalogue.Key("stopped"), l.Reason)))
		case l.Reason != "" && c.isWaiting():
			c.say(do, catalogue.Key("%s: %s").With(what, with(catalogue.Key("recovering"), l.Reason)))
		}
	}
}

// laneName returns the name of a lane, and the command that resets its trouble.
func laneName(l digest.Lane) (what catalogue.Sayable, do string) {
	if l.Name == "" {
		return catalogue.Key("all email"), "digest queue resume"
	}
	return catalogue.Key("email to %s").With(l.Name), "digest queue resume " + l.Name
}

func (c *consultation) isWaiting() bool {
	return slices.ContainsFunc(c.Editions, func(e store.MailedEdition) bool {
		return e.State == digest.EditionReady &&
			!e.NextAt.After(c.Now)
	})
}

// trouble returns the last problem of an edition's email, or "".
func (c *consultation) trouble(e store.MailedEdition) string {
	for _, l := range c.Lanes {
		if l.Reason != "" {
			return l.Reason
		}
	}
	return cmp.Or(e.Error, e.Reply)
}

func (c *consultation) edition(e store.MailedEdition) {
	again := fmt.Sprintf("digest user resend %s %s", c.User.Email, e.LocalDate)
	if p := c.digestOf(e); p.Newsletter != nil {
		again += " --newsletter " + p.Newsletter.Slug
	}
	for _, b := range e.Returned {
		c.say("", catalogue.Key("the edition of %s bounced: %s").With(e.LocalDate,
			cmp.Or(b.Evidence, b.Status, string(b.Kind))))
	}
	switch e.State {
	case digest.EditionSent:
		if len(e.Returned) == 0 {
			at := with(c.when(e.SentAt), e.Reply)
			c.say(again, catalogue.Key(
				"a mail server accepted the edition of %s for %s at %s; the reader should check their spam folder, or ask their provider about Message-ID <%s>").With(e.LocalDate, e.Email, at, e.MessageID))
		}
	case digest.EditionUnconfirmed:
		c.say(again, catalogue.Key(
			"the edition of %s was sent twice, and no mail server confirmed it").With(e.LocalDate))
	case digest.EditionExpired:
		c.say(again, catalogue.Key(
			"the edition of %s could not be sent in time (%s); its posts are in the next edition").With(e.LocalDate,
			unsent(e)))
	case digest.EditionFailed, digest.EditionUnmailed:
		c.say(again, catalogue.Key("the edition of %s was not sent: %s").With(e.LocalDate, unsent(e)))
	default:
		c.waiting(e)
	}
}

// unsent returns why an edition was not sent: the error, or the server's reply.
func unsent(e store.MailedEdition) catalogue.Sayable {
	return catalogue.Unsent(cmp.Or(e.Error, e.Reply))
}

// waiting reports why a mailer did not send an edition yet.
func (c *consultation) waiting(e store.MailedEdition) {
	late := c.Now.Sub(e.NextAt) > longWait
	since := catalogue.Key("the edition of %s has been waiting to be sent since %s").With(e.LocalDate, c.when(e.NextAt))
	switch {
	case e.State == digest.EditionInDoubt:
		c.say("", catalogue.Key("no mail server has confirmed the edition of %s; it will be sent again at %s").With(
			e.LocalDate, c.when(e.NextAt)))
	case e.State != digest.EditionReady:
		c.say("", catalogue.Key("the edition of %s is being sent now").With(e.LocalDate))
	case e.NextAt.After(c.Now):
		c.say("", with(catalogue.Key("the edition of %s will be sent at %s").With(e.LocalDate, c.when(e.NextAt)),
			e.Error))
	case late && c.trouble(e) != "":
		c.say("digest queue", because(since, c.trouble(e)))
	case late && c.Now.Sub(c.Beat) > longWait:
		c.say("digest serve", c.lastRun(since))
	case late:
		c.say("digest queue", since)
	default:
		c.say("", since)
	}
}

// longWait is how long an edition may wait without an explanation.
const longWait = time.Hour

// lastRun adds the last run of the hourly job to a delay.
func (c *consultation) lastRun(late catalogue.Sayable) catalogue.Sayable {
	var last catalogue.Sayable = catalogue.Key("never")
	if !c.Beat.IsZero() {
		last = c.when(c.Beat)
	}
	return catalogue.Key("%s; last run of the hourly job: %s").With(late, last)
}

func because(state catalogue.Sayable, why string) catalogue.Sayable {
	return catalogue.Key("%s: %s").With(state, catalogue.Unsent(why))
}

// with adds a stored answer or error in brackets, if there is one.
func with(state catalogue.Sayable, stored string) catalogue.Sayable {
	if stored == "" {
		return state
	}
	return catalogue.Key("%s (%s)").With(state, catalogue.Unsent(stored))
}
