package page

import (
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/timezone"
)

// Sentences are shown one after another.
type Sentences []catalogue.Sayable

// In returns the sentences in the language l, separated by spaces.
func (all Sentences) In(l *catalogue.Language) string {
	said := make([]string, len(all))
	for i, one := range all {
		said[i] = one.In(l)
	}
	return strings.Join(said, " ")
}

// String returns the sentences in English.
func (all Sentences) String() string { return all.In(catalogue.English()) }

// End returns the text below the last post of an edition.
func (st OwnDigest) End(of digest.Date, latest bool) catalogue.Sayable {
	all := catalogue.Key("That’s all for %s.").With(catalogue.Day("Monday", of))
	switch {
	case !latest, st.Of.State != digest.DigestActive, st.Next() == nil:
		return all
	case !st.Of.NextDueAt.After(st.Now):
		return Sentences{all, catalogue.Key("We’re making the edition of %s now.").With(st.comingDay())}
	}
	return Sentences{all, catalogue.Key("Your next edition is on %s.").With(st.comingDay())}
}

// comingDay returns the day of the next edition. It is only the weekday if that is within six days.
func (st OwnDigest) comingDay() catalogue.Sayable {
	next := digest.DateOf(st.Of.NextDueAt.In(st.Zone()))
	if st.Today().Plus(6).Before(next) {
		return st.Next()
	}
	return catalogue.Day("Monday", next)
}

// UnsubscribePath returns the path of the unsubscribe link in the digest's emails.
func (s *Site) UnsubscribePath(d digest.Digest) string {
	return "/unsubscribe/" + s.Signer.Sign(digest.ForUnsubscribe, digest.InRound(int64(d.ID), d.LinkRound))
}

// A OwnDigest describes the state of a digest to its reader, in the reader's time zone.
type OwnDigest struct {
	NamedPage
	Start string // path of the page that restarts the digest; "" while it runs
	Of    digest.Digest
	Now   time.Time
}

// OwnDigest describes a digest.
func (s *Site) OwnDigest(d digest.Digest) OwnDigest {
	st := OwnDigest{NamedPage: Named(d), Of: d, Now: s.Now()}
	if st.Left() {
		st.Start = s.UnsubscribePath(d)
	}
	return st
}

// Left reports whether the reader has unsubscribed.
func (st OwnDigest) Left() bool { return st.Of.State == digest.DigestLeft }

// Paused reports whether the digest is paused.
func (st OwnDigest) Paused() bool { return st.Of.State == digest.DigestPaused }

// Until returns the day on which a pause ends, nil if it has no end.
func (st OwnDigest) Until() catalogue.Sayable {
	if !st.Paused() || st.Of.PausedUntil.IsZero() {
		return nil
	}
	return st.day(st.Of.PausedUntil)
}

// Next returns the day of the next edition, nil during a pause without end. During a pause with an end, NextDueAt is
// already after that end (calendar.Schedule.Due).
func (st OwnDigest) Next() catalogue.Sayable {
	if st.Paused() && st.Of.PausedUntil.IsZero() || st.Of.NextDueAt.IsZero() {
		return nil
	}
	return st.day(st.Of.NextDueAt)
}

// Days returns the days on which editions appear.
func (st OwnDigest) Days() DaysView { return DaysView{st.Of.Cadence} }

// Home returns the city of the reader's time zone.
func (st OwnDigest) Home() catalogue.City { return catalogue.City(st.Of.TimeZone) }

// ZoneName returns the name of a zone in words.
func ZoneName(zone string) string { return strings.ReplaceAll(zone, "_", " ") }

// Zone returns the reader's time zone.
func (st OwnDigest) Zone() *time.Location { return ZoneOr(st.Of.TimeZone) }

// ZoneOr returns the zone of a name, UTC if the zone does not exist any more.
func ZoneOr(name string) *time.Location {
	loc, err := timezone.Load(name)
	if err != nil {
		return time.UTC
	}
	return loc
}

// Today returns the date in the reader's time zone.
func (st OwnDigest) Today() digest.Date { return digest.DateOf(st.Now.In(st.Zone())) }

// day returns the day of t in the reader's time zone, with its year if t is more than 300 days away.
func (st OwnDigest) day(t time.Time) catalogue.Sayable {
	if t.Sub(st.Now) > 300*24*time.Hour {
		return catalogue.Day("Monday 2 January 2006", digest.DateOf(t.In(st.Zone())))
	}
	return catalogue.Day("Monday 2 January", digest.DateOf(t.In(st.Zone())))
}

// Waits reports whether the digest collects posts for a midnight in the future.
func (st OwnDigest) Waits() bool {
	return st.Of.State == digest.DigestActive && st.Of.NewsletterID == 0 && st.Of.NextDueAt.After(st.Now)
}

// Coming returns the day of the next edition.
func (st OwnDigest) Coming() catalogue.Sayable { return st.comingDay() }
