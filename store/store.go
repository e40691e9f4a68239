// Package store keeps everything in a database: SQLite in a file, or
// PostgreSQL. One set of queries serves both (dialect.go holds what differs),
// and only this package knows SQL.
//
// Exported methods own their transaction and commit before they return;
// unexported functions are handed one. Times come in as arguments: nothing
// here but Clock asks what time it is.
//
// One file is one noun, and a file whose name begins with another's belongs to
// it. The steps of the hour: due digests and feeds are in feeds_plan.go, polls in
// feeds_claim.go, storing in record.go, release in editions_release.go and
// editions_carried.go, delivery in editions_claim.go, lanes.go,
// editions_marks.go and editions_unsynced.go, and what comes back in bounces.go and suppressions.go.
//
// The embedded database is SQLite by github.com/ncruces/go-sqlite3, without
// cgo. modernc.org/sqlite would serve too: both are kept up with every SQLite
// release by an author who answers, and one driver name and one function in
// this file would change. ncruces was measured 1.5 to 2 times faster on the
// statements of this package, and its driver is smaller to read.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"digest"
)

// A Store is an open database. It is safe for concurrent use, and any number
// of processes may use one database at the same time.
type Store struct {
	d *dialect
	w *sqlx.DB // writes; one connection on SQLite
	r *sqlx.DB // reads; the same as w on PostgreSQL

	within *sqlx.Tx // the transaction of a store that atOneInstant (reads only) or ByLink has made; nil in others
	file   string   // of SQLite; empty: a server

	// Policy is set before anything else is called, and not changed later.
	Policy Policy

	pruned    cursor
	untidy    atomic.Bool // words were put into the index since it was tidied
	feedCache feedCache
	packer    packer
}

// How many connections a process opens at most.
const (
	postgresConns = 16
	sqliteReaders = 4
	// SQLiteMemory is the most that the caches of a file have, in bytes: 32 MiB that of
	// who writes, 8 that of each who reads.
	SQLiteMemory = 64 << 20
)

// reachTimeout bounds the first attempt to reach PostgreSQL.
const reachTimeout = 10 * time.Second

// Open opens a database: the path of a file, which is made if it is missing,
// or a postgres:// address. It does not migrate. A schema newer than this
// program's is refused and left alone, and so is another program's database. Errors are *digest.Error.
func Open(ctx context.Context, database string) (*Store, error) {
	open := openSQLite
	switch scheme, _, isAddress := strings.Cut(database, "://"); {
	case isAddress && (scheme == "postgres" || scheme == "postgresql"):
		open = openPostgres
	case isAddress:
		return nil, invalid("DIGEST_DATABASE=%s://… is not supported; use a file such as digest.db, or postgres://user:password@host:5432/digest", scheme)
	}
	s, err := open(ctx, database)
	if err != nil {
		return nil, err
	}
	for _, refuse := range []func(context.Context) error{s.refuseForeign, s.refuseNewer} {
		if err := refuse(ctx); err != nil {
			_ = s.Close()
			return nil, err
		}
	}
	return s, nil
}

// CheckAddress reports what is wrong with the address of a PostgreSQL database,
// as far as that can be told without asking it.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	_, err = pq.NewConnector(inOneRoundTrip(u))
	return err
}

func openPostgres(ctx context.Context, address string) (*Store, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, invalid("the database address cannot be read; write it like postgres://user:password@host:5432/digest")
	}
	connector, err := pq.NewConnector(inOneRoundTrip(u))
	if err != nil {
		return nil, &digest.Error{Kind: digest.Invalid, Message: "the database address cannot be used", Err: err}
	}
	db := mapped(sql.OpenDB(session{connector, sessionSettings(u.Query())}), "postgres")
	db.SetMaxOpenConns(postgresConns)
	db.SetMaxIdleConns(postgresConns)
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		_ = db.Close()
		if why := explain(err); digest.KindOf(why) != "" {
			return nil, why
		}
		return nil, unreachable(u.Host, err)
	}
	return &Store{d: postgresDialect(), w: db, r: db}, nil
}

// sessionSettings are statements that set what an address does not: how long a
// transaction may stand still, as one of a process that is stopped would hold its
// locks for as long as that is; and that statements are not compiled (jit), which took
// 100 ms of a processor for each claim of feeds that runs for 40, once its estimated cost
// is large.
func sessionSettings(address url.Values) string {
	var set strings.Builder
	for _, s := range [][2]string{{"idle_in_transaction_session_timeout", "1min"}, {"jit", "off"}} {
		if !address.Has(s[0]) {
			fmt.Fprintf(&set, "SET %s = '%s';", s[0], s[1])
		}
	}
	return set.String()
}

// session connects to PostgreSQL and sets what holds for a session. Between us and
// the server may be a pool that takes no settings with the address.
type session struct {
	*pq.Connector
	settings string
}

// Connect implements driver.Connector.
func (s session) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil || s.settings == "" {
		return c, err
	}
	if e, ok := c.(driver.ExecerContext); ok {
		_, err = e.ExecContext(ctx, s.settings, nil)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// inOneRoundTrip makes lib/pq send a statement and its parameters together; it would
// else ask the server what they are first, and wait.
func inOneRoundTrip(u *url.URL) string {
	with, q := *u, u.Query()
	if !q.Has("binary_parameters") {
		q.Set("binary_parameters", "yes")
	}
	with.RawQuery = q.Encode()
	return with.String()
}

func openSQLite(ctx context.Context, path string) (*Store, error) {
	path = realPath(path)
	if !isLogged(path) {
		if err := refuseForeignFile(ctx, path); err != nil {
			return nil, fmt.Errorf("opening %s: %w", path, err)
		}
	}
	if err := touch(path); err != nil {
		return nil, err
	}
	w, err := searchable(sqliteName(path))
	if err != nil {
		return nil, explain(err)
	}
	w.SetMaxOpenConns(1)
	// The writer goes first: it is the one that may turn the file to WAL.
	if err := switchToWAL(ctx, w); err != nil {
		_ = w.Close()
		return nil, explainOpening(path, err)
	}
	r, err := searchable(sqliteName(path, "query_only(1)", "cache_size(-8192)"))
	if err != nil {
		_ = w.Close()
		return nil, explain(err)
	}
	r.SetMaxOpenConns(sqliteReaders)
	r.SetMaxIdleConns(sqliteReaders)
	return &Store{d: sqliteDialect(), w: w, r: r, file: path}, nil
}

// How long switchToWAL goes on against other processes, and waits between two attempts.
const (
	switchPatience = time.Minute
	switchPause    = 20 * time.Millisecond
)

// switchToWAL makes the first connection to a file, which turns it to WAL if it is not
// yet. Two that do so at once each hold a lock that the other wants to grow: one
// of them is refused, however long busy_timeout is, and has to begin again.
func switchToWAL(ctx context.Context, w *sqlx.DB) error {
	over := time.After(switchPatience)
	for {
		err := w.PingContext(ctx)
		if !IsAway(err) {
			return err
		}
		select {
		case <-over:
			return err
		case <-ctx.Done():
			return err
		case <-time.After(switchPause):
		}
	}
}

// isLogged reports whether a file is a database in WAL mode, as ours are, or
// there is nothing in it: to open it as ours does not change it.
func isLogged(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // touch says it better
	}
	defer f.Close()
	header := make([]byte, 20)
	_, err = io.ReadFull(f, header)
	const fileFormatWAL = 2 // https://www.sqlite.org/fileformat.html §1.3.3
	switch {
	case err == nil:
		return header[18] == fileFormatWAL
	case errors.Is(err, io.ErrUnexpectedEOF):
		return false
	}
	return true // empty; or a folder, of which touch says it better
}

// refuseForeignFile refuses another program's file before it is turned to WAL.
func refuseForeignFile(ctx context.Context, path string) error {
	db, err := sqlx.Open("sqlite3", "file:"+filePath(path)+"?mode=ro&_pragma=busy_timeout(60000)")
	if err != nil {
		return explain(err)
	}
	defer db.Close()
	return (&Store{d: sqliteDialect(), w: db, r: db}).refuseForeign(ctx)
}

// sqliteName is the data source of a file. The pragmas hold for a connection,
// so each new one gets them; busy_timeout must come first, as the others may wait.
// Each connection has a cache of its own, in memory that Go's limit does not bound
// (SQLiteMemory).
func sqliteName(path string, pragmas ...string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	q := url.Values{
		"modeof":  {path}, // the log gets the rights of the file
		"_txlock": {"immediate"},
		"_pragma": append([]string{
			"busy_timeout(60000)",
			"journal_mode(WAL)",
			"synchronous(FULL)",
			"foreign_keys(1)",
			"cache_size(-32768)",
			"journal_size_limit(67108864)", // what the log shrinks to after a large transaction
		}, pragmas...),
	}
	return "file:" + filePath(path) + "?" +
		strings.ReplaceAll(q.Encode(), "+", "%20") // SQLite knows no plus
}

// filePath is the path of a file as SQLite's addresses have it.
func filePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/")
	return (&url.URL{Path: path}).EscapedPath()
}

// Close closes the database.
func (s *Store) Close() error {
	if s.r != s.w {
		if err := s.r.Close(); err != nil {
			_ = s.w.Close()
			return fmt.Errorf("closing the database: %w", err)
		}
	}
	if err := s.w.Close(); err != nil {
		return fmt.Errorf("closing the database: %w", err)
	}
	return nil
}

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var one int
	return s.read().get(ctx, &one, `SELECT 1`)
}

// HasClock reports whether the database has a clock that is not the process's own.
func (s *Store) HasClock() bool { return s.d.clock != "" }

// Clock asks the database what time it is. A file has the process's own clock:
// only where there is another can leases be cut short by it.
func (s *Store) Clock(ctx context.Context) (time.Time, error) {
	if s.d.clock == "" {
		return time.Now().UTC(), nil
	}
	var us int64
	if err := s.read().get(ctx, &us, s.d.clock); err != nil {
		return time.Time{}, fmt.Errorf("asking the database's clock: %w", err)
	}
	return time.UnixMicro(us).UTC(), nil
}

// secretBytes is the length of the instance's secret.
const secretBytes = 32

// Secret gives the instance's secret, 32 random bytes that are made at the
// first call and never change.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, secretBytes)
	rand.Read(fresh)
	return changed(ctx, s, "reading the secret", func(c conn) (secret []byte, err error) {
		if _, err := c.exec(ctx, `INSERT INTO settings (key, value) VALUES ('secret', ?) ON CONFLICT (key) DO NOTHING`,
			fresh); err != nil {
			return nil, err
		}
		return c.setting(ctx, "secret")
	})
}

// setting gives what is kept under a key of the instance's settings; nil: nothing is.
func (c conn) setting(ctx context.Context, key string) (value []byte, err error) {
	err = c.get(ctx, &value, `SELECT value FROM settings WHERE key = ?`, key)
	if isNone(err) {
		err = nil
	}
	return value, err
}

// setSetting keeps something under a key, in place of what was kept there.
func (c conn) setSetting(ctx context.Context, key string, value []byte) error {
	_, err := c.exec(ctx, `INSERT INTO settings (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}
