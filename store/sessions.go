package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// A Session is one browser that is signed in, without what it is known by.
type Session struct {
	BeganAt time.Time // zero: before that was noted
	EndsAt  time.Time
	Passkey bool // it began with a passkey; else with a link
}

// Sessions lists a user's sessions that are not over, in the order in which they end.
func (s *Store) Sessions(ctx context.Context, user digest.UserID, now time.Time) ([]Session, error) {
	var rows []struct {
		BeganAt instant `db:"created_at"`
		EndsAt  instant `db:"expires_at"`
		Passkey bool    `db:"passkey"`
	}
	err := s.read().all(ctx, &rows, `SELECT created_at, expires_at, CASE WHEN passkey_id > 0 THEN 1 ELSE 0 END AS passkey
		FROM sessions WHERE user_id = ? AND expires_at > ? ORDER BY expires_at, token_hash`, user, at(now))
	if err != nil {
		return nil, fmt.Errorf("listing the sessions: %w", err)
	}
	list := make([]Session, len(rows))
	for i, r := range rows {
		list[i] = Session{BeganAt: r.BeganAt.time(), EndsAt: r.EndsAt.time(), Passkey: r.Passkey}
	}
	return list, nil
}
