package web

import (
	"context"
	"net/http"
	"strings"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
	"digest/store"
)

// What is wrong with an address that was typed, in words for whoever typed it.
const (
	wrongEmail   = catalogue.Key("That isn’t an email address. Enter one like reader@example.org.")
	wrongTooMany = catalogue.Key(
		"There were too many requests from your network, so we sent nothing. Try again in an hour.")
	wrongFull = catalogue.Key(
		"Too many people requested emails in the last hour, so we sent nothing. Try again in an hour.")
)

// A letterRequest is the address to which somebody wants a letter.
type letterRequest struct {
	Email  string        // as it was typed
	Wrong  catalogue.Key // why no letter is sent; empty: nothing is said of it
	kind   allowance.Kind
	to     string // the address as it is mailed
	letter store.Letter
}

// A letterAsker is who asks for a letter: a network, a browser or a reader.
type letterAsker struct {
	kind   allowance.Kind
	name   string
	shares []share // what it costs whom; none: it is not bounded here
	rate   *limiter

	invited bool // no crowd keeps them out
}

// requestLetter reads the address in a form and asks whether it may be mailed.
// Neither what is said nor how long it takes depends on who has an account.
func (s *site) requestLetter(r *http.Request, asks func(*http.Request, string) letterAsker) (q letterRequest,
	status int, err error) {
	q.Email = r.PostForm.Get("email")
	if q.to, err = mailbox(q.Email); err != nil {
		q.Wrong = wrongEmail
		return q, http.StatusUnprocessableEntity, nil
	}
	a, now := asks(r, q.to), s.Now()
	q.kind = a.kind
	if a.rate != nil && !a.rate.allowAll(a.shares, now) {
		q.Wrong = wrongTooMany
		return q, http.StatusTooManyRequests, nil
	}
	letter, answer, err := s.Store.RequestLetter(r.Context(), store.LetterRequest{
		Kind: a.kind, Email: q.to, Asker: s.Signer.SignText(digest.ForAsker, a.name),
		Life: usualLife(a.kind), Invited: a.invited,
	}, now)
	s.noteCrowd(r.Context(), a.kind, answer, q.to, now)
	if a.kind == allowance.SignIn { // another answer would reveal which addresses have an account
		q.letter = letter
		return q, http.StatusOK, err
	}
	switch answer {
	case store.LetterDomainLimited, store.LetterInstanceLimited:
		q.Wrong = wrongFull
	case store.LetterAskerLimited:
		q.Wrong = wrongTooMany
	default:
		q.letter = letter
		return q, http.StatusOK, err
	}
	return q, http.StatusTooManyRequests, nil
}

// usualLife is for how long the link in a letter works at least.
func usualLife(kind allowance.Kind) time.Duration {
	if kind == allowance.SignIn || kind == allowance.KnownSignIn {
		return mailedTTL
	}
	return signUpTTL
}

// asksToSignIn is a browser that was signed in with the address before, or a
// network: what strangers ask for takes nothing from such a browser.
func (s *site) asksToSignIn(r *http.Request, email string) letterAsker {
	if browser, known := s.knownBrowser(r, email); known {
		return letterAsker{kind: allowance.KnownSignIn, name: browser, rate: s.limits.signIns,
			shares: []share{{browser, 1}}}
	}
	return letterAsker{kind: allowance.SignIn, name: s.clientNetwork(r), rate: s.limits.signIns,
		shares: s.clientShares(r)}
}

// asksToSignUp is a network. One network is stopped before it stops the others.
func (s *site) asksToSignUp(r *http.Request, _ string) letterAsker {
	return letterAsker{kind: allowance.SignUp, name: s.clientNetwork(r), rate: s.limits.signUps,
		shares: s.clientShares(r)}
}

// asksInvited is a newcomer with an invitation, whom no crowd keeps out.
func (s *site) asksInvited(r *http.Request, email string) letterAsker {
	a := s.asksToSignUp(r, email)
	a.invited = true
	return a
}

// mails reports whether letters can be sent at all.
func (s *site) mails() bool { return s.Outbox != nil }

// mailbox gives the form of a bare address that is mailed and stored.
func mailbox(typed string) (string, error) {
	address, err := mailer.Recipient(strings.TrimSpace(typed))
	return digest.NormalEmail(address), err
}

// writeLetter gives an address and the words for it; without an address there
// is nothing to write. A link in it is to work for life.
type writeLetter func(ctx context.Context, life time.Duration) (to string, words render.LetterContent, err error)

// sendLetter has a letter written and sent, unless the address has to wait.
func (s *site) sendLetter(q letterRequest, write writeLetter) {
	if q.letter.ID != 0 {
		s.Outbox.Add(s.letter(q, write))
	}
}

// letter is a letter to be sent; the store learns what became of it.
func (s *site) letter(q letterRequest, write writeLetter) mailer.LetterRequest {
	return mailer.LetterRequest{
		Newcomer: q.kind == allowance.SignUp || q.kind.IsJoin(),
		Write: func(ctx context.Context) (mailer.Letter, error) {
			to, words, err := write(ctx, q.letter.Life)
			if err != nil || to == "" {
				return mailer.Letter{}, err
			}
			words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, s.BaseURL+"/", s.PostalAddress
			return mailer.Letter{To: to, Subject: words.Title, Language: catalogue.Of(words.Language).Code,
				HTML: words.HTML(), Text: words.PlainText()}, nil
		},
		Sent: func(ctx context.Context) error { return s.Store.LetterSent(ctx, q.letter.ID, s.Now()) },
		Lost: func(ctx context.Context) error { return s.Store.LetterUnsent(ctx, q.letter.ID) },
	}
}
