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

	"digest"
	"digest/store"
)

// TestServeBehindFence checks that a copy at another address shows its pages, but polls and sends nothing.
func TestServeBehindFence(t *testing.T) {
	t.Chdir(t.TempDir())
	var asked atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		fmt.Fprint(w, `<rss version="2.0"><channel><title>A small site</title><item><title>First light</title>`+
			`</item></channel></rss>`)
	}))
	defer site.Close()
	t.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	for _, line := range []string{
		"user add ann@example.org --time-zone UTC --now 2026-11-19T12:00:00Z",
		"subscribe ann@example.org " + site.URL + "/feed --now 2026-11-19T12:00:00Z",
		"tick --now 2026-11-19T13:00:00Z",
	} {
		complaint(t, line, exitDone)
	}
	before := asked.Load()

	logged := &lineWith{what: "digest fence", seen: make(chan string, 1)}
	serveWhile(t, "--base-url http://copy.lan:8080 --poll-window 0 --now 2026-11-20T00:00:00Z", digest.Fenced, logged,
		func() {
			if line := <-logged.seen; !strings.Contains(line, "http://copy.lan:8080") {
				t.Errorf("the log says %q", line)
			}
		})
	if n := asked.Load() - before; n != 0 {
		t.Errorf("the site was asked %d times", n)
	}
}

// TestSleepIsNoFence checks that a process that slept with its machine continues, even if many editions wait. A process
// stops if its database was restored to an earlier state, copied, or taken over under another address.
func TestSleepIsNoFence(t *testing.T) {
	st, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "digest.db"))
	must(t, err)
	defer st.Close()
	must(t, st.Migrate(t.Context()))
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	for i := range fenceMost + 2 {
		if _, _, err := st.Readers.AddUser(t.Context(), fmt.Sprintf("reader%d@example.org", i), "UTC",
			now); err != nil {
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
	undo, err := st.Operator.FenceSource(t.Context(), "a copy of it was begun")
	must(t, err)
	fenced(look, "copied under its hands", true)
	must(t, undo(t.Context()))
	fenced(look, "after the copy failed", false)

	back := func(base string, at time.Time) {
		must(t, st.Operator.Unfence(t.Context(), base, at))
	}
	back(home, slept.Add(-100*time.Hour))
	fenced(look, "a database of then", true)
	back(home, slept.Add(-100*time.Hour))
	fenced(a.beat(st), "another process", true)
	back("https://other.example.org", now)
	fenced(look, "taken over", true)
}

// TestWrongClock checks that a clock from before digest existed fences every database, unless --now sets it.
func TestWrongClock(t *testing.T) {
	begun := time.Unix(0, 0)
	a := &app{clock: func() time.Time { return begun }}
	const want = "the clock shows 1970-01-01 00:00 UTC; correct it"
	if f, err := a.lookFence(t.Context(), nil); err != nil || f.Reason != want {
		t.Errorf("lookFence: %+v, %v", f, err)
	}
	if reason, err := a.beat(nil)(t.Context(), begun); err != nil || reason != want {
		t.Errorf("beat: %q, %v", reason, err)
	}
	if err := (fenceReleaseCmd{}).Run(a, nil); err == nil || err.Error() != want {
		t.Errorf("fence release: %v", err)
	}
	if a.asOf = true; a.wrongClock(begun) != "" {
		t.Error("--now is not accepted")
	}
}
