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
	state, until := digest.ParseStateValue(c.NewValue)
	was, _ := digest.ParseStateValue(c.OldValue)
	day := Time("2 January 2006", until.In(zone))
	switch c.Setting {
	case digest.LinkDays:
		if days, err := digest.ParseCadence(c.NewValue); err == nil {
			return Key("You now get %s %s.").With(name, Cadence(days))
		}
		return Key("You now get %s %s.").With(name, c.NewValue)
	case digest.LinkDisplay:
		return AsSentence(Key("%s: %s").With(name, map[digest.Layout]Key{
			digest.Headlines: Key("Headlines only"), digest.Excerpts: Key("Excerpts"),
			digest.FullText: Key("Full text"),
			"":              Key("Same as the rest of the edition"),
		}[digest.Layout(c.NewValue)]))
	case digest.LinkFeed:
		if c.NewHost == c.Host {
			return Key("%s now comes from another address at %s.").With(name, c.Host)
		}
		return Key("%s now comes from %s instead of %s.").With(name, c.NewHost, c.Host)
	}
	switch {
	case state == digest.DigestPaused && until.IsZero():
		return AsSentence(Key("%s is paused").With(name))
	case state == digest.DigestPaused:
		return Key("%s was paused until %s.").With(name, day)
	case state == digest.DigestLeft && c.Setting == digest.LinkState:
		return Key("You were unsubscribed from %s.").With(name)
	case state == digest.DigestLeft:
		return Key("You no longer follow %s.").With(name)
	case was == digest.DigestPaused:
		return Key("%s was resumed.").With(name)
	case c.Setting == digest.LinkState:
		return Key("You were subscribed to %s again.").With(name)
	}
	return Key("You follow %s again.").With(name)
}
