package web

import (
	"context"
	"net/http"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

// newest is how many editions the archive lists on its first page, above the list of months.
const newest = 31

// An editionsPage lists the editions of a digest by month.
type editionsPage struct {
	page.OwnDigest
	Title  catalogue.Sayable // of a month; nil for the archive
	Months []page.Month
	Years  []year // all months; empty on the page of a month

	Earlier, Later string // adjacent months: YYYY-MM

	letters map[digest.Date][]receivedLetter // issues of newsletters by date
	leads   map[digest.EditionID]*render.Post
}

func (p editionsPage) IsMonth() bool { return p.Title != nil }

// Day returns the date of an edition, or the days that it collects.
func (p editionsPage) Day(e digest.Edition) catalogue.Sayable {
	if first, last := e.Days(); first != last {
		return catalogue.Days(first, last)
	}
	return catalogue.Day("Monday 2 January", e.LocalDate)
}

// Lead returns the first post of an edition, or nil if its posts are no longer stored.
func (p editionsPage) Lead(id digest.EditionID) *render.Post { return p.leads[id] }

// Letters returns the newsletter issues of a date.
func (p editionsPage) Letters(date digest.Date) []receivedLetter { return p.letters[date] }

// fillIn adds the first post of each edition and the newsletter issues of the same days. list is
// ordered newest first.
func (s *site) fillIn(r *http.Request, me page.Reader, p *editionsPage, list []digest.Edition) (err error) {
	deliveries := make([]digest.Delivery, len(list))
	for i, e := range list {
		deliveries[i] = me.Digest.Delivery(e)
	}
	if err := s.decideLeads(r.Context(), deliveries); err != nil {
		return err
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

// decideLeads decides which posts lead the editions that nobody has opened or received, and stores them. So each edition
// begins with the headline that the archive shows. The oldest comes first, because a site rests after it led.
func (s *site) decideLeads(ctx context.Context, ds []digest.Delivery) error {
	for i := range slices.Backward(ds) { // the newest comes first
		d := &ds[i]
		if d.Lead != 0 {
			continue
		}
		e, err := s.Editions.Edition(ctx, *d)
		if err != nil {
			return err
		}
		if d.Lead = e.EarnedLead(); !s.keepLead(ctx, d.ID, d.Lead) {
			break // the next view of the archive decides the others
		}
	}
	return nil
}

type datesOf struct {
	page.Month
	Page *editionsPage
}

// DatesOf returns the data of the template "dates".
func (p *editionsPage) DatesOf(m page.Month) datesOf { return datesOf{m, p} }

type year struct {
	Year   int
	Months []store.Month
}

// editionsPage lists the newest editions and links to all months.
func (s *site) editionsPage(w http.ResponseWriter, r *http.Request, me page.Reader) error {
	v, err := s.Store.Subscriptions.ArchiveView(r.Context(), me.Digest.ID, s.Now(), newest)
	if err != nil {
		return err
	}
	if len(v.Editions) == 0 {
		return s.nothingYet(w, r, me, v.Subscriptions)
	}
	p := editionsPage{OwnDigest: s.OwnDigest(me.Digest), Months: page.ByMonth(v.Editions), Years: byYear(v.Months)}
	return s.ShowPage(w, r, s.fillIn(r, me, &p, v.Editions), "editions", catalogue.Key("All editions"), &p)
}

func (s *site) monthPage(w http.ResponseWriter, r *http.Request, me page.Reader, t time.Time) error {
	v, err := s.Store.Subscriptions.MonthView(r.Context(), me.Digest.ID, t.Year(), t.Month(), s.Now())
	if err != nil {
		return err
	}
	if len(v.Editions) == 0 {
		return page.ErrNotFound
	}
	p := editionsPage{OwnDigest: page.OwnDigest{NamedPage: page.Named(me.Digest)},
		Title:  catalogue.AsHeading(catalogue.Time("January 2006", t)),
		Months: page.ByMonth(v.Editions)}
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
	return s.ShowPage(w, r, s.fillIn(r, me, &p, v.Editions), "editions", p.Title, &p)
}

func monthPath(m store.Month) string {
	return digest.Date{Year: m.Year, Month: m.Month, Day: 1}.Format("2006-01")
}

// byYear groups months by year. They must be sorted, newest first.
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
