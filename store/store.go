// Package store keeps everything in a database: SQLite in a file, or
// PostgreSQL. One set of queries serves both; only this package knows SQL.
package store

import "context"

// A Store is an open database.
type Store struct{}

// Open opens a database: the path of a file, or a postgres:// address. It does
// not migrate; a schema newer than this program's is refused.
func Open(ctx context.Context, database string) (*Store, error) { return nil, nil }
