package worker_test

import (
	"context"
	"database/sql"
	"log/slog"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/worker"
)

// TestDatabaseGoesAway cuts every connection while polls are being stored. The results must still be stored
// in time for the edition.
func TestDatabaseGoesAway(t *testing.T) {
	address := storetest.Postgres(t)
	st := storetest.Open(t, address)
	s := newSite(t, "first")
	h := newHouse(t, st, "2026-11-19 10:00")
	h.reader("utc@example.org", "UTC", s)
	s.publish("second")
	h.set("2026-11-20 00:00")
	cut := lockPosts(t, address)
	job := h.job()
	job.Report = func(e worker.Event) {
		if e.Kind == worker.EventPolled {
			go cut()
		}
	}
	sum, err := job.Tick(t.Context())
	if want := (worker.Summary{Polled: 1, Changed: 1, Posts: 1, Editions: 1, Sent: 1}); err != nil || sum != want {
		t.Errorf("got %+v, %v; want %+v", sum, err, want)
	}
}

// lockPosts blocks all writes of posts until cut ends their connections.
func lockPosts(t *testing.T, address string) (cut func()) {
	t.Helper()
	db, err := sql.Open("postgres", address)
	ok(t, err)
	t.Cleanup(func() { db.Close() })
	tx, err := db.Begin()
	ok(t, err)
	_, err = tx.Exec(`LOCK TABLE posts IN SHARE MODE`)
	ok(t, err)
	return func() {
		defer tx.Rollback()
		for t.Context().Err() == nil { // until a connection waits for the lock
			var waiting int
			err := tx.QueryRow(`SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'posts'::regclass`).
				Scan(&waiting)
			if err != nil {
				t.Error(err)
				return
			}
			if waiting > 0 {
				break
			}
			<-time.After(10 * time.Millisecond)
		}
		if _, err := tx.Exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Error(err)
		}
	}
}

// TestStopWhileTheDatabaseIsAway holds that a stop without polls in flight is immediate.
func TestStopWhileTheDatabaseIsAway(t *testing.T) {
	address := storetest.Postgres(t)
	h := newHouse(t, storetest.Open(t, address), "2026-11-20 00:00")
	ctx, stop := context.WithCancel(t.Context())
	job := h.job()
	job.Log = slog.New(onWarning{slog.DiscardHandler, stop})
	defer takeAway(t, address)()
	if _, err := job.Poll(ctx); err != nil {
		t.Errorf("a stop is no failure: %v", err)
	}
}

// onWarning calls do when a warning is logged.
type onWarning struct {
	slog.Handler
	do func()
}

func (onWarning) Enabled(context.Context, slog.Level) bool { return true }

func (w onWarning) Handle(_ context.Context, r slog.Record) error {
	if r.Level == slog.LevelWarn {
		w.do()
	}
	return nil
}

// takeAway renames a database until back is called.
func takeAway(t *testing.T, address string) (back func()) {
	t.Helper()
	u, err := url.Parse(address)
	ok(t, err)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/template1"
	db, err := sql.Open("postgres", u.String())
	ok(t, err)
	do := func(statement string) {
		t.Helper()
		if _, err := db.Exec(statement); err != nil {
			t.Error(err)
		}
	}
	do(`ALTER DATABASE "` + name + `" ALLOW_CONNECTIONS false`)
	do(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '` + name + `'`)
	return func() {
		do(`ALTER DATABASE "` + name + `" ALLOW_CONNECTIONS true`)
		db.Close()
	}
}
