package web

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"digest/internal/catalogue"
	"digest/store"
)

// InvitationTTL is how long an unused invitation is valid.
const InvitationTTL = 14 * 24 * time.Hour

// InvitationLink creates a link with which one person can sign up until InvitationTTL after now.
// Only the hash of its token is stored.
func InvitationLink(ctx context.Context, s *store.Store, baseURL string, now time.Time) (string, store.Invitation,
	error) {
	token := newSecret()
	i, err := s.Sessions.AddInvitation(ctx, hashSecret(token), now, now.Add(InvitationTTL))
	if err != nil {
		return "", i, fmt.Errorf("storing the invitation: %w", err)
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-up?invitation=" + token, i, nil
}

type invitationsPage struct {
	*visit
	Mode SignUp
	Link string // the new link, which cannot be shown again
	Open []store.Invitation
	Past []store.Invitation
}

// invitationsPage lists the invitations. A POST creates one and shows its link. The link is not stored, so no other
// page can show it.
func (s *site) invitationsPage(v *visit) (err error) {
	p := invitationsPage{visit: v, Mode: s.SignUp}
	if v.posted() {
		p.Link, _, err = InvitationLink(v.ctx, s.Store, s.BaseURL, v.now)
		if v.status = http.StatusOK; err != nil {
			return err
		}
	}
	all, err := s.Store.Sessions.Invitations(v.ctx)
	for _, i := range all {
		if i.UsedAt.IsZero() && i.ExpiresAt.After(v.now) {
			p.Open = append(p.Open, i)
		} else {
			p.Past = append(p.Past, i)
		}
	}
	return v.show(err, "invitations", catalogue.Key("Invitations"), p)
}

func (s *site) revokeInvitation(v *visit) error {
	return v.saved(s.Store.Sessions.RevokeInvitation(v.ctx, v.pathID), "/operator/invitations", "revoked")
}
