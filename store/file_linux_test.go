package store_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestOpenOnAFullDisk: if the disk is full, opening, creating or migrating a database returns an error that says
// so.
func TestOpenOnAFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skip("no small disk can be had:", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	path, filler := filepath.Join(dir, "digest.db"), filepath.Join(dir, "filler")
	refused := func(what string, err error) {
		t.Helper()
		const says = "the disk of the database is full; free space on it (see: df -h) and try again"
		if digest.KindOf(err) != digest.Unavailable || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", what, err)
		}
	}
	fill(t, filler, 0)
	_, err := store.Open(t.Context(), path)
	refused("creating it", err)
	if err := errors.Join(os.Remove(filler), os.Remove(path)); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	fill(t, filler, 300<<10)
	refused("migrating it", st.Migrate(t.Context()))
	_ = st.Close() // its log cannot be written
	for _, suffix := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(path + suffix)
	}
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := storetest.CopySQLite(path); err != nil {
		t.Fatal(err)
	}
	fill(t, filler, 0)
	_, err = store.Open(t.Context(), path)
	refused("opening it", err)
	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	storetest.Open(t, path)
	if left, err := filepath.Glob(filepath.Join(dir, ".digest-room-*")); err != nil || len(left) > 0 {
		t.Errorf("%v, %v are left behind", left, err)
	}
}

// fill fills the disk with a file, except for some bytes.
func fill(t *testing.T, path string, but int64) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var zeros [4096]byte
	for err == nil {
		_, err = f.Write(zeros[:])
	}
	size, _ := f.Seek(0, io.SeekEnd)
	if err := f.Truncate(max(size-but, 0)); err != nil {
		t.Fatal(err)
	}
}
