package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/mailer"
	"digest/render"
	"digest/store"
)

// What is wrong with an address that was typed, in words for whoever typed it.
const (
	wrongEmail   = "That is no address that mail can be sent to. One looks like reader@example.org."
	wrongTooMany = "Many letters were asked for from your network within the hour. Nothing was sent; try again in an hour."
	wrongCrowded = "Many letters went to addresses of that domain within the hour. Nothing was sent; try again in an hour."
)

// A letterRequest is the address to which somebody wants a letter.
type letterRequest struct {
	Email string // as it was typed
	Wrong string // why no letter is sent; empty: nothing is said of it
	to    string // the address as it is mailed
	id    int64  // the store's; 0: the address has had its letters
}

// requestLetter reads the address in a form and asks whether it may be mailed.
// Neither what is said nor how long it takes depends on who has an account.
func (s *site) requestLetter(r *http.Request, kind string) (q letterRequest, status int, err error) {
	q.Email = r.PostForm.Get("email")
	if q.to, err = mailbox(q.Email); err != nil {
		q.Wrong = wrongEmail
		return q, http.StatusUnprocessableEntity, nil
	}
	now := s.Now()
	if !s.limits.letters.allow(s.clientKey(r), now) {
		q.Wrong = wrongTooMany
		return q, http.StatusTooManyRequests, nil
	}
	id, answer, err := s.Store.RequestLetter(r.Context(), letterLimits(kind, q.to), now)
	if answer == store.LetterDomainLimited {
		q.Wrong = wrongCrowded
		return q, http.StatusTooManyRequests, nil
	}
	q.id = id
	return q, http.StatusOK, err
}

// mails reports whether letters can be sent at all.
func (s *site) mails() bool { return s.Outbox != nil }

// mailbox gives the form of a bare address that is mailed and stored.
func mailbox(typed string) (string, error) {
	address, err := mailer.Recipient(strings.TrimSpace(typed))
	return digest.NormalEmail(address), err
}

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
type writeLetter func(ctx context.Context) (to string, words render.LetterContent, err error)

// sendLetter has a letter written and sent, unless the address has had its letters.
func (s *site) sendLetter(q letterRequest, write writeLetter) {
	if q.id != 0 {
		s.Outbox.Add(s.letter(q, write))
	}
}

// letter is a letter to be sent; the store learns what became of it.
func (s *site) letter(q letterRequest, write writeLetter) mailer.LetterRequest {
	return mailer.LetterRequest{
		Write: func(ctx context.Context) (mailer.Letter, error) {
			to, words, err := write(ctx)
			if err != nil || to == "" {
				return mailer.Letter{}, err
			}
			words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, s.BaseURL+"/", s.PostalAddress
			return mailer.Letter{To: to, Subject: words.Title, HTML: words.HTML(), Text: words.PlainText()}, nil
		},
		Sent: func(ctx context.Context) error { return s.Store.LetterSent(ctx, q.id, s.Now()) },
		Lost: func(ctx context.Context) error { return s.Store.LetterUnsent(ctx, q.id) },
	}
}
