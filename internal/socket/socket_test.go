package socket

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestListen: a socket that a killed process left is replaced; one that is in use, and
// what is no socket, stay.
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

// TestReplacedMeanwhile: of two processes that find the same socket left, the second
// does not take away what the first has put in its place.
func TestReplacedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.sock")
	leave(t, path)
	left, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path, path+".kept"); err != nil { // not removed, or the new one might be given its number
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

// leave leaves a socket at which nobody listens.
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
