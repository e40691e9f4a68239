package edition

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A clock is how times are told in one edition: in the reader's zone, with the
// date where it is not the day that the edition is of, which ended at its
// midnight.
type clock struct {
	zone *time.Location // nil: not known, so no times are told
	day  digest.Date    // that needs no date
	year int            // that needs no year
	lang *catalogue.Language
}

func newClock(date digest.Date, zone *time.Location, l *catalogue.Language) clock {
	return clock{zone, date.Plus(-1), date.Year, l}
}

// notices returns an edition's notices in the order of their groups, each sorted by title. Editions that did not
// arrive come first, then changes by links and moved feeds, because the reader can undo both. Then come feeds that
// are gone, feeds that cannot be read, and all others.
func (b *Builder) notices(d digest.Delivery, in []digest.Notice, c clock) []render.Notice {
	in = slices.Clone(in)
	slices.SortFunc(in, func(a, b digest.Notice) int {
		return cmp.Or(
			cmp.Compare(weight(a.Kind), weight(b.Kind)),
			strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)),
			strings.Compare(a.URL, b.URL),
			strings.Compare(a.LocalDate.String(), b.LocalDate.String()),
			a.From.Compare(b.From),
		)
	})
	var out []render.Notice
	for _, n := range in {
		s := c.sentence(n)
		if n.Kind == digest.NoticeUndelivered {
			s = undelivered(n, d.Newsletter != nil)
		}
		if s != nil {
			notice := render.Notice{Text: s.In(c.lang), Moved: b.moved(n, d.LinkRound)}
			notice.LinkURL, notice.LinkWords = b.noticeLink(d, n)
			out = append(out, notice)
		}
	}
	return out
}

func weight(k digest.NoticeKind) int {
	switch k {
	case digest.NoticeUndelivered:
		return -1
	case digest.NoticeChanged:
		return 0
	case digest.NoticeMoved:
		return 1
	case digest.NoticeGone:
		return 2
	case digest.NoticeDead, digest.NoticeSick, digest.NoticeBlocked, digest.NoticeDeclined:
		return 3
	}
	return 4
}

// moved is the way back of a feed that has moved, by a link of a round, and the zero
// one of any other.
func (b *Builder) moved(n digest.Notice, round int) render.Moved {
	if n.Kind != digest.NoticeMoved {
		return render.Moved{}
	}
	return render.Moved{
		FeedID: n.FeedID, From: digest.AddressShown(n.URL), To: digest.AddressShown(n.MovedTo),
		BackURL: b.BaseURL + "/moved/" + b.Signer.SignPair(digest.ForGoingBack, digest.InRound(int64(n.DigestID), round), int64(n.FeedID)),
	}
}

// noticeLink returns the address and the text of a notice's link; "": it has none. The feeds of a newsletter belong to
// its publisher, so members can do nothing about them.
func (b *Builder) noticeLink(d digest.Delivery, n digest.Notice) (url string, words catalogue.Sayable) {
	switch {
	case n.Kind == digest.NoticeUndelivered:
		words := catalogue.Key("Read that edition")
		if d.Newsletter != nil {
			words = catalogue.Key("Read that issue")
		}
		return b.webURL(n.Edition, d.LinkRound), words
	case n.Change != nil:
		token := b.Signer.SignPair(digest.ForUndo, digest.InRound(int64(n.DigestID), d.LinkRound), n.Change.ID)
		return b.BaseURL + "/undo/" + token, catalogue.Key("Undo this change")
	case d.Newsletter == nil && (n.Kind == digest.NoticeSick || n.Kind == digest.NoticeDead):
		token := b.Signer.SignPair(digest.ForRemedies, digest.InRound(int64(n.DigestID), d.LinkRound), int64(n.FeedID))
		return b.BaseURL + "/remedies/" + token, catalogue.Key("What you can do")
	}
	return "", nil
}

// undelivered returns the notice that an edition, or an issue of a newsletter, did not reach its reader.
func undelivered(n digest.Notice, newsletter bool) catalogue.Sayable {
	day := catalogue.Day("Monday 2 January", n.LocalDate)
	switch {
	case newsletter && n.Unconfirmed:
		return catalogue.Key("The issue of %s may not have reached you.").With(day)
	case newsletter:
		return catalogue.Key("The issue of %s could not be delivered.").With(day)
	case n.Unconfirmed:
		return catalogue.Key("The edition of %s may not have reached you.").With(day)
	}
	return catalogue.Key("The edition of %s could not be delivered.").With(day)
}

// sick says since when nothing could be read of a feed, and why.
func (c clock) sick(site string, n digest.Notice) catalogue.Sayable {
	why, dated := catalogue.Illness(n.Illness), c.zone != nil && !n.From.IsZero()
	switch {
	case dated && why != nil:
		return catalogue.Key("Nothing could be read from %s since %s: %s.").With(site, c.date(digest.DateOf(n.From.In(c.zone))), why)
	case dated:
		return catalogue.Key("Nothing could be read from %s since %s.").With(site, c.date(digest.DateOf(n.From.In(c.zone))))
	case why != nil:
		return catalogue.Key("Nothing could be read from %s: %s.").With(site, why)
	}
	return catalogue.Key("Nothing could be read from %s.").With(site)
}

// sentence is nil for a kind of notice that this version does not know.
func (c clock) sentence(n digest.Notice) catalogue.Sayable {
	site := render.SiteName(n.Title, n.URL)
	switch n.Kind {
	case digest.NoticeChanged:
		if n.Change == nil {
			return nil // it is not stored any more
		}
		return render.LinkChange(*n.Change, c.zone)
	case digest.NoticeMoved:
		return catalogue.Key("The feed “%s” has moved from %s to %s.").With(site, digest.HostShown(n.URL), digest.HostShown(n.MovedTo))
	case digest.NoticeGone:
		return catalogue.Key("%s says its feed is gone for good. You are no longer subscribed to it.").With(site)
	case digest.NoticeDead:
		return catalogue.Key("Nothing could be read from %s for 90 days, so it is no longer asked. You stay subscribed, in case it comes back.").With(site)
	case digest.NoticeBlocked:
		return catalogue.Key("Whoever runs this reader no longer has it read %s. You stay subscribed, in case that changes.").With(site)
	case digest.NoticeDeclined:
		return catalogue.Key("The owner of %s has asked that it is not read from here. You stay subscribed, in case that changes.").With(site)
	case digest.NoticeSick:
		return c.sick(site, n)
	case digest.NoticeWaiting:
		return catalogue.Key("More came from %s than is stored in one day. The rest comes later, as far as its feed still lists it.").With(site)
	case digest.NoticeGap:
		return c.gap(site, n.Gap)
	}
	return nil
}

// gap says that posts may be missing, and when they appeared: between 09:10 and 23:50, with dates where they are needed.
func (c clock) gap(site string, g digest.Gap) catalogue.Sayable {
	switch {
	case c.zone == nil, g.From.IsZero() && g.To.IsZero():
		return catalogue.Key("May have missed posts from %s.").With(site)
	case g.From.IsZero():
		return catalogue.Key("May have missed posts from %s before %s.").With(site, c.at(g.To))
	case g.To.IsZero():
		return catalogue.Key("May have missed posts from %s since %s.").With(site, c.at(g.From))
	case g.To.Sub(g.From) < time.Minute:
		return catalogue.Key("May have missed posts from %s around %s.").With(site, c.at(g.To))
	}
	from, to := g.From.In(c.zone), g.To.In(c.zone)
	a, b := digest.DateOf(from), digest.DateOf(to)
	if a != b {
		return catalogue.Key("May have missed posts from %s between %s and %s.").With(site,
			catalogue.Key("%s on %s").With(hour(from), c.date(a)), catalogue.Key("%s on %s").With(hour(to), c.date(b)))
	}
	first, last := hoursOf(from, to)
	if b == c.day {
		return catalogue.Key("May have missed posts from %s between %s and %s.").With(site, first, last)
	}
	return catalogue.Key("May have missed posts from %s between %s and %s on %s.").With(site, first, last, c.date(b))
}

// hoursOf is two times of one day. Where clocks were put back between them and
// the later one reads earlier, their offsets tell them apart.
func hoursOf(from, to time.Time) (first, last catalogue.Sayable) {
	if from.Format("15:04") < to.Format("15:04") {
		return hour(from), hour(to)
	}
	return catalogue.Key("%s %s").With(hour(from), from.Format("MST")), catalogue.Key("%s %s").With(hour(to), to.Format("MST"))
}

// at is one time, with its date where it needs one.
func (c clock) at(t time.Time) catalogue.Sayable {
	t = t.In(c.zone)
	if d := digest.DateOf(t); d != c.day {
		return catalogue.Key("%s on %s").With(hour(t), c.date(d))
	}
	return hour(t)
}

func (c clock) date(d digest.Date) catalogue.Moment {
	if d.Year == c.year {
		return catalogue.Day("2 January", d)
	}
	return catalogue.Day("2 January 2006", d)
}

func hour(t time.Time) catalogue.Moment { return catalogue.Time("15:04", t) }

// A zoneCache remembers the zones of one batch of editions; reading one costs a file.
type zoneCache map[string]*time.Location

// get is nil for a zone that is not known.
func (z zoneCache) get(name string) *time.Location {
	loc, ok := z[name]
	if !ok && name != "" {
		loc, _ = time.LoadLocation(name) // users' zones were checked when they were set
		z[name] = loc
	}
	return loc
}
