// Package db opens databases and runs statements on them: SQLite in a file, or PostgreSQL. Package store has the
// statements, and package store/backup writes and restores backups.
//
//   - open.go, file.go, occupy.go: opening a database
//   - dialect.go, values.go: the differences between the databases
//   - tx.go, partitions.go, migrate.go: transactions, and changes of the schema
//   - rows.go, columns.go, instant.go: the stored form of Go's values
//   - errors.go, postgres.go: the meaning of errors
//   - sqlite.go, reusing.go: the driver of SQLite, and the cache of its statements
//
// The embedded database is SQLite by github.com/ncruces/go-sqlite3, without cgo. Compared with modernc.org/sqlite it
// ran the statements of package store 1.5 to 2 times faster. Another driver would change only sqlite.go, and the
// field readOnly in dialect.go if it begins such transactions in another way.
//
// Functions that run statements take a DB, because a store.Store has all methods of its DB.
package db

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
)

// A DB is an open database. It is safe for concurrent use, and several processes may use one database.
type DB struct {
	d *Dialect
	w *sqlx.DB // writes; one connection on SQLite
	r *sqlx.DB // reads; the same as w on PostgreSQL

	within *sqlx.Tx // the transaction of a DB from AtOneInstant (reads only) or Inside; nil in others
	file   string   // of SQLite; "" for a server
}

// DialectOf returns the dialect of a database.
func DialectOf(d *DB) *Dialect { return d.d }

// Pools returns the connections that write and those that read. A caller can take a connection of its own.
func Pools(d *DB) (w, r *sqlx.DB) { return d.w, d.r }

// Open opens a database: the path of a file, which it creates if it is missing, or a postgres:// address. It does not
// migrate. It refuses a schema newer than this program's, and another program's database, without changing them.
// Errors are *digest.Error.
func Open(ctx context.Context, database string) (*DB, error) {
	open := openSQLite
	switch scheme, _, isAddress := strings.Cut(database, "://"); {
	case isAddress && (scheme == "postgres" || scheme == "postgresql"):
		open = openPostgres
	case isAddress:
		return nil, Invalid("DIGEST_DATABASE=%s://… is not supported; use a file such as digest.db, or postgres://user:password@host:5432/digest", scheme)
	}
	d, err := open(ctx, database)
	if err != nil {
		return nil, err
	}
	for _, refuse := range []func(context.Context) error{d.refuseForeign, d.refuseNewer} {
		if err := refuse(ctx); err != nil {
			_ = d.Close()
			return nil, err
		}
	}
	return d, nil
}

// Close closes the database.
func (d *DB) Close() error {
	if d.r != d.w {
		if err := d.r.Close(); err != nil {
			_ = d.w.Close()
			return fmt.Errorf("closing the database: %w", err)
		}
	}
	if err := d.w.Close(); err != nil {
		return fmt.Errorf("closing the database: %w", err)
	}
	return nil
}

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error {
	var one int
	return Read(d).Get(ctx, &one, `SELECT 1`)
}

// HasClock reports whether the database has a clock that is not the process's own.
func (d *DB) HasClock() bool { return d.d.Clock != "" }

// Clock returns the time of the database's clock. For a file, this is the process's own clock.
func (d *DB) Clock(ctx context.Context) (time.Time, error) {
	if d.d.Clock == "" {
		return time.Now().UTC(), nil
	}
	var us int64
	if err := Read(d).Get(ctx, &us, d.d.Clock); err != nil {
		return time.Time{}, fmt.Errorf("asking the database's clock: %w", err)
	}
	return time.UnixMicro(us).UTC(), nil
}
