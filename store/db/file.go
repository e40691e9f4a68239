package db

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"digest/internal/ownership"
)

// The suffixes of the files of a database in a file: itself, the index of its log, and its log.
const (
	fileSuffix  = ""
	indexSuffix = "-shm"
	logSuffix   = "-wal"
)

// touch creates the file and the index of its log, readable by their owner only, and finds out early whether they
// can be written. SQLite alone would create them with the permissions that the umask leaves, and for root as
// root's.
func touch(path string) error {
	for _, suffix := range []string{fileSuffix, indexSuffix, logSuffix} {
		if err := refuseForeignLink(path+suffix, path); err != nil {
			return err
		}
	}
	for _, suffix := range []string{fileSuffix, indexSuffix} {
		f, err := ownership.Create(path+suffix, path, 0)
		if err != nil {
			return Unwritable(path, err)
		}
		if err := f.Close(); err != nil {
			return Unavailable(err, "the database cannot be written; check its disk")
		}
	}
	return nil
}

// refuseForeignLink returns an error if root must not touch a file beside a database.
func refuseForeignLink(path, database string) error {
	if ownership.IsForeignLink(path, database) {
		return Conflict("%s is a hard link to another user's file, and root does not change it; remove it", path)
	}
	return nil
}

// Unwritable explains why a database cannot be created or written.
func Unwritable(path string, err error) error {
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
	return Unavailable(err, said+"; give DIGEST_DATABASE a file in a folder that this user may write")
}

// Foreign returns an error if this process may not use a database in a file because the database, or its log,
// belongs to another user.
func Foreign(path string) error {
	for _, suffix := range []string{fileSuffix, indexSuffix, logSuffix} {
		f, err := os.OpenFile(path+suffix, os.O_RDWR, 0)
		if err == nil {
			_ = f.Close()
			continue
		}
		if reason, remedy := ownership.Foreign(path + suffix); reason != "" && errors.Is(err, fs.ErrPermission) {
			return Unavailable(nil, "the database cannot be opened: "+reason+"; run: "+remedy)
		}
	}
	return nil
}

// lacksRoom reports whether a folder has no room for a small file. For a full disk SQLite's driver reports only
// that it could not write.
func lacksRoom(folder string) bool {
	f, err := os.CreateTemp(folder, ".digest-room-*")
	if err == nil {
		_, err = f.Write(make([]byte, 64<<10))
		err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return isFull(err)
}

func fullDisk(err error) error {
	return Unavailable(err, "the disk of the database is full; free space on it (see: df -h) and try again")
}
