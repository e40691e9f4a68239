package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"digest/internal/ownership"
)

// lockSuffix ends the name of the lock file of a database in a file. Nobody deletes the lock file: a process that
// has it open would then hold a lock that no other process sees.
const lockSuffix = ".lock"

// errLocked is the error of lockFile if another process holds the lock.
var errLocked = errors.New("another process holds the lock")

// A Worker is a process that runs the hourly job on this database.
type Worker struct {
	ID   string    `json:"id"`
	Host string    `json:"host"`
	PID  int       `json:"pid"`
	At   time.Time `json:"at"`              // last report, by the clock of DB.Clock
	AsOf bool      `json:"as_of,omitempty"` // started with --now
}

// Occupy makes this process the only one that runs serve or work on a database in a file, until it calls leave or
// ends, for whatever reason. It refuses if another process does so already. Many processes may work on PostgreSQL.
// Occupy does nothing if the file system has no locks.
func Occupy(database string, w Worker) (leave func(), err error) {
	if strings.Contains(database, "://") {
		return func() {}, nil
	}
	path := RealPath(database)
	if ownership.IsLinked(path) {
		return nil, Conflict("%s has a second name (a hard link), under which another process could work on it unseen; remove one of the two", path)
	}
	if err := refuseForeignLink(path+lockSuffix, path); err != nil {
		return nil, err
	}
	f, err := ownership.Create(path+lockSuffix, path, 0)
	if err != nil {
		return nil, Unwritable(path, err)
	}
	if err := lockFile(f); errors.Is(err, errLocked) {
		defer f.Close()
		return nil, Conflict("%s; a database in a file has one serve or work: stop that one, "+
			"or move to PostgreSQL (digest copy --to)", readOccupant(f, path))
	}
	// Only people read the content of the file. The lock holds without it.
	if value, err := json.Marshal(w); err == nil && f.Truncate(0) == nil {
		_, _ = f.WriteAt(value, 0)
	}
	return func() { _ = f.Close() }, nil
}

// RefuseOccupied returns an error if a process runs serve or work on a database in a file.
func RefuseOccupied(path string) error {
	f, err := os.OpenFile(path+lockSuffix, os.O_RDWR, 0)
	if err != nil {
		return nil // no process of this version works there
	}
	defer f.Close()
	if errors.Is(lockFile(f), errLocked) {
		return Conflict("%s; stop it first", readOccupant(f, path))
	}
	return nil
}

// readOccupant describes the process that has locked a file.
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

// RealPath returns the path of a file without symbolic links. SQLite puts its log beside that file.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}
