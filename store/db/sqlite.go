package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/ncruces/go-sqlite3"
	sqlite "github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"

	"digest"
)

// Only this file depends on the driver of SQLite, for its connections and for the codes of its errors.

func openSQLite(ctx context.Context, path string) (*DB, error) {
	path = RealPath(path)
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
		return nil, Explain(err)
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
		return nil, Explain(err)
	}
	r.SetMaxOpenConns(sqliteReaders)
	r.SetMaxIdleConns(sqliteReaders)
	return &DB{d: sqliteDialect(), w: w, r: r, file: path}, nil
}

const (
	sqliteReaders = 4 // connections
	// SQLiteMemory bounds the caches of a file, in bytes: 32 MiB for the writer, 8 MiB for each reader.
	SQLiteMemory = 64 << 20
)

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
		return Explain(err)
	}
	defer db.Close()
	return (&DB{d: sqliteDialect(), w: db, r: db}).refuseForeign(ctx)
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

// searchable opens a file whose connections support full-text search, an extension of the driver, and cache their
// statements.
func searchable(name string) (*sqlx.DB, error) {
	c, err := (&sqlite.SQLite{}).OpenConnector(name)
	if err != nil {
		return nil, err
	}
	return mapped(sql.OpenDB(sqliteConnector{c}), "sqlite3"), nil
}

type sqliteConnector struct{ driver.Connector }

// Connect implements driver.Connector.
func (s sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := s.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	to := c.(sqlite.Conn)
	if err := fts5.Register(to.Raw()); err != nil {
		_ = c.Close()
		return nil, err
	}
	return &reusing{preparer: to, cache: make(map[string]cachedStatement)}, nil
}

// explainOpening explains an error from opening a file.
func explainOpening(path string, err error) error {
	if foreign := Foreign(path); foreign != nil {
		return foreign
	}
	return fmt.Errorf("opening %s: %w", path, (&DB{file: path}).explain(err))
}

// explainSQLite is Explain for an error of SQLite. It returns nil for other errors.
func explainSQLite(err error) error {
	code, ok := errors.AsType[sqlite3.ErrorCode](err)
	switch {
	case !ok:
		return nil
	case isFull(err):
		return fullDisk(err)
	}
	switch code {
	case sqlite3.INTERRUPT: // the driver interrupts statements whose context was canceled
		return fmt.Errorf("%w: %w", context.Canceled, err)
	case sqlite3.READONLY, sqlite3.CANTOPEN, sqlite3.PERM:
		return Unavailable(err, "the database file cannot be written; check the permissions and the disk of the file and of its folder")
	case sqlite3.IOERR:
		return Unavailable(err, "the disk of the database cannot be read or written, and nothing was changed; check its free space (df -h) and the system log")
	case sqlite3.BUSY:
		return Unavailable(err, "another process has locked the database for too long; try again")
	case sqlite3.NOTADB, sqlite3.CORRUPT:
		return &digest.Error{Kind: digest.Invalid,
			Message: "the database file is damaged or not a database; name another, or restore a backup", Err: err}
	case sqlite3.ERROR:
		if strings.Contains(err.Error(), "no such table") {
			return NoSchema(err)
		}
	}
	return err
}

// fileFault returns the meaning of an error of SQLite, or 0.
func fileFault(err error) fault {
	code, ok := errors.AsType[sqlite3.ErrorCode](err)
	switch {
	case !ok:
		return 0
	case errors.Is(err, sqlite3.CONSTRAINT_UNIQUE), errors.Is(err, sqlite3.CONSTRAINT_PRIMARYKEY):
		return notUnique
	}
	return map[sqlite3.ErrorCode]fault{sqlite3.BUSY: away, sqlite3.CONSTRAINT: unfit, sqlite3.MISMATCH: unfit,
		sqlite3.TOOBIG: tooBig, sqlite3.FULL: full, sqlite3.IOERR: unwritten}[code]
}

// OpenMemory opens an empty database in memory.
func OpenMemory() (*DB, error) {
	m, err := searchable("file::memory:")
	if err != nil {
		return nil, Explain(err)
	}
	m.SetMaxOpenConns(1) // each connection has its own in-memory database
	return &DB{d: sqliteDialect(), w: m, r: m}, nil
}

// CloseLog removes the log of a file, which SQLite does only if no other process has the file open.
func CloseLog(ctx context.Context, path string) error {
	db, err := sqlx.Open("sqlite3", "file:"+filePath(path)+"?_pragma=busy_timeout(2000)")
	if err != nil {
		return Explain(err)
	}
	defer db.Close()
	var mode string
	err = db.GetContext(ctx, &mode, `PRAGMA journal_mode = DELETE`)
	if IsAway(err) || err == nil && mode != "delete" {
		return Conflict("another process has the database %s open; stop it first", path)
	}
	return Explain(err)
}
