// Package store stores everything in a database: SQLite in a file, or PostgreSQL. Both use the same queries
// (dialect.go has the differences). Package store/db opens databases and runs statements, and store/backup writes and
// restores backups; all SQL is in these three packages.
//
// Exported methods run in transactions of their own and commit before they return; unexported functions take one.
// Callers pass the time: only Clock reads a clock.
//
// The methods of a Store are grouped in its fields, such as Store.Feeds and Store.Editions. All groups share one
// database and may call each other inside a transaction.
//
// Each file is about one noun, and a file whose name begins with another's belongs to it. These are the
// files of the hourly steps:
//
//   - feeds_plan.go: due digests and their feeds
//   - feeds_claim.go: polls
//   - record.go: the results of polls
//   - editions_release.go, editions_carried.go: releases
//   - editions_claim.go, lanes.go, editions_marks.go, editions_unsynced.go: delivery
//   - bounces.go, suppressions.go: bounces
package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"

	"digest"
	"digest/store/db"
)

// A Store is an open database. It is safe for concurrent use, and several processes may use one database. Its fields
// group the methods by subject.
type Store struct {
	*db.DB
	*database
	Feeds         Feeds
	Editions      Editions
	Readers       Readers
	Sessions      Sessions
	Subscriptions Subscriptions
	Posts         Posts
	Newsletters   Newsletters
	Members       Members
	Operator      Operator
}

type (
	// Feeds has the methods for feeds, their polls and the news that sites and hubs send.
	Feeds struct{ *database }
	// Editions has the methods that release editions and deliver mail.
	Editions struct{ *database }
	// Readers has the methods for readers: their digests, settings, addresses and trips.
	Readers struct{ *database }
	// Sessions has the methods for signing up, signing in and passkeys.
	Sessions struct{ *database }
	// Subscriptions has the methods for the sites that a reader follows, and for the pages about them.
	Subscriptions struct{ *database }
	// Posts has the methods for posts that readers received: search, saved posts, versions, pictures and links.
	Posts struct{ *database }
	// Newsletters has the methods for newsletters and their issues.
	Newsletters struct{ *database }
	// Members has the methods for the members of newsletters.
	Members struct{ *database }
	// Operator has the methods for the operator: monitoring, fences, pruning, hosts.
	Operator struct{ *database }
)

// New returns a store in an open database.
func New(d *db.DB) *Store { return newStore(&database{db: d, d: dialectOf(d)}) }

func newStore(s *database) *Store {
	return &Store{s.db, s, Feeds{s}, Editions{s}, Readers{s}, Sessions{s}, Subscriptions{s}, Posts{s}, Newsletters{s},
		Members{s}, Operator{s}}
}

// A database is what the methods of a Store share.
type database struct {
	db *db.DB
	d  *dialect

	// Policy must be set before any other call, and not change later.
	Policy Policy

	pruned    cursor
	untidy    atomic.Bool // the search index has grown since it was tidied
	feedCache feedCache
	packer    packer
}

// Open opens a database: the path of a file, which it creates if it is missing, or a postgres:// address. It does not
// migrate. It refuses a schema newer than this program's, and another program's database, without changing them.
// Errors are *digest.Error.
func Open(ctx context.Context, database string) (*Store, error) {
	d, err := db.Open(ctx, database)
	if err != nil {
		return nil, err
	}
	return New(d), nil
}

// IsAway reports whether an error is temporary, as db.IsAway does.
func IsAway(err error) bool { return db.IsAway(err) }

func notFound(format string, args ...any) error {
	return &digest.Error{Kind: digest.NotFound, Message: fmt.Sprintf(format, args...)}
}

const secretBytes = 32

// Secret returns the instance's secret: 32 random bytes that the first call creates and that never change.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, secretBytes)
	rand.Read(fresh)
	return changed(ctx, s.database, "reading the secret", func(c conn) (secret []byte, err error) {
		if err := c.Run(ctx, `INSERT INTO settings (key, value) VALUES ('secret', ?) ON CONFLICT (key) DO NOTHING`,
			fresh); err != nil {
			return nil, err
		}
		return c.setting(ctx, "secret")
	})
}

// setting returns the value of a key in the instance's settings, or nil.
func (c conn) setting(ctx context.Context, key string) (value []byte, err error) {
	_, err = c.Find(ctx, &value, `SELECT value FROM settings WHERE key = ?`, key)
	return value, err
}

func (c conn) setSetting(ctx context.Context, key string, value []byte) error {
	err := c.Run(ctx, `INSERT INTO settings (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}
