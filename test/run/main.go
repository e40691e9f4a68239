// Command run runs another command, such as "go test ./...", and creates what all its test binaries share. That is a
// PostgreSQL server with a database template, a SQLite template, and the program, built once. All of these end with
// that command:
//
//	go run ./test/run go test ./...
//
// Tests also run without it: a plain "go test" creates the same resources for each package. Temporary files are in
// memory if it is large enough.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"digest/store/storetest"
	"digest/test/program"
)

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "test/run:", err)
		status = 1
	}
	os.Exit(status)
}

func run(args []string) (status int, err error) {
	if len(args) == 0 {
		return 2, errors.New("name a command, such as: go run ./test/run go test ./... -v")
	}
	dir, err := os.MkdirTemp("", "digest-run-")
	if err != nil {
		return 1, err
	}
	defer os.RemoveAll(dir)
	path, err := program.Build(dir)
	if err != nil {
		return 1, err
	}
	environ := []string{program.EnvPath + "=" + path, "GOTMPDIR=" + dir}
	if err := os.Chmod(dir, 0o711); err != nil { // some tests run the program as another user
		return 1, err
	}
	if memory := inMemory(); memory != "" {
		defer os.RemoveAll(memory)
		if err := os.Setenv("TMPDIR", memory); err != nil {
			return 1, err
		}
	}
	shared, end, noPostgres, err := storetest.Prepare(dir)
	if err != nil {
		return 1, err
	}
	defer end()
	if noPostgres != nil {
		fmt.Fprintf(os.Stderr, "WITHOUT PostgreSQL: its tests are skipped: %v\n", noPostgres)
	}
	return command(args, append(environ, shared...))
}

// command runs a command to its end and passes SIGTERM on to it.
func command(args, environ []string) (status int, err error) {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), environ...)
	// The terminal also interrupts the command; this program must end after it.
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	go func() {
		for s := range stop {
			if s != os.Interrupt {
				_ = cmd.Process.Signal(s)
			}
		}
	}()
	err = cmd.Wait()
	if exit, ended := errors.AsType[*exec.ExitError](err); ended {
		return max(1, exit.ExitCode()), nil
	}
	return 0, err
}

// room is the space that temporary files of a run may need, in kilobytes.
const room = 4 << 20

// inMemory creates a directory for temporary files in memory. It returns "" if there is not enough space, if programs
// cannot run there, or if TMPDIR is set.
func inMemory() string {
	if os.Getenv("TMPDIR") != "" {
		return ""
	}
	out, err := exec.Command("df", "-Pk", "/dev/shm").Output()
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(fields) < 4 {
		return ""
	}
	if free, err := strconv.Atoi(fields[3]); err != nil || free < room {
		return ""
	}
	dir, err := os.MkdirTemp("/dev/shm", "digest-run-")
	if err != nil {
		return ""
	}
	probe := filepath.Join(dir, "probe")
	// Everybody may write, as in /tmp.
	err = errors.Join(os.Chmod(dir, 0o777|os.ModeSticky), os.WriteFile(probe, []byte("#!/bin/sh\n"), 0o700))
	// It is mounted noexec.
	if err != nil || exec.Command(probe).Run() != nil {
		_ = os.RemoveAll(dir)
		return ""
	}
	return dir
}
