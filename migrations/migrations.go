// Package migrations contains the schema as numbered SQL files, one folder for each database. Package store applies
// them, forward only. Both folders have the same tables and columns in files of the same names. INTEGER in SQLite is
// BIGINT in PostgreSQL, and BLOB is BYTEA.
//
// Times are Unix seconds in UTC, 0 for none. The one exception is feed_times.poll_at, which is NULL for a feed that is
// not queued.
package migrations

import "embed"

// SQLite contains the migrations for SQLite, in the folder "sqlite".
//
//go:embed sqlite/*.sql
var SQLite embed.FS

// Postgres contains the migrations for PostgreSQL, in the folder "postgres".
//
//go:embed postgres/*.sql
var Postgres embed.FS

// Schema creates in SQLite what all migrations together create, with their entries in the version table. A test writes
// and checks it: "go test ./store/db -run TestSchema -update".
//
//go:embed schema.sql
var Schema string
