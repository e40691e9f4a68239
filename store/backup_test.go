package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/backup"
	"digest/store"
	"digest/store/storetest"
)

// fillAll puts three rows into every table: numbers of all sizes, texts of all letters,
// empty ones, bytes that are no text, NULL where that may stand.
func (w world) fillAll() {
	w.t.Helper()
	tables, err := store.BackupTables(w.ctx())
	w.ok(err)
	for _, table := range namesOf(tables) {
		for k := range int64(3) {
			columns, err := w.Columns(w.ctx(), table)
			w.ok(err)
			row := storedRow{}
			for i, c := range columns {
				row[c.Name] = cellOf(table, c, i, k)
			}
			w.insert(filling{}, table, row)
		}
	}
}

// cellOf gives what stands in a column of the kth row of a table.
func cellOf(table string, c store.Column, i int, k int64) any {
	switch {
	case k == 1 && slices.Contains([]string{"feed_times.poll_at", "digests.newsletter_id", "users.handle"}, table+"."+c.Name):
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

// backUp gives a backup of a store.
func backUp(t *testing.T, s *store.Store) (*bytes.Buffer, store.Backup) {
	t.Helper()
	var file bytes.Buffer
	b, err := s.Backup(t.Context(), &file, "test", noon)
	if err != nil {
		t.Fatal(err)
	}
	return &file, b
}

// restore brings a backup in.
func restore(t *testing.T, database string, file io.Reader, replace bool) (store.Backup, error) {
	t.Helper()
	from, err := backup.NewReader(file)
	if err != nil {
		return store.Backup{}, err
	}
	return store.Restore(t.Context(), database, from, store.Restoration{Replace: replace, Now: noon, Reason: "it is a copy",
		Look: func(context.Context, *store.Store) error { return nil }})
}

// eachPair runs f with each database, and an empty one of either kind.
func eachPair(t *testing.T, f func(t *testing.T, from *store.Store, to string)) {
	t.Helper()
	storetest.EachEmpty(t, func(t *testing.T, to string) {
		t.Run("from SQLite", func(t *testing.T) { f(t, storetest.Open(t, storetest.SQLite(t)), to) })
	})
	storetest.EachEmpty(t, func(t *testing.T, to string) {
		t.Run("from PostgreSQL", func(t *testing.T) { f(t, storetest.Open(t, storetest.Postgres(t)), to) })
	})
}

// Every table comes through a backup as it was, between the databases in both directions:
// whatever stands in it, with the highest key that it ever gave.
func TestBackupHoldsEverything(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.Store, to string) {
		w := world{from, t}
		w.fillAll()
		w.ok(w.Exec(w.ctx(), `INSERT INTO invitations (id, token_hash, created_at, expires_at) VALUES (70, ?, 1, 1)`, []byte("x")))
		w.ok(w.Exec(w.ctx(), `DELETE FROM invitations WHERE id = 70`))
		if from.Partitioned() { // keys that are named in a statement are not given
			count(t, from, `SELECT setval('invitations_id_seq', 70)`)
		}
		file, written := backUp(t, from)
		got, err := restore(t, to, file, false)
		w.ok(err)
		want(t, "restored", fmt.Sprint(got), fmt.Sprint(written))
		s := storetest.Open(t, to)
		_, again := backUp(t, s)
		for i, table := range again.Tables {
			if table.Name == "settings" || table.Name == "index_queue" { // the fence, and what is to be indexed
				continue
			}
			want(t, table.Name, table.Sum, written.Tables[i].Sum)
			want(t, "rows of "+table.Name, table.Rows, int64(3))
		}
		want(t, "posts to be indexed", count(t, s, `SELECT count(*) FROM index_queue`), 3)
		if !s.Partitioned() {
			want(t, "the mode", mode(t, to), os.FileMode(0o600))
		}
		w = world{s, t}
		w.ok(w.Exec(w.ctx(), `INSERT INTO invitations (token_hash, created_at, expires_at) VALUES (?, 2, 2)`, []byte("y")))
		want(t, "keys that were given", count(t, s, `SELECT id FROM invitations WHERE created_at = 2`), 71)
	})
}

func count(t *testing.T, s *store.Store, query string) int {
	t.Helper()
	n, err := s.Count(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// No table is forgotten: those of a backup are all that there are, but for the version of
// the schema and the index of words, and their columns are the same in both databases.
func TestBackupKnowsEveryTable(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		all, err := store.BackupTables(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		names := namesOf(all)
		tables := `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'digest\_posts\_%' ORDER BY 1`
		if !s.Partitioned() {
			tables = `SELECT name FROM pragma_table_list WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY 1`
		}
		there, err := s.ListTexts(t.Context(), tables)
		if err != nil {
			t.Fatal(err)
		}
		there = slices.DeleteFunc(there, func(name string) bool { return name == "goose_db_version" || name == "post_words" })
		slices.Sort(names)
		slices.Sort(there)
		want(t, "tables", strings.Join(names, " "), strings.Join(there, " "))
		for _, table := range all {
			columns, err := s.Columns(t.Context(), table.Name)
			if err != nil {
				t.Fatal(err)
			}
			there, known := map[string]backup.Kind{}, map[string]backup.Kind{}
			for _, c := range columns {
				there[c.Name] = map[bool]backup.Kind{true: backup.Text, false: backup.Number}[c.IsText]
				if c.IsBytes {
					there[c.Name] = backup.Bytes
				}
			}
			for _, c := range table.Columns {
				known[c.Name] = c.Kind
			}
			want(t, "columns of "+table.Name, fmt.Sprint(known), fmt.Sprint(there))
		}
	})
}

func namesOf(tables []backup.Table) (names []string) {
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

// slowly is a writer that does something as soon as bytes come.
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

// A backup is of one instant: what comes and goes while it is written is not seen.
func TestBackupOfOneInstant(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := world{s, t}
		w.fillAll()
		var file bytes.Buffer
		b, err := s.Backup(t.Context(), &slowly{&file, func() {
			w.ok(w.Exec(w.ctx(), `DELETE FROM waiting_digests`)) // of the last tables
			w.ok(w.Exec(w.ctx(), `INSERT INTO tallies (hour, kind, slot, n) VALUES (5, 'x', 0, 1)`))
		}}, "test", noon)
		w.ok(err)
		for _, table := range b.Tables {
			want(t, "rows of "+table.Name, table.Rows, int64(3))
		}
		want(t, "gone meanwhile", count(t, s, `SELECT count(*) FROM waiting_digests`), 0)
	})
}

// What was brought in is left alone until its operator says otherwise, whatever its
// heartbeat says.
func TestRestoredIsFenced(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.Store, to string) {
		w := world{from, t}
		w.reader("ada", "Europe/Paris")
		if f, err := from.Beat(w.ctx(), "https://a.example", noon, time.Hour, 100); err != nil || f.Reason != "" {
			t.Fatal(f, err)
		}
		w.ok(from.AtWork(w.ctx(), store.Worker{ID: "w", Host: "h", PID: 1, At: time.Now()}))
		file, _ := backUp(t, from)
		_, err := restore(t, to, file, false)
		w.ok(err)
		s := storetest.Open(t, to)
		for range 2 {
			f, err := s.Beat(w.ctx(), "https://a.example", noon.Add(time.Minute), time.Hour, 100)
			w.ok(err)
			want(t, "fence", f.Reason, "it is a copy")
		}
		workers, err := s.Workers(w.ctx())
		w.ok(err)
		want(t, "at work", len(workers), 0)
		w.ok(s.Unfence(w.ctx(), "https://a.example", noon))
		f, err := s.Beat(w.ctx(), "https://a.example", noon.Add(time.Minute), time.Hour, 100)
		w.ok(err)
		want(t, "released", f.Reason, "")
	})
}

// A database that holds something is left as it is, unless it may be replaced, and then
// too if the backup turns out to be no good, or somebody is at work.
func TestRestoreOntoWhatIsThere(t *testing.T) {
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.Store, to string) {
		w := world{from, t}
		w.reader("new", "Europe/Paris")
		file, _ := backUp(t, from)
		old, err := store.Open(t.Context(), to)
		w.ok(err)
		w.ok(old.Migrate(t.Context()))
		old.Policy = storetest.Policy(time.Hour)
		(world{old, t}).reader("old", "Europe/Paris")
		before := old.Cells(t.Context())
		w.ok(old.Close())
		unchanged := func(what string, err error) {
			t.Helper()
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", what, err)
			}
			s := storetest.Open(t, to)
			want(t, what, s.Cells(t.Context()), before)
			leftovers(t, s, to)
			w.ok(s.Close())
		}
		_, err = restore(t, to, bytes.NewReader(file.Bytes()), false)
		unchanged("not empty", err)
		_, err = restore(t, to, bytes.NewReader(file.Bytes()[:file.Len()-20]), true)
		unchanged("cut off", err)
		flipped := bytes.Replace(file.Bytes(), []byte("new@example.org"), []byte("odd@example.org"), 1)
		_, err = restore(t, to, bytes.NewReader(flipped), true)
		unchanged("damaged", err)
		reader, err := backup.NewReader(bytes.NewReader(file.Bytes()))
		w.ok(err)
		_, err = store.Restore(t.Context(), to, reader, store.Restoration{Replace: true, Look: func(context.Context, *store.Store) error { return errors.New("busy") }})
		unchanged("at work", err)

		_, err = restore(t, to, file, true)
		w.ok(err)
		s := storetest.Open(t, to)
		want(t, "replaced", count(t, s, `SELECT count(*) FROM users WHERE email = 'new@example.org'`), 1)
		want(t, "the old ones", count(t, s, `SELECT count(*) FROM users`), 1)
		leftovers(t, s, to)
		w = world{s, t}
		w.reader("next", "Europe/Paris") // and it works
	})
}

// leftovers holds that nothing stays beside a database.
func leftovers(t *testing.T, s *store.Store, database string) {
	t.Helper()
	if s.Partitioned() {
		want(t, "schemas", count(t, s, `SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'digest%'`), 0)
		return
	}
	files, err := filepath.Glob(database + ".*")
	if err != nil || len(files) > 0 {
		t.Errorf("%v stay, %v", files, err)
	}
}

// A database that somebody has open in a file is not replaced under them.
func TestRestoreOntoOpenFile(t *testing.T) {
	t.Parallel()
	from, to := storetest.Open(t, storetest.SQLite(t)), storetest.SQLite(t)
	open := storetest.Open(t, to)
	file, _ := backUp(t, from)
	_, err := restore(t, to, file, true)
	oneLine(t, err, digest.Conflict)
	if err := open.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	leftovers(t, open, to)
}

// A backup of an older version is brought up to this one.
func TestRestoreOlder(t *testing.T) {
	upgrade(t, 24, func(w world) {
		w.ok(w.Exec(w.ctx(), `INSERT INTO users (email, email_key, time_zone, created_at) VALUES ('a@example.org', 'a@example.org', 'Europe/Paris', 1)`))
		w.ok(w.Exec(w.ctx(), fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`, parisMidnight.Unix())))
		w.ok(w.Exec(w.ctx(), fmt.Sprintf(`INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES (1, %d, 7)`, noon.Unix())))
		file, b := backUp(w.t, w.Store)
		want(w.t, "schema", b.Schema, 24)
		storetest.EachEmpty(w.t, func(t *testing.T, to string) {
			_, err := restore(t, to, bytes.NewReader(file.Bytes()), false)
			w.ok(err)
			s := storetest.Open(t, to)
			want(t, "readers", count(t, s, `SELECT count(*) FROM users WHERE member_only = 0`), 1)
			want(t, "hidden posts", count(t, s, `SELECT count(*) FROM digest_posts`), 1)
			want(t, "an older one is found right", check(bytes.NewReader(file.Bytes())), nil)
		})
	})
}

func check(file io.Reader) error {
	from, err := backup.NewReader(file)
	if err == nil {
		_, err = store.CheckBackup(context.Background(), from)
	}
	return err
}

// What a backup may not be: made by a newer version, of tables that are not ours, with
// rows that contradict each other.
func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	all, err := store.BackupTables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := namesOf(all)
	good, _ := backUp(t, s)
	schema := func() int64 {
		r, err := backup.NewReader(bytes.NewReader(good.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		return r.Header.Schema
	}()
	write := func(schema int64, tables []string, rows map[string][]any, change func(*backup.Table)) *bytes.Buffer {
		var file bytes.Buffer
		w, err := backup.NewWriter(&file, backup.Header{Schema: schema})
		for _, name := range tables {
			table := all[slices.Index(names, name)]
			table.Columns = slices.Clone(table.Columns)
			change(&table)
			err = errors.Join(err, w.Begin(table))
			if row := rows[name]; row != nil {
				err = errors.Join(err, w.Row(row))
			}
			_, e := w.End(0)
			err = errors.Join(err, e)
		}
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		return &file
	}
	as := func(*backup.Table) {}
	for what, file := range map[string]*bytes.Buffer{
		"newer":            write(schema+1, names, nil, as),
		"far newer":        write(1<<60, nil, nil, as),
		"no tables":        write(schema, nil, nil, as),
		"a table too few":  write(schema, names[1:], nil, as),
		"one twice":        write(schema, append([]string{names[0]}, names...), nil, as),
		"another name":     write(schema, names, nil, func(t *backup.Table) { t.Name += `"; DROP TABLE users; --` }),
		"another column":   write(schema, names, nil, func(t *backup.Table) { t.Columns[0].Name += `" x` }),
		"a column of text": write(schema, names, nil, func(t *backup.Table) { t.Columns[0].Kind = backup.Text + "s" }),
		"no such feed":     write(schema, names, map[string][]any{"former_addresses": {"https://a.example/", int64(9), int64(1)}}, as),
		"NULL":             write(schema, names, map[string][]any{"former_subscriptions": {nil, int64(9)}}, as),
	} {
		storetest.EachEmpty(t, func(t *testing.T, to string) {
			_, err := restore(t, to, bytes.NewReader(file.Bytes()), false)
			if err == nil || digest.KindOf(err) == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %v", what, err)
			}
			if !strings.Contains(to, "://") {
				if files, _ := filepath.Glob(to + "*"); len(files) > 0 {
					t.Errorf("%s leaves %v", what, files)
				}
			}
		})
	}
}

// What a restore that was killed has left beside a database in a file is named; a schema
// that it has left in PostgreSQL is dropped by the next, and one that goes on is waited for.
func TestRestoreAfterOneThatWasKilled(t *testing.T) {
	t.Parallel()
	from := storetest.Open(t, storetest.SQLite(t))
	file, _ := backUp(t, from)
	to := storetest.EmptySQLite(t)
	if err := os.WriteFile(to+".restoring", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := restore(t, to, bytes.NewReader(file.Bytes()), false)
	oneLine(t, err, digest.Conflict)
	if _, err := os.Stat(to + ".restoring"); err != nil {
		t.Error("what may be another's is gone:", err)
	}

	to = storetest.EmptyPostgres(t)
	other, err := store.Open(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	w := world{other, t}
	w.ok(w.Exec(w.ctx(), `CREATE SCHEMA digest_restoring`))
	w.ok(w.Exec(w.ctx(), `CREATE TABLE digest_restoring.users (id BIGINT)`))
	w.ok(w.Write(w.ctx(), func(_ func(string) error, text func(string) string) error {
		want(t, "another restore holds the lock", text(`SELECT CAST(pg_advisory_xact_lock(110403869045624) AS TEXT)`), "")
		_, err := restore(t, to, bytes.NewReader(file.Bytes()), false)
		oneLine(t, err, digest.Conflict)
		return nil
	}))
	_, err = restore(t, to, bytes.NewReader(file.Bytes()), false)
	w.ok(err)
	leftovers(t, other, to)
}
