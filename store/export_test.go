package store

import "context"

// Exec runs a statement that no method offers, for tests of what must not happen.
func (s *Store) Exec(ctx context.Context, statement string, args ...any) error {
	return s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, statement, args...)
		return err
	})
}

// Count reads one number.
func (s *Store) Count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = s.read().get(ctx, &n, query, args...)
	return n, err
}
