package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"digest/internal/catalogue"
	"digest/store"
	"digest/web/page"
)

// OperatorLink creates a link with which the person at the console becomes the operator. It works
// once, within SignInTTL of now. OperatorLink returns "" if there already is a link.
func OperatorLink(ctx context.Context, s *store.Store, baseURL string, now time.Time) (string, error) {
	token := page.NewSecret()
	stored, err := s.Operator.SetOperatorLink(ctx, page.HashSecret(token), now.Add(page.SignInTTL))
	if err != nil || !stored {
		return "", err
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-in?token=" + token, nil
}

// operatorLinkPage shows the form behind the operator's link, with defaults for the address and the
// time zone.
func (s *site) operatorLinkPage(w http.ResponseWriter, r *http.Request, token string) error {
	if ok, err := s.Store.Operator.OperatorLink(r.Context(), page.HashSecret(token), s.Now()); err != nil || !ok {
		if err != nil {
			return err
		}
		return page.ErrSpentLink
	}
	p := page.Newcomer{Action: "/sign-in/operator", TokenField: "token", Token: token}
	p.Email = s.Contact
	zones, err := s.Store.Readers.Zones(r.Context(), 1)
	if len(zones) == 1 && zones[0].Readers == 1 {
		p.Email, p.Zone = zones[0].Examples[0], zones[0].TimeZone
	}
	if strings.HasSuffix(p.Email, "@localhost") {
		p.Email = ""
	}
	return s.ShowPage(w, r, err, "operator_link", catalogue.Key("Welcome"), p)
}

// useOperatorLink makes the address an operator's and signs in. It sends no confirmation email,
// because access to the console proves enough.
func (s *site) useOperatorLink(w http.ResponseWriter, r *http.Request) error {
	if _, err := page.LinkToken(r.PostForm); err != nil {
		return err
	}
	p := page.ReadNewcomer(r.PostForm, "/sign-in/operator", "token")
	if ok, err := s.Store.Operator.OperatorLink(r.Context(), page.HashSecret(p.Token), s.Now()); err != nil || !ok {
		if err != nil {
			return err
		}
		return page.ErrSpentLink
	}
	zone, ok := p.ReadZone()
	email, err := page.Mailbox(p.Email)
	if err != nil {
		p.Wrong = page.WrongEmail
	}
	if !ok || p.Wrong != "" {
		return s.Show(w, r, http.StatusUnprocessableEntity, "operator_link", catalogue.Key("Welcome"), p)
	}
	u, err := s.Store.Operator.UseOperatorLink(r.Context(), page.HashSecret(p.Token), email, zone, s.Now())
	if err != nil {
		return page.OrSpent(fmt.Errorf("the operator's link: %w", err), page.ErrSpentLink)
	}
	return s.EnterByLink(w, r, u.ID)
}
