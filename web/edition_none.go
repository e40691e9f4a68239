package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

// An editionNonePage is a day on which no edition came.
type editionNonePage struct {
	standing
	store.Beside
	Date digest.Date
}

// Weekday is the day's.
func (p editionNonePage) Weekday() catalogue.Moment { return catalogue.Day("Monday", p.Date) }

// noEdition says that none came on a day, with the way to those beside it. Before the first edition, and in days to
// come, there is nothing at the address.
func (s *site) noEdition(w http.ResponseWriter, r *http.Request, me reader, date digest.Date) error {
	p := editionNonePage{standing: s.standing(me.Digest), Date: date}
	if p.today().Before(date) {
		return errNotFound
	}
	var err error
	p.Beside, err = s.Store.Beside(r.Context(), digest.Edition{DigestID: me.Digest.ID, LocalDate: date}, s.Now())
	if err == nil && p.Earlier.IsZero() {
		return errNotFound
	}
	return s.showPage(w, r, err, "edition_none", catalogue.AsHeading(catalogue.Day("Monday 2 January 2006", date)), p)
}
