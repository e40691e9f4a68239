package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
)

const (
	// SignInTTL is how long a sign-in link works, if it is not used before.
	SignInTTL = 24 * time.Hour

	mailedTTL = time.Hour // the same of one that was mailed; more where letters have to wait
)

// SignInLink makes a link that lets one user in, once, within SignInTTL of
// now. Only the hash of its token is stored.
func SignInLink(ctx context.Context, s *store.Store, baseURL string, user digest.UserID, now time.Time) (string,
	error) {
	token := newSecret()
	if err := s.AddSignIn(ctx, hashSecret(token), user, now, now.Add(SignInTTL)); err != nil {
		return "", fmt.Errorf("storing the sign-in token: %w", err)
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-in?token=" + token, nil
}

// A signInPage asks for an address, or shows the button behind a link.
type signInPage struct {
	letterRequest
	Token string
	For   string // whose link it is
	Sent  bool   // a letter was asked for
	Out   bool   // every session has ended
	Mails bool   // letters can be sent
	Keys  bool   // passkeys can be used
	landingPage

	Unsent    bool // the browser holds a form that is filled in again
	Lost      bool // a form was posted that could not be held
	Elsewhere bool // the browser that asked for the link holds a form, and this one does not
}

func (s *site) showSignIn(w http.ResponseWriter, r *http.Request, status int, p signInPage) error {
	p.Mails, p.Keys, p.landingPage = s.mails(), s.relying != nil, s.landing()
	if u, ok := s.heldForm(r); ok {
		p.Unsent, p.Lost = u.Fields != nil, u.Fields == nil
	}
	p.Elsewhere = p.Token != "" && r.URL.Query().Has(unsentWord) && !p.Unsent && !p.Lost
	return s.show(w, r, status, "signin", catalogue.Key("Sign in"), p)
}

// signInPage shows a form, or the button of a link. Opening the link does
// nothing yet: mail scanners and link previews open links too. It says whose it
// is, so that nobody is signed in as somebody else unawares.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	p := signInPage{Token: query.Get("token")}
	if p.Token == "" {
		p.Sent, p.Out = query.Get("sent") == "1", query.Get("out") == "everywhere"
		return s.showSignIn(w, r, http.StatusOK, p)
	}
	u, err := s.Store.SignIn(r.Context(), hashSecret(p.Token), s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return s.operatorLinkPage(w, r, p.Token)
	}
	p.For = u.Email
	return orShow(err, func() error { return s.showSignIn(w, r, http.StatusOK, p) })
}

// signIn uses up the token and starts a session.
func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	token, err := linkToken(r.PostForm)
	if err != nil {
		return err
	}
	user, err := s.Store.UseSignIn(r.Context(), hashSecret(token), s.Now())
	if err != nil {
		return orSpent(err, errSpentLink)
	}
	return s.enterByLink(w, r, user)
}

// requestSignIn has a link mailed to an address, if it has an account. What is
// answered is the same if it has none.
func (s *site) requestSignIn(w http.ResponseWriter, r *http.Request) error {
	if !s.mails() {
		return errNotFound
	}
	q, status, err := s.requestLetter(r, s.asksToSignIn)
	if err != nil {
		return err
	}
	if q.Wrong != "" {
		return s.showSignIn(w, r, status, signInPage{letterRequest: q})
	}
	_, unsent := s.heldForm(r)
	s.sendLetter(q, s.writeSignInTo(s.language(r), q.to, unsent))
	return seeOther(w, r, "/sign-in?sent=1")
}

// writeSignInTo writes to whoever has an account at an address, in the language in which it was asked for unless they
// have one of their own; unsent: the browser that asked holds a form.
func (s *site) writeSignInTo(asked *catalogue.Language, email string, unsent bool) writeLetter {
	return func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		u, err := s.Store.UserByEmail(ctx, email)
		if digest.KindOf(err) == digest.NotFound {
			return "", render.LetterContent{}, nil
		}
		if err != nil {
			return "", render.LetterContent{}, err
		}
		to, words, err := s.writeSignIn(ctx, letterLanguage(u, asked), u, life)
		if unsent && words.URL != "" {
			words.URL += "&" + unsentWord + "=1"
		}
		return to, words, err
	}
}

// writeSignIn writes a link that lets a user in, for as long as it works.
func (s *site) writeSignIn(ctx context.Context, l *catalogue.Language, u digest.User, life time.Duration) (string,
	render.LetterContent, error) {
	token, now := newSecret(), s.Now()
	err := s.Store.AddSignIn(ctx, hashSecret(token), u.ID, now, now.Add(life))
	return u.Email, signInLetter(l, s.BaseURL, token, life), err
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	u, err := s.signedIn(r)
	if err != nil {
		return err
	}
	if err := s.endSession(r); err != nil {
		return err
	}
	s.leaveBrowser(w)
	if u.ID != 0 {
		s.knowBrowser(w, u.Email, s.isShared(r)) // their address may be another one by now
	}
	return seeOther(w, r, "/")
}
