package web

import (
	"context"
	"net/http"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"digest/store"
	"digest/web/page"
)

const signUpTTL = 24 * time.Hour

type signUpPage struct {
	page.Newcomer
	Sent    bool          // an email was requested
	Refusal catalogue.Key // why nobody can sign up this way; empty: they can
}

const (
	closedWords  = catalogue.Key("Sign-up is closed. The operator of this site can add you.")
	invitedWords = catalogue.Key(
		"You need an invitation to sign up. Open your invitation link, or ask the operator of this site for one.")
	spentWords = catalogue.Key(
		"This invitation was already used or cancelled, or it has expired. Ask for a new one.")
	unmailedWords = catalogue.Key("This site can’t send email yet, so nobody can sign up. The operator can add you.")
)

// mayTry returns the invitation of a token, or why a visitor with that token may not sign up.
func (s *site) mayTry(ctx context.Context, token string) (invitation int64, refusal catalogue.Key, err error) {
	switch {
	case !s.Mails():
		return 0, unmailedWords, nil
	case s.SignUp == page.SignUpOpen && token == "":
		return 0, "", nil
	case s.SignUp != page.SignUpOpen && s.SignUp != page.SignUpInvitation:
		return 0, closedWords, nil
	case token == "":
		return 0, invitedWords, nil
	}
	i, err := s.Store.Sessions.Invitation(ctx, page.HashSecret(token), s.Now())
	switch {
	case digest.KindOf(err) != digest.NotFound:
		return i.ID, "", err
	case s.SignUp == page.SignUpOpen:
		return 0, "", nil // none needed
	}
	return 0, spentWords, nil
}

func (s *site) signUpPage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	p := signUpPage{Sent: query.Get("sent") == "1"}
	p.Newcomer = page.Newcomer{Action: "/sign-up", TokenField: "invitation", Token: query.Get("invitation")}
	if p.Sent {
		return s.Show(w, r, http.StatusOK, "signup", catalogue.Key("Check your email"), p)
	}
	var err error
	if _, p.Refusal, err = s.mayTry(r.Context(), p.Token); err != nil {
		return err
	}
	return s.showSignUp(w, r, http.StatusOK, p)
}

func (s *site) showSignUp(w http.ResponseWriter, r *http.Request, status int, p signUpPage) error {
	if p.Refusal != "" {
		status = http.StatusForbidden
	}
	return s.Show(w, r, status, "signup", catalogue.Key("Sign up"), p)
}

// requestSignUp emails a link that confirms the address. The response does not reveal whether the address has an
// account: an account gets a sign-in link instead.
func (s *site) requestSignUp(w http.ResponseWriter, r *http.Request) error {
	p := signUpPage{Newcomer: page.ReadNewcomer(r.PostForm, "/sign-up", "invitation")}
	invitation, refusal, err := s.mayTry(r.Context(), p.Token)
	if p.Refusal = refusal; err != nil || refusal != "" {
		if err != nil {
			return err
		}
		return s.showSignUp(w, r, http.StatusForbidden, p)
	}
	zone, ok := p.ReadZone()
	if !ok {
		if _, err := page.Mailbox(p.Email); err != nil {
			p.Wrong = page.WrongEmail
		}
		return s.showSignUp(w, r, http.StatusUnprocessableEntity, p)
	}
	asks := s.asksToSignUp
	if invitation != 0 {
		asks = s.asksInvited
	}
	q, status, err := s.requestLetter(r, asks)
	if p.LetterRequest = q; err != nil || q.Wrong != "" {
		if err != nil {
			return err
		}
		return s.showSignUp(w, r, status, p)
	}
	s.SendLetter(q, s.writeSignUp(store.SignUp{Email: q.To, TimeZone: zone, Invitation: invitation,
		Language: s.Language(r).Code}))
	return page.SeeOther(w, r, "/sign-up?sent=1")
}

// writeSignUp writes an email with a link that confirms the address, or with a sign-in link if it has an account.
func (s *site) writeSignUp(up store.SignUp) page.WriteLetter {
	return func(ctx context.Context, life time.Duration) (string, render.LetterContent, error) {
		u, err := s.Store.Readers.UserByEmail(ctx, up.Email)
		if err == nil {
			return s.writeSignIn(ctx, letterLanguage(u, catalogue.Of(up.Language)), u, page.MailedTTL)
		}
		if digest.KindOf(err) != digest.NotFound {
			return "", render.LetterContent{}, err
		}
		token, now := page.NewSecret(), s.Now()
		err = s.Store.Sessions.AddSignUp(ctx, page.HashSecret(token), up, now, now.Add(life))
		return up.Email, signUpLetter(catalogue.Of(up.Language), s.BaseURL, token), err
	}
}

// A confirmSignUpPage shows the button behind a sign-up link.
type confirmSignUpPage struct {
	Token string
	store.SignUp
}

// confirmSignUpPage changes nothing, because link scanners open every link in an email.
func (s *site) confirmSignUpPage(w http.ResponseWriter, r *http.Request) error {
	p := confirmSignUpPage{Token: r.URL.Query().Get("token")}
	var err error
	p.SignUp, err = s.Store.Sessions.SignUp(r.Context(), page.HashSecret(p.Token), s.Now())
	return s.ShowPage(w, r, page.OrSpent(err, page.ErrSpentSignUp), "signup_confirm", catalogue.Key("Create account"),
		p)
}

func (s *site) confirmSignUp(w http.ResponseWriter, r *http.Request) error {
	if s.SignUp != page.SignUpOpen && s.SignUp != page.SignUpInvitation {
		return page.ErrSignUpClosed
	}
	token, err := page.LinkToken(r.PostForm)
	if err != nil {
		return err
	}
	u, err := s.Store.Sessions.ConfirmSignUp(r.Context(), page.HashSecret(token), s.SignUp == page.SignUpInvitation,
		s.Now())
	if digest.KindOf(err) == digest.Conflict {
		return page.ErrSpentInvitation
	}
	if err != nil {
		return page.OrSpent(err, page.ErrSpentSignUp)
	}
	return s.EnterByLink(w, r, u.ID)
}
