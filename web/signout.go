package web

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"digest/internal/catalogue"
	"digest/store"
)

// A signOutPage shows what ends when a reader signs out everywhere.
type signOutPage struct {
	settingsFrame
	Sessions int
	Keys     []store.Passkey // passkeys, each of which could sign in again
}

// Date returns the day of t in the reader's time zone.
func (p signOutPage) Date(t time.Time) catalogue.Moment {
	return catalogue.Time("2 January 2006", t.In(p.zone()))
}

// Browsers returns the number of signed-in browsers in words.
func (p signOutPage) Browsers() catalogue.Sayable {
	return catalogue.Key("You’re signed in on %d browsers, including this one.").With(p.Sessions)
}

func (s *site) signOutPage(w http.ResponseWriter, r *http.Request, me reader) error {
	p := signOutPage{settingsFrame: s.frame(r, me)}
	v, err := s.Store.SignInsView(r.Context(), me.ID, s.Now())
	p.Sessions, p.Keys = len(v.Sessions), v.Passkeys
	return s.showPage(w, r, err, "signout", catalogue.Key("Sign out everywhere"), p)
}

// signOutEverywhere ends all sessions of the reader, including this one, and removes the chosen passkeys.
func (s *site) signOutEverywhere(w http.ResponseWriter, r *http.Request, me reader) error {
	keys, err := s.Store.Passkeys(r.Context(), me.ID)
	if err != nil {
		return err
	}
	var chosen []int64
	for _, k := range keys {
		if slices.Contains(r.PostForm["passkey"], strconv.FormatInt(k.ID, 10)) {
			chosen = append(chosen, k.ID)
		}
	}
	removed, err := s.Store.EndSessions(r.Context(), me.ID, chosen...)
	if err != nil {
		return err
	}
	if removed > 0 {
		s.tellOfPasskeys(r.Context(), me.User, passkeyRemovedLetter(s.language(r), s.BaseURL))
	}
	s.leaveBrowser(w)
	return seeOther(w, r, "/sign-in?out=everywhere")
}
