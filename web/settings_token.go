package web

import (
	"net/http"
	"time"

	"digest/internal/catalogue"
)

type tokenPage struct {
	settingsFrame
	Made    time.Time // in the reader's time zone; zero: there is no token
	Token   string    // the new token; it is shown only once
	Address string    // example address for requests with the token
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

// makeToken creates a token, which replaces the former one. The database stores only its hash.
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
