package acceptance

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/test/tier"
)

// copyOf copies the database and mail directory of a house.
func (h *house) copyOf(settings ...string) *house {
	h.t.Helper()
	c := &house{t: h.t, path: h.path, dir: h.t.TempDir()}
	c.database = filepath.Join(c.dir, "copy.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(h.database + suffix)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			h.t.Fatal(err)
		}
		if err := os.WriteFile(c.database+suffix, b, 0o600); err != nil {
			h.t.Fatal(err)
		}
	}
	c.settings = append(append(c.settings, h.settings...), "DIGEST_DATABASE="+c.database, "DIGEST_MAIL=maildir:"+
		c.maildir())
	c.set(settings...)
	return c
}

// quiet checks that a command does nothing except explain the fence.
func (w *world) quiet(h *house, now time.Time, args ...string) {
	w.t.Helper()
	w.recorder.set(now)
	before := len(w.recorder.entries(0))
	o := h.try(w.t.Context(), append([]string{"--now", instant(now)}, args...)...)
	if o.status != 1 || !strings.Contains(o.stderr, "digest fence") ||
		strings.Count(strings.TrimSpace(o.stderr), "\n") > 0 {
		w.t.Errorf("digest %s behind a fence: exit status %d, %q", strings.Join(args, " "), o.status, o.stderr)
	}
	if n := len(w.recorder.entries(before)); n != 0 {
		w.t.Errorf("digest %s behind a fence made %d requests", strings.Join(args, " "), n)
	}
	if mails, _ := filepath.Glob(filepath.Join(h.maildir(), "new", "*")); len(mails) != 0 {
		w.t.Errorf("digest %s behind a fence sent %d mails", strings.Join(args, " "), len(mails))
	}
}

func (w *world) works(h *house, now time.Time) {
	w.t.Helper()
	w.recorder.set(now)
	o := h.try(w.t.Context(), "--now", instant(now), "--json", "tick")
	if o.status != 0 {
		w.t.Errorf("%s: tick: exit status %d, %s", instant(now), o.status, o.stderr)
	}
	if s, err := readSummary(o.stdout); err != nil || s.Polled == 0 {
		w.t.Errorf("%s: a tick at midnight did %q", instant(now), o.stdout)
	}
}

// parisMidnight returns the n-th midnight in Paris, in winter time.
func parisMidnight(n int) time.Time {
	return runBegin().Truncate(day).Add(time.Duration(n)*day + 23*time.Hour)
}

// TestClone checks that a copy of the database with another base URL neither polls nor sends mail until the operator
// lifts the fence. The original, and a laptop that slept, continue.
func TestClone(t *testing.T) {
	t.Parallel()
	often := both("often")
	often.every = 5 * time.Hour
	w := smallWorld(t, 30, often)
	w.works(w.house, parisMidnight(0))
	w.works(w.house, parisMidnight(1))
	clone := w.copyOf("DIGEST_BASE_URL=http://staging.localhost:8080")
	for _, args := range [][]string{{"tick"}, {"poll", w.plots[0].address()}, {"--json", "tick"}} {
		w.quiet(clone, parisMidnight(2), args...)
	}
	shown := clone.at(parisMidnight(2), "fence")
	for _, want := range []string{"1 more reader would get an edition", w.plots[0].address(), "digest fence release"} {
		if !strings.Contains(shown, want) {
			t.Errorf("digest fence does not name %s:\n%s", want, shown)
		}
	}
	var told struct{ Fenced bool }
	if err := json.Unmarshal([]byte(clone.at(parisMidnight(2), "--json", "fence")), &told); err != nil || !told.Fenced {
		t.Errorf("digest fence --json: %v, %+v", err, told)
	}
	w.works(w.house, parisMidnight(2))
	clone.at(parisMidnight(3), "fence", "release")
	w.works(clone, parisMidnight(3))
	// No clone: the address differs only in the scheme.
	w.works(w.copyOf("DIGEST_BASE_URL=https://localhost:8080"), parisMidnight(3))
	// Neither a machine that slept for ten days nor a moved container.
	w.works(w.copyOf(), parisMidnight(13))
	w.works(w.house, parisMidnight(3))
}

// TestRestore checks that a database with more than a hundred waiting editions and no run for a day and a half counts
// as an old backup.
func TestRestore(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	often := both("often")
	often.every = 5 * time.Hour
	w := smallWorld(t, 30, often)
	for i := range 101 {
		w.at(runBegin(), "user", "add", fmt.Sprintf("reader%d@example.org", i), "--time-zone", "Europe/Paris")
	}
	for i := range 100 {
		w.at(runBegin(), "subscribe", fmt.Sprintf("reader%d@example.org", i), w.plots[0].address())
	}
	w.works(w.house, parisMidnight(0))
	backup := w.copyOf()
	w.works(w.house, parisMidnight(1))
	w.works(w.copyOf(), parisMidnight(2).Add(9*time.Hour)) // 33 hours later
	w.quiet(backup, parisMidnight(4), "tick")
	longer := backup.copyOf("DIGEST_FENCE=120h")
	w.works(longer, parisMidnight(4))
	if shown := backup.at(parisMidnight(4), "fence"); !strings.Contains(shown, "102 editions") {
		t.Errorf("digest fence: %s", shown)
	}
	w.quiet(backup, parisMidnight(4).Add(time.Hour), "tick")
	backup.at(parisMidnight(4).Add(time.Hour), "fence", "release")
	w.works(backup, parisMidnight(4).Add(time.Hour))
	w.works(backup, parisMidnight(5))
}

// TestContact checks that an instance with a public address must set a contact.
func TestContact(t *testing.T) {
	t.Parallel()
	w := smallWorld(t, 3, both("usual"))
	before := len(w.recorder.entries(0))
	for _, base := range []string{"https://news.example.com", "http://93.184.215.14:8080", "https://xn--bcher-kva.de"} {
		public := w.copyOf("DIGEST_BASE_URL=" + base)
		for _, args := range [][]string{{"tick"}, {"poll", w.plots[0].address()},
			{"subscribe", "one@example.org", w.plots[0].address() + "?2"}} {
			o := public.try(t.Context(), append([]string{"--now", instant(parisMidnight(0))}, args...)...)
			if o.status != 1 || !strings.Contains(o.stderr, "DIGEST_CONTACT") ||
				strings.Count(strings.TrimSpace(o.stderr), "\n") > 0 {
				t.Errorf("digest %s as %s with the default contact: exit status %d, %q", strings.Join(args, " "), base,
					o.status, o.stderr)
			}
		}
	}
	if n := len(w.recorder.entries(before)); n != 0 {
		t.Errorf("%d requests with the default contact", n)
	}
	for _, base := range []string{"http://reader.local", "http://192.168.1.4:8080", "http://[fd00::1]:8080",
		"http://nas:8080", "http://reader.home.arpa"} {
		private := w.copyOf("DIGEST_BASE_URL=" + base)
		private.at(parisMidnight(0), "fence", "release")
		w.works(private, parisMidnight(0))
	}
	named := w.copyOf("DIGEST_BASE_URL=https://news.example.com", "DIGEST_CONTACT=ada@example.com")
	named.at(parisMidnight(0), "fence", "release")
	w.works(named, parisMidnight(0))
	if last := w.recorder.entries(0); !strings.Contains(last[len(last)-1].raw, "(+https://news.example.com/bot; ") {
		t.Errorf("asked as\n%s", last[len(last)-1].raw)
	}
}
