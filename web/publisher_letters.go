package web

import (
	"net/http"
	"slices"
	"strings"

	"digest"
	"digest/calendar"
	"digest/internal/catalogue"
)

// A publisherLettersPage is the letters of a newsletter that come, wait and have left.
type publisherLettersPage struct {
	publisherFrame
	Coming  []comingLetter
	Waiting []digest.Date
	Months  []month // of those that have left, the newest first
	Zone    string
}

// A comingLetter is one of a later date, as far as it is decided.
type comingLetter struct{ digest.NewsletterLetter }

// Words say what was decided of it, nil where nothing was: "skipped", "“Of boats”, with a note".
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
	comingShown   = 6   // dates of the newsletter's own days
	decidedShown  = 100 // dates of which something was decided
	lettersPassed = 60  // that have left
	daysDecided   = 366 // how far ahead something may be decided
)

// publisherLettersPage lists the letters of a newsletter.
func (s *site) publisherLettersPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	ctx, n := r.Context(), me.Newsletter
	archive, err := s.Store.Digest(ctx, n.ArchiveID)
	if err != nil {
		return err
	}
	p := publisherLettersPage{publisherFrame: s.publisherFrame(r, me), Zone: zoneName(archive.TimeZone)}
	if p.Waiting, err = s.Store.LettersWaiting(ctx, n, s.Now()); err != nil {
		return err
	}
	if p.Coming, err = s.comingLetters(r, n, archive); err != nil {
		return err
	}
	letters, err := s.Store.LettersLeft(r.Context(), n, s.Now(), lettersPassed)
	p.Months = byMonth(letters)
	return s.showPage(w, r, err, "publisher_letters", titled(catalogue.Key("Issues"), n.Name), p)
}

// comingLetters gives the next dates of a newsletter, by its owner's clock, and all later ones of
// which something was decided: members' own days may be others. Of one that has ended there are none.
func (s *site) comingLetters(r *http.Request, n digest.Newsletter, archive digest.Digest) ([]comingLetter, error) {
	if n.State == digest.NewsletterEnded {
		return nil, nil
	}
	zone := zoneOr(archive.TimeZone)
	decided, err := s.Store.LettersDecided(r.Context(), n.ID, s.firstOpen(archive), decidedShown)
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

// firstOpen is the first date that has not begun by the owner's clock.
func (s *site) firstOpen(archive digest.Digest) digest.Date {
	return digest.DateOf(s.Now().In(zoneOr(archive.TimeZone))).Plus(1)
}
