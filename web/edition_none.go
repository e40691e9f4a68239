package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// An editionNonePage is the view of a day without an edition.
type editionNonePage struct {
	page.OwnDigest
	store.Beside
	Date digest.Date
}

func (p editionNonePage) Weekday() catalogue.Moment { return catalogue.Day("Monday", p.Date) }

// noEdition shows that a day has no edition, with links to the previous and the next one. It
// returns ErrNotFound for future days and for days before the first edition.
func (s *site) noEdition(w http.ResponseWriter, r *http.Request, me page.Reader, date digest.Date) error {
	p := editionNonePage{OwnDigest: s.OwnDigest(me.Digest), Date: date}
	if p.Today().Before(date) {
		return page.ErrNotFound
	}
	var err error
	p.Beside, err = s.Store.Editions.Beside(r.Context(), digest.Edition{DigestID: me.Digest.ID, LocalDate: date},
		s.Now())
	if err == nil && p.Earlier.IsZero() {
		return page.ErrNotFound
	}
	return s.ShowPage(w, r, err, "edition_none", catalogue.AsHeading(catalogue.Day("Monday 2 January 2006", date)), p)
}
