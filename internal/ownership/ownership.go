// Package ownership lets root create files for a service that runs as another user.
//
// A command that root runs beside the database of a service creates files there: the database, its log, its key.
// They get the owner of the database or of the folder, because the service could not open them otherwise. Only
// files that this process has just created change their owner, through their descriptor and never by name: in
// another user's folder a name may lead anywhere.
package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
)

// Create opens a file for reading and writing, and creates it with the mode 0600 if it is missing. A file that root
// creates gets the owner of the file beside, in the same folder, or of the folder if that file is missing. With
// os.O_EXCL in flag the file must be missing. Root follows no symbolic link at path.
func Create(path, beside string, flag int) (*os.File, error) {
	const mode = 0o600
	flag |= os.O_RDWR
	if os.Geteuid() != 0 {
		return os.OpenFile(path, flag|os.O_CREATE, mode)
	}
	folder, err := os.OpenRoot(filepath.Dir(path)) // stays the same folder if somebody replaces the name
	if err != nil {
		return nil, openError(path, err)
	}
	defer folder.Close()
	like, err := folder.Lstat(filepath.Base(beside))
	if err != nil || !like.Mode().IsRegular() {
		if like, err = folder.Stat("."); err != nil {
			return nil, err
		}
	}
	f, err := folder.OpenFile(filepath.Base(path), flag|os.O_CREATE|os.O_EXCL, mode)
	if errors.Is(err, fs.ErrExist) && flag&os.O_EXCL == 0 {
		return os.OpenFile(path, flag|noFollow, mode)
	}
	if err != nil {
		return nil, openError(path, err)
	}
	give(f, like)
	return f, nil
}

// openError names the file, and not the folder or the name within it, that err is about.
func openError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// GiveLike changes the owner of a file that this process has just created to the owner of another file. Its group may
// read it if the group of the other may. If the other is missing or this process does not run as root, nothing changes.
func GiveLike(f *os.File, other string) {
	info, err := os.Stat(other)
	if err != nil || os.Geteuid() != 0 {
		return
	}
	give(f, info)
	const group = 0o040
	_ = f.Chmod(0o600 | info.Mode().Perm()&group)
}

// MakeFolder creates a folder that only its owner may use, unless it exists. A folder that root creates belongs to the
// owner of the folder that it is in.
func MakeFolder(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(path, 0o700); err != nil || os.Geteuid() != 0 {
		return err
	}
	like, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|noFollow, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return openError(path, errors.Join(err, fs.ErrInvalid))
	}
	give(f, like)
	return nil
}

// give changes the owner of a file to the owner of like. If the system does not allow it, root stays the owner.
func give(f *os.File, like fs.FileInfo) {
	if uid, gid, ok := ownerOf(like); ok {
		_ = f.Chown(uid, gid)
	}
}

// Foreign explains that this process cannot write a file because it belongs to another user. The reason is "" if it
// does not. remedy is the command that changes the owner.
func Foreign(path string) (reason, remedy string) {
	info, err := os.Stat(path)
	if err != nil {
		return "", ""
	}
	uid, _, ok := ownerOf(info)
	me := os.Geteuid()
	if !ok || uid == me || me == 0 {
		return "", ""
	}
	if full, err := filepath.Abs(path); err == nil {
		path = full
	}
	return fmt.Sprintf("%s belongs to %s, and this process runs as %s", path, name(uid), name(me)),
		fmt.Sprintf("sudo chown %s: %s", name(me), path)
}

// name returns the name of a user, or the number if the user has no name.
func name(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return strconv.Itoa(uid)
}

// IsLinked reports whether a file has a second name (a hard link).
func IsLinked(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && links(info) > 1
}

// IsForeignLink reports whether a file has a second name and another owner than the file beside it. Its maker may
// want root to change the file behind the other name.
func IsForeignLink(path, beside string) bool {
	info, err := os.Lstat(path)
	like, wrong := os.Stat(beside)
	if err != nil || wrong != nil || os.Geteuid() != 0 {
		return false
	}
	uid, _, _ := ownerOf(info)
	own, _, _ := ownerOf(like)
	return uid != own && links(info) > 1
}
