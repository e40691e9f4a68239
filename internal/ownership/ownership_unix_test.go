//go:build unix

package ownership

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// service is a user other than root.
const service = 65534

func folder(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	dir := filepath.Join(t.TempDir(), "of service")
	must(t, errors.Join(os.Mkdir(dir, 0o755), os.Chown(dir, service, service)))
	return dir
}

func owner(t *testing.T, path string) int {
	t.Helper()
	info, err := os.Lstat(path)
	must(t, err)
	uid, _, _ := ownerOf(info)
	return uid
}

func create(t *testing.T, path, beside string) {
	t.Helper()
	f, err := Create(path, beside, 0)
	must(t, err)
	must(t, f.Close())
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", path, info.Mode(), err)
	}
}

func TestCreate(t *testing.T) {
	dir := folder(t)
	database, index := filepath.Join(dir, "d"), filepath.Join(dir, "d-shm")
	create(t, database, database)
	create(t, index, database)
	if a, b := owner(t, database), owner(t, index); a != service || b != service {
		t.Errorf("in a folder of %d the file belongs to %d and its index to %d", service, a, b)
	}
	must(t, errors.Join(os.Chown(database, 7, 8), os.Remove(index)))
	create(t, index, database)
	if n := owner(t, index); n != 7 {
		t.Errorf("the index of a file of 7 belongs to %d", n)
	}
	// An existing file keeps its owner.
	must(t, os.Chown(index, 0, 0))
	create(t, index, database)
	if n := owner(t, index); n != 0 {
		t.Errorf("a file that was there was given to %d", n)
	}
	if _, err := Create(index, database, os.O_EXCL); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that must be missing: %v", err)
	}
	if _, err := Create(filepath.Join(dir, "nowhere", "d"), "d", 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in no folder: %v", err)
	}
}

// TestMakeFolder checks that folders that root creates belong to the owner of the folder around them.
func TestMakeFolder(t *testing.T) {
	path := filepath.Join(folder(t), "mail")
	for range 2 {
		must(t, errors.Join(MakeFolder(path), MakeFolder(filepath.Join(path, "new"))))
	}
	if a, b := owner(t, path), owner(t, filepath.Join(path, "new")); a != service || b != service {
		t.Errorf("the folders belong to %d and %d", a, b)
	}
}

// TestHostileFolder checks that root follows no links in the folder of another user.
func TestHostileFolder(t *testing.T) {
	dir, elsewhere := folder(t), t.TempDir()
	precious, missing := filepath.Join(elsewhere, "precious"), filepath.Join(elsewhere, "missing")
	must(t, os.WriteFile(precious, []byte("x"), 0o600))
	for name, target := range map[string]string{"to precious": precious, "to missing": missing} {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	if f, err := Create(filepath.Join(dir, "to missing"), "", 0); err == nil {
		f.Close()
		t.Error("a file was created behind a link")
	}
	if _, err := os.Lstat(missing); err == nil {
		t.Error("there is a file behind the link")
	}
	if f, err := Create(filepath.Join(dir, "to precious"), "", 0); err == nil {
		f.Close()
		t.Error("a file behind a link was opened")
	}
	must(t, os.Link(precious, filepath.Join(dir, "hard")))
	create(t, filepath.Join(dir, "hard"), "")
	create(t, filepath.Join(dir, "new"), filepath.Join(dir, "to precious")) // the owner of a link does not count
	if a, b := owner(t, precious), owner(t, filepath.Join(dir, "new")); a != 0 || b != service {
		t.Errorf("the file elsewhere belongs to %d, the new one to %d", a, b)
	}
	hard, own := filepath.Join(dir, "hard"), filepath.Join(dir, "own")
	must(t, errors.Join(os.WriteFile(own, nil, 0o600), os.Chown(own, service, service)))
	if !IsForeignLink(hard, own) || IsForeignLink(own, own) || !IsLinked(hard) || IsLinked(own) {
		t.Error("another name of a file of somebody else's is not recognised")
	}
}

func TestGiveLike(t *testing.T) {
	dir := folder(t)
	like := filepath.Join(dir, "key")
	must(t, errors.Join(os.WriteFile(like, nil, 0o600), os.Chmod(like, 0o646), os.Chown(like, 7, 8)))
	f, err := os.CreateTemp(dir, "*")
	must(t, err)
	defer f.Close()
	GiveLike(f, filepath.Join(dir, "missing"))
	if n := owner(t, f.Name()); n != 0 {
		t.Errorf("like a missing file: %d", n)
	}
	GiveLike(f, like)
	info, err := f.Stat()
	must(t, err)
	if s := info.Sys().(*syscall.Stat_t); info.Mode().Perm() != 0o640 || s.Uid != 7 || s.Gid != 8 {
		t.Errorf("%v, %+v, %v", info.Mode(), info.Sys(), err)
	}
}

func TestForeign(t *testing.T) {
	dir := folder(t)
	if reason, _ := Foreign(dir); reason != "" {
		t.Errorf("root: %s", reason)
	}
	if reason, _ := Foreign(filepath.Join(dir, "missing")); reason != "" {
		t.Errorf("a missing file: %s", reason)
	}
	if got := name(0); got != "root" {
		t.Errorf("0 is %s", got)
	}
	if got := name(54321); !strings.Contains(got, "54321") {
		t.Errorf("a user without a name is %s", got)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
