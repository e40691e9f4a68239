package operator

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

// InvitationTTL is how long an unused invitation is valid.
const InvitationTTL = 14 * 24 * time.Hour

// InvitationLink creates a link with which one person can sign up until InvitationTTL after now.
// Only the hash of its token is stored.
func InvitationLink(ctx context.Context, s *store.Store, baseURL string, now time.Time) (string, store.Invitation,
	error) {
	token := page.NewSecret()
	i, err := s.Sessions.AddInvitation(ctx, page.HashSecret(token), now, now.Add(InvitationTTL))
	if err != nil {
		return "", i, fmt.Errorf("storing the invitation: %w", err)
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-up?invitation=" + token, i, nil
}

type invitationsPage struct {
	*page.Visit
	Mode page.SignUp
	Link string // the new link, which cannot be shown again
	Open []store.Invitation
	Past []store.Invitation
}

// invitationsPage lists the invitations. A POST creates one and shows its link. The link is not stored, so no other
// page can show it.
func (s *site) invitationsPage(v *page.Visit) (err error) {
	p := invitationsPage{Visit: v, Mode: s.SignUp}
	if v.Posted() {
		p.Link, _, err = InvitationLink(v.Ctx, s.Store, s.BaseURL, v.Now)
		if v.Status = http.StatusOK; err != nil {
			return err
		}
	}
	all, err := s.Store.Sessions.Invitations(v.Ctx)
	for _, i := range all {
		if i.UsedAt.IsZero() && i.ExpiresAt.After(v.Now) {
			p.Open = append(p.Open, i)
		} else {
			p.Past = append(p.Past, i)
		}
	}
	return v.Show(err, "operator/invitations", catalogue.Key("Invitations"), p)
}

func (s *site) revokeInvitation(v *page.Visit) error {
	return v.SeeSaved(s.Store.Sessions.RevokeInvitation(v.Ctx, v.PathID), "/operator/invitations", "revoked")
}
