package storetest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// SetSchema changes the recorded schema version of a database by newer versions, which may be negative. It does not
// change the tables.
func SetSchema(t testing.TB, database string, newer int) {
	t.Helper()
	driver := "sqlite3"
	if strings.Contains(database, "://") {
		driver = "postgres"
	}
	db, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	statement := `DELETE FROM goose_db_version WHERE version_id > (SELECT max(version_id) FROM goose_db_version) - %d`
	if newer > 0 {
		statement = `INSERT INTO goose_db_version (version_id, is_applied) SELECT max(version_id) + %d, is_applied
			FROM goose_db_version GROUP BY is_applied`
	}
	if _, err := db.Exec(fmt.Sprintf(statement, max(newer, -newer))); err != nil {
		t.Fatal(err)
	}
}
