package publisher

import (
	"net/http"
	"slices"
	"strings"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
	"digest/web/page"
)

// A lettersPage lists the future, waiting and sent issues of a newsletter.
type lettersPage struct {
	publisher
	Coming  []comingLetter
	Waiting []digest.Date
	Months  []page.Month // of sent issues, the newest first
	Zone    string
}

// A comingLetter is a future issue with the decisions about it.
type comingLetter struct{ digest.NewsletterLetter }

// Words describes the decisions, such as "“Of boats”, with a note". It returns nil without a decision.
func (l comingLetter) Words() (all catalogue.Sayable) {
	for _, said := range []struct {
		is   bool
		what catalogue.Sayable
	}{
		{l.Skipped, catalogue.Key("skipped, its posts move to the next issue")},
		{l.Subject != "", catalogue.Key("“%s”").With(l.Subject)},
		{l.Note != "", catalogue.Key("with a note")}, {!l.ApprovedAt.IsZero(), catalogue.Key("approved")},
	} {
		switch {
		case !said.is:
		case all == nil:
			all = said.what
		default:
			all = catalogue.Key("%s, %s").With(all, said.what)
		}
	}
	return all
}

const (
	comingShown   = 6   // future dates of the newsletter's own days
	decidedShown  = 100 // future dates with a decision
	lettersPassed = 60  // sent issues
	daysDecided   = 366 // how many days ahead a publisher can decide
)

func (s *Site) lettersPage(me publisher) error {
	ctx, n := me.Ctx, me.Newsletter
	archive, err := s.Store.Readers.Digest(ctx, n.ArchiveID)
	if err != nil {
		return err
	}
	p := lettersPage{publisher: me, Zone: page.ZoneName(archive.TimeZone)}
	if p.Waiting, err = s.Store.Newsletters.LettersWaiting(ctx, n, me.Now); err != nil {
		return err
	}
	if p.Coming, err = s.comingLetters(me.Request, n, archive); err != nil {
		return err
	}
	letters, err := s.Store.Newsletters.LettersLeft(me.Ctx, n, me.Now, lettersPassed)
	p.Months = page.ByMonth(letters)
	return me.show(err, "publisher/letters", catalogue.Key("Issues"), p)
}

// comingLetters returns the next dates of a newsletter in its owner's time zone, and all later dates with a decision.
// Members can have other days, so a decision can be about any date. It returns nil for a newsletter that has ended.
func (s *Site) comingLetters(r *http.Request, n digest.Newsletter, archive digest.Digest) ([]comingLetter, error) {
	if n.State == digest.NewsletterEnded {
		return nil, nil
	}
	zone := page.ZoneOr(archive.TimeZone)
	decided, err := s.Store.Newsletters.LettersDecided(r.Context(), n.ID, s.firstOpen(archive), decidedShown)
	at := archive.NextDueAt
	for range comingShown {
		date := digest.DateOf(at.In(zone))
		if !slices.ContainsFunc(decided, func(l digest.NewsletterLetter) bool { return l.LocalDate == date }) {
			decided = append(decided, digest.NewsletterLetter{NewsletterID: n.ID, LocalDate: date})
		}
		at = calendar.Next(at, zone, n.Cadence)
	}
	slices.SortFunc(decided, func(a, b digest.NewsletterLetter) int {
		return strings.Compare(a.LocalDate.String(), b.LocalDate.String())
	})
	var all []comingLetter
	for _, l := range decided {
		all = append(all, comingLetter{l})
	}
	return all, err
}

// firstOpen returns the first date that has not begun in the owner's time zone.
func (s *Site) firstOpen(archive digest.Digest) digest.Date {
	return digest.DateOf(s.Now().In(page.ZoneOr(archive.TimeZone))).Plus(1)
}
