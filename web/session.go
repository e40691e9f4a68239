package web

import (
	"net/http"
	"strings"
	"time"

	"digest"
)

// sessionTTL is how long a browser stays signed in.
const sessionTTL = 90 * 24 * time.Hour

func (s *site) isTLS() bool { return strings.HasPrefix(s.BaseURL, "https://") }

// cookieName is the session cookie's. With the __Host- prefix browsers take it
// only from this very host over https, so that no neighbour can plant one.
func (s *site) cookieName() string {
	if s.isTLS() {
		return "__Host-digest"
	}
	return "digest"
}

// signInPage shows a button. Opening the link does nothing yet: mail scanners
// and link previews open links too.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
	return s.show(w, r, http.StatusOK, "sign-in", "Sign in", r.URL.Query().Get("token"))
}

// signIn uses up the token and starts a session, always a new one whatever
// cookie the browser brought.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseForm(); err != nil {
		return badForm(err)
	}
	now := s.Now()
	user, err := s.Store.TakeSignIn(r.Context(), hashSecret(r.PostForm.Get("token")), now)
	if digest.KindOf(err) == digest.NotFound {
		return errSpentLink
	}
	if err != nil {
		return err
	}
	secret := newSecret()
	if err := s.Store.AddSession(r.Context(), hashSecret(secret), user, now, now.Add(sessionTTL)); err != nil {
		return err
	}
	if err := s.endSession(r); err != nil {
		return err
	}
	s.setCookie(w, secret, int(sessionTTL.Seconds()))
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	if err := s.endSession(r); err != nil {
		return err
	}
	s.setCookie(w, "", -1)
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// endSession forgets the session that the request came with, if any.
func (s *site) endSession(r *http.Request) error {
	c, err := r.Cookie(s.cookieName())
	if err != nil {
		return nil
	}
	return s.Store.EndSession(r.Context(), hashSecret(c.Value))
}

// setCookie sets the session cookie for maxAge seconds; below 0 removes it.
func (s *site) setCookie(w http.ResponseWriter, secret string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name:     s.cookieName(),
		Value:    secret,
		Path:     "/",
		MaxAge:   maxAge,
		HttpOnly: true,
		Secure:   s.isTLS(),
		SameSite: http.SameSiteLaxMode,
	})
}

// badForm says why a form could not be read.
func badForm(err error) error {
	if p := asProblem(err); p == errTooLarge {
		return p
	}
	return errBadForm
}
