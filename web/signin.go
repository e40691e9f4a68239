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
	"digest/web/page"
)

// SignInLink creates a link that signs in a user once, within SignInTTL of now. The database stores only the hash of
// its token.
func SignInLink(ctx context.Context, s *store.Store, baseURL string, user digest.UserID, now time.Time) (string,
	error) {
	token := page.NewSecret()
	if err := s.Sessions.AddSignIn(ctx, page.HashSecret(token), user, now, now.Add(page.SignInTTL)); err != nil {
		return "", fmt.Errorf("storing the sign-in token: %w", err)
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-in?token=" + token, nil
}

// A signInPage asks for an email address, or shows the button behind a sign-in link.
type signInPage struct {
	page.LetterRequest
	Token string
	For   string // the address to which the link belongs
	Sent  bool   // an email was requested
	Out   bool   // the reader signed out everywhere
	Mails bool   // this instance can send email
	Keys  bool   // this address supports passkeys
	landingPage
}

func (s *site) showSignIn(w http.ResponseWriter, r *http.Request, status int, p signInPage) error {
	p.Mails, p.Keys, p.landingPage = s.Mails(), s.relying != nil, s.landing()
	return s.Show(w, r, status, "signin", catalogue.Key("Sign in"), p)
}

// signInPage shows the sign-in form, or the button behind a link. Opening a link does not sign in, because mail
// scanners and link previews open links too. The page names the account, so that nobody signs in to a wrong one
// unawares.
func (s *site) signInPage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	p := signInPage{Token: query.Get("token")}
	if p.Token == "" {
		p.Sent, p.Out = query.Get("sent") == "1", query.Get("out") == "everywhere"
		return s.showSignIn(w, r, http.StatusOK, p)
	}
	u, err := s.Store.Sessions.SignIn(r.Context(), page.HashSecret(p.Token), s.Now())
	if digest.KindOf(err) == digest.NotFound {
		return s.operatorLinkPage(w, r, p.Token)
	}
	p.For = u.Email
	if err != nil {
		return err
	}
	return s.showSignIn(w, r, http.StatusOK, p)
}

func (s *site) signIn(w http.ResponseWriter, r *http.Request) error {
	token, err := page.LinkToken(r.PostForm)
	if err != nil {
		return err
	}
	user, err := s.Store.Sessions.UseSignIn(r.Context(), page.HashSecret(token), s.Now())
	if err != nil {
		return page.OrSpent(err, page.ErrSpentLink)
	}
	return s.EnterByLink(w, r, user)
}

// requestSignIn emails a sign-in link to an address that has an account. The response is the same for other
// addresses.
func (s *site) requestSignIn(w http.ResponseWriter, r *http.Request) error {
	if !s.Mails() {
		return page.ErrNotFound
	}
	q, status, err := s.requestLetter(r, s.asksToSignIn)
	if err != nil {
		return err
	}
	if q.Wrong != "" {
		return s.showSignIn(w, r, status, signInPage{LetterRequest: q})
	}
	s.SendLetter(q, s.writeSignInTo(s.Language(r), q.To))
	return page.SeeOther(w, r, "/sign-in?sent=1")
}

// writeSignInTo writes the sign-in email for an address. Its language is the one of the account, or asked if the
// account has none.
func (s *site) writeSignInTo(asked *catalogue.Language, email string) page.WriteLetter {
	return func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		u, err := s.Store.Readers.UserByEmail(ctx, email)
		if digest.KindOf(err) == digest.NotFound {
			return "", render.LetterContent{}, nil
		}
		if err != nil {
			return "", render.LetterContent{}, err
		}
		return s.writeSignIn(ctx, letterLanguage(u, asked), u, life)
	}
}

// writeSignIn writes an email with a link that signs in u. The link expires after life.
func (s *site) writeSignIn(ctx context.Context, l *catalogue.Language, u digest.User, life time.Duration) (string,
	render.LetterContent, error) {
	token, now := page.NewSecret(), s.Now()
	err := s.Store.Sessions.AddSignIn(ctx, page.HashSecret(token), u.ID, now, now.Add(life))
	return u.Email, signInLetter(l, s.BaseURL, token, life), err
}

func (s *site) signOut(w http.ResponseWriter, r *http.Request) error {
	u, err := s.SignedIn(r)
	if err != nil {
		return err
	}
	if err := s.EndSession(r); err != nil {
		return err
	}
	s.LeaveBrowser(w)
	if u.ID != 0 {
		s.KnowBrowser(w, u.Email) // the address may have changed since the sign-in
	}
	return page.SeeOther(w, r, "/")
}
