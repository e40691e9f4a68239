// Package storetest runs tests with real databases: each on SQLite in a temporary file and on PostgreSQL in a
// database of its own. Both are copies of a migrated template.
//
// PostgreSQL is the server at DIGEST_TEST_POSTGRES, the postgres:// address of a user who may create databases.
// Otherwise storetest starts a server for the test binary, from the programs on this machine, and stops it when the
// binary ends. Without a server, the tests are skipped, or fail if DIGEST_TEST_REQUIRE_POSTGRES is 1.
//
// The test binaries of one "go test ./..." share a server and the templates if the command in test/run starts it, as
// make does.
package storetest

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"iter"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// Main runs a package's tests and then stops the server that they started:
//
//	func TestMain(m *testing.M) { storetest.Main(m) }
//
// Without it the server stops a moment later. Main calls after before it exits.
func Main(m *testing.M, after ...func()) {
	code := Run(m)
	for _, f := range after {
		f()
	}
	os.Exit(code)
}

// Run is Main without the exit, for a TestMain that has more to do.
func Run(m *testing.M) (code int) {
	code = m.Run()
	forTests.stop()
	forBenchmarks.stop()
	return code
}

// Each runs f on both databases, each new and migrated. The test runs in parallel with other tests that call Each.
func Each(t *testing.T, f func(t *testing.T, s *store.Store)) {
	t.Helper()
	if _, already := parallel.LoadOrStore(t, true); !already {
		t.Parallel()
		t.Cleanup(func() { parallel.Delete(t) })
	}
	t.Run("SQLite", func(t *testing.T) { f(t, Open(t, SQLite(t))) })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, Open(t, forTests.database(t, true))) })
}

// parallel holds the running tests that have called Each, because a test must call t.Parallel only once.
var parallel sync.Map // of *testing.T

// EachAddress runs f with the addresses of two new, migrated databases, for tests that open them themselves or run
// the program.
func EachAddress(t *testing.T, f func(t *testing.T, database string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { f(t, SQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, Postgres(t)) })
}

// EachEmpty is EachAddress with databases without a schema, for tests of migrations.
func EachEmpty(t *testing.T, f func(t *testing.T, database string)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { f(t, EmptySQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { f(t, EmptyPostgres(t)) })
}

// Bench is Each for benchmarks: its PostgreSQL waits for the disk.
func Bench(b *testing.B, f func(b *testing.B, s *store.Store)) {
	b.Helper()
	b.Run("SQLite", func(b *testing.B) { f(b, Open(b, SQLite(b))) })
	b.Run("PostgreSQL", func(b *testing.B) { f(b, Open(b, forBenchmarks.database(b, true))) })
}

// BenchAddress is Bench for benchmarks that also fill the database themselves: f gets the address of a new, migrated
// one.
func BenchAddress(b *testing.B, f func(b *testing.B, database string)) {
	b.Helper()
	b.Run("SQLite", func(b *testing.B) { f(b, SQLite(b)) })
	b.Run("PostgreSQL", func(b *testing.B) { f(b, forBenchmarks.database(b, true)) })
}

// SQLite returns the path of a new, migrated database.
func SQLite(t testing.TB) string {
	t.Helper()
	path := EmptySQLite(t)
	if err := CopySQLite(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// EmptySQLite returns the path of a database that does not exist yet.
func EmptySQLite(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "digest.db")
}

// Postgres returns the address of a new, migrated PostgreSQL database. It skips the test if there is no PostgreSQL.
func Postgres(t testing.TB) string {
	t.Helper()
	return forTests.database(t, true)
}

// EmptyPostgres is Postgres without a schema.
func EmptyPostgres(t testing.TB) string {
	t.Helper()
	return forTests.database(t, false)
}

// Open opens a database, migrates it, and closes it when the test ends.
func Open(t testing.TB, database string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Policy = Policy(time.Hour)
	return s
}

// All collects a list, and fails the test at an error.
func All[T any](t testing.TB, list iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for one, err := range list {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// Policy returns the decisions of package poller, as the program uses them, with a poll gap.
func Policy(gap time.Duration) store.Policy {
	askable := func(f digest.Feed, from time.Time) time.Time { return poller.Askable(f, gap, from) }
	return store.Policy{Askable: askable, PaceDomain: poller.PaceDomain, IsPlatform: poller.IsPlatform,
		Admit: poller.Quota{Feed: poller.FeedQuota, Account: poller.AccountQuota}.Admit}
}

// A cluster is a PostgreSQL server that starts at its first use.
type cluster struct {
	settings string // for the server, if this process starts it
	start    func() (*server, error)
	started  atomic.Bool
	made     atomic.Int64 // databases created so far
}

// testSettings make a server that loses its data in a crash of the machine, and that runs no background jobs, so that
// no new statistics change a plan during a test.
const testSettings = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 " +
	"-c max_wal_size=1GB -c autovacuum=off -c jit=off"

// The servers of a test binary.
var (
	forTests      = newCluster(testSettings)
	forBenchmarks = newCluster("-c shared_buffers=1GB -c max_wal_size=4GB")
)

func newCluster(settings string) *cluster {
	c := &cluster{settings: settings}
	c.start = sync.OnceValues(func() (*server, error) {
		c.started.Store(true)
		return newServer(c.settings)
	})
	return c
}

func (c *cluster) stop() {
	if !c.started.Load() {
		return
	}
	if s, err := c.start(); err == nil {
		s.stop()
	}
}

// database creates a database, migrated or empty, and drops it when the test ends.
func (c *cluster) database(t testing.TB, schema bool) string {
	t.Helper()
	s, err := c.start()
	if err != nil {
		if os.Getenv("DIGEST_TEST_REQUIRE_POSTGRES") == "1" {
			t.Fatalf("PostgreSQL is required here: %v", err)
		}
		t.Skipf("no PostgreSQL: %v; install it (Debian: apt-get install postgresql) or set DIGEST_TEST_POSTGRES", err)
	}
	template := "template1"
	if schema {
		template = s.template
	}
	name := fmt.Sprintf("%s_%d", s.prefix, c.made.Add(1))
	if err := s.exec(`CREATE DATABASE ` + name + ` TEMPLATE ` + template + s.strategy); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.exec(`DROP DATABASE ` + name + ` WITH (FORCE)`); err != nil {
			t.Error(err)
		}
	})
	return s.address(name)
}

type server struct {
	admin    *sql.DB
	url      *url.URL
	prefix   string // of database names, because others may test on the same server
	template string // the database that the others copy
	shared   bool   // another process has created the template and drops it
	strategy string // how a database is copied, if the server has a choice
	halt     func() // stops the server, if this process has started it
}

func newServer(settings string) (*server, error) {
	address := os.Getenv(envServer)
	halt := func() {}
	if address == "" {
		var err error
		if address, halt, err = launch(settings); err != nil {
			return nil, err
		}
	}
	s, err := connect(address)
	if err != nil {
		halt()
		return nil, err
	}
	s.halt = halt
	return s, nil
}

// connect connects to a server and creates the template.
func connect(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("reading the address of PostgreSQL: %w", err)
	}
	admin, err := sql.Open("postgres", address)
	if err != nil {
		return nil, fmt.Errorf("opening PostgreSQL: %w", err)
	}
	s := &server{admin: admin, url: u,
		prefix: fmt.Sprintf("digest_test_%d_%s", os.Getpid(), strings.ToLower(rand.Text()[:6]))}
	var version int
	if err := admin.QueryRow(`SHOW server_version_num`).Scan(&version); err != nil {
		return nil, fmt.Errorf("asking PostgreSQL for its version: %w", err)
	}
	if version >= 150000 { // three times as fast as copying through the log, without fsync
		s.strategy = ` STRATEGY FILE_COPY`
	}
	if s.template = os.Getenv(envTemplate); s.template != "" {
		s.shared = true
		return s, nil
	}
	s.template = s.prefix + "_template"
	if err := s.exec(`CREATE DATABASE ` + s.template); err != nil {
		return nil, err
	}
	return s, migrate(s.address(s.template))
}

func (s *server) exec(statement string) error {
	if _, err := s.admin.Exec(statement); err != nil {
		return fmt.Errorf("%s: %w", strings.ToLower(statement), err)
	}
	return nil
}

func (s *server) address(database string) string {
	u := *s.url
	u.Path = "/" + database
	return u.String()
}

func (s *server) stop() {
	if !s.shared {
		_ = s.exec(`DROP DATABASE IF EXISTS ` + s.template)
	}
	_ = s.admin.Close()
	s.halt()
}
