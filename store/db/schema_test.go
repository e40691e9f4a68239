package db

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pressly/goose/v3"
)

var update = flag.Bool("update", false, "write migrations/schema.sql anew")

// TestSchema compares the database that migrations/schema.sql creates with the one that the migrations create.
func TestSchema(t *testing.T) {
	t.Parallel()
	const file = "../../migrations/schema.sql"
	migrated, created := memory(t), memory(t)
	p, err := migrated.provider()
	if err == nil {
		_, err = p.Up(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	want := dump(t, migrated)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		created.d.whole = want
	}
	if err := created.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := dump(t, created); got != want || created.d.whole != want {
		t.Errorf("%s is not what the migrations create; run: go test ./store/db -run TestSchema -update", file)
	}
}

func memory(t *testing.T) *DB {
	t.Helper()
	d, err := OpenMemory()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// dump returns the statements that create a database with its rows, without the tables of virtual tables.
func dump(t *testing.T, d *DB) string {
	t.Helper()
	b := strings.Builder{}
	b.WriteString("-- The schema of SQLite after all migrations. Its test writes it: see Schema in migrations.go.\n")
	for _, object := range objects(t, d) {
		fmt.Fprintf(&b, "%s;\n", object.SQL)
		if object.Type == "table" && !strings.HasPrefix(object.SQL, "CREATE VIRTUAL") {
			b.WriteString(dumpRows(t, d, object.Name))
		}
	}
	return b.String()
}

type object struct{ Type, Name, SQL string }

func objects(t *testing.T, d *DB) (all []object) {
	t.Helper()
	err := Read(d).All(context.Background(), &all, `SELECT s.type, s.name, s.sql FROM sqlite_schema s
		LEFT JOIN pragma_table_list l ON l.name = s.name
		WHERE s.sql IS NOT NULL AND COALESCE(l.type, '') <> 'shadow' AND s.name NOT LIKE 'sqlite\_%' ESCAPE '\'
		ORDER BY s.type = 'table' DESC, s.name`)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func dumpRows(t *testing.T, d *DB, table string) string {
	t.Helper()
	columns, omitted := []string{}, map[string]bool{}
	if table == goose.DefaultTablename {
		omitted = map[string]bool{"id": true, "tstamp": true}
	}
	var all []string
	if err := Read(d).All(t.Context(), &all, `SELECT name FROM pragma_table_info(?) ORDER BY cid`, table); err != nil {
		t.Fatal(err)
	}
	for _, column := range all {
		if !omitted[column] {
			columns = append(columns, column)
		}
	}
	quoted := "quote(" + strings.Join(columns, ") || ', ' || quote(") + ")"
	var rows []string
	if err := Read(d).All(t.Context(), &rows, `SELECT `+quoted+` FROM `+table+` ORDER BY `+
		strings.Join(columns, ", ")); err != nil {
		t.Fatal(err)
	}
	if len(rows) == 0 {
		return ""
	}
	return fmt.Sprintf("INSERT INTO %s (%s) VALUES (%s);\n", table, strings.Join(columns, ", "),
		strings.Join(rows, "), ("))
}
