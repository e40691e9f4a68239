package socket

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestListen checks that an abandoned socket is replaced, and that a socket in use and any other file stay.
func TestListen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	leave(t, path)
	l, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != Mode {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if _, err := Listen(path); err == nil || !strings.Contains(err.Error(), "another process listens") {
		t.Errorf("two listen: %v", err)
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatalf("the first does no longer: %v", err)
	}
	c.Close()
	l.Close()
	if _, err := os.Lstat(path); err == nil {
		t.Error("the socket is left behind")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(file); err == nil || !strings.Contains(err.Error(), "not a socket") {
		t.Error(err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "precious" {
		t.Errorf("%q, %v", b, err)
	}
}

// TestReplacedMeanwhile checks two processes that find the same abandoned socket. The second does not remove the socket
// of the first.
func TestReplacedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	leave(t, path)
	left, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".kept"); err != nil { // keep it, so that its inode is not reused
		t.Fatal(err)
	}
	first, err := Listen(path)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if err := remove(path, left); err == nil || !strings.Contains(err.Error(), "another process listens") {
		t.Errorf("it was removed: %v", err)
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatalf("the first is gone: %v", err)
	}
	c.Close()
}

func leave(t *testing.T, path string) {
	t.Helper()
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	if _, err := os.Lstat(path); err != nil {
		t.Fatal("nothing is left to replace")
	}
}
