package web

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
)

type publisherTokensPage struct {
	publisher
	Tokens []listedToken
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

// publisherTokensPage lists the tokens. A POST creates one. The database stores only its hash.
func (s *site) publisherTokensPage(me publisher) error {
	p := publisherTokensPage{publisher: me}
	made := store.NewsletterToken{NewsletterID: me.Newsletter.ID, UserID: me.ID}
	me.text(lineKind, "name", &made.Name, 100)
	me.check("reads", &made.ReadOnly)
	if me.posted() {
		if !s.limits.rounds.allow(me.key(), me.now) {
			return errTooMany
		}
		p.Token = newSecret()
		_, err := s.Store.Newsletters.AddNewsletterToken(me.ctx, made, hashSecret(p.Token), me.now)
		wrong, err := asRefused(err)
		switch {
		case err != nil:
			return err
		case wrong != nil:
			me.wrong("name", wrong)
			p.Token = ""
		default:
			me.fields["name"].Value, me.fields["reads"].Value, me.status = "", "", http.StatusOK
		}
	}
	all, err := s.Store.Newsletters.NewsletterTokens(me.ctx, me.Newsletter.ID)
	for _, t := range all {
		p.Tokens = append(p.Tokens, listedToken{t})
	}
	return me.show(err, "publisher_tokens", catalogue.Key("Access tokens"), p)
}

// removeNewsletterToken revokes a token. Editors may revoke their own tokens, the owner any.
func (s *site) removeNewsletterToken(me publisher) error {
	all, err := s.Store.Newsletters.NewsletterTokens(me.ctx, me.Newsletter.ID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.ID == me.pathID && t.UserID != me.ID && me.Role != digest.RoleOwner {
			return errOwnerOnly
		}
	}
	return me.saved(s.Store.Newsletters.RemoveNewsletterToken(me.ctx, me.Newsletter.ID, me.pathID), "/tokens",
		"removed")
}
