package store

import (
	"database/sql"
	"io/fs"

	"github.com/jmoiron/sqlx"
	"github.com/pressly/goose/v3"

	"digest/internal/words"
	"digest/migrations"
)

// A dialect is all that differs between the two databases: a handful of strings.
//
// Queries that both run as they stand may still be written for one of them:
// SQLite has no statistics of a database that was never analysed, takes CROSS
// JOIN as the order in which to read, and evaluates EXISTS for the rows at
// hand where it would evaluate IN (SELECT …) for the whole table first.
type dialect struct {
	name  string // for people
	goose goose.Dialect
	files fs.FS // the migrations
	dir   string
	bind  int // sqlx's kind of placeholder

	// isolation is named where the server's default may be another. I8 rests on
	// it: what follows a lock has to see what its former holder did.
	isolation sql.IsolationLevel

	// readOnly begins a transaction whose statements all see one instant, and that
	// takes no lock. On SQLite that is a plain BEGIN, which only the default level
	// gives: the driver begins others as a writer.
	readOnly sql.TxOptions

	// Locks that end with the transaction; empty on SQLite, where the
	// transaction itself is one: every writer begins IMMEDIATE.
	lockPlan     string // one planner at a time
	lockShared   string // I8: storing posts, any number at once
	lockAlone    string // I8: releasing, and whatever moves a digest's midnight
	lockClaim    string // claiming editions where lanes have limits: they are counted
	lockAccounts string // counting letter requests, and giving what only one may have

	// unsynced is a condition that holds, and makes the commit of its transaction
	// not wait for the disk; empty where that is a setting of the connection. It ends
	// with the transaction: a session's setting could reach others through a pool.
	unsynced string

	slots int // in which counters are counted at the same time

	// inOrder, before a claim, makes the queue be read in the order of its
	// index. PostgreSQL without statistics would read and sort all of it for
	// every batch, and a queue that has just filled has none; or all feeds, to join them. No later statement
	// of the transaction may have an ORDER BY.
	inOrder string

	size string // bytes of the database

	// The names of the partitions of digest_posts; empty where it has none.
	partitions string

	clock string // reads the database's clock, in microseconds; empty where it is the process's own

	// How a statement is given a list so that its text stays the same: see values.
	names string // reads the texts of one argument (array)
	oneOf string // follows a column that is to be one of the keys of one argument (keys)
	keys  func(list string) string
	rows  func(*values) (text string, args []any)

	forUpdate  string // on a SELECT that is about to be updated
	skipLocked string // after forUpdate: leave out what another worker holds
	keepRow    string // on a SELECT of a row that must not be deleted before the transaction ends
	tables     string // 1 where a table of the given name exists

	// The index of words: its tables, what finds the posts that a query matches, and what
	// sorts in what was put in; empty where it is in order at once.
	wordTables []wordTable
	match      func(words.Query) matcher
	tidyWords  string

	// rareIn is in how many posts of the instance a word may be that is looked for first by itself.
	rareIn int

	// gathered is how many posts the index may gather for each that is compared else.
	gathered int

	// For backups. holdTables keeps {tables} from being altered and lets the transaction
	// last; empty where each does so by itself. lastKey reads the highest key that {table}
	// has ever given, setKey sets it to {key}. fill puts rows into a table, one a call;
	// where it ends by a call without any, fillEnds.
	holdTables []string
	lastKey    string
	setKey     []string
	fill       func(table string, columns []string) string
	fillEnds   bool

	// strangers counts tables that are in the way of the schema, where it has
	// never been made: all there are in a file, and those of our names in a
	// schema of PostgreSQL, which may hold those of other programs.
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

// The keys of the advisory locks are the bytes of "digest" as a number, and the next ones.
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

		partitions: `SELECT c.relname AS name, CASE WHEN pg_get_expr(c.relpartbound, c.oid) LIKE '%MINVALUE%' THEN 1 ELSE 0 END AS open
			FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass('digest_posts') ORDER BY c.relname`,

		inOrder: `SELECT set_config('enable_sort', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true)`,
		names:   `SELECT json_array_elements_text(CAST(? AS json))`,
		oneOf:   ` = ANY (CAST(? AS BIGINT[]))`,
		keys:    func(list string) string { return "{" + list + "}" },
		rows:    arrayRows,
		clock:   `SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000000 AS BIGINT)`,

		wordTables: []wordTable{{"post_words", vectorDocument,
			`WITH v (rowid, words) AS (VALUES {rows}) INSERT INTO post_words (rowid, words) SELECT v.rowid, CAST(v.words AS tsvector) FROM v`}},
		match:    matchPostgres,
		gathered: 50,
		// Only its owner may. For whoever is not, the server does it by itself, later.
		tidyWords: `SELECT COALESCE(SUM(gin_clean_pending_list(CAST(c.oid AS regclass))), 0) FROM pg_catalog.pg_class c
			WHERE c.oid = to_regclass('post_words_words') AND pg_has_role(c.relowner, 'USAGE')`,

		holdTables: []string{`LOCK TABLE {tables} IN ACCESS SHARE MODE`,
			`SET LOCAL idle_in_transaction_session_timeout = 0`},
		lastKey:  `SELECT COALESCE(pg_sequence_last_value(CAST(pg_get_serial_sequence('{table}', 'id') AS regclass)), 0)`,
		setKey:   []string{`SELECT setval(pg_get_serial_sequence('{table}', 'id'), {key})`},
		fill:     copyIn,
		fillEnds: true,

		forUpdate:  ` FOR UPDATE`,
		skipLocked: ` SKIP LOCKED`,
		keepRow:    ` FOR KEY SHARE`,
		tables:     `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = ?`,
		strangers: `SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = current_schema()
			AND tablename IN ('settings', 'users', 'digests', 'feeds', 'former_addresses', 'hosts', 'subscriptions', 'posts',
			'digest_posts', 'editions', 'sign_in_tokens', 'sessions', 'notices', 'host_rules', 'domains', 'robots', 'polls', 'bodies', 'refusals',
			'carried_posts', 'lanes', 'mail_claims', 'suppressions', 'bounces', 'dkim_keys', 'counters',
			'saved_posts', 'index_queue', 'post_words',
			'letter_requests', 'sign_ups', 'invitations', 'operator_links', 'address_changes', 'passkeys', 'passkey_challenges',
			'filters', 'filtered_posts', 'trips', 'former_subscriptions',
			'carried', 'tallies', 'knocks', 'owner_links', 'ceremonies', 'held_posts', 'stays') AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_tables
			WHERE schemaname = ANY (current_schemas(false)) AND tablename = '` + goose.DefaultTablename + `')`,
	}
}

// lockRows ends a SELECT whose rows of one table are about to be updated.
func (d *dialect) lockRows(table string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + " OF " + table
}

// skipRows is lockRows, leaving out the rows that another worker holds.
func (d *dialect) skipRows(table string) string {
	if d.forUpdate == "" {
		return ""
	}
	return d.forUpdate + " OF " + table + d.skipLocked
}
