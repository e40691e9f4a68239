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

// A clock formats the times of one edition in the reader's time zone.
type clock struct {
	zone *time.Location // nil if unknown: notices then have no times
	year int            // the edition's year, which dates omit
	lang *catalogue.Language
}

func newClock(date digest.Date, zone *time.Location, l *catalogue.Language) clock {
	return clock{zone, date.Year, l}
}

// notices returns an edition's notices in the order of their groups, each sorted by title. Editions that did not
// arrive come first, then changes by links, questions about trials, and moved feeds, because the reader can act on
// them. Then come feeds that are gone, feeds that cannot be read, and all others.
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
			notice := render.Notice{Text: s.In(c.lang), Moved: b.moved(n, d.LinkRound), Links: b.noticeLinks(d, n)}
			if n.Kind == digest.NoticeTrial {
				notice.Trial = n.FeedID
			}
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
	case digest.NoticeTrial:
		return 1
	case digest.NoticeMoved:
		return 2
	case digest.NoticeGone, digest.NoticeEnded:
		return 3
	case digest.NoticeDead, digest.NoticeSick, digest.NoticeBlocked, digest.NoticeDeclined:
		return 4
	}
	return 5
}

// moved returns the addresses of a feed that has moved, with the link that restores the old one. It returns the zero
// Moved for other notices.
func (b *Builder) moved(n digest.Notice, round int) render.Moved {
	if n.Kind != digest.NoticeMoved {
		return render.Moved{}
	}
	return render.Moved{
		FeedID: n.FeedID, From: digest.AddressShown(n.URL), To: digest.AddressShown(n.MovedTo),
		BackURL: b.BaseURL + "/moved/" +
			b.Signer.SignPair(digest.ForGoingBack, digest.InRound(int64(n.DigestID), round), int64(n.FeedID)),
	}
}

// noticeLinks returns the links of a notice. The feeds of a newsletter belong to its publisher, so members can do
// nothing about them.
func (b *Builder) noticeLinks(d digest.Delivery, n digest.Notice) []render.NoticeLink {
	pair := func(p digest.Purpose, about int64) string {
		return b.Signer.SignPair(p, digest.InRound(int64(n.DigestID), d.LinkRound), about)
	}
	link := func(path string, words catalogue.Key) render.NoticeLink {
		return render.NoticeLink{URL: b.BaseURL + path, Words: words}
	}
	switch {
	case n.Kind == digest.NoticeUndelivered:
		return []render.NoticeLink{{URL: b.webURL(n.Edition, d.LinkRound), Words: catalogue.Key("Read on the web")}}
	case n.Change != nil:
		return []render.NoticeLink{link("/undo/"+pair(digest.ForUndo, n.Change.ID), "Undo this change")}
	case d.Newsletter != nil:
		return nil
	case n.Kind == digest.NoticeSick || n.Kind == digest.NoticeDead:
		return []render.NoticeLink{link("/remedies/"+pair(digest.ForRemedies, int64(n.FeedID)), "What you can do")}
	case n.Kind == digest.NoticeTrial:
		path := "/trial/" + pair(digest.ForTrial, int64(n.FeedID))
		return []render.NoticeLink{link(path+"/keep", "Keep it"), link(path+"/stop", "Stop it")}
	case n.Kind == digest.NoticeEnded:
		return []render.NoticeLink{link("/trial/"+pair(digest.ForTrial, int64(n.FeedID))+"/back", "Follow again")}
	}
	return nil
}

// undelivered returns the notice that an edition, or an issue of a newsletter, did not reach its reader.
func undelivered(n digest.Notice, newsletter bool) catalogue.Sayable {
	day := catalogue.Day("Monday 2 January", n.LocalDate)
	switch {
	case newsletter && n.Unconfirmed:
		return catalogue.Key("The issue of %s may not have reached you.").With(day)
	case newsletter:
		return catalogue.Key("We couldn’t deliver the issue of %s.").With(day)
	case n.Unconfirmed:
		return catalogue.Key("Your edition of %s may not have reached you.").With(day)
	}
	return catalogue.Key("We couldn’t deliver your edition of %s.").With(day)
}

// sick returns the notice of a feed that fails, with the date of the first failure and the reason.
func (c clock) sick(site string, n digest.Notice) catalogue.Sayable {
	said := catalogue.Key("We can’t get posts from %s.").With(site)
	if c.zone != nil && !n.From.IsZero() {
		said = catalogue.Key("We haven’t been able to get posts from %s since %s.").With(site,
			c.date(digest.DateOf(n.From.In(c.zone))))
	}
	if why := catalogue.Illness(n.Illness); why != nil {
		return catalogue.Key("%s %s").With(said, c.lang.Sentence(why))
	}
	return said
}

// sentence returns the text of a notice, or nil for a kind that this version does not know.
func (c clock) sentence(n digest.Notice) catalogue.Sayable {
	site := render.SiteName(n.Title, n.URL)
	switch n.Kind {
	case digest.NoticeChanged:
		if n.Change == nil {
			return nil // no longer stored
		}
		return render.LinkChange(*n.Change, c.zone)
	case digest.NoticeMoved:
		return catalogue.Key("%s has moved from %s to %s.").With(site, digest.HostShown(n.URL),
			digest.HostShown(n.MovedTo))
	case digest.NoticeTrial:
		return render.TrialQuestion(n.Title, n.URL)
	case digest.NoticeEnded:
		return catalogue.Key("Your trial of %s has ended, so you no longer follow it.").With(site)
	case digest.NoticeGone:
		return catalogue.Key("%s has removed its feed, so you no longer follow it.").With(site)
	case digest.NoticeDead:
		return catalogue.Key("%s hasn’t worked for 90 days, so we no longer check it. It stays in your list of sites.").With(site)
	case digest.NoticeBlocked:
		return catalogue.Key("The operator has blocked %s here. You still follow it, in case that changes.").With(site)
	case digest.NoticeDeclined:
		return catalogue.Key("The owner of %s asked us not to read it. You still follow it, in case that changes.").
			With(site)
	case digest.NoticeSick:
		return c.sick(site, n)
	case digest.NoticeWaiting:
		return catalogue.Key("%s published more posts than we store in one day. The others come in your next editions, if its feed still lists them.").With(site)
	case digest.NoticeGap:
		return c.gap(site, n.Gap)
	}
	return nil
}

// gap returns the notice that posts may be missing, with the time when they appeared.
func (c clock) gap(site string, g digest.Gap) catalogue.Sayable {
	return catalogue.Key("%s %s").With(c.missed(site, g), catalogue.Key("Look for them on its website."))
}

// missed returns the first sentence of a gap's notice.
func (c clock) missed(site string, g digest.Gap) catalogue.Sayable {
	switch {
	case c.zone == nil, g.From.IsZero() && g.To.IsZero():
		return catalogue.Key("You may have missed posts from %s.").With(site)
	case g.From.IsZero():
		return catalogue.Key("You may have missed posts from %s before %s.").With(site, c.at(g.To))
	case g.To.IsZero():
		return catalogue.Key("You may have missed posts from %s since %s.").With(site, c.at(g.From))
	case g.To.Sub(g.From) < time.Minute:
		return catalogue.Key("You may have missed posts from %s around %s.").With(site, c.at(g.To))
	}
	from, to := g.From.In(c.zone), g.To.In(c.zone)
	a, b := digest.DateOf(from), digest.DateOf(to)
	if a != b {
		return catalogue.Key("You may have missed posts from %s between %s and %s.").With(site, c.at(from), c.at(to))
	}
	first, last := hoursOf(from, to)
	return catalogue.Key("You may have missed posts from %s on %s, %s–%s.").With(site, c.date(b), first, last)
}

// hoursOf formats two times of one day. It adds the zone if the clocks were put back between them, so that the later
// one would read earlier.
func hoursOf(from, to time.Time) (first, last catalogue.Sayable) {
	if from.Format("15:04") < to.Format("15:04") {
		return hour(from), hour(to)
	}
	return catalogue.Key("%s %s").With(hour(from), from.Format("MST")),
		catalogue.Key("%s %s").With(hour(to), to.Format("MST"))
}

func (c clock) at(t time.Time) catalogue.Sayable {
	t = t.In(c.zone)
	return catalogue.Key("%s, %s").With(c.date(digest.DateOf(t)), hour(t))
}

func (c clock) date(d digest.Date) catalogue.Moment {
	if d.Year == c.year {
		return catalogue.Day("Monday 2 January", d)
	}
	return catalogue.Day("Monday 2 January 2006", d)
}

func hour(t time.Time) catalogue.Moment { return catalogue.Time("15:04", t) }

// A zoneCache caches the zones of a batch of editions, because each load reads a file.
type zoneCache map[string]*time.Location

// get returns nil for an unknown zone.
func (z zoneCache) get(name string) *time.Location {
	loc, ok := z[name]
	if !ok && name != "" {
		loc, _ = time.LoadLocation(name) // zones were checked when users set them
		z[name] = loc
	}
	return loc
}
