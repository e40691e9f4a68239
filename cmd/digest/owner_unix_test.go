//go:build unix

package main

import (
	"bufio"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// serviceUser is the user of the service that owns the folder.
const serviceUser = 65534

// A guest runs the program as root or as the service, in the folder of the service.
type guest struct {
	t       *testing.T
	dir     string
	program string
}

func newGuest(t *testing.T) guest {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can run a program as somebody else")
	}
	dir, err := os.MkdirTemp("", "digest-owner-") // other users may enter it, unlike t.TempDir
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	g := guest{t, filepath.Join(dir, "data"), filepath.Join(dir, "digest")}
	program, err := os.ReadFile(built.Path(t))
	for _, do := range []func() error{
		func() error { return err },
		func() error { return os.Chmod(dir, 0o755) },
		func() error { return os.WriteFile(g.program, program, 0o755) },
		func() error { return os.Mkdir(g.dir, 0o755) },
		func() error { return os.Chown(g.dir, serviceUser, serviceUser) },
	} {
		must(t, do())
	}
	return g
}

func (g guest) command(uid uint32, line string) *exec.Cmd {
	c := exec.CommandContext(g.t.Context(), g.program, strings.Fields(line)...)
	c.Dir, c.Env = g.dir, []string{"DIGEST_CONFIG=" + os.DevNull}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	return c
}

func (g guest) run(uid uint32, line string, want int) string {
	g.t.Helper()
	c := g.command(uid, line)
	var said strings.Builder
	c.Stderr = &said
	_ = c.Run()
	if got := c.ProcessState.ExitCode(); got != want {
		g.t.Errorf("%s as %d: status %d, want %d: %s", line, uid, got, want, said.String())
	}
	return said.String()
}

func (g guest) owned(after string) {
	g.t.Helper()
	files, err := os.ReadDir(g.dir)
	if err != nil {
		g.t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			g.t.Fatal(err)
		}
		if s := info.Sys().(*syscall.Stat_t); s.Uid != serviceUser || s.Gid != serviceUser {
			g.t.Errorf("after %s %s belongs to %d:%d", after, f.Name(), s.Uid, s.Gid)
		}
	}
	g.run(serviceUser, "user list", exitDone)
}

// TestRootWorksForTheService checks that the service keeps working after root ran commands on its database.
func TestRootWorksForTheService(t *testing.T) {
	g := newGuest(t)
	g.run(0, "user add ann@example.org --time-zone UTC", exitDone)
	g.owned("a database was made")

	c := g.command(0, "serve --listen 127.0.0.1:0 --mail maildir:"+filepath.Join(g.dir, "..", "mail"))
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "listening on") {
		t.Errorf("serve says %q, %v", line, err)
	}
	g.owned("serve was begun, while it works")
	must(t, c.Process.Kill())
	_ = c.Wait()
	if _, err := os.Stat(filepath.Join(g.dir, "digest.db-shm")); err != nil {
		t.Error("a killed process leaves no index of the log; there is nothing to see:", err)
	}
	g.owned("serve was killed")

	backup := filepath.Join(filepath.Dir(g.dir), "all.backup")
	g.run(0, "backup "+backup, exitDone)
	g.run(0, "restore "+backup+" --replace", exitDone)
	g.owned("a backup was restored")
	g.run(0, "copy --to copy.db", exitDone)
	g.owned("a copy was made")
	g.run(0, "key rotate", exitDone)
	g.run(0, "key rotate", exitDone)
	g.owned("keys were made")
	if _, err := os.Stat(filepath.Join(g.dir, "digest.db.key")); err != nil {
		t.Error(err)
	}
}

// TestLockedOut checks that the service names the owner of a foreign database, and the command that changes the owner.
func TestLockedOut(t *testing.T) {
	g := newGuest(t)
	g.run(serviceUser, "user add ann@example.org --time-zone UTC", exitDone)
	me := strconv.Itoa(serviceUser)
	if u, err := user.LookupId(me); err == nil {
		me = u.Username
	}
	for _, suffix := range []string{"", "-shm", "-wal"} {
		path := filepath.Join(g.dir, "digest.db"+suffix)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		must(t, err)
		f.Close()
		must(t, os.Chown(path, 0, 0))
		real, err := filepath.EvalSymlinks(path)
		must(t, err)
		for _, line := range []string{"user list", "tick", "serve --listen 127.0.0.1:0", "backup all.backup"} {
			said := g.run(serviceUser, line, exitFailed)
			want := "belongs to root, and this process runs as " + me + "; run: sudo chown " + me + ": "
			if !strings.HasPrefix(said, "digest: the database cannot be opened: ") || !strings.Contains(said, want) ||
				strings.Count(said, "\n") != 1 || !strings.HasSuffix(strings.TrimSpace(said), filepath.Base(real)) {
				t.Errorf("%s with %s of root says %q", line, path, said)
			}
		}
		c := g.command(serviceUser, "doctor --offline")
		text, err := c.Output()
		if err == nil || !strings.Contains(string(text), "> run: sudo chown "+me+": ") {
			t.Errorf("the doctor says %s, %v", text, err)
		}
		must(t, os.Chown(path, serviceUser, serviceUser))
		g.run(serviceUser, "user list", exitDone)
	}
	must(t, os.Chown(g.dir, 0, 0))
	said := g.run(serviceUser, "user add ann@example.org --time-zone UTC --database new.db", exitFailed)
	if !strings.Contains(said, " belongs to root, and this process runs as "+me+
		"; give DIGEST_DATABASE a file in a folder that this user may write") {
		t.Errorf("a folder of root's: %s", said)
	}
}
