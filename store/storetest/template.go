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

// launchTimeout bounds the start of a server and the creation of its template. Only a machine that hangs exceeds it.
const launchTimeout = 10 * time.Minute

func migrate(address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), launchTimeout)
	defer cancel()
	s, err := store.Open(ctx, address)
	if err != nil {
		return err
	}
	return errors.Join(s.Migrate(ctx), s.Close())
}

// sqliteTemplate returns the bytes of a migrated SQLite database. Prepare creates it for a whole run, otherwise the
// test binary that needs it.
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

// CopySQLite writes a new, migrated SQLite database to a path.
func CopySQLite(path string) error {
	template, err := sqliteTemplate()
	if err != nil {
		return fmt.Errorf("making a SQLite database: %w", err)
	}
	return os.WriteFile(path, template, 0o600)
}

// Environment variables with which the test binaries of one run share the result of Prepare.
const (
	envServer   = "DIGEST_TEST_POSTGRES" // the address of a server, for a user who may create databases
	envTemplate = "DIGEST_TEST_TEMPLATE" // the name of a migrated database of that server
	envSQLite   = "DIGEST_TEST_SQLITE"   // the path of a migrated SQLite database
)

// Prepare creates in a folder what the test binaries of one run share: a migrated SQLite file, and a PostgreSQL
// server (or the one at DIGEST_TEST_POSTGRES) with a template. It returns their environment variables and a function
// that stops the server. If PostgreSQL is missing, noPostgres says why, and Prepare creates only the SQLite file.
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
