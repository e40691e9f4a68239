package web

import (
	"cmp"
	"net/http"
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

func (f settingsFrame) view(st digest.Stay) stayView { return stayView{st, f.today()} }

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
	settingsFrame
	zoneField
	List     []stayView
	From, To dateField
	At       string // the wrong field; "" for an error of the whole form
	Last     digest.Date
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

// First returns the first day that the form suggests. A trip may have begun before.
func (p travelPage) First() digest.Date { return p.today() }

func (s *site) travelPageOf(r *http.Request, me reader, words ...string) (travelPage, error) {
	p := travelPage{settingsFrame: s.frame(r, me, words...)}
	p.Last = p.today().Plus(farthestStay)
	stays, err := s.Store.Stays(r.Context(), me.ID)
	for _, st := range stays {
		p.List = append(p.List, p.view(st))
	}
	return p, err
}

func (s *site) travelPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.travelPageOf(r, me, "trip")
	return s.showPage(w, r, err, "settings_travel", catalogue.Key("Travel"), p)
}

func (s *site) addStay(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.travelPageOf(r, me)
	if err != nil {
		return err
	}
	p.Zone, p.From, p.To = cmp.Or(r.PostForm.Get("near"), r.PostForm.Get("zone")), typedDate(r.PostForm, "from"),
		typedDate(r.PostForm, "to")
	st := p.read(me.ID)
	if p.Wrong == nil {
		if _, err = s.Store.AddStay(r.Context(), st, s.Now()); err == nil {
			return showSaved(w, r, nil, "/settings/travel", "trip")
		}
		if p.Wrong, err = asSaid(err); err != nil {
			return err
		}
	}
	return s.show(w, r, http.StatusUnprocessableEntity, "settings_travel", catalogue.Key("Travel"), p)
}

// read parses the trip in the form, and stores an error in p.
func (p *travelPage) read(user digest.UserID) digest.Stay {
	zone, ok := p.readZone()
	st := digest.Stay{UserID: user, TimeZone: zone}
	if !ok {
		p.At, p.Wrong = "zone", p.WrongZone
		return st
	}
	p.At = "from"
	longAgo := p.today().Plus(-farthestStay) // a trip may have begun already
	var wrong catalogue.Sayable
	if st.From, wrong = p.From.read(longAgo, p.Last); wrong == nil {
		_, wrong = begins(st.From, zoneOr(st.TimeZone))
	}
	if wrong != nil {
		p.Wrong = wrong
		return st
	}
	p.At = "to"
	if st.To, wrong = p.To.read(p.today(), p.Last); wrong == nil && st.To.Before(st.From) {
		wrong = catalogue.Key("The last day is before the first day, %s.").With(saidDay(st.From))
	}
	if wrong == nil {
		p.At = ""
		return st
	}
	p.Wrong = wrong
	return st
}

func (s *site) removeStay(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := strconv.ParseInt(r.PostForm.Get("stay"), 10, 64)
	if err != nil {
		return errNotFound
	}
	return showSaved(w, r, s.Store.RemoveStay(r.Context(), me.ID, id, s.Now()), "/settings/travel", "trip")
}
