package store

import (
	"context"

	"digest"
)

// Robots returns the stored robots.txt of an origin, or false if it was never fetched.
func (s Feeds) Robots(ctx context.Context, origin string) (digest.Robots, bool, error) {
	r, err := readRows[digest.Robots](ctx, s.read(), "reading what the robots.txt of "+origin+" says",
		`SELECT origin, fetched_at, etag, last_modified, rules FROM robots WHERE origin = ?`, origin)
	if err != nil || len(r) == 0 {
		return digest.Robots{}, false, err
	}
	return r[0], true, nil
}

// SaveRobots stores the robots.txt of an origin. An older one does not replace a newer one.
func (s Feeds) SaveRobots(ctx context.Context, r digest.Robots) error {
	return s.run(ctx, "storing what the robots.txt of "+r.Origin+" says",
		`INSERT INTO robots (origin, fetched_at, etag, last_modified, rules) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (origin) DO UPDATE SET fetched_at = excluded.fetched_at, etag = excluded.etag,
				last_modified = excluded.last_modified, rules = excluded.rules
			WHERE robots.fetched_at <= excluded.fetched_at`, r.Origin, r.FetchedAt, r.ETag, r.LastModified, r.Rules)
}
