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

const (
	wrongEmail   = catalogue.Key("That isn’t an email address. Enter one like reader@example.org.")
	wrongTooMany = catalogue.Key(
		"There were too many requests from your network, so we sent nothing. Try again in an hour.")
	wrongFull = catalogue.Key(
		"Too many people requested emails in the last hour, so we sent nothing. Try again in an hour.")
)

type letterRequest struct {
	Email  string        // as entered
	Wrong  catalogue.Key // error text for the form; "" if there is none
	kind   allowance.Kind
	to     string // normalized address
	letter store.Letter
}

// A letterAsker is the network, the browser or the reader that counts for the limits of a letter
// request.
type letterAsker struct {
	kind   allowance.Kind
	name   string
	shares []share // nil: no limit here
	rate   *limiter

	invited bool // not subject to the limits for all strangers together
}

// requestLetter parses the address in a form and checks the limits. Neither the response nor its
// duration reveals whether the address has an account.
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
	letter, answer, err := s.Store.Editions.RequestLetter(r.Context(), store.LetterRequest{
		Kind: a.kind, Email: q.to, Asker: s.Signer.SignText(digest.ForAsker, a.name),
		Life: usualLife(a.kind), Invited: a.invited,
	}, now)
	s.noteCrowd(r.Context(), a.kind, answer, q.to, now)
	if a.kind == allowance.SignIn { // another response would reveal which addresses have an account
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

// usualLife is the minimum lifetime of the link in an email.
func usualLife(kind allowance.Kind) time.Duration {
	if kind == allowance.SignIn || kind == allowance.KnownSignIn {
		return mailedTTL
	}
	return signUpTTL
}

// asksToSignIn returns the browser, if it was signed in with the address before, or the network.
// Requests of strangers do not use up the limit of such a browser.
func (s *site) asksToSignIn(r *http.Request, email string) letterAsker {
	if browser, known := s.knownBrowser(r, email); known {
		return letterAsker{kind: allowance.KnownSignIn, name: browser, rate: s.limits.signIns,
			shares: []share{{browser, 1}}}
	}
	return letterAsker{kind: allowance.SignIn, name: s.clientNetwork(r), rate: s.limits.signIns,
		shares: s.clientShares(r)}
}

// asksToSignUp returns the client's network. The limit of one network is reached before the limit
// of all networks.
func (s *site) asksToSignUp(r *http.Request, _ string) letterAsker {
	return letterAsker{kind: allowance.SignUp, name: s.clientNetwork(r), rate: s.limits.signUps,
		shares: s.clientShares(r)}
}

// asksInvited returns a visitor with an invitation, who is exempt from the limits of all strangers.
func (s *site) asksInvited(r *http.Request, email string) letterAsker {
	a := s.asksToSignUp(r, email)
	a.invited = true
	return a
}

func (s *site) mails() bool { return s.Outbox != nil }

// mailbox returns the normalized form of a bare address, as it is stored and mailed.
func mailbox(typed string) (string, error) {
	address, err := mailer.Recipient(strings.TrimSpace(typed))
	return digest.NormalEmail(address), err
}

// A writeLetter returns the recipient and the content of an email. An empty recipient means that no
// email is sent. life is the lifetime of the link.
type writeLetter func(ctx context.Context, life time.Duration) (to string, words render.LetterContent, err error)

// sendLetter queues an email, unless a limit stopped the request.
func (s *site) sendLetter(q letterRequest, write writeLetter) {
	if q.letter.ID != 0 {
		s.Outbox.Add(s.letter(q, write))
	}
}

// letter returns an email for the outbox. The store records whether it was sent.
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
		Sent: func(ctx context.Context) error { return s.Store.Editions.LetterSent(ctx, q.letter.ID, s.Now()) },
		Lost: func(ctx context.Context) error { return s.Store.Editions.LetterUnsent(ctx, q.letter.ID) },
	}
}
