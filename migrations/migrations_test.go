package migrations_test

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"digest/migrations"
)

// Migrations are numbered without a gap, each number is there once, and both
// databases have the same: two changes made at the same time are found here, not by
// whoever upgrades.
func TestEachNumberOnce(t *testing.T) {
	names := func(files embed.FS, dir string) (list []string) {
		entries, err := files.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, e := range entries {
			if want := fmt.Sprintf("%05d_", i+1); !strings.HasPrefix(e.Name(), want) {
				t.Errorf("%s/%s: its number should be %s", dir, e.Name(), strings.TrimSuffix(want, "_"))
			}
			list = append(list, e.Name())
		}
		return list
	}
	if sqlite, postgres := names(migrations.SQLite, "sqlite"), names(migrations.Postgres, "postgres"); !slices.Equal(sqlite, postgres) {
		t.Errorf("SQLite has %v,\nPostgreSQL %v", sqlite, postgres)
	}
}
