package store

import (
	"context"
	"encoding/json"
	"fmt"

	"digest"
)

// proxyKey begins the keys of settings under which notes of proxies are kept.
const proxyKey = "proxy "

// NoteProxy stores what was noticed of a proxy, in place of the last note of this trouble.
func (s *Store) NoteProxy(ctx context.Context, n digest.ProxyNote) error {
	value, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("writing a note of a proxy: %w", err)
	}
	return failed("noting a proxy", s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `INSERT INTO settings (key, value) VALUES (?, ?)
			ON CONFLICT (key) DO UPDATE SET value = excluded.value`, proxyKey+string(n.Trouble), value)
		return err
	}))
}

// ProxyNotes gives what was noticed of proxies, one note of each trouble at most.
func (s *Store) ProxyNotes(ctx context.Context) ([]digest.ProxyNote, error) {
	var values [][]byte
	err := s.read().all(ctx, &values, `SELECT value FROM settings WHERE key LIKE ? ORDER BY key`, proxyKey+"%")
	if err != nil {
		return nil, failed("reading the notes of proxies", err)
	}
	notes := make([]digest.ProxyNote, len(values))
	for i, v := range values {
		if err := json.Unmarshal(v, &notes[i]); err != nil {
			return nil, fmt.Errorf("a note of a proxy cannot be read: %w", err)
		}
	}
	return notes, nil
}

// ForgetProxies forgets what was noticed of proxies. It is for a web view that
// starts: what is noticed from then on holds for its settings.
func (s *Store) ForgetProxies(ctx context.Context) error {
	return failed("forgetting the notes of proxies", s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `DELETE FROM settings WHERE key LIKE ?`, proxyKey+"%")
		return err
	}))
}
