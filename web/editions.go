package web

import (
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

// newest is how many editions the first page of the archive lists by
// themselves; all months are listed below them.
const newest = 31

// An editionsPage is editions of a digest, by month.
type editionsPage struct {
	standing
	Title  catalogue.Sayable // of one month; nil for the whole archive
	Months []month
	Years  []year // all months there are; none on the page of one

	Earlier, Later string // the months beside this one: YYYY-MM

	letters map[digest.Date][]receivedLetter // of newsletters, by their dates
	leads   map[digest.EditionID]*render.Post
}

// IsMonth reports whether the page is that of one month.
func (p editionsPage) IsMonth() bool { return p.Title != nil }

// Lead is the post with which an edition begins; nil: nothing of it is left.
func (p editionsPage) Lead(id digest.EditionID) *render.Post { return p.leads[id] }

// Letters are those that came on the date of an edition.
func (p editionsPage) Letters(date digest.Date) []receivedLetter { return p.letters[date] }

// fillIn adds to a page what its editions begin with, and the letters of newsletters on their dates. The newest is the first.
func (s *site) fillIn(r *http.Request, me reader, p *editionsPage, list []digest.Edition) (err error) {
	deliveries := make([]digest.Delivery, len(list))
	for i, e := range list {
		deliveries[i] = me.Digest.Delivery(e)
	}
	if p.leads, err = s.Editions.Leads(r.Context(), deliveries); err != nil {
		return err
	}
	all, err := s.lettersBetween(r, me, list[len(list)-1].LocalDate, list[0].LocalDate, mostAlso*newest)
	p.letters = make(map[digest.Date][]receivedLetter)
	for _, l := range all {
		p.letters[l.LocalDate] = append(p.letters[l.LocalDate], l)
	}
	return err
}

// A month is some of the editions of one.
type month struct {
	Path     string // YYYY-MM
	Open     bool   // its dates are seen at once
	Editions []digest.Edition
}

// The datesOf a month are listed with what the page knows of them.
type datesOf struct {
	month
	Page *editionsPage
}

// A year is the months in which editions came.
type year struct {
	Year   int
	Months []store.Month
}

// editionsPage lists the newest editions, and leads to all months.
func (s *site) editionsPage(w http.ResponseWriter, r *http.Request, me reader) error {
	v, err := s.Store.ArchiveView(r.Context(), me.Digest.ID, s.Now(), newest)
	if err != nil {
		return err
	}
	if len(v.Editions) == 0 {
		return s.nothingYet(w, r, me, v.Subscriptions)
	}
	p := editionsPage{standing: s.standing(me.Digest), Months: byMonth(v.Editions), Years: byYear(v.Months)}
	return s.showPage(w, r, s.fillIn(r, me, &p, v.Editions), "editions", catalogue.Key("All editions"), &p)
}

// monthPage lists the editions of one month.
func (s *site) monthPage(w http.ResponseWriter, r *http.Request, me reader, t time.Time) error {
	v, err := s.Store.MonthView(r.Context(), me.Digest.ID, t.Year(), t.Month(), s.Now())
	if err != nil {
		return err
	}
	if len(v.Editions) == 0 {
		return errNotFound
	}
	p := editionsPage{standing: standing{namedPage: named(me.Digest)}, Title: catalogue.AsHeading(catalogue.Time("January 2006", t)),
		Months: byMonth(v.Editions)}
	for i, m := range v.Months {
		if m.Year != t.Year() || m.Month != t.Month() {
			continue
		}
		if i > 0 {
			p.Later = monthPath(v.Months[i-1])
		}
		if i+1 < len(v.Months) {
			p.Earlier = monthPath(v.Months[i+1])
		}
	}
	return s.showPage(w, r, s.fillIn(r, me, &p, v.Editions), "editions", p.Title, &p)
}

func monthPath(m store.Month) string {
	return digest.Date{Year: m.Year, Month: m.Month, Day: 1}.Format("2006-01")
}

// byMonth splits editions, already in order of date, into months.
func byMonth(list []digest.Edition) []month {
	var months []month
	for _, e := range list {
		path := e.LocalDate.Format("2006-01")
		if n := len(months); n == 0 || months[n-1].Path != path {
			months = append(months, month{Path: path, Open: n == 0})
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
