package main

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"digest/store/storetest"
)

func arguments() map[string]string {
	const ann, at = "ann@example.org", "http://127.0.0.1:1/feed"
	return map[string]string{
		"demo": "--once --listen 127.0.0.1:0", "parse": "list.opml", "backup": "all.backup", "restore": "list.opml",
		"copy":     "--to digest.db.copy",
		"user add": ann + " --time-zone UTC", "user set": ann + " --days daily", "user remove": ann,
		"user sign-in": ann,
		"completion":   "bash", "user show": "ben@example.org",
		"user resend": "ben@example.org",
		"subscribe":   ann + " " + at, "unsubscribe": ann + " " + at, "opml import": ann + " list.opml",
		"opml export": ann,
		"preview":     ann, "poll": at, "hosts set": "a.example --interval 48h", "hosts remove": "a.example",
		"hosts block": "a.example",
		"dkim new":    "a.example", "dkim use": "a.example digest", "dkim remove": "a.example digest",
		"bounce":           "--return-path bounces@example.org",
		"suppressions add": ann, "suppressions remove": ann, "limits set": "a.example --rate 100/m",
		"limits remove":     "a.example",
		"newsletter create": "news --owner " + ann + " --feed " + at, "newsletter show": "news",
		"newsletter set":     "news --add-feed " + at,
		"newsletter members": "news", "newsletter numbers": "news", "newsletter join": "news " + ann +
			" --time-zone UTC --proof asked",
		"newsletter leave": "news " + ann, "newsletter import": "news list.csv", "newsletter export": "news news.zip",
		"newsletter preview": "news",
		"newsletter test":    "news", "newsletter letter": "news", "newsletter token": "news",
		"newsletter domain": "news a@anna.example", "newsletter hold": "news", "newsletter limit": "news 100",
		"newsletter approve": "news", "newsletter refuse": "news no",
		"newsletter release": "news", "newsletter end": "news", "newsletter remove": "news",
	}
}

// TestWhoMakesDatabases checks that only some commands create a missing database. The others may run in the wrong
// folder, or with a mistyped name.
func TestWhoMakesDatabases(t *testing.T) {
	// Also serve and work, which do not end. demo deletes its database at the end.
	makes := []string{"migrate", "tick", "user add"}
	without := []string{"config check", "demo", "doctor", "help", "key new", "parse", "restore", "version", "manual",
		"completion"}
	all := commands(t)
	for command := range maps.Keys(arguments()) {
		if !slices.Contains(all, command) {
			t.Errorf("there is no command %s", command)
		}
	}
	for _, command := range all {
		if command == "serve" || command == "work" {
			continue
		}
		t.Run(command, func(t *testing.T) {
			t.Chdir(t.TempDir())
			for name, text := range map[string]string{"list.opml": `<opml version="2.0"><body/></opml>`,
				"list.csv": "email\nben@example.org\n"} {
				must(t, os.WriteFile(name, []byte(text), 0o600))
			}
			status, out, said := ran(t, strings.Fields(command+" "+arguments()[command])...)
			out += said
			files, err := filepath.Glob("digest.db*")
			if made := len(files) > 0; made != slices.Contains(makes, command) || err != nil {
				t.Errorf("files %v, %v", files, err)
			}
			if slices.Contains(makes, command) || slices.Contains(without, command) {
				if status == exitUsage || strings.Contains(out, "there is no database at") &&
					command != "doctor" {
					t.Errorf("status %d: %s", status, out)
				}
				return
			}
			if !strings.HasPrefix(out, "digest: there is no database at "+filepath.Dir(abs(t, "digest.db"))) ||
				status == exitDone || status == exitUsage {
				t.Errorf("status %d: %s", status, out)
			}
		})
	}
}

func abs(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(name)
	must(t, err)
	return path
}

// TestOtherSchemas checks that a command does not change the schema of an older database and says how to migrate it. No
// command changes a newer one.
func TestOtherSchemas(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Chdir(t.TempDir())
		t.Setenv("DIGEST_DATABASE", database)
		try := func(line string, want int, says string) {
			t.Helper()
			if status, out, said := ran(t, strings.Fields(line)...); status != want ||
				!strings.Contains(out+said, says) || strings.Count(out+said, "\n") > 1 {
				t.Errorf("%s: status %d: %s", line, status, out+said)
			}
		}
		storetest.SetSchema(t, database, 1)
		for _, line := range []string{"user list", "tick", "migrate", "user add ann@example.org --time-zone UTC"} {
			try(line, exitFailed, "digest: the database is from a newer version of digest")
		}
		storetest.SetSchema(t, database, -1)
		try("user list", exitDone, "")
		storetest.SetSchema(t, database, -1)
		for _, line := range []string{"user list", "queue", "feeds --json",
			"subscribe ann@example.org http://127.0.0.1:1/", "user add ann@example.org --time-zone UTC"} {
			try(line, exitFailed, "then run: digest migrate")
		}
		try("bounce --return-path bounces@example.org", 75, "then run: digest migrate")
	})
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		t.Chdir(t.TempDir())
		t.Setenv("DIGEST_DATABASE", database)
		for i, line := range []string{"user list", "tick", "user list"} {
			status, _, said := ran(t, strings.Fields(line)...)
			if none := strings.Contains(said, "digest: there is no database at "); none != (i == 0) ||
				(status == exitDone) == none {
				t.Errorf("%s: status %d: %s", line, status, said)
			}
		}
	})
}
