package web

import (
	"context"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

type passkeysPage struct {
	*page.Visit
	Can  bool // this address supports passkeys
	Keys []store.Passkey
}

func (s *site) passkeysPage(v *page.Visit) error {
	keys, err := s.Store.Sessions.Passkeys(v.Ctx, v.ID)
	p := passkeysPage{Visit: v, Can: s.relying != nil, Keys: keys}
	return v.Show(err, "settings_passkeys", catalogue.Key("Passkeys"), p)
}

func (s *site) removePasskey(v *page.Visit) error {
	err := s.Store.Sessions.RemovePasskey(v.Ctx, v.ID, v.PathID, s.SessionHash(v.Request))
	if err == nil {
		s.tellOfPasskeys(v.Ctx, v.User, passkeyRemovedLetter(v.PageLanguage(), s.BaseURL))
	}
	return v.SeeSaved(err, "/settings/passkeys", "removed")
}

// tellOfPasskeys emails a reader that their passkeys have changed. It only logs errors, because the change is done.
func (s *site) tellOfPasskeys(ctx context.Context, u digest.User, words render.LetterContent) {
	if !s.Mails() {
		return
	}
	letter, _, err := s.Store.Editions.RequestLetter(ctx, store.LetterRequest{Kind: allowance.Passkeys, Email: u.Email},
		s.Now())
	if err != nil {
		s.Log.ErrorContext(ctx, "cannot email a reader about a changed passkey", "err", err)
	}
	s.SendLetter(page.LetterRequest{Kind: allowance.Passkeys, Letter: letter},
		func(context.Context, time.Duration) (string, render.LetterContent, error) {
			return u.Email, words, nil
		})
}
