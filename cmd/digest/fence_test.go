package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest/store"
)

// TestServeBehindFence: a copy that wakes up elsewhere shows its pages, asks
// nobody and sends nothing.
func TestServeBehindFence(t *testing.T) {
	t.Chdir(t.TempDir())
	var asked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `<rss version="2.0"><channel><title>A small site</title><item><title>First light</title></item></channel></rss>`)
	}))
	defer site.Close()
	t.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	for _, line := range []string{
		"user add ann@example.org --time-zone UTC --now 2026-11-19T12:00:00Z",
		"subscribe ann@example.org " + site.URL + "/feed --now 2026-11-19T12:00:00Z",
		"tick --now 2026-11-19T13:00:00Z",
	} {
		if status := run(t.Context(), t.Context(), strings.Fields(line), t.Output(), t.Output()); status != exitDone {
			t.Fatalf("%s: status %d", line, status)
		}
	}
	before := asked.Load()

	soft, stop := context.WithCancel(t.Context())
	out, logged := &firstLine{seen: make(chan string, 1)}, &lineWith{what: "digest fence", seen: make(chan string, 1)}
	done := make(chan int)
	go func() {
		done <- run(soft, t.Context(), strings.Fields("serve --listen 127.0.0.1:0 --base-url http://copy.lan:8080 --poll-window 0 --now 2026-11-20T00:00:00Z"), out, logged)
	}()
	line := <-out.seen
	_, address, _ := strings.Cut(strings.TrimSuffix(strings.TrimSpace(line), ")"), "listening on ")
	if line := <-logged.seen; !strings.Contains(line, "http://copy.lan:8080") {
		t.Errorf("the log says %q", line)
	}
	res, err := http.Get("http://" + address + "/healthz")
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
	if n := asked.Load() - before; n != 0 {
		t.Errorf("the site was asked %d times", n)
	}
}

// TestSleepIsNoFence: a process that slept with its machine goes on, however
// many editions wait; one whose database was brought back from the past, or
// taken over under another address, does not.
func TestSleepIsNoFence(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "digest.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for i := range fenceMost + 2 {
		if _, _, err := st.AddUser(t.Context(), fmt.Sprintf("reader%d@example.org", i), "UTC", now); err != nil {
			t.Fatal(err)
		}
	}
	const home = "https://news.example.org"
	a := &app{hard: t.Context(), settings: settings{BaseURL: home, FenceAfter: 36 * time.Hour}}
	look := a.beat(st)
	fenced := func(look func(context.Context, time.Time) (string, error), what string, want bool) {
		t.Helper()
		if reason, err := look(t.Context(), now); err != nil || (reason != "") != want {
			t.Errorf("%s: fenced by %q, %v", what, reason, err)
		}
	}
	fenced(look, "the first look", false)
	now = now.Add(time.Minute)
	fenced(look, "the second", false)
	slept := now.Add(100 * time.Hour)
	now = slept
	fenced(look, "after a sleep", false)
	now = now.Add(10 * time.Minute)
	fenced(look, "and on", false)

	back := func(base string, at time.Time) {
		if err := st.Unfence(t.Context(), base, at); err != nil {
			t.Fatal(err)
		}
	}
	back(home, slept.Add(-100*time.Hour))
	fenced(look, "a database of then", true)
	back(home, slept.Add(-100*time.Hour))
	fenced(a.beat(st), "another process", true)
	back("https://other.example.org", now)
	fenced(look, "taken over", true)
}

// lineWith waits for a line that contains something.
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
