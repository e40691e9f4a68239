package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"digest/store"
)

// launchTimeout bounds the start of a server and the making of its template. It
// is met by a machine that is hung, not by one that is slow.
const launchTimeout = 10 * time.Minute

// migrate puts the schema into a database.
func migrate(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), launchTimeout)
	defer cancel()
	s, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(ctx), s.Close())
}

// sqliteTemplate gives the bytes of a SQLite database that has its schema. It is
// made once: by Prepare for a whole run, else by the test binary that needs it.
var sqliteTemplate = sync.OnceValues(func() ([]byte, error) {
	if path := os.Getenv(envSQLite); path != "" {
		return os.ReadFile(path)
	}
	dir, err := os.MkdirTemp("", "digest-sqlite-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for SQLite: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	if err := migrate(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// CopySQLite writes a new SQLite database that has its schema to a path.
func CopySQLite(path string) error {
	template, err := sqliteTemplate()
	if err != nil {
		return fmt.Errorf("making a SQLite database: %w", err)
	}
	return os.WriteFile(path, template, 0o600)
}

// The environment by which the test binaries of one run share what Prepare made.
const (
	envServer   = "DIGEST_TEST_POSTGRES" // the address of a server; its user may create databases
	envTemplate = "DIGEST_TEST_TEMPLATE" // the name of a database of that server that has its schema
	envSQLite   = "DIGEST_TEST_SQLITE"   // the path of a SQLite database that has its schema
)

// Prepare makes in a folder what the test binaries of one run share: a SQLite
// file with its schema, and a PostgreSQL server (or the one that
// DIGEST_TEST_POSTGRES names) with a database to copy. It gives the settings for
// their environment, and what ends it all. Without PostgreSQL it says so in
// noPostgres and prepares the rest.
func Prepare(dir string) (environ []string, end func(), noPostgres, err error) {
	path := filepath.Join(dir, "template.db")
	if err := CopySQLite(path); err != nil {
		return nil, nil, nil, err
	}
	environ = append(environ, envSQLite+"="+path)
	s, noPostgres := newServer(testSettings)
	if noPostgres != nil {
		return environ, func() {}, noPostgres, nil
	}
	return append(environ, envServer+"="+s.url.String(), envTemplate+"="+s.template), s.stop, nil, nil
}
