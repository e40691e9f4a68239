package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/render"
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

// A signInPage asks for an address, or shows the button behind a link.
type signInPage struct {
	enquiry
	Token   string
	For     string // whose link it is
	Sent    bool   // a letter was asked for
	Out     bool   // every session has ended
	Mails   bool   // letters can be sent
	Keys    bool   // passkeys can be used
	SignUp  bool   // strangers can sign up
	Invited bool   // if they have an invitation
}

func (s *site) signInView() signInPage {
	return signInPage{Mails: s.mails(), Keys: s.relying != nil, SignUp: s.SignUp == SignUpOpen, Invited: s.SignUp == SignUpInvitation}
}

// signInPage shows a form, or the button of a link. Opening the link does
// nothing yet: mail scanners and link previews open links too. It says whose it
// is, so that nobody is signed in as somebody else unawares.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
	p, query := s.signInView(), r.URL.Query()
	if p.Token = query.Get("token"); p.Token == "" {
		p.Sent, p.Out = query.Get("sent") == "1", query.Get("out") == "everywhere"
		return s.show(w, r, http.StatusOK, "signin", "Sign in", p)
	}
	u, err := s.Store.SignIn(r.Context(), hashSecret(p.Token), s.Now())
	if err == nil {
		p.For = u.Email
		return s.show(w, r, http.StatusOK, "signin", "Sign in", p)
	}
	if digest.KindOf(err) != digest.NotFound {
		return err
	}
	owner, err := s.Store.OperatorLink(r.Context(), hashSecret(p.Token), s.Now())
	if err != nil {
		return err
	}
	if owner {
		return s.showOperatorLink(w, r, p.Token)
	}
	return errSpentLink
}

// signIn uses up the token and starts a session.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	user, err := s.Store.UseSignIn(r.Context(), hashSecret(form.Get("token")), s.Now())
	if err != nil {
		return orSpent(err, errSpentLink)
	}
	return s.enterAt(w, r, user, "/")
}

// requestSignIn has a link mailed to an address, if it has an account. What is
// answered is the same if it has none.
func (s *site) requestSignIn(w http.ResponseWriter, r *http.Request) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	if !s.mails() {
		return errNotFound
	}
	q, status, err := s.enquire(r, letterSignIn, form)
	if err != nil {
		return err
	}
	if q.Wrong != "" {
		p := s.signInView()
		p.enquiry = q
		return s.show(w, r, status, "signin", "Sign in", p)
	}
	if q.request != 0 {
		s.Outbox.Add(s.letter(q.request, s.writeSignInTo(q.key)))
	}
	http.Redirect(w, r, "/sign-in?sent=1", http.StatusSeeOther)
	return nil
}

// writeSignInTo writes to whoever has an account at an address.
func (s *site) writeSignInTo(email string) writeLetter {
	return func(ctx context.Context) (string, render.Letter, error) {
		u, err := s.Store.UserByEmail(ctx, email)
		if digest.KindOf(err) == digest.NotFound {
			return "", render.Letter{}, nil
		}
		if err != nil {
			return "", render.Letter{}, err
		}
		l, err := s.writeSignIn(ctx, u)
		return u.Email, l, err
	}
}

// mailedTTL is how long a sign-in link works that was mailed.
const mailedTTL = time.Hour

func (s *site) writeSignIn(ctx context.Context, u digest.User) (render.Letter, error) {
	token, now := newSecret(), s.Now()
	err := s.Store.AddSignIn(ctx, hashSecret(token), u.ID, now, now.Add(mailedTTL))
	return signInLetter(s.BaseURL, token), err
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
