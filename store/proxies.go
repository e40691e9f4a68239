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
	return s.change(ctx, "noting a proxy", func(c conn) error { return c.setSetting(ctx, proxyKey+string(n.Trouble), value) })
}

// ProxyNotes gives what was noticed of proxies, one note of each trouble at most.
func (s *Store) ProxyNotes(ctx context.Context) ([]digest.ProxyNote, error) {
	values, err := readRows[[]byte](ctx, s.read(), "reading the notes of proxies", `SELECT value FROM settings WHERE key LIKE ? ORDER BY key`, proxyKey+"%")
	if err != nil {
		return nil, err
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
	return s.run(ctx, "forgetting the notes of proxies", `DELETE FROM settings WHERE key LIKE ?`, proxyKey+"%")
}
