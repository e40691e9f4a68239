package storetest

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Contents returns everything that a database contains: the bytes of a SQLite file and its log, or every row of every
// PostgreSQL table, as JSON.
func Contents(t testing.TB, database string) string {
	t.Helper()
	if !strings.Contains(database, "://") {
		return filesOf(t, database)
	}
	db, err := sql.Open("postgres", database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var all strings.Builder
	for _, table := range column(t, db,
		`SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
			ORDER BY 1`) {
		for _, row := range column(t, db, fmt.Sprintf(`SELECT row_to_json(x)::text FROM %q x`, table)) {
			fmt.Fprintf(&all, "%s %s\n", table, row)
		}
	}
	return all.String()
}

func column(t testing.TB, db *sql.DB, query string) (cells []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var cell string
		if err := rows.Scan(&cell); err != nil {
			t.Fatal(err)
		}
		cells = append(cells, cell)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return cells
}

func filesOf(t testing.TB, database string) string {
	t.Helper()
	var all strings.Builder
	for _, suffix := range []string{"", "-wal"} {
		files, err := filepath.Glob(database + suffix)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(content)
		}
	}
	return all.String()
}
