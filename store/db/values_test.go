package db_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"

	"digest/store"
	"digest/store/db"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// A world is a migrated database of a test.
type world struct {
	*testing.T
	*db.DB
}

func each(t *testing.T, f func(world)) {
	storetest.Each(t, func(t *testing.T, s *store.Store) { f(world{t, s.DB}) })
}

func (w world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w world) run(statement string, args ...any) {
	w.Helper()
	w.ok(db.Write(w.Context(), w.DB, func(c db.Tx) error { return c.Run(w.Context(), statement, args...) }))
}

func (w world) number(query string, args ...any) int {
	w.Helper()
	n, err := db.Read(w.DB).Number(w.Context(), query, args...)
	w.ok(err)
	return n
}

func valuesOf(rows [][]any) (v db.Values) {
	for _, r := range rows {
		v.Row(r...)
	}
	return v
}

func (w world) execRows(rows [][]any, query string, args ...any) (n int) {
	w.Helper()
	w.ok(db.Write(w.Context(), w.DB, func(c db.Tx) (err error) {
		v := valuesOf(rows)
		n, err = c.ExecRows(w.Context(), &v, query, args...)
		return err
	}))
	return n
}

func want[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// hostileTexts are texts that could break an array's text or a parameter.
var hostileTexts = []string{
	"", " ", "NULL", "null", `\`, `\\`, `"`, `""`, `'`, `\"`, `{`, `}`, `{}`, `{"a","b"}`, `,`, `a,b`, `","`, "?", "$1",
	"{rows}", "VALUES {rows}",
	"\n", "\t", "\x00", "a\x00b", "\xff", "a\xc3", "\xed\xa0\x80", `\x00ff`, "é 日本 🗞", "-1",
	"'; DROP TABLE posts; --",
}

// TestRowsOfAnyNumber writes and reads lists of about the size of a statement's limits.
func TestRowsOfAnyNumber(t *testing.T) {
	each(t, func(w world) {
		w.run(`CREATE TABLE listed (id BIGINT PRIMARY KEY, number BIGINT, words TEXT)`)
		for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 255, 256, 257, 1023, 1024, 1025, 2500} {
			rows := make([][]any, n)
			for i := range rows {
				rows[i] = []any{digest64(i), nil, hostileTexts[i%len(hostileTexts)]}
				if i%3 > 0 {
					rows[i] = []any{digest64(i), -i, nil}
				}
			}
			w.run(`DELETE FROM listed`)
			inserted := w.execRows(rows,
				`INSERT INTO listed (id, number, words) VALUES {rows} ON CONFLICT (id) DO NOTHING`)
			want(w, fmt.Sprint(n, " rows inserted"), inserted, n)
			updated := w.execRows(rows, `WITH v (id, number, words) AS (VALUES {rows})
				UPDATE listed SET number = v.number + ? FROM v WHERE listed.id = v.id`, 5)
			want(w, fmt.Sprint(n, " rows updated"), updated, n)

			type listed struct {
				ID     int64
				Number sql.NullInt64
				Words  sql.NullString
			}
			stored, found, list := make(map[int64]listed), []listed(nil), valuesOf(rows)
			w.ok(db.Read(w.DB).AllRows(w.Context(), &found, &list, `WITH v (id, number, words) AS (VALUES {rows})
				SELECT l.id, l.number, l.words FROM v JOIN listed l ON l.id = v.id WHERE l.id >= ?`, 0))
			for _, r := range found {
				stored[r.ID] = r
			}
			want(w, fmt.Sprint(n, " rows found"), [2]int{len(found), len(stored)}, [2]int{n, n})
			for i := range n {
				is := stored[int64(i)]
				if text := db.Clean(hostileTexts[i%len(hostileTexts)]); i%3 == 0 &&
					(is.Number.Valid || is.Words.String != text || !is.Words.Valid) {
					w.Errorf("row %d of %d is %+v, want the text %q", i, n, is, text)
				}
				if i%3 > 0 && (is.Words.Valid || is.Number.Int64 != int64(5-i) || !is.Number.Valid) {
					w.Errorf("row %d of %d is %+v, want the number %d", i, n, is, 5-i)
				}
			}
		}
	})
}

type digest64 int64

// TestWideRows has more cells in one list than SQLite accepts parameters.
func TestWideRows(t *testing.T) {
	each(t, func(w world) {
		names := make([]string, 51)
		for i := range names {
			names[i] = fmt.Sprint("c", i)
		}
		rows := make([][]any, 1500)
		for i := range rows {
			rows[i] = make([]any, len(names))
			for j := range rows[i] {
				rows[i][j] = i * j
			}
			rows[i][0] = i
		}
		w.run(`CREATE TABLE wide (` + strings.Join(names, " BIGINT, ") + ` BIGINT)`)
		w.execRows(rows, `INSERT INTO wide (`+strings.Join(names, ", ")+`) VALUES {rows}`)
		want(w, "sum of the last column", w.number(`SELECT CAST(SUM(c50) AS BIGINT) FROM wide`), 50*1500*1499/2)
	})
}

// TestBytesInRows: bytes are stored unchanged.
func TestBytesInRows(t *testing.T) {
	each(t, func(w world) {
		kind := "BLOB"
		if db.DialectOf(w.DB).Name == "PostgreSQL" {
			kind = "BYTEA"
		}
		w.run(`CREATE TABLE packed (id BIGINT PRIMARY KEY, body ` + kind + `)`)
		all := make([]byte, 256)
		for i := range all {
			all[i] = byte(i)
		}
		bodies := [][]byte{all, {}, []byte(`\x00`), []byte(`"{`), {0}}
		var rows [][]any
		for i, body := range bodies {
			rows = append(rows, []any{i, body})
		}
		w.execRows(append(rows, []any{len(bodies), nil}), `INSERT INTO packed (id, body) VALUES {rows}`)
		var stored [][]byte
		w.ok(db.Read(w.DB).All(w.Context(), &stored, `SELECT body FROM packed WHERE body IS NOT NULL ORDER BY id`))
		if !slices.EqualFunc(stored, bodies, slices.Equal) {
			w.Errorf("stored %q, want %q", stored, bodies)
		}
	})
}

// TestKeysOfAnyNumber looks up keys that are one argument.
func TestKeysOfAnyNumber(t *testing.T) {
	each(t, func(w world) {
		w.run(`CREATE TABLE listed (id BIGINT PRIMARY KEY)`)
		rows := make([][]any, 3000)
		for i := range rows {
			rows[i] = []any{i - 1000}
		}
		w.execRows(rows, `INSERT INTO listed (id) VALUES {rows}`)
		for _, n := range []int{0, 1, 2, 8, 9, 1000, 2000} {
			var ids []int64
			for i := range n {
				ids = append(ids, int64(i-n/2))
			}
			found := w.number(`SELECT count(*) FROM listed WHERE id`+db.DialectOf(w.DB).OneOf, ids)
			want(w, fmt.Sprint(n, " keys"), found, n)
		}
	})
}

// FuzzArray compares the texts of arrays with pq's parser.
func FuzzArray(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text, "b")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var read pq.StringArray
		if err := read.Scan(db.TextArray(a, b, a)); err != nil {
			t.Fatal(err)
		}
		clean := []string{db.Clean(a), db.Clean(b), db.Clean(a)}
		if diff := cmp.Diff(clean, []string(read)); diff != "" {
			t.Error(diff)
		}
	})
}
