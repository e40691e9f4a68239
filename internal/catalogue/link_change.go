package catalogue

import (
	"time"

	"digest"
)

// LinkChange describes a change by a link in an email. name is the name of the digest or the site. Days are in the
// zone.
func LinkChange(c digest.LinkChange, name string, zone *time.Location) Sayable {
	what := linkChanged(c, name, zone)
	switch {
	case c.OneClick:
		return Key("%s An email program’s unsubscribe button did this.").With(what)
	case c.EmailDate.IsZero():
		return Key("%s Someone used a link in one of your emails.").With(what)
	}
	return Key("%s Someone used a link in your email of %s.").With(what, Day("2 January 2006", c.EmailDate))
}

// linkChanged describes the change, and does not mention the email.
func linkChanged(c digest.LinkChange, name string, zone *time.Location) Sayable {
	state, until := digest.ParseStateValue(c.Now)
	was, _ := digest.ParseStateValue(c.Was)
	day := Time("2 January 2006", until.In(zone))
	switch c.Setting {
	case digest.LinkDays:
		if days, err := digest.ParseCadence(c.Now); err == nil {
			return Key("%s now comes %s.").With(name, Cadence(days))
		}
		return Key("The schedule of %s was changed.").With(name)
	case digest.LinkDisplay:
		return map[digest.Layout]Key{
			digest.Headlines: Key("%s now comes as headlines only."),
			digest.Excerpts:  Key("%s now comes as headlines and excerpts."),
			digest.FullText:  Key("%s now comes in full."),
			"":               Key("%s now comes like the rest of your edition."),
		}[digest.Layout(c.Now)].With(name)
	case digest.LinkFeed:
		if c.NewHost == c.Host {
			return Key("%s is now read at another address of %s.").With(name, c.Host)
		}
		return Key("%s is now read at %s, no longer at %s.").With(name, c.NewHost, c.Host)
	}
	switch {
	case state == digest.DigestPaused && until.IsZero():
		return Key("%s was paused, with no end date.").With(name)
	case state == digest.DigestPaused:
		return Key("%s was paused until %s.").With(name, day)
	case state == digest.DigestLeft && c.Setting == digest.LinkState:
		return Key("%s was stopped.").With(name)
	case state == digest.DigestLeft:
		return Key("You were unsubscribed from %s.").With(name)
	case was == digest.DigestPaused:
		return Key("%s was resumed.").With(name)
	case c.Setting == digest.LinkState:
		return Key("%s was started again.").With(name)
	}
	return Key("You were subscribed to %s again.").With(name)
}
