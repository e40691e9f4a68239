package store

import (
	"context"
	"fmt"
	"time"
)

// Robots gives what is known of an origin's robots.txt; false: it was never asked for.
func (s *Store) Robots(ctx context.Context, origin string) (Robots, bool, error) {
	var row struct {
		FetchedAt    instant `db:"fetched_at"`
		ETag         string  `db:"etag"`
		LastModified string  `db:"last_modified"`
		Rules        string  `db:"rules"`
	}
	err := s.read().get(ctx, &row, `SELECT fetched_at, etag, last_modified, rules FROM robots WHERE origin = ?`, origin)
	if isNone(err) {
		return Robots{}, false, nil
	}
	if err != nil {
		return Robots{}, false, fmt.Errorf("reading what the robots.txt of %s says: %w", origin, err)
	}
	return Robots{Origin: origin, FetchedAt: row.FetchedAt.time(), ETag: row.ETag, LastModified: row.LastModified, Rules: row.Rules}, true, nil
}

// SaveRobots stores what an origin's robots.txt says, in place of what it said
// before. An older answer does not replace a newer one.
func (s *Store) SaveRobots(ctx context.Context, r Robots) error {
	return s.run(ctx, "storing what the robots.txt of "+r.Origin+" says",
		`INSERT INTO robots (origin, fetched_at, etag, last_modified, rules) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (origin) DO UPDATE SET fetched_at = excluded.fetched_at, etag = excluded.etag,
				last_modified = excluded.last_modified, rules = excluded.rules
			WHERE robots.fetched_at <= excluded.fetched_at`, r.Origin, at(r.FetchedAt), r.ETag, r.LastModified, r.Rules)
}

// Robots is what the robots.txt of a site says to this program by its name.
type Robots struct {
	Origin       string // scheme://host:port as poller names it
	FetchedAt    time.Time
	ETag         string
	LastModified string
	Rules        string // our group's lines; empty: it does not speak to us
}
