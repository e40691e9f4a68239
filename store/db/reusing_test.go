package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"digest/store/db"
	"digest/store/storetest"
)

// newWorld returns a world whose database is a file.
func newWorld(t *testing.T) world { return world{t, storetest.Open(t, storetest.SQLite(t)).DB} }

// cached returns how many statements with a text the reading connection has cached; empty: all statements.
func (w world) cached(text string) (n int) {
	w.Helper()
	_, r := db.Pools(w.DB)
	c, err := r.Conn(w.Context())
	w.ok(err)
	defer c.Close()
	w.ok(c.Raw(func(c any) error {
		for _, cached := range c.(interface{ Texts() []string }).Texts() {
			if text == "" || text == cached {
				n++
			}
		}
		return nil
	}))
	return n
}

// fails checks that a query of a number returns an error.
func (w world) fails(what string, ctx context.Context, query string, args ...any) {
	w.Helper()
	if _, err := db.Read(w.DB).Number(ctx, query, args...); err == nil {
		w.Error(what)
	}
}

// TestStatementsAreCached: a text is prepared once, not all texts are cached, and a closed connection has no
// statements. SQLite would refuse to close it otherwise.
func TestStatementsAreCached(t *testing.T) {
	w := newWorld(t)
	for range 3 {
		w.number(`SELECT ? + 1`, 1)
	}
	want(w, "cached of one text", w.cached(`SELECT ? + 1`), 1)

	long := `SELECT ` + strings.Repeat("1 + ", 5000) + `?`
	if _, err := db.Read(w.DB).Number(w.Context(), long, 1); err == nil {
		want(w, "cached of a long text", w.cached(long), 0)
	}
	for i := range 2000 {
		want(w, "sum", w.number(fmt.Sprintf(`SELECT ? + %d`, i), 1), i+1)
	}
	if cached := w.cached(""); cached < 100 || cached > 256 {
		w.Errorf("%d statements are cached", cached)
	}
	want(w, "cached of the first text", w.cached(`SELECT ? + 1`), 0)
	want(w, "cached of the last text", w.cached(`SELECT ? + 1999`), 1)
	w.ok(w.Close())
}

// TestSchemaChangesUnderStatements changes tables with cached statements, as another process would.
func TestSchemaChangesUnderStatements(t *testing.T) {
	path := storetest.SQLite(t)
	w, other := world{t, storetest.Open(t, path).DB}, world{t, storetest.Open(t, path).DB}
	const number = `SELECT number FROM listed WHERE id > ?`
	other.run(`CREATE TABLE listed (id INTEGER PRIMARY KEY, number INTEGER)`)
	other.run(`INSERT INTO listed VALUES (?, ?)`, 1, 7)
	want(w, "number", w.number(number, 0), 7)
	other.run(`CREATE INDEX listed_number ON listed (number)`)
	want(w, "number by an index", w.number(number, 0), 7)
	other.run(`ALTER TABLE listed ADD COLUMN other INTEGER DEFAULT 5`)
	want(w, "number before a column", w.number(number, 0), 7)
	want(w, "new column", w.number(`SELECT other FROM listed WHERE id > ?`, 0), 5)
	other.run(`ANALYZE`)
	other.run(`DROP TABLE listed`)
	w.fails("a table that is gone was read", w.Context(), number, 0)
	other.run(`CREATE TABLE listed (number TEXT, id INTEGER PRIMARY KEY)`)
	other.run(`INSERT INTO listed VALUES (?, ?)`, 9, 3)
	want(w, "new number", w.number(number, 0), 9)
	other.run(`DELETE FROM listed`)
	w.fails("a row that is gone was read", w.Context(), number, 0)
}

// TestStatementWithinItself runs a text while its own rows are being read.
func TestStatementWithinItself(t *testing.T) {
	w := newWorld(t)
	const query = `WITH v (n) AS (VALUES (?), (?)) SELECT n FROM v ORDER BY n`
	var got strings.Builder
	w.ok(db.Write(w.Context(), w.DB, func(c db.Tx) error {
		rows, err := c.Query(w.Context(), query, 1, 2)
		w.ok(err)
		defer rows.Close()
		for rows.Next() {
			var n int
			var all []int
			w.ok(rows.Scan(&n))
			w.ok(c.All(w.Context(), &all, query, 1, 2))
			fmt.Fprintf(&got, "%d%v ", n, all)
		}
		return rows.Err()
	}))
	want(w, "rows", got.String(), "1[1 2] 2[1 2] ")
}

// TestStatementsThatFail: a statement that failed can run again.
func TestStatementsThatFail(t *testing.T) {
	w := newWorld(t)
	insert := func(key string) error {
		return db.Write(w.Context(), w.DB, func(c db.Tx) error {
			return c.Run(w.Context(), `INSERT INTO settings (key, value) VALUES (?, ?)`, key, []byte("a"))
		})
	}
	for i := range 3 {
		if err := insert("a key"); (err == nil) != (i == 0) {
			t.Fatal(i, err)
		}
		w.ok(insert(fmt.Sprint("key ", i)))
	}
	w.fails("a statement ran without an argument", w.Context(), `SELECT COALESCE(?, 1) + COALESCE(?, 1)`, 1)
	const many = `WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < 100000000) SELECT count(*)
		FROM n`
	brief, cancel := context.WithTimeout(w.Context(), 10*time.Millisecond)
	defer cancel()
	w.fails("a query was not called off", brief, many, 1) // it takes many seconds
	want(w, "later", w.number(many, 99999999), 2)
}
