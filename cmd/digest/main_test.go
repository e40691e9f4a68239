package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"digest/store/storetest"
)

func TestMain(m *testing.M) {
	testscript.Main(running{m}, map[string]func(){"digest": main})
}

// running keeps the PostgreSQL server of the tests until they are over.
type running struct{ *testing.M }

func (r running) Run() int { return storetest.Run(r.M) }

// TestScripts runs the program as a person would; each file in testdata is a story.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:   "testdata",
		Setup: serveSite,
		Cmds:  map[string]func(*testscript.TestScript, bool, []string){"publish": publish},
	})
}

// TestScriptsOnPostgres runs the stories in which the database matters again.
func TestScriptsOnPostgres(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/hour.txtar", "testdata/opml.txtar", "testdata/reader.txtar", "testdata/find.txtar"},
		Setup: func(e *testscript.Env) error {
			t, ok := e.T().(testing.TB)
			if !ok {
				return errors.New("no test to skip without PostgreSQL")
			}
			e.Setenv("DIGEST_DATABASE", storetest.Postgres(t))
			return serveSite(e)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"publish": publish},
	})
}

// serveSite gives each script a site of its own at $SITE, which serves the
// files in the script's folder "site", and a database of its own.
func serveSite(e *testscript.Env) error {
	root := filepath.Join(e.WorkDir, "site")
	site := httptest.NewServer(http.FileServer(http.Dir(root)))
	e.Defer(site.Close)
	e.Setenv("SITE", site.URL)
	e.Setenv("HOST", strings.TrimPrefix(site.URL, "http://"))
	e.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	return nil
}

// publish replaces a file of the site by another of the script's, whose
// modification time then differs by more than the second that HTTP can tell.
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
	for _, good := range []string{"a@example.org", "a.b+c@Example.ORG"} {
		if _, err := parseEmail(good); err != nil {
			t.Error(err)
		}
	}
	for _, bad := range []string{"", "a", "A <a@example.org>", "a@b\r\nBcc: c@d", "a@b, c@d", " a@example.org"} {
		if got, err := parseEmail(bad); err == nil {
			t.Errorf("parseEmail(%q) = %q, want an error", bad, got)
		}
	}
}

// TestServeStops starts the whole program and asks it to stop.
func TestServeStops(t *testing.T) {
	t.Chdir(t.TempDir())
	soft, stop := context.WithCancel(t.Context())
	out := &firstLine{seen: make(chan string, 1)}
	done := make(chan int)
	go func() {
		done <- run(soft, t.Context(), []string{"serve", "--listen", "127.0.0.1:0"}, out, t.Output())
	}()
	line := <-out.seen
	var base, address string
	if _, err := fmt.Sscanf(line, "the web view is at %s (listening on %s", &base, &address); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	res, err := http.Get("http://" + strings.TrimSuffix(address, ")") + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("healthz answers %s", res.Status)
	}
	stop()
	if status := <-done; status != exitDone {
		t.Errorf("exit status %d", status)
	}
}

type firstLine struct{ seen chan string }

func (f *firstLine) Write(b []byte) (int, error) {
	select {
	case f.seen <- string(b):
	default:
	}
	return len(b), nil
}
