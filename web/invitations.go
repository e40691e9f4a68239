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
	i, err := s.AddInvitation(ctx, hashSecret(token), now, now.Add(InvitationTTL))
	if err != nil {
		return "", i, fmt.Errorf("storing the invitation: %w", err)
	}
	return strings.TrimSuffix(baseURL, "/") + "/sign-up?invitation=" + token, i, nil
}

type invitationsPage struct {
	Mode    SignUp
	Link    string // the new link, which cannot be shown again
	Revoked bool
	Open    []store.Invitation
	Past    []store.Invitation
}

func (s *site) invitationsPage(w http.ResponseWriter, r *http.Request, _ reader) error {
	return s.showInvitations(w, r, invitationsPage{Revoked: savedOf(r, "revoked") != ""})
}

func (s *site) showInvitations(w http.ResponseWriter, r *http.Request, p invitationsPage) error {
	all, err := s.Store.Invitations(r.Context())
	p.Mode = s.SignUp
	for _, i := range all {
		if i.UsedAt.IsZero() && i.ExpiresAt.After(s.Now()) {
			p.Open = append(p.Open, i)
		} else {
			p.Past = append(p.Past, i)
		}
	}
	return s.showPage(w, r, err, "invitations", catalogue.Key("Invitations"), p)
}

// addInvitation creates an invitation and shows its link in the response. The link is not stored,
// so no other page can show it.
func (s *site) addInvitation(w http.ResponseWriter, r *http.Request, _ reader) error {
	link, _, err := InvitationLink(r.Context(), s.Store, s.BaseURL, s.Now())
	if err != nil {
		return err
	}
	return s.showInvitations(w, r, invitationsPage{Link: link})
}

func (s *site) revokeInvitation(w http.ResponseWriter, r *http.Request, _ reader) error {
	id, err := pathKey(r)
	if err != nil {
		return err
	}
	return showSaved(w, r, s.Store.RevokeInvitation(r.Context(), id), "/operator/invitations", "revoked")
}
