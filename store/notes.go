package store

import (
	"context"
	"encoding/json"
	"fmt"

	"digest"
)

// The web view stores its notes as settings. The keys of one kind of note begin with the same word.
const (
	proxyKey  = "proxy "
	letterKey = "letters "
)

// NoteProxy stores a note about a proxy. It replaces the last note about the same trouble.
func (s Operator) NoteProxy(ctx context.Context, n digest.ProxyNote) error {
	return s.addNote(ctx, proxyKey+string(n.Trouble), n)
}

// ProxyNotes returns the notes about proxies, at most one of each trouble.
func (s Operator) ProxyNotes(ctx context.Context) ([]digest.ProxyNote, error) {
	return readNotes[digest.ProxyNote](ctx, s.database, proxyKey)
}

// ForgetProxies deletes the notes about proxies. The web view calls it when it starts, because the notes depend on
// its settings.
func (s Operator) ForgetProxies(ctx context.Context) error {
	return s.run(ctx, "forgetting the notes of proxies", `DELETE FROM settings WHERE key LIKE ?`, proxyKey+"%")
}

// NoteLetters stores a note. It replaces the last note about the same bound.
func (s Editions) NoteLetters(ctx context.Context, n digest.LetterNote) error {
	kind := "instance"
	switch {
	case n.SignIn:
		kind = "sign-in"
	case n.Domain != "":
		kind = "domain"
	}
	return s.addNote(ctx, letterKey+kind, n)
}

// LetterNotes returns the latest note of each bound.
func (s Editions) LetterNotes(ctx context.Context) ([]digest.LetterNote, error) {
	return readNotes[digest.LetterNote](ctx, s.database, letterKey)
}

func (s *database) addNote(ctx context.Context, key string, note any) error {
	value, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("writing a note: %w", err)
	}
	return s.change(ctx, "storing a note", func(c conn) error { return c.setSetting(ctx, key, value) })
}

func readNotes[N any](ctx context.Context, s *database, key string) ([]N, error) {
	values, err := readRows[[]byte](ctx, s.read(), "reading notes",
		`SELECT value FROM settings WHERE key LIKE ? ORDER BY key`, key+"%")
	if err != nil {
		return nil, err
	}
	notes := make([]N, len(values))
	for i, v := range values {
		if err := json.Unmarshal(v, &notes[i]); err != nil {
			return nil, fmt.Errorf("the note %s cannot be read: %w", key, err)
		}
	}
	return notes, nil
}
