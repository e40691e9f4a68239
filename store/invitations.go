package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// An Invitation lets one person sign up.
type Invitation struct {
	ID        int64
	CreatedAt time.Time
	ExpiresAt time.Time
	UsedAt    time.Time // zero: not yet
}

type invitationRow struct {
	ID        int64   `db:"id"`
	CreatedAt instant `db:"created_at"`
	ExpiresAt instant `db:"expires_at"`
	UsedAt    instant `db:"used_at"`
}

func (r invitationRow) invitation() Invitation {
	return Invitation{r.ID, r.CreatedAt.time(), r.ExpiresAt.time(), r.UsedAt.time()}
}

const invitationColumns = `id, created_at, expires_at, used_at`

// usedKept is how long the list still shows an invitation that was used or has
// expired.
const usedKept = 30 * 24 * time.Hour

// AddInvitation stores the hash of an invitation's token.
func (s *Store) AddInvitation(ctx context.Context, hash []byte, now, expires time.Time) (Invitation, error) {
	var row invitationRow
	err := s.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, `DELETE FROM invitations WHERE expires_at <= ?`, at(now.Add(-usedKept))); err != nil {
			return err
		}
		return c.get(ctx, &row, `INSERT INTO invitations (token_hash, created_at, expires_at) VALUES (?, ?, ?) RETURNING `+invitationColumns,
			hash, at(now), at(expires))
	})
	if err != nil {
		return Invitation{}, fmt.Errorf("storing an invitation: %w", err)
	}
	return row.invitation(), nil
}

// Invitation finds an invitation that can be used; digest.NotFound for one that
// is unknown, revoked, used or expired.
func (s *Store) Invitation(ctx context.Context, hash []byte, now time.Time) (Invitation, error) {
	var row invitationRow
	err := s.read().get(ctx, &row, `SELECT `+invitationColumns+` FROM invitations WHERE token_hash = ? AND used_at = 0 AND expires_at > ?`, hash, at(now))
	if isNone(err) {
		return Invitation{}, notFound("this invitation was used or is too old")
	}
	if err != nil {
		return Invitation{}, fmt.Errorf("reading an invitation: %w", err)
	}
	return row.invitation(), nil
}

// Invitations lists the invitations, the latest first; those used or expired
// for some weeks.
func (s *Store) Invitations(ctx context.Context) ([]Invitation, error) {
	var rows []invitationRow
	if err := s.read().all(ctx, &rows, `SELECT `+invitationColumns+` FROM invitations ORDER BY id DESC`); err != nil {
		return nil, fmt.Errorf("listing the invitations: %w", err)
	}
	return keys(rows, invitationRow.invitation), nil
}

// RevokeInvitation takes back an invitation that nobody has used;
// digest.NotFound if there is none.
func (s *Store) RevokeInvitation(ctx context.Context, id int64) error {
	err := s.write(ctx, func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM invitations WHERE id = ? AND used_at = 0`, id)
		if err == nil && n == 0 {
			return notFound("there is no such invitation, or it was used")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("revoking an invitation: %w", err)
	}
	return nil
}

// takeInvitation uses up the invitation of a sign-up. That it has expired since
// the sign-up began does not matter.
func takeInvitation(ctx context.Context, c conn, id int64, needed bool, now time.Time) error {
	if id == 0 && !needed {
		return nil
	}
	n, err := c.exec(ctx, `UPDATE invitations SET used_at = ? WHERE id = ? AND used_at = 0`, at(now), id)
	if err == nil && n == 0 {
		return &digest.Error{Kind: digest.Conflict, Message: "this invitation was used or revoked; ask for another one"}
	}
	return err
}
