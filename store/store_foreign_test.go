package store_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestAnotherProgramsDatabase opens databases of other programs. Open refuses them and does not change them.
func TestAnotherProgramsDatabase(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		execAt(t, database, `CREATE TABLE users (name TEXT)`, `INSERT INTO users VALUES ('ada')`)
		before := contents(t, database)
		_, err := store.Open(t.Context(), database)
		oneLine(t, err, digest.Conflict)
		if !bytes.Equal(before, contents(t, database)) {
			t.Error("the file was changed")
		}
		if left, _ := filepath.Glob(database + "-*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}

		// A program that migrates in the same way, to a newer schema.
		execAt(t, database,
			`CREATE TABLE goose_db_version (id INTEGER, version_id INTEGER, is_applied INTEGER, tstamp INTEGER)`,
			`INSERT INTO goose_db_version VALUES (1, 1, 1, 0)`)
		_, err = store.Open(t.Context(), database)
		oneLine(t, err, digest.Conflict)
		if !strings.Contains(err.Error(), "another program") {
			t.Error(err)
		}
	})
}

// TestTablesOfOthersBesideOurs: other programs may use the same schema of PostgreSQL.
func TestTablesOfOthersBesideOurs(t *testing.T) {
	database := storetest.EmptyPostgres(t)
	execAt(t, database, `CREATE TABLE recipes (name TEXT)`)
	storetest.Open(t, database)
	storetest.Open(t, database)
}

// TestAnEmptyDatabaseOfSQLite opens a file in which a program once had tables.
func TestAnEmptyDatabaseOfSQLite(t *testing.T) {
	database := storetest.EmptySQLite(t)
	execAt(t, database, `CREATE TABLE a (id INTEGER PRIMARY KEY AUTOINCREMENT)`, `INSERT INTO a VALUES (1)`,
		`DROP TABLE a`)
	storetest.Open(t, database)
}

func execAt(t testing.TB, database string, statements ...string) {
	t.Helper()
	driver, name := "sqlite3", "file:"+database
	if strings.HasPrefix(database, "postgres") {
		driver, name = "postgres", database
	}
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// contents returns the bytes of a SQLite file, or nil for PostgreSQL.
func contents(t testing.TB, database string) []byte {
	t.Helper()
	if strings.HasPrefix(database, "postgres") {
		return nil
	}
	b, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
