package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/ncruces/go-sqlite3"

	"digest/internal/ownership"
)

// The suffixes of the files of a database in a file: itself, the index of its log, and its log.
const (
	fileSuffix  = ""
	indexSuffix = "-shm"
	logSuffix   = "-wal"
)

// touch creates the file and the index of its log, readable by nobody else, and finds out now rather than later
// whether they can be written. SQLite alone would give them the rights that the umask leaves, and root's owner.
func touch(path string) error {
	for _, suffix := range []string{fileSuffix, indexSuffix, logSuffix} {
		if ownership.IsForeignLink(path+suffix, path) {
			return conflict("%s is a hard link to a file of somebody else, which root does not touch; remove it", path+suffix)
		}
	}
	for _, suffix := range []string{fileSuffix, indexSuffix} {
		f, err := ownership.Create(path+suffix, path, 0)
		if err != nil {
			return unwritable(path, err)
		}
		if err := f.Close(); err != nil {
			return unavailable(err, "the database cannot be written; check its disk")
		}
	}
	return nil
}

// explainOpening is explain for an error that opening a file met.
func explainOpening(path string, err error) error {
	if foreign := Foreign(path); foreign != nil {
		return foreign
	}
	return fmt.Errorf("opening %s: %w", path, (&Store{file: path}).explain(err))
}

// explain is explain for an error of this database, which it tells from one of a full disk.
func (s *Store) explain(err error) error {
	if s.file != "" && errors.Is(err, sqlite3.IOERR) && lacksRoom(filepath.Dir(s.file)) {
		return fullDisk(syscall.ENOSPC)
	}
	return explain(err)
}

// unwritable explains why a database cannot be created or written.
func unwritable(path string, err error) error {
	if isFull(err) {
		return fullDisk(err)
	}
	said := "the database cannot be written"
	if errors.Is(err, fs.ErrPermission) {
		if foreign := Foreign(path); foreign != nil {
			return foreign
		}
		if reason, _ := ownership.Foreign(filepath.Dir(path)); reason != "" {
			said += ": " + reason
		}
	}
	return unavailable(err, said+"; give DIGEST_DATABASE a file in a folder that this user may write")
}

// Foreign explains that this process may not use a database in a file because it, or its log, belongs to somebody
// else; nil: that is not so.
func Foreign(path string) error {
	for _, suffix := range []string{fileSuffix, indexSuffix, logSuffix} {
		f, err := os.OpenFile(path+suffix, os.O_RDWR, 0)
		if err == nil {
			_ = f.Close()
			continue
		}
		if reason, remedy := ownership.Foreign(path + suffix); reason != "" && errors.Is(err, fs.ErrPermission) {
			return unavailable(nil, "the database cannot be opened: "+reason+"; run: "+remedy)
		}
	}
	return nil
}

// isFull reports whether an error says that there is no room.
func isFull(err error) bool {
	return errors.Is(err, sqlite3.FULL) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// lacksRoom reports whether a folder has no room for a small file. SQLite's driver says of a full disk only that it
// could not write.
func lacksRoom(folder string) bool {
	f, err := os.CreateTemp(folder, ".digest-room-*")
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return isFull(err)
}

func fullDisk(err error) error {
	return unavailable(err, "the disk of the database is full; make room and try again")
}
