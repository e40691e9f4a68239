package db

import (
	"context"
	"database/sql/driver"
	"fmt"
	"maps"
	"math"
	"slices"
)

// A preparer is a connection that a driver opened.
type preparer interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
}

// A reusing connection to SQLite caches prepared statements, because parsing and planning costs more than most of
// them take to run. SQLite prepares a statement again when the schema has changed
// (https://www.sqlite.org/c3ref/prepare.html). database/sql never uses a connection concurrently.
type reusing struct {
	preparer
	cache map[string]cachedStatement // by text, without those that are running
	Size  int                        // their total weight
	uses  int
}

type cachedStatement struct {
	driver.Stmt
	used int // a higher number was used later
}

// A prepared statement takes about fifty times its text, and a few kilobytes, so a connection caches at most 5 MB. A
// long one is worth less, because it is run for many rows.
const (
	maxCached     = 256 << 10
	longestCached = 16 << 10
)

func weight(text string) int { return len(text) + 1<<10 }

// ExecContext implements driver.ExecerContext.
func (c *reusing) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	if e, ok := c.preparer.(driver.ExecerContext); ok && len(args) == 0 { // text may be several statements
		return e.ExecContext(ctx, text, nil)
	}
	s, err := c.acquire(ctx, text, args)
	if err != nil {
		return nil, err
	}
	result, err := s.(driver.StmtExecContext).ExecContext(ctx, args)
	c.giveBack(text, s, err)
	return result, err
}

// QueryContext implements driver.QueryerContext.
func (c *reusing) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.acquire(ctx, text, args)
	if err != nil {
		return nil, err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		c.giveBack(text, s, err)
		return nil, err
	}
	return &reusedRows{rows.(driver.RowsColumnTypeDatabaseTypeName), func(err error) { c.giveBack(text, s, err) }}, nil
}

// Texts returns the cached statements, for tests.
func (c *reusing) Texts() []string { return slices.Collect(maps.Keys(c.cache)) }

// Close implements driver.Conn. SQLite does not close a connection that has statements.
func (c *reusing) Close() error {
	c.shrink(0)
	return c.preparer.Close()
}

// acquire returns a statement, cached or new. While the rows of a text are being read, the same text gets a new one.
func (c *reusing) acquire(ctx context.Context, text string, args []driver.NamedValue) (s driver.Stmt, err error) {
	if k, ok := c.cache[text]; ok {
		delete(c.cache, text)
		c.Size -= weight(text)
		s = k.Stmt
	} else if s, err = c.PrepareContext(ctx, text); err != nil {
		return nil, err
	}
	if n := s.NumInput(); n >= 0 && n != len(args) {
		c.giveBack(text, s, nil)
		return nil, fmt.Errorf("a statement takes %d arguments and was given %d", n, len(args))
	}
	return s, nil
}

// giveBack caches a statement after its use, unless it failed.
func (c *reusing) giveBack(text string, s driver.Stmt, err error) {
	if _, twice := c.cache[text]; twice || err != nil || len(text) > longestCached {
		_ = s.Close()
		return
	}
	c.uses++
	c.cache[text] = cachedStatement{s, c.uses}
	c.Size += weight(text)
	c.shrink(maxCached)
}

// shrink closes the least recently used statements, until the weight of the others is most or less.
func (c *reusing) shrink(most int) {
	for c.Size > most {
		oldest, used := "", math.MaxInt
		for text, k := range c.cache {
			if k.used < used {
				oldest, used = text, k.used
			}
		}
		_ = c.cache[oldest].Close()
		delete(c.cache, oldest)
		c.Size -= weight(oldest)
	}
}

// reusedRows returns its statement to the cache when it is closed.
type reusedRows struct {
	driver.RowsColumnTypeDatabaseTypeName
	done func(error)
}

// Close implements driver.Rows.
func (r *reusedRows) Close() error {
	err := r.RowsColumnTypeDatabaseTypeName.Close()
	if r.done != nil {
		r.done(err)
		r.done = nil
	}
	return err
}
