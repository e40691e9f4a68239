package publisher

import (
	"net/http"

	"digest"
	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

type tokensPage struct {
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

// tokensPage lists the tokens. A POST creates one. The database stores only its hash.
func (s *Site) tokensPage(me publisher) error {
	p := tokensPage{publisher: me}
	made := store.NewsletterToken{NewsletterID: me.Newsletter.ID, UserID: me.ID}
	me.AddText(page.LineKind, "name", &made.Name, 100)
	me.AddCheck("reads", &made.ReadOnly)
	if me.Posted() {
		if !s.Limits.Rounds.Allow(me.Key(), me.Now) {
			return page.ErrTooMany
		}
		p.Token = page.NewSecret()
		_, err := s.Store.Newsletters.AddNewsletterToken(me.Ctx, made, page.HashSecret(p.Token), me.Now)
		wrong, err := asRefused(err)
		switch {
		case err != nil:
			return err
		case wrong != nil:
			me.Reject("name", wrong)
			p.Token = ""
		default:
			me.Fields()["name"].Value, me.Fields()["reads"].Value, me.Status = "", "", http.StatusOK
		}
	}
	all, err := s.Store.Newsletters.NewsletterTokens(me.Ctx, me.Newsletter.ID)
	for _, t := range all {
		p.Tokens = append(p.Tokens, listedToken{t})
	}
	return me.show(err, "publisher/tokens", catalogue.Key("Access tokens"), p)
}

// removeNewsletterToken revokes a token. Editors may revoke their own tokens, the owner any.
func (s *Site) removeNewsletterToken(me publisher) error {
	all, err := s.Store.Newsletters.NewsletterTokens(me.Ctx, me.Newsletter.ID)
	if err != nil {
		return err
	}
	for _, t := range all {
		if t.ID == me.PathID && t.UserID != me.ID && me.Role != digest.RoleOwner {
			return page.ErrOwnerOnly
		}
	}
	return me.saved(s.Store.Newsletters.RemoveNewsletterToken(me.Ctx, me.Newsletter.ID, me.PathID), "/tokens",
		"removed")
}
