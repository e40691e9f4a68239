package store

import (
	"database/sql"
	"io/fs"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"digest/internal/textsearch"
	"digest/migrations"
)

// A dialect holds the differences between the two databases, mostly SQL.
//
// Some queries that run on both are still written for one of them. SQLite has no statistics before ANALYZE and reads
// tables in the order of a CROSS JOIN. It evaluates EXISTS for each row, but IN (SELECT …) for the whole table first.
type dialect struct {
	name  string
	goose goose.Dialect
	files fs.FS // migrations
	dir   string
	bind  int // kind of placeholder of sqlx

	// isolation is set where the server's default may differ. I8 requires that a statement after a lock sees what the
	// previous holder of the lock committed.
	isolation sql.IsolationLevel

	// readOnly begins a transaction whose statements all see one instant and which takes no lock. On SQLite this is a
	// plain BEGIN, which the driver only uses for the default isolation level.
	readOnly sql.TxOptions

	// Locks until the end of the transaction. They are empty on SQLite, where every writer begins with BEGIN
	// IMMEDIATE.
	lockPlan     string // one planner at a time
	lockShared   string // I8: storing posts, in parallel
	lockAlone    string // I8: releasing, and moving a digest's midnight
	lockClaim    string // claiming editions if lanes have limits, because the claims are counted
	lockAccounts string // counting letter requests, and assigning what must be unique

	// unsynced is a true condition that makes the commit of its transaction not wait for the disk. It is empty where
	// the connection has such a setting. It ends with the transaction, because a pool may share the session.
	unsynced string

	slots int // for counters

	// inOrder makes the claim read the queue in the order of its index. Without statistics, PostgreSQL would read and
	// sort the whole queue for each batch, or join all feeds. A queue that has just been filled has no statistics. No
	// later statement of the transaction may have an ORDER BY.
	inOrder string

	size string // in bytes

	// partitions lists the partitions of digest_posts; empty: the table has none.
	partitions string

	clock string // reads the database's clock in microseconds; empty: use the process's clock

	// How to pass a list so that the text of the statement is constant: see values.
	names string // reads the texts of one argument (array)
	oneOf string // follows a column that must equal one of the keys of one argument (keys)
	keys  func(list string) string
	rows  func(*values) (text string, args []any)

	forUpdate  string // for a SELECT before an UPDATE of its rows
	skipLocked string // after forUpdate: skip rows that another worker has locked
	keepRow    string // for a SELECT of a row that must not be deleted during the transaction
	tables     string // returns 1 if a table of the given name exists

	// The search index: its tables, the condition that matches a query, and a statement that merges new words. The
	// statement is empty if no merge is necessary.
	wordTables []wordTable
	match      func(textsearch.Query) matcher
	tidyWords  string

	// rareIn is the largest number of posts in which a word counts as rare. A search looks for rare words first.
	rareIn int

	// gathered is how many posts the index may collect for each post that is compared otherwise.
	gathered int

	// For backups. holdTables locks {tables} against schema changes and disables the timeout of the transaction. It is
	// empty if neither is necessary. lastKey reads the highest key that {table} ever generated, setKey sets it to
	// {key}. fill inserts rows into a table, one row for each call. fillEnds reports whether a call without values
	// must follow.
	holdTables []string
	lastKey    string
	setKey     []string
	fill       func(table string, columns []string) string
	fillEnds   bool

	// strangers counts tables that prevent the first migration. In an SQLite file these are all tables. In a
	// PostgreSQL schema, which other programs may share, these are the tables with our names.
	strangers string
}

func sqliteDialect() *dialect {
	return &dialect{
		name:  "SQLite",
		goose: goose.DialectSQLite3,
		files: migrations.SQLite,
		dir:   "sqlite",
		bind:  sqlx.QUESTION,

		readOnly: sql.TxOptions{ReadOnly: true},

		names: `SELECT value FROM json_each(?)`,
		oneOf: ` IN (SELECT value FROM json_each(?))`,
		keys:  func(list string) string { return "[" + list + "]" },
		rows:  paddedRows,
		slots: 1,
		size:  `SELECT (SELECT page_count FROM pragma_page_count()) * (SELECT page_size FROM pragma_page_size())`,

		wordTables: []wordTable{
			{"post_words", plainDocument, `INSERT INTO post_words (rowid, words) VALUES {rows}`},
			{"bare_words", bareDocument, `INSERT INTO bare_words (rowid, words) VALUES {rows}`},
		},
		match:  matchSQLite,
		rareIn: 1000,

		lastKey: `SELECT COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = '{table}'`,
		setKey: []string{`DELETE FROM sqlite_sequence WHERE name = '{table}'`,
			`INSERT INTO sqlite_sequence (name, seq) VALUES ('{table}', {key})`},
		fill: insertOne,

		tables: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?`,
		strangers: `SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
			AND NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = '` + goose.DefaultTablename + `')`,
	}
}

// The keys of the advisory locks are the bytes of "digest" as a number, and the following numbers.
func postgresDialect() *dialect {
	return &dialect{
		name:  "PostgreSQL",
		goose: goose.DialectPostgres,
		files: migrations.Postgres,
		dir:   "postgres",
		bind:  sqlx.DOLLAR,

		isolation:    sql.LevelReadCommitted,
		readOnly:     sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true},
		lockPlan:     `SELECT pg_advisory_xact_lock(110403869045620)`,
		lockShared:   `SELECT pg_advisory_xact_lock_shared(110403869045621)`,
		lockAlone:    `SELECT pg_advisory_xact_lock(110403869045621)`,
		lockClaim:    `SELECT pg_advisory_xact_lock(110403869045622)`,
		lockAccounts: `SELECT pg_advisory_xact_lock(110403869045623)`,

		unsynced: `set_config('synchronous_commit', 'off', true) = 'off'`,

		slots: 8,
		size:  `SELECT pg_database_size(current_database())`,

		partitions: `SELECT c.relname AS name, CASE WHEN pg_get_expr(c.relpartbound, c.oid) LIKE '%MINVALUE%' THEN 1
			ELSE 0 END AS open
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('digest_posts')
			ORDER BY c.relname`,

		inOrder: `SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true),
			set_config('enable_mergejoin', 'off', true)`,
		names: `SELECT json_array_elements_text(CAST(? AS json))`,
		oneOf: ` = ANY (CAST(? AS BIGINT[]))`,
		keys:  func(list string) string { return "{" + list + "}" },
		rows:  arrayRows,
		clock: `SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`,

		wordTables: []wordTable{{"post_words", vectorDocument,
			`WITH v (rowid, words) AS (VALUES {rows}) INSERT INTO post_words (rowid, words)
				SELECT v.rowid, CAST(v.words AS tsvector) FROM v`}},
		match:    matchPostgres,
		gathered: 50,
		// Only the owner of the index may do this. For other users, the server does it later.
		tidyWords: `SELECT COALESCE(SUM(gin_clean_pending_list(CAST(c.oid AS regclass))), 0) FROM pg_catalog.pg_class c
			WHERE c.oid = to_regclass('post_words_words') AND pg_has_role(c.relowner, 'USAGE')`,

		holdTables: []string{`LOCK TABLE {tables} IN ACCESS SHARE MODE`,
			`SET LOCAL idle_in_transaction_session_timeout = 0`},
		lastKey: `SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('{table}', 'id') AS regclass)),
			0)`,
		setKey:   []string{`SELECT setval(pg_get_serial_sequence('{table}', 'id'), {key})`},
		fill:     copyIn,
		fillEnds: true,

		forUpdate:  ` FOR UPDATE`,
		skipLocked: ` SKIP LOCKED`,
		keepRow:    ` FOR KEY SHARE`,
		tables: `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = ANY (current_schemas(false))
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

// lockRows ends a SELECT whose rows of one table will be updated.
func (d *dialect) lockRows(table string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + " OF " + table
}

// skipRows is lockRows, but skips rows that another worker has locked.
func (d *dialect) skipRows(table string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + " OF " + table + d.skipLocked
}
