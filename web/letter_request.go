package web

import (
	"net/http"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

const (
	wrongTooMany = catalogue.Key(
		"There were too many requests from your network, so we sent nothing. Try again in an hour.")
	wrongFull = catalogue.Key(
		"Too many people requested emails in the last hour, so we sent nothing. Try again in an hour.")
)

// A letterAsker is the network, the browser or the reader that counts for the limits of a letter
// request.
type letterAsker struct {
	kind   allowance.Kind
	name   string
	shares []page.Share // nil: no limit here
	rate   *page.Limiter

	invited bool // not subject to the limits for all strangers together
}

// requestLetter parses the address in a form and checks the limits. Neither the response nor its
// duration reveals whether the address has an account.
func (s *site) requestLetter(r *http.Request, asks func(*http.Request, string) letterAsker) (q page.LetterRequest,
	status int, err error) {
	q.Email = r.PostForm.Get("email")
	if q.To, err = page.Mailbox(q.Email); err != nil {
		q.Wrong = page.WrongEmail
		return q, http.StatusUnprocessableEntity, nil
	}
	a, now := asks(r, q.To), s.Now()
	q.Kind = a.kind
	if a.rate != nil && !a.rate.AllowAll(a.shares, now) {
		q.Wrong = wrongTooMany
		return q, http.StatusTooManyRequests, nil
	}
	letter, answer, err := s.Store.Editions.RequestLetter(r.Context(), store.LetterRequest{
		Kind: a.kind, Email: q.To, Asker: s.Signer.SignText(digest.ForAsker, a.name),
		Life: usualLife(a.kind), Invited: a.invited,
	}, now)
	s.NoteCrowd(r.Context(), a.kind, answer, q.To, now)
	if a.kind == allowance.SignIn { // another response would reveal which addresses have an account
		q.Letter = letter
		return q, http.StatusOK, err
	}
	switch answer {
	case store.LetterDomainLimited, store.LetterInstanceLimited:
		q.Wrong = wrongFull
	case store.LetterAskerLimited:
		q.Wrong = wrongTooMany
	default:
		q.Letter = letter
		return q, http.StatusOK, err
	}
	return q, http.StatusTooManyRequests, nil
}

// usualLife is the minimum lifetime of the link in an email.
func usualLife(kind allowance.Kind) time.Duration {
	if kind == allowance.SignIn || kind == allowance.KnownSignIn {
		return page.MailedTTL
	}
	return signUpTTL
}

// asksToSignIn returns the browser, if it was signed in with the address before, or the network.
// Requests of strangers do not use up the limit of such a browser.
func (s *site) asksToSignIn(r *http.Request, email string) letterAsker {
	if browser, known := s.KnownBrowser(r, email); known {
		return letterAsker{kind: allowance.KnownSignIn, name: browser, rate: s.Limits.SignIns,
			shares: []page.Share{{Key: browser, Cost: 1}}}
	}
	return letterAsker{kind: allowance.SignIn, name: s.ClientNetwork(r), rate: s.Limits.SignIns,
		shares: s.ClientShares(r)}
}

// asksToSignUp returns the client's network. The limit of one network is reached before the limit
// of all networks.
func (s *site) asksToSignUp(r *http.Request, _ string) letterAsker {
	return letterAsker{kind: allowance.SignUp, name: s.ClientNetwork(r), rate: s.Limits.SignUps,
		shares: s.ClientShares(r)}
}

// asksInvited returns a visitor with an invitation, who is exempt from the limits of all strangers.
func (s *site) asksInvited(r *http.Request, email string) letterAsker {
	a := s.asksToSignUp(r, email)
	a.invited = true
	return a
}
