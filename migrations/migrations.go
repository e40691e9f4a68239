// Package migrations holds the schema: numbered SQL files, one folder for each
// database, applied forward only by the package store. Both folders hold the
// same tables and columns under the same file names; INTEGER in SQLite is
// BIGINT in PostgreSQL and BLOB is BYTEA.
//
// Times are Unix seconds in UTC, 0 where there is none. The one exception is
// feed_times.poll_at, which is NULL for a feed that is not queued.
package migrations

import "embed"

// SQLite holds the migrations of the embedded database, in the folder "sqlite".
//
//go:embed sqlite/*.sql
var SQLite embed.FS

// Postgres holds the migrations for PostgreSQL, in the folder "postgres".
//
//go:embed postgres/*.sql
var Postgres embed.FS
