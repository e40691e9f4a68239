package web

import (
	"net/http"
	"strconv"
	"strings"

	"digest"
	"digest/internal/catalogue"
)

// farthestStay is how many days ahead a stay may be planned.
const farthestStay = 731

// A stayView is a stay in words.
type stayView struct {
	digest.Stay
	today digest.Date
}

func (f settingsFrame) view(st digest.Stay) stayView { return stayView{st, f.today()} }

// City is where it is, as people say it: "New York".
func (v stayView) City() string {
	return zoneName(v.TimeZone[strings.LastIndexByte(v.TimeZone, '/')+1:])
}

// Dates are its days: "3 to 17 October".
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

// Words say it all: "Tokyo, 3 to 17 October".
func (v stayView) Words() catalogue.Message { return catalogue.Key("%s, %s").With(v.City(), v.Dates()) }

// String says it all in English.
func (v stayView) String() string { return v.Words().String() }

// HomeName is the zone to which the reader comes back.
func (v stayView) HomeName() string { return zoneName(v.Home) }

// A staysPage lists planned stays and asks for one.
type staysPage struct {
	settingsFrame
	zoneField
	List     []stayView
	From, To dateField
	At       string // the field that is wrong; "" for all of them
	Last     digest.Date
}

// HomeName is the zone where the reader is when no stay is on.
func (p staysPage) HomeName() string {
	for _, st := range p.List {
		if st.Begun {
			return zoneName(st.Home)
		}
	}
	return p.Home()
}

// NearWords are the names of zones like the one that was typed.
func (p staysPage) NearWords() string { return strings.Join(p.Near, ", ") }

// First is the first day that can be chosen: who has left already may say so later.
func (p staysPage) First() digest.Date { return p.today() }

func (s *site) staysPageOf(r *http.Request, me reader, words ...string) (staysPage, error) {
	p := staysPage{settingsFrame: s.frame(r, me, words...)}
	p.Last = p.today().Plus(farthestStay)
	stays, err := s.Store.Stays(r.Context(), me.ID)
	for _, st := range stays {
		p.List = append(p.List, p.view(st))
	}
	return p, err
}

func (s *site) staysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.staysPageOf(r, me, "added", "removed")
	return s.showPage(w, r, err, "settings_stays", catalogue.Key("Stays elsewhere"), p)
}

func (s *site) addStay(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.staysPageOf(r, me)
	if err != nil {
		return err
	}
	p.Zone, p.From, p.To = r.PostForm.Get("zone"), typedDate(r.PostForm, "from"), typedDate(r.PostForm, "to")
	st := p.read(me.ID)
	if p.Wrong == nil {
		if _, err = s.Store.AddStay(r.Context(), st, s.Now()); err == nil {
			return showSaved(w, r, nil, "/settings/stays", "added")
		}
		if p.Wrong, err = asSaid(err); err != nil {
			return err
		}
	}
	return s.show(w, r, http.StatusUnprocessableEntity, "settings_stays", catalogue.Key("Stays elsewhere"), p)
}

// read gives the stay that was typed, and notes in p what is wrong with it.
func (p *staysPage) read(user digest.UserID) digest.Stay {
	zone, ok := p.readZone()
	st := digest.Stay{UserID: user, TimeZone: zone}
	if !ok {
		p.At, p.Wrong = "zone", p.WrongZone
		return st
	}
	p.At = "from"
	longAgo := p.today().Plus(-farthestStay) // a stay may have begun
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
		wrong = catalogue.Key("The last day comes before the first one, %s.").With(saidDay(st.From))
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
	return showSaved(w, r, s.Store.RemoveStay(r.Context(), me.ID, id, s.Now()), "/settings/stays", "removed")
}
