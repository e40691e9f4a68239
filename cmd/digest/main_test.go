package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

func TestMain(m *testing.M) {
	if err := os.Setenv("DIGEST_CONFIG", os.DevNull); err != nil { // ignore the file in /etc of this machine
		panic(err)
	}
	storetest.Main(m, built.Remove)
}

var built program.Workshop

// TestScripts runs the program as a person would. Each file in testdata is a script.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Setup: prepare,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"publish": publish},
	})
}

// TestScriptsOnPostgres runs the scripts that depend on the database again.
func TestScriptsOnPostgres(t *testing.T) {
	tier.Alone(t)
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/hour.txtar", "testdata/opml.txtar", "testdata/reader.txtar", "testdata/find.txtar",
			"testdata/hosts.txtar", "testdata/stays.txtar", "testdata/fence.txtar", "testdata/poll.txtar",
			"testdata/mail.txtar", "testdata/newsletter.txtar", "testdata/members.txtar", "testdata/asks.txtar",
			"testdata/lists.txtar", "testdata/copies.txtar", "testdata/news.txtar"},
		Setup: func(e *testscript.Env) error {
			t, ok := e.T().(testing.TB)
			if !ok {
				return errors.New("no test to skip without PostgreSQL")
			}
			e.Setenv("DIGEST_DATABASE", storetest.Postgres(t))
			return prepare(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"publish": publish},
	})
}

// prepare gives each script the program, a database in the file digest.db, and a site at $SITE that serves the files in
// the script's folder "site".
func prepare(e *testscript.Env) error {
	t, ok := e.T().(testing.TB)
	if !ok {
		return errors.New("no test to build the program for")
	}
	e.Setenv("PATH", filepath.Dir(built.Path(t))+string(os.PathListSeparator)+e.Getenv("PATH"))
	if err := storetest.CopySQLite(filepath.Join(e.WorkDir, "digest.db")); err != nil {
		return err
	}
	root := filepath.Join(e.WorkDir, "site")
	site := httptest.NewServer(http.FileServer(http.Dir(root)))
	e.Defer(site.Close)
	e.Setenv("SITE", site.URL)
	e.Setenv("GORACE", os.Getenv("GORACE"))
	e.Setenv("HOST", strings.TrimPrefix(site.URL, "http://"))
	e.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	e.Setenv("DIGEST_CONFIG", os.DevNull)
	return nil
}

// publish replaces a file of the site by another file of the script. The new modification time differs by more than a
// second, because HTTP dates have no fractions.
func publish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: publish FILE ADDRESS")
	}
	to := filepath.Join(ts.MkAbs("site"), args[1])
	ts.Check(os.MkdirAll(filepath.Dir(to), 0o755))
	content := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(to, []byte(content), 0o644))
	modified := time.Unix(1_790_000_000+int64(len(content)), 0)
	ts.Check(os.Chtimes(to, modified, modified))
}

func TestParseDuration(t *testing.T) {
	tests := []struct {
		in   string
		want time.Duration
		ok   bool
	}{
		{"400d", 400 * 24 * time.Hour, true},
		{"0", 0, true},
		{"1h30m", 90 * time.Minute, true},
		{"1.5d", 0, false},
		{"-3d", 0, false},
		{"d", 0, false},
		{"99999999d", 0, false}, // would overflow
		{"30", 0, false},        // seconds? days?
		{"", 0, false},
	}
	for _, tt := range tests {
		got, err := parseDuration(tt.in)
		if (err == nil) != tt.ok || got != tt.want {
			t.Errorf("parseDuration(%q) = %v, %v", tt.in, got, err)
		}
	}
}

func TestParseEmail(t *testing.T) {
	for _, good := range []string{"a@example.org", "a.b+c@Example.ORG", `"a b"@example.org`, "a@bücher.example"} {
		if _, err := parseEmail(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "a", "A <a@example.org>", "a@b\r\nBcc: c@d", "a@b, c@d", "a@-b.example"} {
		if got, err := parseEmail(bad); err == nil {
			t.Errorf("parseEmail(%q) = %q, want an error", bad, got)
		}
	}
}

// TestBadValueStatus checks that an invalid flag is a usage error, and that the same value in the environment is not.
func TestBadValueStatus(t *testing.T) {
	t.Chdir(t.TempDir())
	for setting, value := range map[string]string{
		"DIGEST_NOW": "yesterday", "DIGEST_HEAD": "maybe", "DIGEST_LOG_LEVEL": "loud", "DIGEST_KEEP": "forever",
		"DIGEST_MAIL": "pigeon:loft", "DIGEST_FROM": "nobody", "DIGEST_LISTEN": "here",
		"DIGEST_DATABASE": "mysql://h/d", "DIGEST_POLL_WINDOW": "2h",
		"DIGEST_CONTACT": "me", "DIGEST_FENCE": "soon", "DIGEST_REQUESTS": "-1", "DIGEST_BOT_ADDRESSES": "home",
		"DIGEST_JSON": "maybe", "DIGEST_CFBL_ADDRESS": "c@elsewhere.example", "DIGEST_BOUNCE_LISTEN": "http://x",
		"DIGEST_LOG_FORMAT": "xml", "DIGEST_RESOLVER": "nonsense",
	} {
		flag := "--" + flagOf(setting)
		if got, _, said := ran(t, "tick", flag+"="+value); got != exitUsage ||
			!strings.HasPrefix(said, "digest: "+flag+"=") {
			t.Errorf("%s=%s: status %d, %q", flag, value, got, said)
		}
		t.Setenv(setting, value)
		got, _, said := ran(t, "tick")
		if got != exitFailed || !strings.HasPrefix(said, "digest: "+setting+"=") {
			t.Errorf("%s=%s: status %d, %q", setting, value, got, said)
		}
		if setting == "DIGEST_BOUNCE_LISTEN" && strings.Contains(said, "DIGEST_RETURN_PATH") {
			t.Errorf("its form is wrong, and it says: %s", said)
		}
		os.Unsetenv(setting)
	}
}

// TestBadDatabaseAddress checks that an error in a PostgreSQL address names the setting, with an example, and without
// the password.
func TestBadDatabaseAddress(t *testing.T) {
	for _, address := range []string{"postgres://u:sesame@h:99999/x", "postgres://u:sesame@h/x?sslmode=zz"} {
		if got, _, said := ran(t, "tick", "--database="+address); got != exitUsage ||
			!strings.HasPrefix(said, "digest: --database=") || !strings.Contains(said, "; an example: ") ||
			strings.Contains(said, "sesame") {
			t.Errorf("%s: status %d, %q", address, got, said)
		}
	}
}

// TestBadEnvironment checks that an invalid value fails only if it is in force, and never loses a bounce.
func TestBadEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	must(t, storetest.CopySQLite("digest.db"))
	t.Setenv("DIGEST_KEEP", "forever")
	t.Setenv("DIGEST_INTERVAL", "often") // of hosts set
	for line, want := range map[string]int{
		"--help": exitDone, "help tick": exitDone, "hosts list --keep 400d": exitDone, "hosts list": exitFailed,
		"hosts list --keep 400d --keep never": exitUsage, "hosts set a.example --keep 400d": exitFailed,
		"hosts set a.example --keep 400d --interval 48h": exitDone, "bounce": 75, "bounce --mail-rate fast": 75,
	} {
		complaint(t, line, want)
	}
}

// TestReadFileStops checks that a pipe without a writer does not block the program.
func TestReadFileStops(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	defer w.Close()
	time.AfterFunc(10*time.Millisecond, stop)
	if _, err := readFile(ctx, fmt.Sprintf("/dev/fd/%d", r.Fd()), 100); !errors.Is(err, errInterrupted) {
		t.Errorf("got %v", err)
	}
}

func TestPlain(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a\tb\nc", "a b c"},
		{"\x1b[2Jgone\a", "[2Jgone"},
		{"\u009b31mred", "31mred"},
		{"abc\u202edef\u2066", "abcdef"},
		{"שלום, été 👩‍👩‍👧", "שלום, été 👩‍👩‍👧"},
	}
	for _, tt := range tests {
		if got := plain(tt.in); got != tt.want {
			t.Errorf("plain(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

// TestServeStops starts the whole program and stops it.
func TestServeStops(t *testing.T) {
	t.Chdir(t.TempDir())
	serveWhile(t, "", "ok", t.Output(), func() {})
}

// serveWhile runs digest serve until do returns. It checks the text of /healthz, and that the program stops.
func serveWhile(t *testing.T, flags, health string, logged io.Writer, do func()) {
	t.Helper()
	soft, stop := context.WithCancel(t.Context())
	out := &lineWith{what: "listening on", seen: make(chan string, 1)}
	done := make(chan int)
	go func() {
		done <- run(soft, t.Context(), strings.Fields("serve --listen 127.0.0.1:0 "+flags), out, logged)
	}()
	var line string
	select {
	case line = <-out.seen:
	case status := <-done:
		t.Fatalf("it ended with status %d", status)
	}
	if !strings.HasPrefix(line, "the web view is at http://") {
		t.Errorf("it begins with %q", line)
	}
	do()
	_, address, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ")"), "listening on ")
	res, err := http.Get("http://" + address + "/healthz")
	must(t, err)
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err != nil || string(body) != health+"\n" {
		t.Errorf("healthz answers %s: %s, %v", res.Status, body, err)
	}
	stop()
	if status := <-done; status != exitDone {
		t.Errorf("exit status %d", status)
	}
}

type lineWith struct {
	what string
	seen chan string
}

func (l *lineWith) Write(b []byte) (int, error) {
	if strings.Contains(string(b), l.what) {
		select {
		case l.seen <- string(b):
		default:
		}
	}
	return len(b), nil
}

// TestStoppedAtTheStart checks that a signal before the database is open ends the hourly job without an error. Another
// command reports that it was interrupted.
func TestStoppedAtTheStart(t *testing.T) {
	t.Chdir(t.TempDir())
	complaint(t, "migrate", exitDone)
	soft, stop := context.WithCancel(t.Context())
	stop()
	for line, want := range map[string]string{"tick": "", "serve": "", "work": "",
		"user list": "digest: interrupted\n"} {
		var said strings.Builder
		status := run(soft, t.Context(), strings.Fields(line), io.Discard, &said)
		if said.String() != want || (status == exitDone) != (want == "") {
			t.Errorf("%s: status %d, %q, want %q", line, status, said.String(), want)
		}
	}
}

// ran runs a command and returns its exit status and its output.
func ran(t testing.TB, args ...string) (status int, out, said string) {
	t.Helper()
	var stdout, stderr strings.Builder
	status = run(t.Context(), t.Context(), args, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
