package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// oneLine fails the test unless err is a one-line error of a kind, which a person can act on.
func oneLine(t testing.TB, err error, kind digest.Kind) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if digest.KindOf(err) != kind || strings.Contains(err.Error(), "\n") {
		t.Errorf("want one line of kind %q, got kind %q: %v", kind, digest.KindOf(err), err)
	}
}

func TestOpenRefusesANewerSchema(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		w := newWorld(t, storetest.Open(t, database))
		w.reader("ada", "UTC")
		w.exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (4711, ` +
			trueIn(database) + `)`)
		_, err := store.Open(t.Context(), database)
		oneLine(t, err, digest.Conflict)
		users := storetest.All(w, w.Readers.Users(t.Context()))
		want(t, "all is as it was", len(users), 1)
	})
}

// trueIn returns the value that goose writes.
func trueIn(database string) string {
	if strings.HasPrefix(database, "postgres") {
		return "TRUE"
	}
	return "1"
}

func TestMigrateManyAtOnce(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				s, err := store.Open(t.Context(), database)
				if err != nil {
					t.Error(err)
					return
				}
				err = errors.Join(s.Migrate(t.Context()), s.Migrate(t.Context()), s.Ping(t.Context()), s.Close())
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		s := storetest.Open(t, database)
		have, needed, err := s.Schema(t.Context())
		want(t, "current", have == needed && have > 0 && err == nil, true)
		storetest.All(t, s.Readers.Users(t.Context()))
	})
}

func TestUnmigratedSaysSo(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		s, err := store.Open(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for _, err = range s.Readers.Users(t.Context()) {
			break
		}
		oneLine(t, err, digest.Unavailable)
		have, needed, err := s.Schema(t.Context())
		want(t, "none", have == 0 && needed > 0 && err == nil, true)
	})
}

func TestSecretIsMadeOnce(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		first, err := storetest.Open(t, database).Secret(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, err := storetest.Open(t, database).Secret(t.Context())
		want(t, "error", err, nil)
		want(t, "length", len(first), 32)
		want(t, "the same", bytes.Equal(first, second), true)
	})
}

func TestOpenWhatCannotBe(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("not a database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, database string
		kind           digest.Kind
	}{
		{"a folder", dir, digest.Unavailable},
		{"a folder that is missing", filepath.Join(dir, "none", "digest.db"), digest.Unavailable},
		{"another kind of file", garbage, digest.Invalid},
		{"no server", "postgres://nobody@127.0.0.1:1/none?sslmode=disable", digest.Unavailable},
		{"no socket", "postgres://nobody@/none?sslmode=disable&host=" + dir, digest.Unavailable},
		{"no address", "postgres://[", digest.Invalid},
		{"another kind of server", "mysql://localhost/digest", digest.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := store.Open(t.Context(), c.database)
			if err == nil {
				_ = s.Close()
			}
			oneLine(t, err, c.kind)
		})
	}
	left, err := os.ReadFile(garbage)
	want(t, "the other file is untouched", err == nil && bytes.HasPrefix(left, []byte("not a database")), true)
}

func TestOpenNoSuchDatabase(t *testing.T) {
	address := storetest.Postgres(t)
	_, err := store.Open(t.Context(), regexp.MustCompile(`digest_test_\w+`).ReplaceAllString(address, "nowhere"))
	oneLine(t, err, digest.Unavailable)
}

// A file that even root cannot write.
func TestReadOnlyFile(t *testing.T) {
	path := storetest.SQLite(t)
	s := storetest.Open(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if out, err := exec.Command("chattr", "+i", path).CombinedOutput(); err != nil {
			t.Skipf("root may write everything here: %v: %s", err, out)
		}
		defer func() { _ = exec.Command("chattr", "-i", path).Run() }()
	} else if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	_, err := store.Open(t.Context(), path)
	oneLine(t, err, digest.Unavailable)
	after, _ := os.ReadFile(path)
	want(t, "untouched", bytes.Equal(before, after), true)
}

func TestFileIsPrivate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20é.db")
	w := newWorld(t, storetest.Open(t, path))
	w.reader("ada", "UTC")
	for _, suffix := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "mode of "+suffix, info.Mode().Perm(), 0o600)
	}
}

// A write waits for the write of another process.
func TestBusyWaits(t *testing.T) {
	path := storetest.SQLite(t)
	s := storetest.Open(t, path)
	other, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(60000)")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	tx, err := other.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, _, err := s.Readers.AddUser(context.Background(), "ada@example.org", "UTC", noon)
		done <- err
	}()
	storetest.All(t, s.Readers.Users(t.Context())) // reads do not wait
	select {
	case err := <-done:
		t.Errorf("did not wait: %v", err)
	case <-time.After(200 * time.Millisecond):
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// An aborted transaction leaves nothing, whatever has ended it.
func TestAbortedTransaction(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		ctx, cancel := context.WithCancel(w.ctx)
		schedule := func(digest.Feed, time.Time) (time.Time, bool) { cancel(); return noon, true }
		if _, err := w.Feeds.Plan(ctx, parisMidnight, schedule); err == nil {
			w.Error("a cut transaction was committed")
		}
		want(w, "not queued", w.feedAgain(f).PollAt, time.Time{})
		must(w.Feeds.Plan(w.ctx, parisMidnight,
			func(digest.Feed, time.Time) (time.Time, bool) { return noon, true }))
		want(w, "planned by the next", w.feedAgain(f).PollAt, noon)

		ctx, cancel = context.WithCancel(w.ctx)
		cancel()
		rec := w.feedAgain(f)
		rec.ETag = "new"
		if _, err := w.Feeds.Record(ctx, noon,
			[]store.Polled{{Feed: rec, Posts: posts(noon, "p"), Listed: []string{"p"}}}); err == nil {
			w.Error("a cut transaction was committed")
		}
		want(w, "neither posts nor record", w.waiting(ada)+w.feedAgain(f).ETag, "")
	})
}

// A document with invalid bytes must not fail the others of its batch.
func TestRecordStoresAnyBytes(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f, g)
		bad := post("id\xff\x00", noon)
		bad.Title, bad.Content, bad.ContentHash = "\xff", "a\x00b", "h"
		f.ETag = "\xfe"
		for i := range 2 {
			r := w.poll(noon, store.Polled{Feed: f, Posts: []digest.Post{bad}, Listed: []string{bad.Identity}},
				store.Polled{Feed: g, Posts: posts(noon, "good"), Listed: []string{"good"}})
			want(w, "new posts", r.Posts, 2-2*i)
		}
		want(w, "waiting", w.waiting(ada), "id\uFFFD\uFFFD good")
		known := must(w.Feeds.KnownPosts(w.ctx, f.ID, []string{bad.Identity}))
		want(w, "known by what it is called", known[bad.Identity], bad.ContentHash)
	})
}

// No external string may fail a statement, in any argument.
func TestAnyBytesAnywhere(t *testing.T) {
	const odd = "a\x00b\xffc"
	const stored = "a\uFFFDb\uFFFDc"
	each(t, func(w world) {
		_, d := must2(w.Readers.AddUser(w.ctx, odd+"@example.org", "UTC", noon))
		must(w.Readers.UserByEmail(w.ctx, odd+"@example.org"))
		f, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://n.example/" + odd, Host: "n.example",
			Title: odd}))
		want(w, "title", f.Title, stored)
		want(w, "found again", w.feedAgain(digest.Feed{URL: "https://n.example/" + odd}).ID, f.ID)
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID, Title: odd}, noon))
		r := must(w.Subscriptions.Import(w.ctx, d.ID,
			[]store.ImportItem{{URL: "https://m.example/" + odd, Host: "m.example", Folder: odd}}, 1e6, noon))
		want(w, "imported", r.Added, 1)
		subs := must(w.Subscriptions.Subscriptions(w.ctx, d.ID))
		want(w, "own title", subs[0].Title, stored)
		want(w, "folder", subs[1].Folder, stored)
	})
}

// Several processes may use one file. Here they are several stores.
func TestManyStoresOnOneDatabase(t *testing.T) {
	const stores, rounds = 4, 15
	storetest.EachAddress(t, func(t *testing.T, database string) {
		w := newWorld(t, storetest.Open(t, database))
		ada := w.reader("ada")
		var wg sync.WaitGroup
		for i := range stores {
			f := w.feed(fmt.Sprintf("f%d.example", i))
			w.subscribe(ada, f)
			s := storetest.Open(t, database)
			wg.Go(func() {
				for n := range rounds {
					id := fmt.Sprintf("%d-%d", i, n)
					f.ParsedAt = noon
					_, err := s.Feeds.Record(t.Context(), noon,
						[]store.Polled{{Feed: f, Posts: posts(noon, id), Listed: []string{id}}})
					_, err2 := s.Editions.WaitingPosts(t.Context(), ada.ID)
					if err := errors.Join(err, err2); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		w.holds("rows", stores*rounds, `SELECT count(*) FROM digest_posts`)
	})
}

// The schema has the same tables and columns in both databases, except the search index.
func TestDialectsAgree(t *testing.T) {
	sqlite := columns(t, "sqlite3", storetest.SQLite(t), `SELECT m.name, c.name, c.type, c."notnull" OR c.pk > 0
		FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'
		AND m.name NOT LIKE 'post_words%' AND m.name NOT LIKE 'bare_words%' ORDER BY m.name, c.name`)
	postgres := columns(t, "postgres", storetest.Postgres(t),
		`SELECT table_name, column_name, data_type, is_nullable = 'NO'
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'post_words'
		AND table_name NOT LIKE 'digest\_posts\_%' ORDER BY table_name, column_name`)
	for name, kind := range sqlite {
		want(t, name, postgres[name], kind)
	}
	want(t, "columns", len(postgres), len(sqlite))
	if len(sqlite) < 100 {
		t.Errorf("only %d columns were found", len(sqlite))
	}
}

func columns(t *testing.T, driver, database, query string) map[string]string {
	t.Helper()
	storetest.Open(t, database)
	db, err := sql.Open(driver, database)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	kinds := strings.NewReplacer("INTEGER", "bigint", "TEXT", "text", "BLOB", "bytea")
	found := make(map[string]string)
	for rows.Next() {
		var table, column, kind string
		var required bool
		if err := rows.Scan(&table, &column, &kind, &required); err != nil {
			t.Fatal(err)
		}
		if table != "goose_db_version" {
			found[table+"."+column] = fmt.Sprintf("%s %t", kinds.Replace(kind), required)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}

// The clock of a server on the same machine returns the present time.
func TestClock(t *testing.T) {
	each(t, func(w world) {
		before := time.Now()
		got := must(w.Clock(w.ctx))
		if after := time.Now(); got.Before(before.Add(-time.Millisecond)) || got.After(after.Add(time.Millisecond)) {
			t.Errorf("%v, between %v and %v", got, before, after)
		}
	})
}

// TestNoPolicy: a store without a policy returns an error. It must not record that every feed may be polled now.
func TestNoPolicy(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		w := newWorld(t, s)
		f := w.feed("f.example")
		policy := s.Policy
		for name, half := range map[string]store.Policy{
			"none": {}, "without askable": {PaceDomain: policy.PaceDomain}, "without a pace": {Askable: policy.Askable},
		} {
			s.Policy = half
			_, _, ensured := s.Feeds.EnsureFeed(w.ctx,
				digest.Feed{URL: "https://new.example/feed", Host: "new.example"})
			_, ruled := s.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "f.example", Interval: time.Hour}, noon)
			_, _, claimed := s.Feeds.ClaimFeeds(w.ctx, noon, store.ClaimOptions{N: 1, Lease: time.Hour, Token: "t"})
			_, recorded := s.Feeds.Record(w.ctx, noon, []store.Polled{{Feed: f}})
			_, looked := s.Operator.Waiting(w.ctx, noon)
			for what, err := range map[string]error{
				"adding a feed": ensured, "a rule": ruled, "claiming": claimed, "storing a poll": recorded,
				"looking":  looked,
				"queueing": s.Enqueue(w.ctx, f.ID, noon), "vouching": s.Feeds.Vouch(w.ctx, f.ID, noon),
				"another gap": s.Feeds.NotePollGap(w.ctx, noon, 3*time.Hour),
			} {
				if err == nil || !strings.HasSuffix(err.Error(), "the store was given no policy") {
					t.Errorf("%s, %s: %v", name, what, err)
				}
			}
		}
		s.Policy = policy
		w.holds("nothing was stored", 1, `SELECT count(*) FROM feeds`)
		w.holds("nor queued", 0, `SELECT count(*) FROM feed_times WHERE poll_at IS NOT NULL`)
	})
}
