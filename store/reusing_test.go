package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
)

// TestStatementsAreCached: a text is prepared once, not all texts are cached, and a closed connection has no
// statements. SQLite would refuse to close it otherwise.
func TestStatementsAreCached(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	for range 3 {
		if _, err := s.Count(t.Context(), `SELECT ? + 1`, 1); err != nil {
			t.Fatal(err)
		}
	}
	want(t, "cached of one text", s.Cached(t, `SELECT ? + 1`), 1)

	long := `SELECT ` + strings.Repeat("1 + ", 5000) + `?`
	if _, err := s.Count(t.Context(), long, 1); err == nil {
		want(t, "cached of a long text", s.Cached(t, long), 0)
	}
	for i := range 2000 {
		n, err := s.Count(t.Context(), fmt.Sprintf(`SELECT ? + %d`, i), 1)
		if err != nil || n != i+1 {
			t.Fatal(n, err)
		}
	}
	if cached := s.Cached(t, ""); cached < 100 || cached > 256 {
		t.Errorf("%d statements are cached", cached)
	}
	want(t, "cached of the first text", s.Cached(t, `SELECT ? + 1`), 0)
	want(t, "cached of the last text", s.Cached(t, `SELECT ? + 1999`), 1)
	if err := s.Close(); err != nil {
		t.Error("closing:", err)
	}
}

// TestSchemaChangesUnderStatements changes tables with cached statements, as another process would.
func TestSchemaChangesUnderStatements(t *testing.T) {
	path := storetest.SQLite(t)
	s, other := storetest.Open(t, path), storetest.Open(t, path)
	run := func(statement string, args ...any) {
		t.Helper()
		if err := other.Exec(t.Context(), statement, args...); err != nil {
			t.Fatal(err)
		}
	}
	count := func(query string) (int, error) { return s.Count(t.Context(), query, 0) }
	expect := func(query string, result int) {
		t.Helper()
		if n, err := count(query); err != nil || n != result {
			t.Fatalf("%s: %d, %v, want %d", query, n, err, result)
		}
	}
	run(`CREATE TABLE listed (id INTEGER PRIMARY KEY, number INTEGER)`)
	run(`INSERT INTO listed VALUES (?, ?)`, 1, 7)
	expect(`SELECT number FROM listed WHERE id > ?`, 7)
	run(`CREATE INDEX listed_number ON listed (number)`)
	expect(`SELECT number FROM listed WHERE id > ?`, 7)
	run(`ALTER TABLE listed ADD COLUMN other INTEGER DEFAULT 5`)
	expect(`SELECT number FROM listed WHERE id > ?`, 7)
	expect(`SELECT other FROM listed WHERE id > ?`, 5)
	run(`ANALYZE`)
	run(`DROP TABLE listed`)
	if _, err := count(`SELECT number FROM listed WHERE id > ?`); err == nil {
		t.Error("a table that is gone was read")
	}
	run(`CREATE TABLE listed (number TEXT, id INTEGER PRIMARY KEY)`)
	run(`INSERT INTO listed VALUES (?, ?)`, 9, 3)
	expect(`SELECT number FROM listed WHERE id > ?`, 9)
	run(`DELETE FROM listed`)
	if _, err := count(`SELECT number FROM listed WHERE id > ?`); err == nil {
		t.Error("a row that is gone was read")
	}
}

// TestStatementWithinItself runs a text while its own rows are being read.
func TestStatementWithinItself(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	if got, err := s.Nested(t.Context(), `WITH v (n) AS (VALUES (?), (?)) SELECT n FROM v ORDER BY n`, 1,
		2); err != nil || got != "1[1 2] 2[1 2] " {
		t.Error(got, err)
	}
}

// TestStatementsThatFail: a statement that failed can run again.
func TestStatementsThatFail(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	ctx := t.Context()
	const insert = `INSERT INTO settings (key, value) VALUES (?, ?)`
	for i := range 3 {
		if err := s.Exec(ctx, insert, "a key", []byte("a")); (err == nil) != (i == 0) {
			t.Fatal(i, err)
		}
		if err := s.Exec(ctx, insert, fmt.Sprint("key ", i), []byte("a")); err != nil {
			t.Fatal(i, err)
		}
	}
	if _, err := s.Count(ctx, `SELECT COALESCE(?, 1) + COALESCE(?, 1)`, 1); err == nil {
		t.Error("a statement ran without an argument")
	}
	const many = `WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT count(*)
		FROM n`
	brief, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := s.Count(brief, many, 1); err == nil { // it takes many seconds
		t.Error("a query was not called off")
	}
	if n, err := s.Count(ctx, many, 99999999); err != nil || n != 2 {
		t.Error(n, err)
	}
}
