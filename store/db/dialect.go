package db

import (
	"database/sql"
	"io/fs"
	"strings"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"digest/migrations"
)

// A Dialect holds the differences between the two databases, mostly SQL.
//
// Some queries that run on both are still written for one of them. SQLite has no statistics before ANALYZE and reads
// tables in the order of a CROSS JOIN. It evaluates EXISTS for each row, but IN (SELECT …) for the whole table first.
type Dialect struct {
	Name  string
	goose goose.Dialect
	files fs.FS // migrations
	dir   string
	whole string // creates what all migrations together create; empty: run them
	bind  int    // kind of placeholder of sqlx

	// isolation is set where the server's default may differ. I8 requires that a statement after a lock sees what the
	// previous holder of the lock committed.
	isolation sql.IsolationLevel

	// readOnly begins a transaction whose statements all see one instant and which takes no lock. On SQLite this is a
	// plain BEGIN, which the driver only uses for the default isolation level.
	readOnly sql.TxOptions

	// Locks until the end of the transaction. They are empty on SQLite, where every writer begins with BEGIN
	// IMMEDIATE.
	LockPlan     string // one planner at a time
	LockShared   string // I8: storing posts, in parallel
	LockAlone    string // I8: releasing, and moving a digest's midnight
	LockClaim    string // claiming editions if lanes have limits, because the claims are counted
	LockAccounts string // counting letter requests, and assigning what must be unique

	// Unsynced is a true condition that makes the commit of its transaction not wait for the disk. It is empty where
	// the connection has such a setting. It ends with the transaction, because a pool may share the session.
	Unsynced string

	Slots int // for counters

	// InOrder makes the claim read the queue in the order of its index. Without statistics, PostgreSQL would read and
	// sort the whole queue for each batch, or join all feeds. A queue that has just been filled has no statistics. No
	// later statement of the transaction may have an ORDER BY.
	InOrder string

	Size string // in bytes

	// Partitions lists the partitions of digest_posts; empty: the table has none.
	Partitions string

	Clock string // reads the database's clock in microseconds; empty: use the process's clock

	// How to pass a list so that the text of the statement is constant: see Values.
	Names string // reads the texts of one argument
	OneOf string // follows a column that must equal one of the keys of one argument
	array func(keys string) string
	rows  func(*Values) (text string, args []any)

	ForUpdate  string // for a SELECT before an UPDATE of its rows
	SkipLocked string // after forUpdate: skip rows that another worker has locked
	KeepRow    string // for a SELECT of a row that must not be deleted during the transaction
	Tables     string // returns 1 if a table of the given name exists

	// For backups. HoldTables locks {tables} against schema changes and disables the timeout of the transaction. It is
	// empty if neither is necessary. LastKey reads the highest key that {table} ever generated, SetKey sets it to
	// {key}. fill inserts rows into a table, one row for each call. FillEnds reports whether a call without values
	// must follow.
	HoldTables []string
	LastKey    string
	SetKey     []string
	fill       func(table string, columns []string) string
	FillEnds   bool

	// strangers counts tables that prevent the first migration. In an SQLite file these are all tables. In a
	// PostgreSQL schema, which other programs may share, these are the tables with our names.
	strangers string
}

func sqliteDialect() *Dialect {
	return &Dialect{
		Name:  "SQLite",
		goose: goose.DialectSQLite3,
		files: migrations.SQLite,
		dir:   "sqlite",
		whole: migrations.Schema,
		bind:  sqlx.QUESTION,

		readOnly: sql.TxOptions{ReadOnly: true},

		Names: `SELECT value FROM json_each(?)`,
		OneOf: ` IN (SELECT value FROM json_each(?))`,
		array: func(keys string) string { return "[" + keys + "]" },
		rows:  paddedRows,
		Slots: 1,
		Size:  `SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())`,

		LastKey: `SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = '{table}'`,
		SetKey: []string{`DELETE FROM sqlite_sequence WHERE name = '{table}'`,
			`INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', {key})`},
		fill: insertOne,

		Tables: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?`,
		strangers: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
			AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '` + goose.DefaultTablename + `')`,
	}
}

// The keys of the advisory locks are the bytes of "digest" as a number, and the following numbers.
func postgresDialect() *Dialect {
	return &Dialect{
		Name:  "PostgreSQL",
		goose: goose.DialectPostgres,
		files: migrations.Postgres,
		dir:   "postgres",
		bind:  sqlx.DOLLAR,

		isolation:    sql.LevelReadCommitted,
		readOnly:     sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		LockPlan:     `SELECT pg_advisory_xact_lock(110403869045620)`,
		LockShared:   `SELECT pg_advisory_xact_lock_shared(110403869045621)`,
		LockAlone:    `SELECT pg_advisory_xact_lock(110403869045621)`,
		LockClaim:    `SELECT pg_advisory_xact_lock(110403869045622)`,
		LockAccounts: `SELECT pg_advisory_xact_lock(110403869045623)`,

		Unsynced: `set_config('synchronous_commit', 'off', true) = 'off'`,

		Slots: 8,
		Size:  `SELECT pg_database_size(current_database())`,

		Partitions: `SELECT c.relname AS name, CASE WHEN pg_get_expr(c.relpartbound, c.oid) LIKE '%MINVALUE%' THEN 1
			ELSE 0 END AS open
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('digest_posts')
			ORDER BY c.relname`,

		InOrder: `SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true),
			set_config('enable_mergejoin', 'off', true)`,
		Names: `SELECT json_array_elements_text(CAST(? AS json))`,
		OneOf: ` = ANY (CAST(? AS BIGINT[]))`,
		array: func(keys string) string { return "{" + keys + "}" },
		rows:  arrayRows,
		Clock: `SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`,

		HoldTables: []string{`LOCK TABLE {tables} IN ACCESS SHARE MODE`,
			`SET LOCAL idle_in_transaction_session_timeout = 0`},
		LastKey: `SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('{table}', 'id') AS regclass)),
			0)`,
		SetKey:   []string{`SELECT setval(pg_get_serial_sequence('{table}', 'id'), {key})`},
		fill:     copyIn,
		FillEnds: true,

		ForUpdate:  ` FOR UPDATE`,
		SkipLocked: ` SKIP LOCKED`,
		KeepRow:    ` FOR KEY SHARE`,
		Tables: `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = ANY (current_schemas(false))
			AND tablename = ?`,
		strangers: `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema()
			AND tablename IN ('settings', 'users', 'digests', 'feeds', 'former_addresses', 'hosts',
			'subscriptions', 'posts',
			'digest_posts', 'editions', 'sign_in_tokens', 'sessions', 'notices', 'host_rules', 'domains',
			'robots', 'polls', 'bodies', 'refusals',
			'carried_posts', 'lanes', 'mail_claims', 'suppressions', 'bounces', 'dkim_keys', 'counters',
			'saved_posts', 'index_queue', 'post_words',
			'letter_requests', 'sign_ups', 'invitations', 'operator_links', 'address_changes', 'passkeys',
			'passkey_challenges',
			'filters', 'filtered_posts', 'trips', 'former_subscriptions',
			'carried', 'tallies', 'knocks', 'owner_links', 'ceremonies', 'held_posts', 'stays') AND
			NOT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
			WHERE schemaname = ANY (current_schemas(false)) AND tablename = '` + goose.DefaultTablename + `')`,
	}
}

// LockRows ends a SELECT whose rows of one table will be updated.
func (d *Dialect) LockRows(table string) string {
	if d.ForUpdate == "" {
		return ""
	}
	return d.ForUpdate + " OF " + table
}

// SkipRows is LockRows, but skips rows that another worker has locked.
func (d *Dialect) SkipRows(table string) string {
	if d.ForUpdate == "" {
		return ""
	}
	return d.ForUpdate + " OF " + table + d.SkipLocked
}

// keys encodes any number of keys as one argument of a statement: see OneOf.
func (d *Dialect) keys(ids []int64) string {
	if len(ids) == 0 {
		return d.array("")
	}
	return d.array(List(ids))
}

func copyIn(table string, columns []string) string {
	return `COPY ` + table + ` ("` + strings.Join(columns, `", "`) + `") FROM STDIN`
}

func insertOne(table string, columns []string) string {
	return `INSERT INTO ` + table + ` ("` + strings.Join(columns, `", "`) + `") VALUES (?` +
		strings.Repeat(`, ?`, len(columns)-1) + `)`
}
