package web

import (
	"net/http"
	"time"

	"digest/internal/catalogue"
)

// A tokenPage is about the token by which programs of a reader's ask in their name.
type tokenPage struct {
	settingsFrame
	Made    time.Time // by the reader's clock; zero: there is none
	Token   string    // just made: it is shown this once
	Address string    // that is asked
}

func (s *site) tokenPageOf(r *http.Request, me reader) (tokenPage, error) {
	p := tokenPage{settingsFrame: s.frame(r, me, "removed"), Address: s.BaseURL + "/links?url="}
	made, err := s.Store.ReaderTokenAt(r.Context(), me.ID)
	if !made.IsZero() {
		p.Made = made.In(zoneOr(me.TimeZone))
	}
	return p, err
}

func (s *site) tokenPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p, err := s.tokenPageOf(r, me)
	return s.showPage(w, r, err, "settings_token", catalogue.Key("Access token"), p)
}

// makeToken makes another token, which is stored by its hash alone; the one before is void.
func (s *site) makeToken(w http.ResponseWriter, r *http.Request, me reader) error {
	if !s.limits.rounds.allow(me.key(), s.Now()) {
		return errTooMany
	}
	token := newSecret()
	if err := s.Store.SetReaderToken(r.Context(), me.ID, hashSecret(token), s.Now()); err != nil {
		return err
	}
	p, err := s.tokenPageOf(r, me)
	p.Token = token
	return s.showPage(w, r, err, "settings_token", catalogue.Key("Access token"), p)
}

func (s *site) removeToken(w http.ResponseWriter, r *http.Request, me reader) error {
	return showSaved(w, r, s.Store.SetReaderToken(r.Context(), me.ID, nil, s.Now()), "/settings/token", "removed")
}
