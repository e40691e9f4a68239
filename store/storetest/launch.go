package storetest

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// launch starts a server in a temporary folder, with a socket there. It returns the server's address and a function
// that stops it.
func launch(settings string) (address string, halt func(), err error) {
	bin, err := programs()
	if err != nil {
		return "", nil, err
	}
	who, err := account()
	if err != nil {
		return "", nil, err
	}
	dir, err := os.MkdirTemp("", "digest-postgres-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for PostgreSQL: %w", err)
	}
	if err := who.own(dir); err != nil {
		return "", nil, err
	}
	data := filepath.Join(dir, "data")
	initdb := []string{filepath.Join(bin, "initdb"), "-D", data, "-U", "digest", "-A", "trust", "-E", "UTF8",
		"--locale=C", "--no-sync"}
	start := []string{
		filepath.Join(bin, "pg_ctl"), "-D", data, "-l", filepath.Join(dir, "log"), "-w", "-t",
		fmt.Sprint(int(launchTimeout.Seconds())),
		"-o", "-c listen_addresses='' -c unix_socket_directories='" + dir + "' -c max_connections=400 " +
			settings, "start",
	}
	for _, args := range [][]string{initdb, start} {
		if err := run(who, dir, args); err != nil {
			_ = os.RemoveAll(dir)
			return "", nil, err
		}
	}
	halt, err = guard(who, dir, filepath.Join(bin, "pg_ctl"), data)
	if err != nil {
		return "", nil, err
	}
	q := url.Values{"host": {dir}, "sslmode": {"disable"}}
	return "postgres://digest@/postgres?" + q.Encode(), halt, nil
}

func programs() (string, error) {
	var dirs []string
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(path))
	}
	more, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(more) // the newest first
	for _, dir := range append(dirs, more...) {
		if isFile(filepath.Join(dir, "initdb")) && isFile(filepath.Join(dir, "pg_ctl")) {
			return dir, nil
		}
	}
	return "", errors.New("the programs initdb and pg_ctl were not found")
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func run(who identity, dir string, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	who.apply(cmd)
	log, err := os.CreateTemp("", "digest-postgres-out-")
	if err != nil {
		return fmt.Errorf("making a log: %w", err)
	}
	defer func() {
		_ = log.Close()
		_ = os.Remove(log.Name())
	}()
	// A file, not a pipe: the server would hold a pipe open after pg_ctl ends.
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w: %s", filepath.Base(args[0]), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// guard starts a process that waits for the end of this one, and then stops the server and deletes its folder. halt
// does so immediately.
func guard(who identity, dir, pgctl, data string) (halt func(), err error) {
	cmd := exec.Command("sh", "-c", `cat >/dev/null; "$1" -D "$2" -m immediate -w stop; cd / && rm -rf "$3"`, "sh",
		pgctl, data, dir)
	cmd.Dir = dir
	who.apply(cmd)
	detach(cmd)
	end, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("guarding PostgreSQL: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("guarding PostgreSQL: %w", err)
	}
	return func() {
		_ = end.Close()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}, nil
}
