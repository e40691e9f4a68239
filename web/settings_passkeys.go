package web

import (
	"context"
	"net/http"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

type passkeysPage struct {
	settingsFrame
	Can  bool // this address supports passkeys
	Keys []store.Passkey
}

// Date returns the day of t in the reader's time zone.
func (p passkeysPage) Date(t time.Time) catalogue.Moment {
	return catalogue.Time("2 January 2006", t.In(p.zone()))
}

func (s *site) passkeysPage(w http.ResponseWriter, r *http.Request, me reader) error {
	keys, err := s.Store.Passkeys(r.Context(), me.ID)
	p := passkeysPage{settingsFrame: s.frame(r, me, "added", "removed"), Can: s.relying != nil, Keys: keys}
	return s.showPage(w, r, err, "settings_passkeys", catalogue.Key("Passkeys"), p)
}

func (s *site) removePasskey(w http.ResponseWriter, r *http.Request, me reader) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	err = s.Store.RemovePasskey(r.Context(), me.ID, id, s.sessionHash(r))
	if err == nil {
		s.tellOfPasskeys(r.Context(), me.User, passkeyRemovedLetter(s.language(r), s.BaseURL))
	}
	return showSaved(w, r, err, "/settings/passkeys", "removed")
}

// tellOfPasskeys emails a reader that their passkeys have changed. It only logs errors, because the change is done.
func (s *site) tellOfPasskeys(ctx context.Context, u digest.User, words render.LetterContent) {
	if !s.mails() {
		return
	}
	letter, _, err := s.Store.RequestLetter(ctx, store.LetterRequest{Kind: allowance.Passkeys, Email: u.Email}, s.Now())
	if err != nil {
		s.Log.ErrorContext(ctx, "cannot email a reader about a changed passkey", "err", err)
	}
	s.sendLetter(letterRequest{kind: allowance.Passkeys, letter: letter},
		func(context.Context, time.Duration) (string, render.LetterContent, error) {
			return u.Email, words, nil
		})
}
