package web

import (
	"context"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

type passkeysPage struct {
	*visit
	Can  bool // this address supports passkeys
	Keys []store.Passkey
}

// Date returns the day of t in the reader's time zone.
func (v *visit) Date(t time.Time) catalogue.Moment {
	return catalogue.Time("2 January 2006", t.In(v.zone()))
}

func (s *site) passkeysPage(v *visit) error {
	keys, err := s.Store.Sessions.Passkeys(v.ctx, v.ID)
	p := passkeysPage{visit: v, Can: s.relying != nil, Keys: keys}
	return v.show(err, "settings_passkeys", catalogue.Key("Passkeys"), p)
}

func (s *site) removePasskey(v *visit) error {
	err := s.Store.Sessions.RemovePasskey(v.ctx, v.ID, v.pathID, s.sessionHash(v.Request))
	if err == nil {
		s.tellOfPasskeys(v.ctx, v.User, passkeyRemovedLetter(v.language(), s.BaseURL))
	}
	return v.saved(err, "/settings/passkeys", "removed")
}

// tellOfPasskeys emails a reader that their passkeys have changed. It only logs errors, because the change is done.
func (s *site) tellOfPasskeys(ctx context.Context, u digest.User, words render.LetterContent) {
	if !s.mails() {
		return
	}
	letter, _, err := s.Store.Editions.RequestLetter(ctx, store.LetterRequest{Kind: allowance.Passkeys, Email: u.Email},
		s.Now())
	if err != nil {
		s.Log.ErrorContext(ctx, "cannot email a reader about a changed passkey", "err", err)
	}
	s.sendLetter(letterRequest{kind: allowance.Passkeys, letter: letter},
		func(context.Context, time.Duration) (string, render.LetterContent, error) {
			return u.Email, words, nil
		})
}
