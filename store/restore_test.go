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
	format "digest/internal/backup"
	"digest/store"
	"digest/store/backup"
	"digest/store/storetest"
	"digest/test/tier"
)

// A restored database stays fenced until its operator releases it, whatever its heartbeat says.
func TestRestoredIsFenced(t *testing.T) {
	tier.Alone(t)
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.Store, to string) {
		w := newWorld(t, from)
		w.reader("ada")
		if f, err := from.Operator.Beat(w.ctx, "https://a.example", noon, store.FenceRules{After: time.Hour,
			Most: 100}); err != nil || f.Reason != "" {
			t.Fatal(f, err)
		}
		w.ok(from.AtWork(w.ctx, store.Worker{ID: "w", Host: "h", PID: 1, At: time.Now()}))
		file, _ := backUp(t, from)
		must(restore(t, to, file, false))
		s := storetest.Open(t, to)
		for range 2 {
			f := must(s.Operator.Beat(w.ctx, "https://a.example", noon.Add(time.Minute),
				store.FenceRules{After: time.Hour, Most: 100}))
			want(t, "fence", f.Reason, "it is a copy")
		}
		workers := must(s.Workers(w.ctx))
		want(t, "at work", len(workers), 0)
		w.ok(s.Operator.Unfence(w.ctx, "https://a.example", noon))
		f := must(s.Operator.Beat(w.ctx, "https://a.example", noon.Add(time.Minute),
			store.FenceRules{After: time.Hour, Most: 100}))
		want(t, "released", f.Reason, "")
	})
}

// A database with content does not change unless it may be replaced. It does not change either if the backup is
// invalid or a process is at work.
func TestRestoreOntoWhatIsThere(t *testing.T) {
	tier.Alone(t)
	t.Parallel()
	eachPair(t, func(t *testing.T, from *store.Store, to string) {
		w := newWorld(t, from)
		w.reader("new")
		file, _ := backUp(t, from)
		old, err := store.Open(t.Context(), to)
		w.ok(err)
		w.ok(old.Migrate(t.Context()))
		old.Policy = storetest.Policy(time.Hour)
		(newWorld(t, old)).reader("old", "Europe/Paris")
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
		reader := must(format.NewReader(bytes.NewReader(file.Bytes())))
		_, err = backup.Restore(t.Context(), to, reader, backup.Restoration{Replace: true,
			Look: func(context.Context, *store.Store) error { return errors.New("busy") }})
		unchanged("at work", err)

		must(restore(t, to, file, true))
		s := storetest.Open(t, to)
		want(t, "replaced", count(t, s, `SELECT count(*) FROM users WHERE email = 'new@example.org'`), 1)
		want(t, "the old ones", count(t, s, `SELECT count(*) FROM users`), 1)
		leftovers(t, s, to)
		w = newWorld(t, s)
		w.reader("next") // and it works
	})
}

// leftovers checks that nothing remains beside a database.
func leftovers(t testing.TB, s *store.Store, database string) {
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

// A file that a process has open is not replaced.
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

// A backup of an older version is migrated to this one.
func TestRestoreOlder(t *testing.T) {
	tier.Alone(t)
	upgrade(t, 24, func(w world) {
		w.exec(`INSERT INTO users (email, email_key, time_zone, created_at)
			VALUES ('a@example.org', 'a@example.org', 'Europe/Paris', 1)`)
		w.exec(fmt.Sprintf(
			`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`, parisMidnight.Unix()))
		w.exec(fmt.Sprintf(`INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES (1, %d, 7)`,
			noon.Unix()))
		file, b := backUp(w, w.Store)
		want(w, "schema", b.Schema, 24)
		storetest.EachEmpty(w.T, func(t *testing.T, to string) {
			must(restore(t, to, bytes.NewReader(file.Bytes()), false))
			s := storetest.Open(t, to)
			want(t, "readers", count(t, s, `SELECT count(*) FROM users WHERE member_only = 0`), 1)
			want(t, "hidden posts", count(t, s, `SELECT count(*) FROM digest_posts`), 1)
			want(t, "an older one is found right", check(bytes.NewReader(file.Bytes())), nil)
		})
	})
}

func check(file io.Reader) error {
	from, err := format.NewReader(file)
	if err == nil {
		_, err = backup.Check(context.Background(), from)
	}
	return err
}

// Invalid backups: from a newer version, with unknown tables, with rows that contradict each other.
func TestRestoreRefuses(t *testing.T) {
	tier.Alone(t)
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite(t))
	all := backupTables(t, s)
	names := namesOf(all)
	good, _ := backUp(t, s)
	schema := func() int64 {
		r, err := format.NewReader(bytes.NewReader(good.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		return r.Header.Schema
	}()
	write := func(schema int64, tables []string, rows map[string][]any, change func(*format.Table)) *bytes.Buffer {
		var file bytes.Buffer
		w, err := format.NewWriter(&file, format.Header{Schema: schema})
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
	as := func(*format.Table) {}
	for what, file := range map[string]*bytes.Buffer{
		"newer":            write(schema+1, names, nil, as),
		"far newer":        write(1<<60, nil, nil, as),
		"no tables":        write(schema, nil, nil, as),
		"a table too few":  write(schema, names[1:], nil, as),
		"one twice":        write(schema, append([]string{names[0]}, names...), nil, as),
		"another name":     write(schema, names, nil, func(t *format.Table) { t.Name += `"; DROP TABLE users; --` }),
		"another column":   write(schema, names, nil, func(t *format.Table) { t.Columns[0].Name += `" x` }),
		"a column of text": write(schema, names, nil, func(t *format.Table) { t.Columns[0].Kind = format.Text + "s" }),
		"no such feed": write(schema, names,
			map[string][]any{"former_addresses": {"https://a.example/", int64(9), int64(1)}}, as),
		"NULL": write(schema, names, map[string][]any{"former_subscriptions": {nil, int64(9)}}, as),
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

// An error names the files that a killed restore has left beside a SQLite file. On PostgreSQL the next restore drops
// a left schema, and waits for a restore that is running.
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
	w := newWorld(t, other)
	w.exec(`CREATE SCHEMA digest_restoring`)
	w.exec(`CREATE TABLE digest_restoring.users (id BIGINT)`)
	w.ok(w.Write(w.ctx, func(_ func(string) error, text func(string) string) error {
		want(t, "another restore holds the lock",
			text(`SELECT CAST(pg_advisory_xact_lock(110403869045624) AS TEXT)`), "")
		_, err := restore(t, to, bytes.NewReader(file.Bytes()), false)
		oneLine(t, err, digest.Conflict)
		return nil
	}))
	must(restore(t, to, bytes.NewReader(file.Bytes()), false))
	leftovers(t, other, to)
}
