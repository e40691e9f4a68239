package store_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	format "digest/internal/backup"
	"digest/store"
	"digest/store/backup"
	"digest/store/storetest"
	"digest/test/tier"
)

// fillAll puts three rows into every table: numbers of all sizes, texts with all kinds of letters, empty texts,
// invalid UTF-8, and NULL where possible.
func (w world) fillAll() {
	w.Helper()
	tables := backupTables(w, w.Store)
	for _, table := range namesOf(tables) {
		for k := range int64(3) {
			columns := must(w.Columns(w.ctx, table))
			row := storedRow{}
			for i, c := range columns {
				row[c.Name] = cellOf(table, c, i, k)
			}
			w.insert(filling{}, table, row)
		}
	}
}

// cellOf returns the value for a column of the kth row of a table.
func cellOf(table string, c store.Column, i int, k int64) any {
	switch {
	case k == 1 && slices.Contains([]string{"feed_times.poll_at", "digests.newsletter_id", "users.handle"}, table+"."+
		c.Name):
		return nil
	case table == "settings" && c.IsBytes:
		return []byte(`{}`)
	case k == 1 && slices.Contains([]string{"title", "content", "reply", "sealed"}, c.Name):
		return ""
	case c.Name == "content":
		return strings.Repeat("ü 𝒶 \n\r\t\x01 \\N {} \\ \" '", 100_000)
	case c.IsText:
		return fmt.Sprintf("%d \\ \" ' 𝒶 \n\r\t\x01 \\N {}", k)
	case k == 1 && c.Name == "body":
		return []byte{}
	case c.IsBytes:
		return []byte{0, byte(k), byte(i), 255, '\\', 'x'}
	case strings.HasSuffix(c.Name, "id"):
		return k + 1
	}
	return []int64{0, -1, 1 << 62}[k]
}

func backUp(t testing.TB, s *store.Store) (*bytes.Buffer, backup.Backup) {
	t.Helper()
	var file bytes.Buffer
	b, err := backup.Write(t.Context(), s.DB, &file, "test", noon)
	if err != nil {
		t.Fatal(err)
	}
	return &file, b
}

// backupTables returns the tables in a backup of a database.
func backupTables(t testing.TB, s *store.Store) (tables []format.Table) {
	t.Helper()
	file, _ := backUp(t, s)
	r, err := format.NewReader(file)
	for err == nil {
		var table format.Table
		if table, err = r.Table(); err == nil {
			tables = append(tables, table)
			for err == nil {
				_, err = r.Row()
			}
			if err == io.EOF {
				err = nil
			}
		}
	}
	if err != io.EOF {
		t.Fatal(err)
	}
	return tables
}

func restore(t testing.TB, database string, file io.Reader, replace bool) (backup.Backup, error) {
	t.Helper()
	from, err := format.NewReader(file)
	if err != nil {
		return backup.Backup{}, err
	}
	return backup.Restore(t.Context(), database, from,
		backup.Restoration{Replace: replace, Now: noon, Reason: "it is a copy",
			Look: func(context.Context, *store.Store) error { return nil }})
}

// eachPair runs f for each database as the source and an empty one of either kind as the target.
func eachPair(t *testing.T, f func(t *testing.T, from *store.Store, to string)) {
	t.Helper()
	storetest.EachEmpty(t, func(t *testing.T, to string) {
		t.Run("from SQLite", func(t *testing.T) { f(t, storetest.Open(t, storetest.SQLite(t)), to) })
	})
	storetest.EachEmpty(t, func(t *testing.T, to string) {
		t.Run("from PostgreSQL", func(t *testing.T) { f(t, storetest.Open(t, storetest.Postgres(t)), to) })
	})
}

// A backup restores every table unchanged, with its highest key, between the databases in both directions.
func TestBackupHoldsEverything(t *testing.T) {
	tier.Alone(t)
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.Store, to string) {
		w := newWorld(t, from)
		w.fillAll()
		w.exec(`INSERT INTO invitations (id, token_hash, created_at, expires_at) VALUES (70, ?, 1, 1)`,
			[]byte("x"))
		w.exec(`DELETE FROM invitations WHERE id = 70`)
		if from.Partitioned() { // explicit keys do not advance the sequence
			count(t, from, `SELECT setval('invitations_id_seq', 70)`)
		}
		file, written := backUp(t, from)
		got := must(restore(t, to, file, false))
		want(t, "restored", fmt.Sprint(got), fmt.Sprint(written))
		s := storetest.Open(t, to)
		_, again := backUp(t, s)
		for i, table := range again.Tables {
			if table.Name == "settings" || table.Name == "index_queue" { // contain the fence and the posts to index
				continue
			}
			want(t, table.Name, table.Sum, written.Tables[i].Sum)
			want(t, "rows of "+table.Name, table.Rows, int64(3))
		}
		want(t, "posts to be indexed", count(t, s, `SELECT count(*) FROM index_queue`), 3)
		if !s.Partitioned() {
			want(t, "the mode", mode(t, to), os.FileMode(0o600))
		}
		w = newWorld(t, s)
		w.exec(`INSERT INTO invitations (token_hash, created_at, expires_at) VALUES (?, 2, 2)`,
			[]byte("y"))
		want(t, "keys that were given", count(t, s, `SELECT id FROM invitations WHERE created_at = 2`), 71)
	})
}

func count(t testing.TB, s *store.Store, query string) int {
	t.Helper()
	n, err := s.Count(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mode(t testing.TB, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// A backup contains all tables except the version of the schema and the search index. Their columns are the same in
// both databases.
func TestBackupKnowsEveryTable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		all := backupTables(t, s)
		names := namesOf(all)
		tables := `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'digest\_posts\_%'
			ORDER BY 1`
		if !s.Partitioned() {
			tables = `SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1`
		}
		there, err := s.ListTexts(t.Context(), tables)
		if err != nil {
			t.Fatal(err)
		}
		there = slices.DeleteFunc(there, func(name string) bool {
			return name == "goose_db_version" ||
				name == "post_words"
		})
		slices.Sort(names)
		slices.Sort(there)
		want(t, "tables", strings.Join(names, " "), strings.Join(there, " "))
		for _, table := range all {
			columns, err := s.Columns(t.Context(), table.Name)
			if err != nil {
				t.Fatal(err)
			}
			there, known := map[string]format.Kind{}, map[string]format.Kind{}
			for _, c := range columns {
				there[c.Name] = map[bool]format.Kind{true: format.Text, false: format.Number}[c.IsText]
				if c.IsBytes {
					there[c.Name] = format.Bytes
				}
			}
			for _, c := range table.Columns {
				known[c.Name] = c.Kind
			}
			want(t, "columns of "+table.Name, fmt.Sprint(known), fmt.Sprint(there))
		}
	})
}

func namesOf(tables []format.Table) (names []string) {
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

// slowly is a writer that calls meanwhile before the first write.
type slowly struct {
	io.Writer
	meanwhile func()
}

func (s *slowly) Write(b []byte) (int, error) {
	if s.meanwhile != nil {
		s.meanwhile()
		s.meanwhile = nil
	}
	return s.Writer.Write(b)
}

// A backup shows one instant and no later changes.
func TestBackupOfOneInstant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		w.fillAll()
		var file bytes.Buffer
		b := must(backup.Write(t.Context(), s.DB, &slowly{&file, func() {
			w.exec(`DELETE FROM waiting_digests`) // one of the last tables
			w.exec(`INSERT INTO counters (hour, kind, slot, n) VALUES (5, 'x', 0, 1)`)
		}}, "test", noon))
		for _, table := range b.Tables {
			want(t, "rows of "+table.Name, table.Rows, int64(3))
		}
		want(t, "gone meanwhile", count(t, s, `SELECT count(*) FROM waiting_digests`), 0)
	})
}

// TestRestoreKeepsGrants: roles keep their rights on the restored tables.
func TestRestoreKeepsGrants(t *testing.T) {
	t.Parallel()
	to := storetest.Postgres(t)
	s := storetest.Open(t, to)
	w := newWorld(t, s)
	w.exec(`GRANT SELECT ON feeds TO PUBLIC`)
	w.exec(`GRANT SELECT, UPDATE ON posts TO pg_monitor WITH GRANT OPTION`)
	file, _ := backUp(t, s)
	must(restore(t, to, file, true))
	for query, is := range map[string]int{
		`has_table_privilege('pg_monitor', 'feeds', 'SELECT')`:                   1,
		`has_table_privilege('pg_monitor', 'feeds', 'UPDATE')`:                   0,
		`has_table_privilege('pg_monitor', 'posts', 'UPDATE WITH GRANT OPTION')`: 1,
		`has_table_privilege('pg_monitor', 'users', 'SELECT')`:                   0,
		`has_table_privilege('pg_read_server_files', 'posts', 'SELECT')`:         0,
	} {
		want(t, query, count(t, s, `SELECT CAST(`+query+` AS INT)`), is)
	}
}
