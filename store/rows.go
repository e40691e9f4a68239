package store

import (
	"context"
	"database/sql"
	"errors"
)

func isNone(err error) bool { return errors.Is(err, sql.ErrNoRows) }

// readOne reads one row, or returns the error none without a row.
func readOne[R any](ctx context.Context, c conn, doing string, none error, query string, args ...any) (R, error) {
	var row, zero R
	err := c.Get(ctx, &row, query, args...)
	if isNone(err) {
		return zero, none
	}
	if err != nil {
		return zero, failed(doing, err)
	}
	return row, nil
}

func readRows[R any](ctx context.Context, c conn, doing, query string, args ...any) ([]R, error) {
	rows := []R{}
	if err := c.All(ctx, &rows, query, args...); err != nil {
		return nil, failed(doing, err)
	}
	return rows, nil
}
