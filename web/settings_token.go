package web

import (
	"net/http"
	"time"

	"digest/internal/catalogue"
)

type tokenPage struct {
	*visit
	Made    time.Time // in the reader's time zone; zero: there is no token
	Token   string    // the new token; it is shown only once
	Address string    // example address for requests with the token
}

// tokenPage shows the token. A POST creates one, which replaces the former one. The database stores only its hash.
func (s *site) tokenPage(v *visit) (err error) {
	p := tokenPage{visit: v, Address: s.BaseURL + "/links?url="}
	if v.posted() {
		if !s.limits.rounds.allow(v.key(), v.now) {
			return errTooMany
		}
		p.Token, v.status = newSecret(), http.StatusOK
		err = s.Store.Readers.SetReaderToken(v.ctx, v.ID, hashSecret(p.Token), v.now)
	}
	if err == nil {
		p.Made, err = s.Store.Readers.ReaderTokenAt(v.ctx, v.ID)
	}
	if !p.Made.IsZero() {
		p.Made = p.Made.In(v.zone())
	}
	return v.show(err, "settings_token", catalogue.Key("Access token"), p)
}

func (s *site) removeToken(v *visit) error {
	return v.saved(s.Store.Readers.SetReaderToken(v.ctx, v.ID, nil, v.now), "/settings/token", "removed")
}
