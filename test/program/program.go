// Package program gives tests the digest program as people run it: as a binary, built once, in installations of their
// own.
//
// The build follows GOFLAGS, not the test binary: it has the race detector only if GOFLAGS says so. The packages of
// one "go test ./..." share the binary in DIGEST_TEST_PROGRAM if the command in test/run has built it.
package program

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// EnvPath names a binary that is already built.
const EnvPath = "DIGEST_TEST_PROGRAM"

// Build builds the program in a directory and returns its path.
func Build(dir string) (path string, err error) {
	path = filepath.Join(dir, "digest")
	if out, err := exec.Command("go", "build", "-o", path, "digest/cmd/digest").CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the program: %w\n%s", err, out)
	}
	return path, nil
}

// FreeAddress returns a free loopback address. Its port is outside the range of ephemeral ports and random, so that
// it stays free for some time.
func FreeAddress(t testing.TB) string {
	t.Helper()
	const first, ports = 12_000, 18_000 // below ephemeral ports: from 32768 on Linux, from 49152 elsewhere
	for range 100 {
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first+rand.IntN(ports)))
		if err != nil {
			continue
		}
		defer l.Close()
		return l.Addr().String()
	}
	t.Fatal("no port is free")
	return ""
}

// Run runs a program to its end and returns its peak memory in bytes.
func Run(cmd *exec.Cmd) (most int, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	for {
		select {
		case err := <-over:
			return most, err
		case <-time.After(5 * time.Millisecond):
			most = max(most, MostMemory(cmd.Process.Pid))
		}
	}
}

// MostMemory returns the peak memory of a process in bytes; 0: unknown.
func MostMemory(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	kib, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.Atoi(kib)
	return n << 10
}

// A Workshop builds the program on the first call of Path. A package has one, and calls Remove after its tests.
type Workshop struct {
	once sync.Once
	dir  string
	path string
	err  error
}

// Path returns the path of the program, which is named digest.
func (w *Workshop) Path(t testing.TB) string {
	t.Helper()
	w.once.Do(w.build)
	if w.err != nil {
		t.Fatal(w.err)
	}
	return w.path
}

func (w *Workshop) build() {
	if w.path = os.Getenv(EnvPath); w.path != "" {
		return
	}
	if w.dir, w.err = os.MkdirTemp("", "digest-program-"); w.err == nil {
		w.path, w.err = Build(w.dir)
	}
}

// Remove deletes the binary.
func (w *Workshop) Remove() {
	if w.dir != "" {
		_ = os.RemoveAll(w.dir)
	}
}
