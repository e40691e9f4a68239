package store_test

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/lib/pq"
	"github.com/ncruces/go-sqlite3"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestDurability checks what the database guarantees: commits survive a power failure, and foreign keys are enforced.
func TestDurability(t *testing.T) {
	s := storetest.Open(t, storetest.SQLite(t))
	err := s.Write(t.Context(), func(_ func(string) error, text func(string) string) error {
		want(t, "synchronous: FULL", text(`PRAGMA synchronous`), "2")
		want(t, "foreign keys", text(`PRAGMA foreign_keys`), "1")
		want(t, "journal", text(`PRAGMA journal_mode`), "wal")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestIsolation runs on a server with another default isolation.
func TestIsolation(t *testing.T) {
	u, err := url.Parse(storetest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("default_transaction_isolation", "serializable")
	u.RawQuery = q.Encode()
	s := storetest.Open(t, u.String())
	err = s.Write(t.Context(), func(_ func(string) error, text func(string) string) error {
		want(t, "isolation", text(`SELECT current_setting('transaction_isolation')`), "read committed")
		want(t, "the default", text(`SELECT current_setting('default_transaction_isolation')`), "serializable")
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestConflictsAreRetried aborts transactions in favour of others, a few times and always.
func TestConflictsAreRetried(t *testing.T) {
	each(t, func(w world) {
		for _, c := range []struct {
			why   string
			cause error
			lost  int // number of aborted transactions
			tries int
			ok    bool
		}{
			{"serialization", &pq.Error{Code: "40001"}, 3, 4, true},
			{"deadlock", &pq.Error{Code: "40P01"}, 1, 2, true},
			{"for ever", &pq.Error{Code: "40001"}, 1000, 6, false},
			{"another error", &pq.Error{Code: "23505"}, 1, 1, false},
		} {
			tries := 0
			err := w.Write(w.ctx, func(exec func(string) error, _ func(string) string) error {
				tries++
				if err := exec(fmt.Sprintf(`INSERT INTO feeds (url, host) VALUES ('%s', '')`, c.why)); err != nil {
					return err
				}
				if tries <= c.lost {
					return fmt.Errorf("storing: %w", c.cause)
				}
				return nil
			})
			want(w, c.why+": tries", tries, c.tries)
			want(w, c.why+": in the end", err == nil, c.ok)
		}
		w.holds("what was lost has left nothing", 2, `SELECT count(*) FROM feeds`)
	})
}

// TestDeadlock makes two transactions wait for each other. PostgreSQL aborts one, which is retried.
func TestDeadlock(t *testing.T) {
	w := newWorld(t, storetest.Open(t, storetest.Postgres(t)))
	a, b := w.feed("a.example"), w.feed("b.example")
	var both, done sync.WaitGroup
	both.Add(2)
	for _, order := range [][2]digest.FeedID{{a.ID, b.ID}, {b.ID, a.ID}} {
		done.Go(func() {
			first := true
			err := w.Write(w.ctx, func(exec func(string) error, _ func(string) string) error {
				if err := exec(fmt.Sprintf(`UPDATE feeds SET errors = errors + 1 WHERE id = %d`,
					order[0])); err != nil {
					return err
				}
				if first {
					first = false
					both.Done()
					both.Wait()
				}
				return exec(fmt.Sprintf(`UPDATE feeds SET errors = errors + 1 WHERE id = %d`, order[1]))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	want(t, "a", w.feedAgain(a).Errors, 2)
	want(t, "b", w.feedAgain(b).Errors, 2)
}

// TestADatabaseThatIsAway: the error is one line and wraps the cause.
func TestADatabaseThatIsAway(t *testing.T) {
	for _, cause := range []error{
		driver.ErrBadConn, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE,
		&net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}, &pq.Error{Code: "57P01"},
		&pq.Error{Code: "08006"},
	} {
		err := store.ExplainError(fmt.Errorf("reading: %w", cause))
		oneLine(t, err, digest.Unavailable)
		if !errors.Is(err, cause) {
			t.Errorf("%v is no longer to be found in %v", cause, err)
		}
	}
	if err := store.ExplainError(fmt.Errorf("opening: %w", sqlite3.INTERRUPT)); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted statement is %v", err)
	}
	if err := store.ExplainError(errors.New("other")); digest.KindOf(err) != "" ||
		!strings.Contains(err.Error(), "other") {
		t.Error(err)
	}
}

// TestServerCutsConnections ends the server's side of a transaction.
func TestServerCutsConnections(t *testing.T) {
	s := storetest.Open(t, storetest.Postgres(t))
	err := s.Write(t.Context(), func(exec func(string) error, _ func(string) string) error {
		first := exec(`SELECT pg_terminate_backend(pg_backend_pid())`)
		oneLine(t, first, digest.Unavailable)
		return exec(`SELECT 1`)
	})
	oneLine(t, err, digest.Unavailable)
	if err := s.Ping(t.Context()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
