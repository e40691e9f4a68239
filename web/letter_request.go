package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/mailer"
	"digest/render"
	"digest/store"
)

// SignUp says who may sign up.
type SignUp string

// The values of DIGEST_SIGN_UP. Any other is as closed.
const (
	SignUpOpen       SignUp = "open"
	SignUpInvitation SignUp = "invitation" // whoever has one
	SignUpClosed     SignUp = "closed"
)

// formEmail is the field of an address.
const formEmail = "email"

// What is wrong with an address that was typed, in words for whoever typed it.
const (
	wrongEmail   = "That is no address that mail can be sent to. One looks like reader@example.org."
	wrongTooMany = "Many letters were asked for from your network within the hour. Nothing was sent; try again in an hour."
	wrongCrowded = "Many letters went to addresses of that domain within the hour. Nothing was sent; try again in an hour."
)

// An enquiry is an address that somebody typed at the door.
type enquiry struct {
	Email   string // as it was typed
	Wrong   string // why no letter is sent; empty: nothing is said of it
	key     string // the address as it is mailed
	request int64  // the store's; 0: the address has had its letters
}

// enquire reads an address and asks whether it may be mailed. Neither what is
// said nor how long it takes depends on who has an account.
func (s *site) enquire(r *http.Request, kind string, form url.Values) (q enquiry, status int, err error) {
	q.Email = form.Get(formEmail)
	if q.key, err = s.Mailbox(strings.TrimSpace(q.Email)); err != nil {
		q.Wrong = wrongEmail
		return q, http.StatusUnprocessableEntity, nil
	}
	now := s.Now()
	if !s.limits.letters.take(client(r), now) {
		q.Wrong = wrongTooMany
		return q, http.StatusTooManyRequests, nil
	}
	id, answer, err := s.Store.RequestLetter(r.Context(), letterLimits(kind, q.key), now)
	if answer == store.LetterDomainLimited {
		q.Wrong = wrongCrowded
		return q, http.StatusTooManyRequests, nil
	}
	q.request = id
	return q, http.StatusOK, err
}

// mails reports whether letters can be sent at all.
func (s *site) mails() bool { return s.Outbox != nil && s.Mailbox != nil }

// Each kind of letter that can be asked for is counted for itself.
const (
	letterSignUp  = "sign-up"
	letterSignIn  = "sign-in"
	letterAddress = "address"
)

// letterLimits is what an address and its domain may be mailed.
func letterLimits(kind, email string) store.LetterRequest {
	k := store.LetterRequest{Kind: kind, Email: email, Daily: 1, Hourly: 50}
	if kind == letterSignIn {
		k.Daily, k.Apart = 5, 2*time.Minute
	}
	if isPublicProvider(email) {
		k.Hourly = 500
	}
	return k
}

// writeLetter gives an address and the words for it; without an address there
// is nothing to write.
type writeLetter func(ctx context.Context) (to string, words render.Letter, err error)

// letter is the request for a letter that the store counts as request.
func (s *site) letter(request int64, write writeLetter) mailer.LetterRequest {
	return mailer.LetterRequest{
		Write: func(ctx context.Context) (mailer.Letter, error) {
			to, words, err := write(ctx)
			if err != nil || to == "" {
				return mailer.Letter{}, err
			}
			words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, s.BaseURL+"/", s.PostalAddress
			return mailer.Letter{To: to, Subject: words.Title, HTML: words.HTML(), Text: words.PlainText()}, nil
		},
		Sent: func(ctx context.Context) error { return s.Store.LetterSent(ctx, request, s.Now()) },
		Lost: func(ctx context.Context) error { return s.Store.LetterUnsent(ctx, request) },
	}
}

// enter starts a session for a user, always a new one whatever cookie the
// browser brought, and leads to the first page. with is the passkey that it
// begins with, if any.
func (s *site) enter(w http.ResponseWriter, r *http.Request, user digest.UserID, with *store.Passkey) error {
	secret, now := newSecret(), s.Now()
	var err error
	if with != nil {
		err = s.Store.AddPasskeySession(r.Context(), hashSecret(secret), *with, now, now.Add(sessionTTL))
	} else {
		err = s.Store.AddSession(r.Context(), hashSecret(secret), user, now, now.Add(sessionTTL))
	}
	if err != nil {
		return err
	}
	if err := s.endSession(r); err != nil {
		return err
	}
	s.setCookie(w, secret, int(sessionTTL.Seconds()))
	return nil
}

// signOutEverywhere ends every session of the reader, this one too.
func (s *site) signOutEverywhere(w http.ResponseWriter, r *http.Request, me reader) error {
	if err := s.Store.EndSessions(r.Context(), me.ID); err != nil {
		return err
	}
	s.setCookie(w, "", -1)
	http.Redirect(w, r, "/sign-in?out=everywhere", http.StatusSeeOther)
	return nil
}
