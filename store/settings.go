package store

import (
	"context"
	"fmt"

	"digest"
)

// SetDirection sets the direction of the pages around a reader's posts;
// digest.Invalid for one that does not exist.
func (s *Store) SetDirection(ctx context.Context, user digest.UserID, d digest.Direction) error {
	switch d {
	case digest.LeftToRight, digest.RightToLeft:
	default:
		return invalid("pages run ltr or rtl, not %q", d)
	}
	return s.changeUser(ctx, "setting the direction of the pages", `UPDATE users SET direction = ? WHERE id = ?`, string(d), user)
}

// SetShortcuts sets whether single keys do something on a reader's pages.
func (s *Store) SetShortcuts(ctx context.Context, user digest.UserID, on bool) error {
	return s.changeUser(ctx, "setting the single keys", `UPDATE users SET shortcuts = ? WHERE id = ?`, bit(on), user)
}

// changeUser runs a statement that changes one user; digest.NotFound if there is none.
func (s *Store) changeUser(ctx context.Context, doing, statement string, args ...any) error {
	err := s.write(ctx, func(c conn) error {
		n, err := c.exec(ctx, statement, args...)
		if err == nil && n == 0 {
			return notFound("there is no such user; see: digest user list")
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", doing, err)
	}
	return nil
}

// OtherOperators counts those who run this instance besides one user.
func (s *Store) OtherOperators(ctx context.Context, user digest.UserID) (int, error) {
	var n int
	if err := s.read().get(ctx, &n, `SELECT count(*) FROM users WHERE operator = 1 AND id <> ?`, user); err != nil {
		return 0, fmt.Errorf("counting the operators: %w", err)
	}
	return n, nil
}
