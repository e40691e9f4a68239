package web

import (
	"slices"
	"strconv"

	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// A signOutPage shows what ends when a reader signs out everywhere.
type signOutPage struct {
	*page.Visit
	Sessions int
	Keys     []store.Passkey // passkeys, each of which could sign in again
}

// Browsers returns the number of signed-in browsers in words.
func (p signOutPage) Browsers() catalogue.Sayable {
	return catalogue.Key("You’re signed in on %d browsers, including this one.").With(p.Sessions)
}

func (s *site) signOutPage(v *page.Visit) error {
	in, err := s.Store.Subscriptions.SignInsView(v.Ctx, v.ID, v.Now)
	p := signOutPage{v, len(in.Sessions), in.Passkeys}
	return v.Show(err, "signout", catalogue.Key("Sign out everywhere"), p)
}

// signOutEverywhere ends all sessions of the reader, including this one, and removes the chosen passkeys.
func (s *site) signOutEverywhere(v *page.Visit) error {
	keys, err := s.Store.Sessions.Passkeys(v.Ctx, v.ID)
	if err != nil {
		return err
	}
	var chosen []int64
	for _, k := range keys {
		if slices.Contains(v.PostForm["passkey"], strconv.FormatInt(k.ID, 10)) {
			chosen = append(chosen, k.ID)
		}
	}
	removed, err := s.Store.Sessions.EndSessions(v.Ctx, v.ID, chosen...)
	if err != nil {
		return err
	}
	if removed > 0 {
		s.tellOfPasskeys(v.Ctx, v.User, passkeyRemovedLetter(v.PageLanguage(), s.BaseURL))
	}
	s.LeaveBrowser(v.W)
	return v.SeeOther("/sign-in?out=everywhere")
}
