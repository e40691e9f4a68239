package web

import (
	"net/http"
	"time"

	"digest/internal/catalogue"
	"digest/web/page"
)

type tokenPage struct {
	*page.Visit
	Made    time.Time // in the reader's time zone; zero: there is no token
	Token   string    // the new token; it is shown only once
	Address string    // example address for requests with the token
}

// tokenPage shows the token. A POST creates one, which replaces the former one. The database stores only its hash.
func (s *site) tokenPage(v *page.Visit) (err error) {
	p := tokenPage{Visit: v, Address: s.BaseURL + "/links?url="}
	if v.Posted() {
		if !s.Limits.Rounds.Allow(v.Key(), v.Now) {
			return page.ErrTooMany
		}
		p.Token, v.Status = page.NewSecret(), http.StatusOK
		err = s.Store.Readers.SetReaderToken(v.Ctx, v.ID, page.HashSecret(p.Token), v.Now)
	}
	if err == nil {
		p.Made, err = s.Store.Readers.ReaderTokenAt(v.Ctx, v.ID)
	}
	if !p.Made.IsZero() {
		p.Made = p.Made.In(v.Zone())
	}
	return v.Show(err, "settings_token", catalogue.Key("Access token"), p)
}

func (s *site) removeToken(v *page.Visit) error {
	return v.SeeSaved(s.Store.Readers.SetReaderToken(v.Ctx, v.ID, nil, v.Now), "/settings/token", "removed")
}
