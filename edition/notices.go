package edition

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/render"
)

// A clock is how times are told in one edition: in the reader's zone, with the
// date where it is not the day that the edition is of, which ended at its
// midnight.
type clock struct {
	zone *time.Location // nil: not known, so no times are told
	day  digest.Date    // that needs no date
	year int            // that needs no year
}

func newClock(date digest.Date, zone *time.Location) clock {
	return clock{zone, date.Plus(-1), date.Year}
}

// notices is what an edition tells its reader: first which feeds have moved, for
// that can be undone, then what has ended, then what is missing, each in the order
// of their sites' titles.
func (b *Builder) notices(d digest.Delivery, in []digest.Notice, c clock) []render.Notice {
	in = slices.Clone(in)
	slices.SortFunc(in, func(a, b digest.Notice) int {
		return cmp.Or(
			cmp.Compare(weight(a.Kind), weight(b.Kind)),
			strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)),
			strings.Compare(a.URL, b.URL),
			a.From.Compare(b.From),
		)
	})
	var out []render.Notice
	for _, n := range in {
		if s := c.sentence(n); s != "" {
			out = append(out, render.Notice{Text: s, Moved: b.moved(n, d.LinkRound), RemedyURL: b.remedies(d, n)})
		}
	}
	return out
}

func weight(k digest.NoticeKind) int {
	switch k {
	case digest.NoticeMoved:
		return 0
	case digest.NoticeGone:
		return 1
	case digest.NoticeDead, digest.NoticeSick, digest.NoticeBlocked, digest.NoticeDeclined:
		return 2
	}
	return 3
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

// remedies is the page that says what can be done about a feed that fails; "" for any
// other, and in a newsletter: its feeds are its publisher's.
func (b *Builder) remedies(d digest.Delivery, n digest.Notice) string {
	if n.Kind != digest.NoticeSick && n.Kind != digest.NoticeDead || d.Newsletter != nil {
		return ""
	}
	return b.BaseURL + "/remedies/" + b.Signer.SignPair(digest.ForRemedies, digest.InRound(int64(n.DigestID), d.LinkRound), int64(n.FeedID))
}

// sick says since when nothing could be read of a feed, and why.
func (c clock) sick(site string, n digest.Notice) string {
	text := "Nothing could be read from " + site
	if c.zone != nil && !n.From.IsZero() {
		text += " since " + c.date(digest.DateOf(n.From.In(c.zone)))
	}
	if why := n.Illness.Shown(); why != "" {
		text += ": " + why
	}
	return text + "."
}

// sentence is empty for a kind of notice that this version does not know.
func (c clock) sentence(n digest.Notice) string {
	site := render.SiteName(n.Title, n.URL)
	switch n.Kind {
	case digest.NoticeMoved:
		return "The feed “" + site + "” has moved from " + digest.HostShown(n.URL) + " to " + digest.HostShown(n.MovedTo) + "."
	case digest.NoticeGone:
		return site + " says its feed is gone for good. You are no longer subscribed to it."
	case digest.NoticeDead:
		return "Nothing could be read from " + site + " for 90 days, so it is no longer asked. You stay subscribed, in case it comes back."
	case digest.NoticeBlocked:
		return "Whoever runs this reader no longer has it read " + site + ". You stay subscribed, in case that changes."
	case digest.NoticeDeclined:
		return "The owner of " + site + " has asked that it is not read from here. You stay subscribed, in case that changes."
	case digest.NoticeSick:
		return c.sick(site, n)
	case digest.NoticeWaiting:
		return "More came from " + site + " than is stored in one day. The rest comes later, as far as its feed still lists it."
	case digest.NoticeGap:
		return "May have missed posts from " + site + c.span(n.Gap) + "."
	}
	return ""
}

// span says when: " between 09:10 and 23:50", with dates where they are needed.
func (c clock) span(g digest.Gap) string {
	switch {
	case c.zone == nil, g.From.IsZero() && g.To.IsZero():
		return ""
	case g.From.IsZero():
		return " before " + c.at(g.To)
	case g.To.IsZero():
		return " since " + c.at(g.From)
	case g.To.Sub(g.From) < time.Minute:
		return " around " + c.at(g.To)
	}
	from, to := g.From.In(c.zone), g.To.In(c.zone)
	a, b := digest.DateOf(from), digest.DateOf(to)
	if a != b {
		return " between " + hour(from) + " on " + c.date(a) + " and " + hour(to) + " on " + c.date(b)
	}
	return " between " + times(from, to) + c.on(b)
}

// times is two times of one day. Where clocks were put back between them and
// the later one reads earlier, their offsets tell them apart.
func times(from, to time.Time) string {
	if hour(from) >= hour(to) {
		const zoned = "15:04 MST"
		return from.Format(zoned) + " and " + to.Format(zoned)
	}
	return hour(from) + " and " + hour(to)
}

// at is one time, with its date where it needs one.
func (c clock) at(t time.Time) string {
	t = t.In(c.zone)
	return hour(t) + c.on(digest.DateOf(t))
}

func (c clock) on(d digest.Date) string {
	if d == c.day {
		return ""
	}
	return " on " + c.date(d)
}

func (c clock) date(d digest.Date) string {
	if d.Year == c.year {
		return d.Format("2 January")
	}
	return d.Format("2 January 2006")
}

func hour(t time.Time) string { return t.Format("15:04") }

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
