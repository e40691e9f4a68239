package store

import (
	"context"
	"slices"

	"digest/store/db"
)

// A conn is a db.Tx with the dialect and the Policy, for the functions of this package.
type conn struct {
	db.Tx
	d      *dialect
	policy *Policy
}

type values = db.Values

func (s *database) conn(c db.Tx) conn { return conn{c, s.d, &s.Policy} }

func (s *database) read() conn { return s.conn(db.Read(s.db)) }

// atOneInstant runs f with a store that only reads, as db.AtOneInstant does.
func (s *database) atOneInstant(ctx context.Context, doing string, f func(*Store) error) error {
	return db.Failed(doing, db.AtOneInstant(ctx, s.db, func(d *db.DB) error { return f(s.inside(d)) }))
}

// inside returns a store that works in the transaction of d.
func (s *database) inside(d *db.DB) *Store {
	if d == s.db {
		return newStore(s)
	}
	return newStore(&database{db: d, d: s.d, Policy: s.Policy})
}

// write is db.Write.
func (s *database) write(ctx context.Context, f func(conn) error) error {
	return db.Write(ctx, s.db, func(c db.Tx) error { return f(s.conn(c)) })
}

// change is write, and adds to an error what was being done.
func (s *database) change(ctx context.Context, doing string, f func(conn) error) error {
	return db.Failed(doing, s.write(ctx, f))
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
	return s.change(ctx, doing, func(c conn) error { return c.Run(ctx, statement, args...) })
}

// runOne is run for a statement that must change a row. It returns none if it changes no row.
func (s *database) runOne(ctx context.Context, doing string, none error, statement string, args ...any) error {
	return s.change(ctx, doing, func(c conn) error { return c.RunOne(ctx, none, statement, args...) })
}

// The rest of the package uses these functions so often that they have short names here, as at and from do.

func list[T ~int64](ids []T) string { return db.List(ids) }

func each[T, K any](list []T, mapped func(T) K) []K { return db.Each(list, mapped) }

func failed(doing string, err error) error { return db.Failed(doing, err) }

// changeAlone is change in a transaction that excludes Record and Release (I8).
func (s *database) changeAlone(ctx context.Context, doing string, f func(conn) error) error {
	return s.changeUnder(ctx, s.d.LockAlone, doing, f)
}

// changeUnder is change in a transaction that holds a lock until its end.
func (s *database) changeUnder(ctx context.Context, lock, doing string, f func(conn) error) error {
	return s.change(ctx, doing, func(c conn) error {
		if err := c.UntilCommit(ctx, lock); err != nil {
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
