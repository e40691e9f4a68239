package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"digest"
	"digest/store"
	"digest/timezone"
)

// OperatorLink makes the link that lets whoever reads the console be the operator,
// once, within SignInTTL of now; "" if there is one already.
func OperatorLink(ctx context.Context, s *store.Store, baseURL string, now time.Time) (string, error) {
	token := newSecret()
	stored, err := s.SetOperatorLink(ctx, hashSecret(token), now.Add(SignInTTL))
	if err != nil || !stored {
		return "", err
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-in?token=" + url.QueryEscape(token), nil
}

// An operatorLinkPage asks whoever runs this for their address.
type operatorLinkPage struct {
	Token     string
	Email     string
	Wrong     string
	Zone      string
	WrongZone string
	Near      []string
	Names     []string
}

// showOperatorLink shows the page behind the owner's link, filled in with what is known.
func (s *site) showOperatorLink(w http.ResponseWriter, r *http.Request, token string) error {
	p := operatorLinkPage{Token: token, Email: s.Contact, Names: timezone.Names()}
	if u, ok, err := s.onlyUser(r.Context()); err != nil {
		return err
	} else if ok {
		p.Email, p.Zone = u.Email, u.TimeZone
	}
	if strings.HasSuffix(p.Email, "@localhost") {
		p.Email = ""
	}
	return s.show(w, r, http.StatusOK, "operator_link", "Welcome", p)
}

// onlyUser gives the one user, if there is exactly one.
func (s *site) onlyUser(ctx context.Context) (digest.User, bool, error) {
	users, err := s.Store.Users(ctx)
	if err != nil || len(users) != 1 {
		return digest.User{}, false, err
	}
	return users[0].User, true, nil
}

// useOperatorLink makes the address an operator's and signs in. Who holds the console
// is trusted: the address is not confirmed by mail.
func (s *site) useOperatorLink(w http.ResponseWriter, r *http.Request) error {
	form, err := posted(r)
	if err != nil {
		return err
	}
	p := operatorLinkPage{Token: form.Get("token"), Email: form.Get(formEmail), Zone: form.Get(formZone), Names: timezone.Names()}
	ok, err := s.Store.OperatorLink(r.Context(), hashSecret(p.Token), s.Now())
	if err != nil || !ok {
		return s.orShow(err, func() error { return errSpentLink })
	}
	email := strings.TrimSpace(p.Email)
	if s.Mailbox != nil {
		if email, err = s.Mailbox(email); err != nil {
			p.Wrong = wrongEmail
		}
	}
	zone := strings.TrimSpace(p.Zone)
	if p.WrongZone, p.Near = wrongZone(zone); p.Wrong != "" || p.WrongZone != "" {
		p.WrongZone = strings.TrimSuffix(p.WrongZone, " Nothing was changed.")
		return s.show(w, r, http.StatusUnprocessableEntity, "operator_link", "Welcome", p)
	}
	u, err := s.Store.UseOperatorLink(r.Context(), hashSecret(p.Token), email, zone, s.Now())
	if err != nil {
		return orSpent(fmt.Errorf("the owner's link: %w", err), errSpentLink)
	}
	return s.enterAt(w, r, u.ID, "/")
}
