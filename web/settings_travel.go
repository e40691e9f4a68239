package web

import (
	"strconv"

	"digest"
	"digest/internal/catalogue"
	"digest/web/page"
)

const farthestStay = 731

// A stayView is a trip for templates.
type stayView struct {
	digest.Stay
	today digest.Date
}

func stayOf(v *page.Visit, st digest.Stay) stayView { return stayView{st, v.Today()} }

// City returns the city of the trip's time zone: "New York".
func (v stayView) City() catalogue.City { return catalogue.City(v.TimeZone) }

// Dates returns the days of the trip: "3 to 17 October".
func (v stayView) Dates() catalogue.Sayable {
	first, last := "2", "2 January"
	if v.From.Month != v.To.Month || v.From.Year != v.To.Year {
		first = last
	}
	if v.To.Year != v.today.Year || v.From.Year != v.To.Year {
		last += " 2006"
	}
	if v.From.Year != v.To.Year {
		first += " 2006"
	}
	if v.From == v.To {
		return catalogue.Day(last, v.To)
	}
	return catalogue.Key("%s to %s").With(catalogue.Day(first, v.From), catalogue.Day(last, v.To))
}

// Words describes the trip: "Tokyo, 3 to 17 October".
func (v stayView) Words() catalogue.Message { return catalogue.Key("%s, %s").With(v.City(), v.Dates()) }

// String returns Words in English.
func (v stayView) String() string { return v.Words().String() }

// HomeName returns the city to which the reader returns.
func (v stayView) HomeName() catalogue.City { return catalogue.City(v.Home) }

type travelPage struct {
	*page.Visit
	List []stayView
}

// HomeName returns the city of the reader's zone between trips.
func (p travelPage) HomeName() catalogue.City {
	for _, st := range p.List {
		if st.Begun {
			return catalogue.City(st.Home)
		}
	}
	return p.Home()
}

// travelPage shows the planned trips, and adds one.
func (s *site) travelPage(v *page.Visit) error {
	st := readStay(v)
	if v.OK() {
		_, err := s.Store.Readers.AddStay(v.Ctx, st, v.Now)
		if !v.Refused(err, "") {
			return v.SeeSaved(err, "/settings/travel", "trip")
		}
	}
	p := travelPage{Visit: v}
	stays, err := s.Store.Readers.Stays(v.Ctx, v.ID)
	for _, st := range stays {
		p.List = append(p.List, stayOf(v, st))
	}
	return v.Show(err, "settings_travel", catalogue.Key("Travel"), p)
}

// readStay describes the form of a trip and parses it. A trip may have begun already.
func readStay(v *page.Visit) digest.Stay {
	st, last := digest.Stay{UserID: v.ID}, v.Today().Plus(farthestStay)
	st.TimeZone = v.AddZone("")
	st.From = v.AddDate("from", "", v.Today().Plus(-farthestStay), last)
	st.To = v.AddDate("to", "", v.Today(), last)
	if !v.OK() {
		return st
	}
	if _, wrong := page.DayBegins(st.From, page.ZoneOr(st.TimeZone)); wrong != nil {
		v.Reject("from", wrong)
	} else if st.To.Before(st.From) {
		v.Reject("to", catalogue.Key("The last day is before the first day, %s.").With(page.SaidDay(st.From)))
	}
	return st
}

func (s *site) removeStay(v *page.Visit) error {
	id, err := strconv.ParseInt(v.PostForm.Get("stay"), 10, 64)
	if err != nil {
		return page.ErrNotFound
	}
	return v.SeeSaved(s.Store.Readers.RemoveStay(v.Ctx, v.ID, id, v.Now), "/settings/travel", "trip")
}
