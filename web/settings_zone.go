package web

import (
	"errors"
	"net/http"
	"strings"

	"digest/timezone"
)

// A zonePage asks for a time zone.
type zonePage struct {
	settingsFrame
	Typed string   // in the field
	Near  []string // real names like the one that was typed
	Names []string // all of them
	Away  string   // the stay that has begun; "" for none
}

// formZone is the field of a time zone.
const formZone = "zone"

// Clock is what time it is for the reader.
func (p zonePage) Clock() string {
	return p.now.In(p.zone()).Format("15:04 on Monday 2 January")
}

func (s *site) zonePageOf(r *http.Request, me reader, words ...string) (zonePage, error) {
	p := zonePage{settingsFrame: s.frame(r, me, words...), Names: timezone.Names()}
	stays, err := s.Store.Stays(r.Context(), me.ID)
	for _, st := range stays {
		if st.Begun {
			p.Away = p.view(st).String()
		}
	}
	return p, err
}

func (s *site) zonePage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.zonePageOf(r, me, "zone")
	if err != nil {
		return err
	}
	p.Typed = me.TimeZone
	return s.show(w, r, http.StatusOK, "settings_zone", "Time zone", p)
}

func (s *site) setZone(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.zonePageOf(r, me)
	if err != nil {
		return err
	}
	p.Typed = r.PostForm.Get(formZone)
	zone := strings.TrimSpace(p.Typed)
	if p.Wrong, p.Near = wrongZone(zone); p.Wrong != "" {
		return s.show(w, r, http.StatusUnprocessableEntity, "settings_zone", "Time zone", p)
	}
	return showSaved(w, r, s.Store.SetTimeZone(r.Context(), me.ID, zone, s.Now()), "/settings/zone", "zone")
}

// wrongZone says why a name is no time zone, and which names are near; "" if it is one.
func wrongZone(name string) (wrong string, near []string) {
	_, err := timezone.Load(name)
	if err == nil {
		return "", nil
	}
	unknown, ok := errors.AsType[*timezone.UnknownError](err)
	if !ok || len(unknown.Nearest) == 0 {
		return "A time zone is needed, such as Europe/Paris.", nil
	}
	return "There is no time zone of that name.", unknown.Nearest
}
