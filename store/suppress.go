package store

import (
	"context"
	"fmt"

	"digest"
)

type suppressionRow struct {
	Email     string           `db:"email"`
	Reason    digest.Reason    `db:"reason"`
	Evidence  string           `db:"evidence"`
	EditionID digest.EditionID `db:"edition_id"`
	CreatedAt instant          `db:"created_at"`
}

const suppressionColumns = `s.email, s.reason, s.evidence, s.edition_id, s.created_at`

func (r suppressionRow) suppression() digest.Suppression {
	return digest.Suppression{
		Email: r.Email, Reason: r.Reason, Evidence: r.Evidence, EditionID: r.EditionID, CreatedAt: r.CreatedAt.time(),
	}
}

// Suppress adds an address to those that are not mailed. One that is there
// already keeps the stronger reason: see outranks.
func (s *Store) Suppress(ctx context.Context, sup digest.Suppression) error {
	err := s.write(ctx, func(c conn) error { return suppress(ctx, c, sup) })
	if err != nil {
		return fmt.Errorf("suppressing %s: %w", sup.Email, err)
	}
	return nil
}

func suppress(ctx context.Context, c conn, sup digest.Suppression) error {
	_, err := c.exec(ctx, `INSERT INTO suppressions (email_key, email, reason, evidence, edition_id, created_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (email_key) DO NOTHING`, emailKey(sup.Email), digest.NormalEmail(sup.Email), string(sup.Reason), sup.Evidence, sup.EditionID, at(sup.CreatedAt))
	return err
}

// Unsuppress lets an address be mailed again; digest.NotFound if it was.
func (s *Store) Unsuppress(ctx context.Context, email string) error {
	err := s.write(ctx, func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM suppressions WHERE email_key = ?`, emailKey(email))
		if err == nil && n == 0 {
			return notFound("%s is not suppressed; see: digest suppressions", digest.NormalEmail(email))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("mailing an address again: %w", err)
	}
	return nil
}

// Suppressions lists the addresses that are not mailed, the latest first.
func (s *Store) Suppressions(ctx context.Context) ([]digest.Suppression, error) {
	var rows []suppressionRow
	if err := s.read().all(ctx, &rows, `SELECT `+suppressionColumns+` FROM suppressions s ORDER BY s.created_at DESC, s.email_key`); err != nil {
		return nil, fmt.Errorf("listing the suppressed addresses: %w", err)
	}
	return keys(rows, suppressionRow.suppression), nil
}

// Suppressed tells whether an address, in whatever case, is not mailed, and why.
func (s *Store) Suppressed(ctx context.Context, email string) (digest.Suppression, bool, error) {
	r, ok, err := readSuppression(ctx, s.read(), emailKey(email))
	if err != nil {
		return digest.Suppression{}, false, fmt.Errorf("looking for a suppressed address: %w", err)
	}
	return r.suppression(), ok, nil
}

func readSuppression(ctx context.Context, c conn, key string) (suppressionRow, bool, error) {
	var r suppressionRow
	err := c.get(ctx, &r, `SELECT `+suppressionColumns+` FROM suppressions s WHERE s.email_key = ?`, key)
	if isNone(err) {
		return r, false, nil
	}
	return r, err == nil, err
}
