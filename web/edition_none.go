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

// Ahead reports whether the edition of the day may still be made.
func (p editionNonePage) Ahead() bool { return p.Today().Before(p.Date) }

func (p editionNonePage) Weekday() catalogue.Moment { return catalogue.Day("Monday", p.Date) }

// noEdition shows that a day has no edition, with links to the previous and the next one. The status is 404 for future
// days and for days before the first edition. It returns ErrNotFound for readers without editions.
func (s *site) noEdition(w http.ResponseWriter, r *http.Request, me page.Reader, date digest.Date) error {
	p := editionNonePage{OwnDigest: s.OwnDigest(me.Digest), Date: date}
	var err error
	p.Beside, err = s.Store.Editions.Beside(r.Context(), digest.Edition{DigestID: me.Digest.ID, LocalDate: date},
		s.Now())
	if err != nil {
		return err
	}
	status := http.StatusOK
	if p.Earlier.IsZero() || p.Ahead() {
		status = http.StatusNotFound
	}
	if p.Earlier.IsZero() && p.Later.IsZero() {
		return page.ErrNotFound
	}
	return s.Show(w, r, status, "edition_none", catalogue.AsHeading(catalogue.Day("Monday 2 January 2006", date)), p)
}
