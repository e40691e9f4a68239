package web

import (
	"net/http"
	"strconv"
	"time"

	"digest"
	"digest/store"
)

// newest is how many editions the first page of the archive lists by
// themselves; all months are listed below them.
const newest = 31

// linkedEditionPage is the edition that a link from a mail speaks of. The link
// alone opens it, so it leads nowhere else.
func (s *site) linkedEditionPage(w http.ResponseWriter, r *http.Request) error {
	id, ok := s.Signer.Verify(digest.ForEdition, r.PathValue("token"))
	if !ok {
		return errNotFound
	}
	e, err := s.Store.Edition(r.Context(), digest.EditionID(id))
	if err != nil {
		return err
	}
	d, err := s.Store.Digest(r.Context(), e.DigestID)
	if err != nil {
		return err
	}
	if s.Now().Before(e.DueAt) {
		return errNotFound // reachable by nobody before its midnight (I2)
	}
	return s.showEdition(w, r, delivery(d, e), editionPage{}, nil)
}

// editionPage is the reader's own edition of one date, or those of a month; nobody
// else's have an address here.
func (s *site) editionPage(w http.ResponseWriter, r *http.Request, me reader) error {
	if t, err := time.Parse("2006-01", r.PathValue("date")); err == nil {
		return s.monthPage(w, r, me, t)
	}
	date, err := digest.ParseDate(r.PathValue("date"))
	if err != nil {
		return errNotFound
	}
	e, err := s.Store.EditionOn(r.Context(), me.Digest.ID, date, s.Now())
	if err != nil {
		return err
	}
	return s.showOwn(w, r, me, e)
}

// showOwn shows one of the reader's editions, with the way to its neighbours.
func (s *site) showOwn(w http.ResponseWriter, r *http.Request, me reader, e digest.Edition) error {
	p := editionPage{Own: true}
	if r.URL.Path == "/" {
		if st := s.standing(me.Digest); st.Next.IsZero() {
			p.Standing = &st
		}
	}
	var err error
	if p.Earlier, p.Later, err = s.Store.Neighbours(r.Context(), me.Digest.ID, e.LocalDate, s.Now()); err != nil {
		return err
	}
	if p.Held, err = s.Store.HeldCount(r.Context(), me.Digest.ID, e.DueAt); err != nil {
		return err
	}
	return s.showEdition(w, r, delivery(me.Digest, e), p, func(ids []digest.PostID) (map[digest.PostID]bool, error) {
		return s.Store.SavedAmong(r.Context(), me.ID, ids)
	})
}

// showEdition fills p with the edition's posts and shows it; saved tells which
// posts the reader keeps, nil where nobody may keep any.
func (s *site) showEdition(w http.ResponseWriter, r *http.Request, d digest.Delivery, p editionPage, saved savedAmong) error {
	page, err := s.Editions.Edition(r.Context(), d)
	if err != nil {
		return err
	}
	sheet, ok := sheetOf(r)
	if !ok {
		return errNotFound
	}
	if ok = p.fill(page, sheet, r.URL.Path, s.images != nil); !ok {
		return errNotFound
	}
	if err := p.markSaved(saved); err != nil {
		return err
	}
	return s.show(w, r, http.StatusOK, "edition", p.Date.Format("Monday 2 January 2006"), p)
}

// sheetOf is which part of a large edition is asked for, from 1.
func sheetOf(r *http.Request) (int, bool) {
	asked := r.URL.Query().Get("sheet")
	if asked == "" {
		return 1, true
	}
	n, err := strconv.Atoi(asked)
	return n, err == nil && n > 0 && n < 10_000
}

// delivery is an edition with what its page tells of its digest.
func delivery(d digest.Digest, e digest.Edition) digest.Delivery {
	return digest.Delivery{
		Edition: e, UserID: d.UserID, TimeZone: d.TimeZone, DigestName: d.Name,
		Look: digest.Look{Layout: d.Layout},
	}
}

// An archivePage is editions of a digest, by month.
type archivePage struct {
	standing
	Title  string // of one month; "" for the whole archive
	Months []month
	Years  []year // all months there are; none on the page of one

	Earlier, Later string // the months beside this one: YYYY-MM
}

// A month is some of the editions of one.
type month struct {
	Name     string // "November 2026"
	Path     string // YYYY-MM
	Editions []digest.Edition
}

// A year is the months in which editions came.
type year struct {
	Year   int
	Months []store.Month
}

// editionsPage lists the newest editions, and leads to all months.
func (s *site) editionsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	list, err := s.Store.LatestEditions(r.Context(), me.Digest.ID, s.Now(), newest)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return s.nothingYet(w, r, me)
	}
	p := archivePage{standing: s.standing(me.Digest), Months: byMonth(list)}
	if len(list) == newest {
		months, err := s.Store.Months(r.Context(), me.Digest.ID, s.Now())
		if err != nil {
			return err
		}
		p.Years = byYear(months)
	}
	return s.show(w, r, http.StatusOK, "editions", "All editions", p)
}

// monthPage lists the editions of one month.
func (s *site) monthPage(w http.ResponseWriter, r *http.Request, me reader, t time.Time) error {
	list, err := s.Store.EditionsIn(r.Context(), me.Digest.ID, t.Year(), t.Month(), s.Now())
	if err != nil {
		return err
	}
	months, err := s.Store.Months(r.Context(), me.Digest.ID, s.Now())
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return errNotFound
	}
	p := archivePage{standing: standing{Name: paperOf(me.Digest)}, Title: t.Format("January 2006"), Months: byMonth(list)}
	for i, m := range months {
		if m.Year != t.Year() || m.Month != t.Month() {
			continue
		}
		if i > 0 {
			p.Later = monthPath(months[i-1])
		}
		if i+1 < len(months) {
			p.Earlier = monthPath(months[i+1])
		}
	}
	return s.show(w, r, http.StatusOK, "editions", p.Title, p)
}

func monthPath(m store.Month) string {
	return digest.Date{Year: m.Year, Month: m.Month, Day: 1}.Format("2006-01")
}

// byMonth splits editions, already in order of date, into months.
func byMonth(list []digest.Edition) []month {
	var months []month
	for _, e := range list {
		name := e.LocalDate.Format("January 2006")
		if n := len(months); n == 0 || months[n-1].Name != name {
			months = append(months, month{Name: name, Path: e.LocalDate.Format("2006-01")})
		}
		last := &months[len(months)-1]
		last.Editions = append(last.Editions, e)
	}
	return months
}

// byYear splits months, newest first, into years.
func byYear(months []store.Month) []year {
	var years []year
	for _, m := range months {
		if n := len(years); n == 0 || years[n-1].Year != m.Year {
			years = append(years, year{Year: m.Year})
		}
		last := &years[len(years)-1]
		last.Months = append(last.Months, m)
	}
	return years
}
