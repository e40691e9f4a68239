package web

import (
	"strconv"

	"digest"
	"digest/internal/catalogue"
)

const farthestStay = 731

// A stayView is a trip for templates.
type stayView struct {
	digest.Stay
	today digest.Date
}

func (v *visit) view(st digest.Stay) stayView { return stayView{st, v.today()} }

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
	*visit
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
func (s *site) travelPage(v *visit) error {
	st := v.stay()
	if v.ok() {
		_, err := s.Store.Readers.AddStay(v.ctx, st, v.now)
		if !v.refused(err, "") {
			return v.saved(err, "/settings/travel", "trip")
		}
	}
	p := travelPage{visit: v}
	stays, err := s.Store.Readers.Stays(v.ctx, v.ID)
	for _, st := range stays {
		p.List = append(p.List, v.view(st))
	}
	return v.show(err, "settings_travel", catalogue.Key("Travel"), p)
}

// stay describes the form of a trip and parses it. A trip may have begun already.
func (v *visit) stay() digest.Stay {
	st, last := digest.Stay{UserID: v.ID}, v.today().Plus(farthestStay)
	st.TimeZone = v.zoneNamed("")
	st.From = v.date("from", "", v.today().Plus(-farthestStay), last)
	st.To = v.date("to", "", v.today(), last)
	if !v.ok() {
		return st
	}
	if _, wrong := begins(st.From, zoneOr(st.TimeZone)); wrong != nil {
		v.wrong("from", wrong)
	} else if st.To.Before(st.From) {
		v.wrong("to", catalogue.Key("The last day is before the first day, %s.").With(saidDay(st.From)))
	}
	return st
}

func (s *site) removeStay(v *visit) error {
	id, err := strconv.ParseInt(v.PostForm.Get("stay"), 10, 64)
	if err != nil {
		return errNotFound
	}
	return v.saved(s.Store.Readers.RemoveStay(v.ctx, v.ID, id, v.now), "/settings/travel", "trip")
}
