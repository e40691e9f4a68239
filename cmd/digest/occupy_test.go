package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// complaint runs a command, checks its exit status, and returns its stderr.
func complaint(t *testing.T, line string, want int) string {
	t.Helper()
	status, _, said := ran(t, strings.Fields(line)...)
	if status != want {
		t.Errorf("%s: status %d, want %d: %s", line, status, want, said)
	}
	return said
}

// TestOneServeOnAFile checks that a second serve or work on a database file fails, and that its error names the first
// process. Short commands run beside the first.
func TestOneServeOnAFile(t *testing.T) {
	t.Chdir(t.TempDir())
	do := func(line string, want int) string { t.Helper(); return complaint(t, line, want) }
	must(t, os.Symlink("digest.db", "link.db"))
	serveWhile(t, "", "ok", t.Output(), func() {
		who := regexp.MustCompile(fmt.Sprintf(`^digest: process %d on .+ works on .*digest\.db since 20.* UTC; `+
			`a database in a file has one serve or work: stop that one, or move to PostgreSQL \(digest copy --to\)\n$`,
			os.Getpid()))
		for _, line := range []string{
			"serve --listen 127.0.0.1:0", "work", "serve --listen 127.0.0.1:0 --database link.db",
			"work --now 2027-01-01T00:00:00Z --force",
		} {
			if said := do(line, exitFailed); !who.MatchString(said) {
				t.Errorf("%s says %q", line, said)
			}
		}
		must(t, os.Link("digest.db", "hard.db"))
		if said := do("work --database hard.db", exitFailed); !strings.Contains(said, "second name (a hard link)") {
			t.Errorf("under another name it says %q", said)
		}
		must(t, os.Remove("hard.db"))
		do("tick", exitDone)
		do("user add ann@example.org --time-zone UTC", exitDone)
		do("backup all.backup", exitDone)
	})
	serveWhile(t, "", "ok", t.Output(), func() {}) // serve starts after the first one ended
}

// TestKilledServeLeavesNoLock checks that serve starts after a killed one.
func TestKilledServeLeavesNoLock(t *testing.T) {
	program := built.Path(t)
	t.Chdir(t.TempDir())
	for range 2 {
		c := exec.CommandContext(t.Context(), program, "serve", "--listen", "127.0.0.1:0")
		out, err := c.StdoutPipe()
		must(t, err)
		must(t, c.Start())
		if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, "listening on") {
			t.Errorf("it says %q, %v", line, err)
		}
		must(t, c.Process.Kill())
		_ = c.Wait()
	}
}

// TestNoRestoreUnderAProcess checks that restore and copy do not replace a database while a process uses it, even if
// that process runs with another --now or behind a fence.
func TestNoRestoreUnderAProcess(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{
		"SQLite": storetest.EmptySQLite, "PostgreSQL": storetest.EmptyPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("DIGEST_DATABASE", database(t))
			do := func(line string, want int) string { t.Helper(); return complaint(t, line, want) }
			do("user add ann@example.org --time-zone UTC --now 2031-05-01T00:00:00Z", exitDone)
			do("backup all.backup", exitDone)
			do("copy --to copy.db", exitDone) // copied back below
			do("fence release", exitDone)
			replaces := func(want int) {
				t.Helper()
				me := fmt.Sprint("process ", os.Getpid(), " on ")
				for _, line := range []string{
					"restore all.backup --replace", "copy --database copy.db --replace --to " +
						os.Getenv("DIGEST_DATABASE"),
				} {
					said := do(line, want)
					if want != exitDone && (!strings.Contains(said, me) ||
						!strings.HasSuffix(said, "; stop it first\n")) {
						t.Errorf("%s says %q", line, said)
					}
				}
			}
			serveWhile(t, "--now 2031-05-02T00:00:00Z", "ok", t.Output(), func() {
				wait(t)
				replaces(exitFailed)
			})
			replaces(exitDone)
			if name == "SQLite" {
				serveWhile(t, "", digest.Fenced, t.Output(), func() { replaces(exitFailed) })
			}
		})
	}
}

func wait(t *testing.T) {
	t.Helper()
	st, err := store.Open(t.Context(), os.Getenv("DIGEST_DATABASE"))
	must(t, err)
	defer st.Close()
	for {
		all, err := st.Workers(t.Context())
		must(t, err)
		if len(all) > 0 {
			return
		}
	}
}
