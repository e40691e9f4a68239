package store

import (
	"digest/internal/textsearch"
	"digest/store/db"
)

// A dialect adds to a db.Dialect how the databases search.
type dialect struct {
	*db.Dialect

	// The search index: its tables, the condition that matches a query, and a statement that merges new words. The
	// statement is empty if no merge is necessary.
	wordTables []wordTable
	match      func(textsearch.Query) matcher
	tidyWords  string

	// rareIn is the largest number of posts in which a word counts as rare. A search looks for rare words first.
	rareIn int

	// gathered is how many posts the index may collect for each post that is compared otherwise.
	gathered int
}

func dialectOf(d *db.DB) *dialect {
	if db.DialectOf(d).Name == "SQLite" {
		return &dialect{
			Dialect: db.DialectOf(d),
			wordTables: []wordTable{
				{"post_words", plainDocument, `INSERT INTO post_words (rowid, words) VALUES {rows}`},
				{"bare_words", bareDocument, `INSERT INTO bare_words (rowid, words) VALUES {rows}`},
			},
			match:  matchSQLite,
			rareIn: 1000,
		}
	}
	return &dialect{
		Dialect: db.DialectOf(d),
		wordTables: []wordTable{{"post_words", vectorDocument,
			`WITH v (rowid, words) AS (VALUES {rows}) INSERT INTO post_words (rowid, words)
				SELECT v.rowid, CAST(v.words AS tsvector) FROM v`}},
		match:    matchPostgres,
		gathered: 50,
		// Only the owner of the index may do this. For other users, the server does it later.
		tidyWords: `SELECT COALESCE(SUM(gin_clean_pending_list(CAST(c.oid AS regclass))), 0) FROM pg_catalog.pg_class c
			WHERE c.oid = to_regclass('post_words_words') AND pg_has_role(c.relowner, 'USAGE')`,
	}
}
