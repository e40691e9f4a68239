package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"digest/internal/ownership"
)

// lockSuffix ends the name of the file that the one process locks that works on a database in a file. Nobody removes
// it: whoever had it open would hold a lock that nobody else sees.
const lockSuffix = ".lock"

// errLocked is the error of lockFile if another process holds the lock.
var errLocked = errors.New("another process holds the lock")

// Occupy makes a process the only one that serves or works on a database in a file, until it calls leave or ends,
// however it ends. It refuses if another process is that one. Any number may work on PostgreSQL. Where the file system
// has no locks it does nothing.
func Occupy(database string, w Worker) (leave func(), err error) {
	if strings.Contains(database, "://") {
		return func() {}, nil
	}
	path := realPath(database)
	f, err := ownership.Create(path+lockSuffix, path, 0)
	if err != nil {
		return nil, unwritable(path, err)
	}
	if err := lockFile(f); errors.Is(err, errLocked) {
		defer f.Close()
		return nil, conflict("%s; a database in a file has one serve or work: stop that one, "+
			"or move to PostgreSQL (digest copy --to)", readOccupant(f, path))
	}
	// What is written is for people: without it the lock holds all the same.
	if value, err := json.Marshal(w); err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(value, 0)
	}
	return func() { _ = f.Close() }, nil
}

// refuseOccupied refuses a database in a file that a process serves or works on.
func refuseOccupied(path string) error {
	f, err := os.OpenFile(path+lockSuffix, os.O_RDWR, 0)
	if err != nil {
		return nil // then no process of this version works there
	}
	defer f.Close()
	if errors.Is(lockFile(f), errLocked) {
		return conflict("%s; stop it first", readOccupant(f, path))
	}
	return nil
}

// readOccupant says which process has locked a file.
func readOccupant(f *os.File, path string) string {
	const most = 1 << 10
	var w Worker
	text, err := io.ReadAll(io.NewSectionReader(f, 0, most))
	if err != nil || json.Unmarshal(text, &w) != nil {
		return "another process works on " + path
	}
	since := w.At.UTC().Format("2006-01-02 15:04 MST")
	return fmt.Sprintf("process %d on %s works on %s since %s", w.PID, w.Host, path, since)
}

// realPath is the path of a file without symbolic links, beside which SQLite puts its log.
func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
