package migrations_test

import (
	"embed"
	"slices"
	"strings"
	"testing"

	"digest/migrations"
)

// TestEachNumberOnce checks that each number of a migration exists once, and that both databases have the same. It
// finds two changes with the same number before an upgrade does.
func TestEachNumberOnce(t *testing.T) {
	names := func(files embed.FS, dir string) (list []string) {
		entries, err := files.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		last := ""
		for _, e := range entries {
			number, _, _ := strings.Cut(e.Name(), "_")
			if len(number) != 5 || number == last {
				t.Errorf("%s/%s: its number should be of five digits, and its own", dir, e.Name())
			}
			last = number
			list = append(list, e.Name())
		}
		return list
	}
	if sqlite, postgres := names(migrations.SQLite, "sqlite"),
		names(migrations.Postgres, "postgres"); !slices.Equal(sqlite, postgres) {
		t.Errorf("SQLite has %v,\nPostgreSQL %v", sqlite, postgres)
	}
}
