package db

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
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

// A Tx runs queries, in a transaction or outside one. Queries use "?" for arguments. Numbers may be part of the
// text, strings never. A Tx cleans each string argument; Go code that compares strings with stored ones must do so
// too. A list of keys (see OneOf) or of texts (see Names) is one argument.
type Tx struct {
	db sqlx.ExtContext
	d  *Dialect
}

// Dialect returns the dialect of the database.
func (c Tx) Dialect() *Dialect { return c.d }

// Exec runs a statement and returns the number of affected rows.
func (c Tx) Exec(ctx context.Context, query string, args ...any) (int, error) {
	res, err := c.db.ExecContext(ctx, sqlx.Rebind(c.d.bind, query), Each(args, c.d.stored)...)
	if err != nil {
		return 0, Explain(err)
	}
	n, err := res.RowsAffected()
	return int(n), Explain(err)
}

// Run is Exec without the number.
func (c Tx) Run(ctx context.Context, query string, args ...any) error {
	_, err := c.Exec(ctx, query, args...)
	return err
}

// RunOne is Run for a statement that must change a row. It returns none if it changes no row.
func (c Tx) RunOne(ctx context.Context, none error, query string, args ...any) error {
	n, err := c.Exec(ctx, query, args...)
	if err == nil && n == 0 {
		return none
	}
	return err
}

// ExecEach runs statements with the same arguments, in order.
func (c Tx) ExecEach(ctx context.Context, statements []string, args ...any) error {
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// Get reads one row, or returns sql.ErrNoRows.
func (c Tx) Get(ctx context.Context, dest any, query string, args ...any) error {
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

// Find is Get for a row that may be missing.
func (c Tx) Find(ctx context.Context, dest any, query string, args ...any) (found bool, err error) {
	err = c.Get(ctx, dest, query, args...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// Number reads one number.
func (c Tx) Number(ctx context.Context, query string, args ...any) (n int, err error) {
	err = c.Get(ctx, &n, query, args...)
	return n, err
}

// All reads all rows and appends them to a slice.
func (c Tx) All(ctx context.Context, dest any, query string, args ...any) error {
	return c.scan(ctx, reflect.ValueOf(dest).Elem(), math.MaxInt, query, args)
}

func (c Tx) scan(ctx context.Context, to reflect.Value, most int, query string, args []any) error {
	rows, err := c.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	return Explain(scanRows(rows, to, most))
}

// Query returns the rows of a query, as the driver returns them.
func (c Tx) Query(ctx context.Context, query string, args ...any) (*sqlx.Rows, error) {
	rows, err := c.db.QueryxContext(ctx, sqlx.Rebind(c.d.bind, query), Each(args, c.d.stored)...)
	return rows, Explain(err)
}

// Fill prepares the statement that inserts rows into a table, one row for each call of Exec. Where the dialect's
// FillEnds is set, a call without values must follow. It panics outside a transaction.
func (c Tx) Fill(ctx context.Context, table string, columns []string) (*sql.Stmt, error) {
	s, err := c.db.(*sqlx.Tx).PrepareContext(ctx, c.d.fill(table, columns))
	return s, Explain(err)
}

// UntilCommit runs statements of the dialect whose effect ends with the transaction, such as locks. It skips empty
// ones, which the dialect does not need.
func (c Tx) UntilCommit(ctx context.Context, statements ...string) error {
	return c.ExecEach(ctx, slices.DeleteFunc(statements, func(s string) bool { return s == "" }))
}

// Read returns a Tx that only reads. It is outside a transaction, unless d is inside one.
func Read(d *DB) Tx {
	if d.within != nil {
		return Tx{d.within, d.d}
	}
	return Tx{d.r, d.d}
}

// AtOneInstant runs f with a database that only reads, in one transaction, so that everything it reads is from the
// same instant. It neither waits for writers nor blocks them. f must not use the database that AtOneInstant was called
// on: each of SQLite's few readers may hold the connection that another one waits for.
func AtOneInstant(ctx context.Context, d *DB, f func(*DB) error) error {
	if d.within != nil {
		return f(d)
	}
	tx, err := d.r.BeginTxx(ctx, &d.d.readOnly)
	if err != nil {
		return fmt.Errorf("beginning: %w", Explain(err))
	}
	defer func() { _ = tx.Rollback() }() // only reads
	return f(Inside(Tx{tx, d.d}))
}

// Inside returns a database whose methods work in a transaction. It panics if c is outside one.
func Inside(c Tx) *DB { return &DB{d: c.d, within: c.db.(*sqlx.Tx)} }

// retries is how often a transaction is retried that PostgreSQL has ended in favour of another.
const retries = 5

// Write runs f in one transaction, and commits if f returns nil, otherwise rolls back. It may run f again, so f must
// start from nothing each time. In a database that works in a transaction it runs f in that.
func Write(ctx context.Context, d *DB, f func(Tx) error) error {
	if d.within != nil {
		return f(Read(d))
	}
	return retried(func() error { return d.once(ctx, d.w, f) })
}

// WriteOnce is Write without retries, for an f that cannot start again.
func WriteOnce(ctx context.Context, d *DB, f func(Tx) error) error { return d.once(ctx, d.w, f) }

func retried(once func() error) error {
	for i := 0; ; i++ {
		err := once()
		if err == nil || i == retries || !isConflict(err) {
			return err
		}
	}
}

// WriteUnsynced is Write for a single statement, with a commit that does not wait for the disk. The commit survives the
// end of this process. It may not survive a crash of the machine, until a later commit has waited
// (https://www.sqlite.org/pragma.html#pragma_synchronous). The statement must contain the dialect's condition Unsynced.
func WriteUnsynced(ctx context.Context, d *DB, f func(Tx) error) error {
	if d.d.Unsynced != "" {
		return retried(func() error { return f(Tx{d.w, d.d}) })
	}
	w, err := d.w.Connx(ctx)
	if err != nil {
		return fmt.Errorf("beginning: %w", Explain(err))
	}
	defer w.Close()
	if _, err := w.ExecContext(ctx, `PRAGMA synchronous = NORMAL`); err != nil {
		return fmt.Errorf("beginning: %w", Explain(err))
	}
	defer func() {
		if _, err := w.ExecContext(context.WithoutCancel(ctx), `PRAGMA synchronous = FULL`); err != nil {
			_ = w.Raw(func(any) error { return driver.ErrBadConn }) // drop the connection, which has the wrong setting
		}
	}()
	return retried(func() error { return d.once(ctx, w, f) })
}

// A beginner begins transactions: a pool, or one connection.
type beginner interface {
	BeginTxx(context.Context, *sql.TxOptions) (*sqlx.Tx, error)
}

func (d *DB) once(ctx context.Context, w beginner, f func(Tx) error) error {
	tx, err := w.BeginTxx(ctx, &sql.TxOptions{Isolation: d.d.isolation})
	if err != nil {
		return fmt.Errorf("beginning: %w", Explain(err))
	}
	defer func() { _ = tx.Rollback() }() // no effect after a commit
	if err := f(Tx{tx, d.d}); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("committing: %w", Explain(err))
	}
	return nil
}

// Failed adds to an error what was being done. It does not change an error that explains itself.
func Failed(doing string, err error) error {
	if e, ok := errors.AsType[*digest.Error](err); err == nil || doing == "" || ok && e.Err == nil {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// Each maps every element of a list.
func Each[T, K any](list []T, mapped func(T) K) []K {
	out := make([]K, len(list))
	for i, x := range list {
		out[i] = mapped(x)
	}
	return out
}

// Clean returns text that both databases accept. PostgreSQL rejects NUL and invalid UTF-8, and one such byte would
// fail all polls of its transaction.
func Clean(s string) string {
	if utf8.ValidString(s) && !strings.Contains(s, "\x00") {
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// stored returns an argument as this database stores it. It encodes a list of keys or texts as one argument.
func (d *Dialect) stored(value any) any {
	switch list := reflect.ValueOf(value); {
	case list.Kind() != reflect.Slice:
	case list.Type().Elem().Kind() == reflect.Int64:
		ids := make([]int64, list.Len())
		for i := range ids {
			ids[i] = list.Index(i).Int()
		}
		return d.keys(ids)
	case list.Type().Elem().Kind() == reflect.String:
		b, _ := json.Marshal(value) // strings always encode
		return string(b)
	}
	return stored(value)
}

// stored returns a value as both databases store it, the reverse of cell. Times are Unix seconds, durations are
// seconds, booleans are 1 or 0, dates are text ("" for none), and strings are clean.
func stored(value any) any {
	switch v := value.(type) {
	case nil, int64:
		return v
	case string:
		return Clean(v)
	case time.Time:
		return int64(At(v))
	case time.Duration:
		return Seconds(v)
	case bool:
		return int64(Bit(v))
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
		return Clean(r.String())
	}
	return value
}
