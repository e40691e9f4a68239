// Package store stores everything in a database: SQLite in a file, or PostgreSQL. Both use the same queries
// (dialect.go has the differences), and no other package contains SQL.
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
//
// The embedded database is SQLite by github.com/ncruces/go-sqlite3, without cgo. Compared with modernc.org/sqlite it
// ran this package's statements 1.5 to 2 times faster. Another driver would change the opening in this file, the error
// codes in errors.go and the statement cache in reusing.go.
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

// A Store is an open database. It is safe for concurrent use, and several processes may use one database. Its fields
// group the methods by subject.
type Store struct {
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

func newStore(db *database) *Store {
	return &Store{db, Feeds{db}, Editions{db}, Readers{db}, Sessions{db}, Subscriptions{db}, Posts{db}, Newsletters{db},
		Members{db}, Operator{db}}
}

// A database is what the methods of a Store share.
type database struct {
	d *dialect
	w *sqlx.DB // writes; one connection on SQLite
	r *sqlx.DB // reads; the same as w on PostgreSQL

	within *sqlx.Tx // the transaction of a store that atOneInstant (reads only) or ByLink has created; nil in others
	file   string   // of SQLite; "" for a server

	// Policy must be set before any other call, and not change later.
	Policy Policy

	pruned    cursor
	untidy    atomic.Bool // the search index has grown since it was tidied
	feedCache feedCache
	packer    packer
}

// How many connections a process opens at most.
const (
	postgresConns = 16
	sqliteReaders = 4
	// SQLiteMemory bounds the caches of a file, in bytes: 32 MiB for the writer, 8 MiB for each reader.
	SQLiteMemory = 64 << 20
)

// reachTimeout bounds the first attempt to reach PostgreSQL.
const reachTimeout = 10 * time.Second

// Open opens a database: the path of a file, which it creates if it is missing, or a postgres:// address. It does not
// migrate. It refuses a schema newer than this program's, and another program's database, without changing them.
// Errors are *digest.Error.
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

// CheckAddress reports what is wrong with the address of a PostgreSQL database, without connecting to it.
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
	return newStore(&database{d: postgresDialect(), w: db, r: db}), nil
}

// sessionSettings returns statements for settings that an address does not have. The first ends transactions that are
// idle, because a stopped process would hold its locks. The second turns off the compilation of statements (jit). It
// took 100 ms of CPU for each claim of feeds that runs for 40 ms, once its estimated cost is large.
func sessionSettings(address url.Values) string {
	var set strings.Builder
	for _, s := range [][2]string{{"idle_in_transaction_session_timeout", "1min"}, {"jit", "off"}} {
		if !address.Has(s[0]) {
			fmt.Fprintf(&set, "SET %s = '%s';", s[0], s[1])
		}
	}
	return set.String()
}

// session connects to PostgreSQL and applies the settings of a session. A pool before the server may not accept
// settings in the address.
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

// inOneRoundTrip makes lib/pq send a statement together with its parameters. Otherwise it first asks the server for
// their types, and waits.
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
	// The writer connects first, because it may switch the file to WAL.
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
	return newStore(&database{d: sqliteDialect(), w: w, r: r, file: path}), nil
}

// How long switchToWAL retries, and its pause between two attempts.
const (
	switchPatience = time.Minute
	switchPause    = 20 * time.Millisecond
)

// switchToWAL opens the first connection to a file, which switches the file to WAL if necessary. If two processes do
// so together, each holds a lock that the other needs. SQLite refuses one of them, whatever its busy_timeout is, and
// that one must retry.
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

// isLogged reports whether a file is empty or a database in WAL mode, so that opening it does not change it.
func isLogged(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return true // touch has the better error
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
	return true // empty, or a folder, for which touch has the better error
}

// refuseForeignFile refuses another program's file before it is switched to WAL.
func refuseForeignFile(ctx context.Context, path string) error {
	db, err := sqlx.Open("sqlite3", "file:"+filePath(path)+"?mode=ro&_pragma=busy_timeout(60000)")
	if err != nil {
		return explain(err)
	}
	defer db.Close()
	return (&database{d: sqliteDialect(), w: db, r: db}).refuseForeign(ctx)
}

// sqliteName returns the data source of a file. The pragmas apply to each new connection; busy_timeout must be first,
// because the others may wait. Each connection has its own cache, in memory that Go's limit does not include
// (SQLiteMemory).
func sqliteName(path string, pragmas ...string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	q := url.Values{
		"modeof":  {path}, // the log has the permissions of the file
		"_txlock": {"immediate"},
		"_pragma": append([]string{
			"busy_timeout(60000)",
			"journal_mode(WAL)",
			"synchronous(FULL)",
			"foreign_keys(1)",
			"cache_size(-32768)",
			"journal_size_limit(67108864)", // size of the log after a large transaction
		}, pragmas...),
	}
	return "file:" + filePath(path) + "?" +
		strings.ReplaceAll(q.Encode(), "+", "%20") // SQLite does not decode a plus
}

// filePath returns the path of a file as in SQLite's addresses.
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

// Clock returns the time of the database's clock. For a file, this is the process's own clock.
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

const secretBytes = 32

// Secret returns the instance's secret: 32 random bytes that the first call creates and that never change.
func (s *Store) Secret(ctx context.Context) ([]byte, error) {
	fresh := make([]byte, secretBytes)
	rand.Read(fresh)
	return changed(ctx, s.database, "reading the secret", func(c conn) (secret []byte, err error) {
		if _, err := c.exec(ctx, `INSERT INTO settings (key, value) VALUES ('secret', ?) ON CONFLICT (key) DO NOTHING`,
			fresh); err != nil {
			return nil, err
		}
		return c.setting(ctx, "secret")
	})
}

// setting returns the value of a key in the instance's settings, or nil.
func (c conn) setting(ctx context.Context, key string) (value []byte, err error) {
	err = c.get(ctx, &value, `SELECT value FROM settings WHERE key = ?`, key)
	if isNone(err) {
		err = nil
	}
	return value, err
}

func (c conn) setSetting(ctx context.Context, key string, value []byte) error {
	_, err := c.exec(ctx, `INSERT INTO settings (key, value) VALUES (?, ?)
		ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}
