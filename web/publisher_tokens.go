package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

type publisherTokensPage struct {
	publisherFrame
	Tokens []listedToken
	Typed  string
	Token  string // the new token; it is shown only once
}

type listedToken struct{ store.NewsletterToken }

// UsedDay returns the day of the last use, nil if the token was never used.
func (t listedToken) UsedDay() catalogue.Sayable {
	day, err := digest.ParseDate(t.UsedOn)
	if err != nil {
		return nil
	}
	return catalogue.Day("2 January 2006", day)
}

func (s *site) publisherTokensPage(w http.ResponseWriter, r *http.Request, me publisher) error {
	return s.showPublisherTokens(w, r, http.StatusOK,
		publisherTokensPage{publisherFrame: s.publisherFrame(r, me, "removed")})
}

func (s *site) showPublisherTokens(w http.ResponseWriter, r *http.Request, status int, p publisherTokensPage) error {
	all, err := s.Store.NewsletterTokens(r.Context(), p.Newsletter.ID)
	if err != nil {
		return err
	}
	for _, t := range all {
		p.Tokens = append(p.Tokens, listedToken{t})
	}
	return s.show(w, r, status, "publisher_tokens", titled(catalogue.Key("Access tokens"), p.Newsletter.Name), p)
}

// makeNewsletterToken creates a token. The database stores only its hash.
func (s *site) makeNewsletterToken(w http.ResponseWriter, r *http.Request, me publisher) error {
	p := publisherTokensPage{publisherFrame: s.publisherFrame(r, me), Typed: r.PostForm.Get("name")}
	if !s.limits.rounds.allow(me.key(), s.Now()) {
		return errTooMany
	}
	token := newSecret()
	_, err := s.Store.AddNewsletterToken(r.Context(), store.NewsletterToken{
		NewsletterID: me.Newsletter.ID, UserID: me.ID, Name: p.Typed, ReadOnly: r.PostForm.Get("reads") == "1",
	}, hashSecret(token), s.Now())
	wrong, err := asRefused(err)
	if err != nil {
		return err
	}
	if wrong != nil {
		p.Wrong = wrong
		return s.showPublisherTokens(w, r, http.StatusUnprocessableEntity, p)
	}
	p.Typed, p.Token = "", token
	return s.showPublisherTokens(w, r, http.StatusOK, p)
}

// removeNewsletterToken revokes a token. Editors may revoke their own tokens, the owner any.
func (s *site) removeNewsletterToken(w http.ResponseWriter, r *http.Request, me publisher) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	all, err := s.Store.NewsletterTokens(r.Context(), me.Newsletter.ID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.ID == id && t.UserID != me.ID && me.Role != digest.RoleOwner {
			return errOwnerOnly
		}
	}
	return showSaved(w, r, s.Store.RemoveNewsletterToken(r.Context(), me.Newsletter.ID, id), me.Path()+
		"/tokens", "removed")
}
