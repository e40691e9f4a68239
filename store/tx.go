package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jmoiron/sqlx"

	"digest"
)

// A conn runs queries, in a transaction or outside one. Queries use "?" for arguments. Numbers may be part of the
// text, strings never. A conn cleans each string argument; Go code that compares strings with stored ones must do so
// too.
type conn struct {
	db     sqlx.ExtContext
	d      *dialect
	policy *Policy
}

// tx returns the transaction in which c runs. It panics outside one.
func (c conn) tx() *sqlx.Tx { return c.db.(*sqlx.Tx) }

// exec runs a statement and returns the number of affected rows.
func (c conn) exec(ctx context.Context, query string, args ...any) (int, error) {
	res, err := c.db.ExecContext(ctx, sqlx.Rebind(c.d.bind, query), each(args, stored)...)
	if err != nil {
		return 0, explain(err)
	}
	n, err := res.RowsAffected()
	return int(n), explain(err)
}

// run is exec without the number.
func (c conn) run(ctx context.Context, query string, args ...any) error {
	_, err := c.exec(ctx, query, args...)
	return err
}

// runOne is run for a statement that must change a row. It returns none if it changes no row.
func (c conn) runOne(ctx context.Context, none error, query string, args ...any) error {
	n, err := c.exec(ctx, query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// execEach runs statements with the same arguments, in order.
func (c conn) execEach(ctx context.Context, statements []string, args ...any) error {
	for _, statement := range statements {
		if _, err := c.exec(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// get reads one row, or returns sql.ErrNoRows.
func (c conn) get(ctx context.Context, dest any, query string, args ...any) error {
	row := reflect.ValueOf(dest).Elem()
	found := reflect.New(reflect.SliceOf(row.Type())).Elem()
	if err := c.scan(ctx, found, 1, query, args); err != nil {
		return err
	}
	if found.Len() == 0 {
		return sql.ErrNoRows
	}
	row.Set(found.Index(0))
	return nil
}

// find is get for a row that may be missing.
func (c conn) find(ctx context.Context, dest any, query string, args ...any) (found bool, err error) {
	err = c.get(ctx, dest, query, args...)
	if isNone(err) {
		return false, nil
	}
	return err == nil, err
}

func (c conn) number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = c.get(ctx, &n, query, args...)
	return n, err
}

func (c conn) all(ctx context.Context, dest any, query string, args ...any) error {
	return c.scan(ctx, reflect.ValueOf(dest).Elem(), math.MaxInt, query, args)
}

func (c conn) scan(ctx context.Context, to reflect.Value, most int, query string, args []any) error {
	rows, err := c.db.QueryxContext(ctx, sqlx.Rebind(c.d.bind, query), each(args, stored)...)
	if err != nil {
		return explain(err)
	}
	return explain(scanRows(rows, to, most))
}

// untilCommit runs statements of the dialect whose effect ends with the transaction, such as locks. It skips empty
// ones, which the dialect does not need.
func (c conn) untilCommit(ctx context.Context, statements ...string) error {
	return c.execEach(ctx, slices.DeleteFunc(statements, func(s string) bool { return s == "" }))
}

func (s *database) read() conn {
	if s.within != nil {
		return conn{s.within, s.d, &s.Policy}
	}
	return conn{s.r, s.d, &s.Policy}
}

// atOneInstant runs f with a store that only reads, in one transaction, so that everything it reads is from the
// same instant. It neither waits for writers nor blocks them. f must not use the store that atOneInstant was called
// on: each of SQLite's few readers may hold the connection that another one waits for.
func (s *database) atOneInstant(ctx context.Context, doing string, f func(*Store) error) error {
	if s.within != nil {
		return failed(doing, f(newStore(s)))
	}
	tx, err := s.r.BeginTxx(ctx, &s.d.readOnly)
	if err != nil {
		return failed(doing, fmt.Errorf("beginning: %w", explain(err)))
	}
	defer func() { _ = tx.Rollback() }() // only reads
	return failed(doing, f(s.inside(tx)))
}

func (s *database) inside(tx *sqlx.Tx) *Store {
	return newStore(&database{d: s.d, within: tx, Policy: s.Policy})
}

// retries is how often a transaction is retried that PostgreSQL has ended in favour of another.
const retries = 5

// write runs f in one transaction, and commits if f returns nil, otherwise rolls back. It may run f again, so f must
// start from nothing each time. In a store that works in a transaction it runs f in that.
func (s *database) write(ctx context.Context, f func(conn) error) error {
	if s.within != nil {
		return f(s.read())
	}
	return retried(func() error { return s.once(ctx, s.w, f) })
}

func retried(once func() error) error {
	for i := 0; ; i++ {
		err := once()
		if err == nil || i == retries || !isConflict(err) {
			return err
		}
	}
}

// writeUnsynced is write on SQLite with a commit that does not wait for the disk. The commit survives the end of this
// process. It may not survive a crash of the machine, until a later commit has waited
// (https://www.sqlite.org/pragma.html#pragma_synchronous).
func (s *database) writeUnsynced(ctx context.Context, f func(conn) error) error {
	w, err := s.w.Connx(ctx)
	if err != nil {
		return fmt.Errorf("beginning: %w", explain(err))
	}
	defer w.Close()
	if _, err := w.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil {
		return fmt.Errorf("beginning: %w", explain(err))
	}
	defer func() {
		if _, err := w.ExecContext(context.WithoutCancel(ctx), `PRAGMA synchronous = FULL`); err != nil {
			_ = w.Raw(func(any) error { return driver.ErrBadConn }) // drop the connection, which has the wrong setting
		}
	}()
	return retried(func() error { return s.once(ctx, w, f) })
}

// A beginner begins transactions: a pool, or one connection.
type beginner interface {
	BeginTxx(context.Context, *sql.TxOptions) (*sqlx.Tx, error)
}

func (s *database) once(ctx context.Context, w beginner, f func(conn) error) error {
	tx, err := w.BeginTxx(ctx, &sql.TxOptions{Isolation: s.d.isolation})
	if err != nil {
		return fmt.Errorf("beginning: %w", explain(err))
	}
	defer func() { _ = tx.Rollback() }() // no effect after a commit
	if err := f(conn{tx, s.d, &s.Policy}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", explain(err))
	}
	return nil
}

// change is write, and adds to an error what was being done.
func (s *database) change(ctx context.Context, doing string, f func(conn) error) error {
	return failed(doing, s.write(ctx, f))
}

// changed is change with a result, which is zero after an error.
func changed[T any](ctx context.Context, s *database, doing string, f func(conn) (T, error)) (T, error) {
	var result, none T
	err := s.change(ctx, doing, func(c conn) (err error) {
		result, err = f(c)
		return err
	})
	if err != nil {
		return none, err
	}
	return result, nil
}

// run runs one statement in a transaction of its own.
func (s *database) run(ctx context.Context, doing, statement string, args ...any) error {
	return s.change(ctx, doing, func(c conn) error { return c.run(ctx, statement, args...) })
}

// runOne is run for a statement that must change a row. It returns none if it changes no row.
func (s *database) runOne(ctx context.Context, doing string, none error, statement string, args ...any) error {
	return s.change(ctx, doing, func(c conn) error { return c.runOne(ctx, none, statement, args...) })
}

// failed adds to an error what was being done. It does not change an error that explains itself.
func failed(doing string, err error) error {
	if e, ok := errors.AsType[*digest.Error](err); err == nil || doing == "" || ok && e.Err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// each maps every element of a list.
func each[T, K any](list []T, mapped func(T) K) []K {
	out := make([]K, len(list))
	for i, x := range list {
		out[i] = mapped(x)
	}
	return out
}

// clean returns text that both databases accept. PostgreSQL rejects NUL and invalid UTF-8, and one such byte would
// fail all polls of its transaction.
func clean(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// stored returns a value as both databases store it, the reverse of cell. Times are Unix seconds, durations are
// seconds, booleans are 1 or 0, dates are text ("" for none), and strings are clean.
func stored(value any) any {
	switch v := value.(type) {
	case nil, int64:
		return v
	case string:
		return clean(v)
	case time.Time:
		return int64(at(v))
	case time.Duration:
		return seconds(v)
	case bool:
		return int64(bit(v))
	case digest.Date:
		if v.IsZero() {
			return ""
		}
		return v.String()
	}
	switch r := reflect.ValueOf(value); {
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return int64(r.Uint())
	case r.Kind() == reflect.String:
		return clean(r.String())
	}
	return value
}

// changeAlone is change in a transaction that excludes Record and Release (I8).
func (s *database) changeAlone(ctx context.Context, doing string, f func(conn) error) error {
	return s.changeUnder(ctx, s.d.lockAlone, doing, f)
}

// changeUnder is change in a transaction that holds a lock until its end.
func (s *database) changeUnder(ctx context.Context, lock, doing string, f func(conn) error) error {
	return s.change(ctx, doing, func(c conn) error {
		if err := c.untilCommit(ctx, lock); err != nil {
			return err
		}
		return f(c)
	})
}

// partKeys is how many keys changeInParts passes to one transaction.
const partKeys = 200

// changeInParts is changeAlone for many keys, in several transactions, so that others do not wait long. f returns how
// many of its keys it changed.
func changeInParts[K any](ctx context.Context, s *database, doing string, ids []K, f func(conn, []K) (int, error)) (
	total int, err error) {
	for part := range slices.Chunk(ids, partKeys) {
		n := 0
		err := s.changeAlone(ctx, doing, func(c conn) (err error) {
			n, err = f(c, part)
			return err
		})
		if err != nil {
			return total, err
		}
		total += n
	}
	return total, nil
}
