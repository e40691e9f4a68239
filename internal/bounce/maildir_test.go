package bounce

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"digest"
)

func maildir(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"tmp", "new", "cur"} {
		must(t, os.Mkdir(filepath.Join(dir, sub), 0o700))
	}
	for name, text := range files {
		must(t, os.WriteFile(filepath.Join(dir, "new", name), text, 0o600))
	}
	return dir
}

func list(t *testing.T, dir, sub string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, sub))
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

func TestSweep(t *testing.T) {
	each(t, 4, func(t *testing.T, w *world) {
		long := slices.Concat(w.sample("gmail.eml", 2), bytes.Repeat([]byte("long\n"), MaxMessage/2))
		dir := maildir(t, map[string][]byte{
			"1.a.host":    w.sample("postfix-unknown.eml", 0),
			"2.b.host":    w.sample("leave.eml", 1),
			"3.c.host":    long,
			"4.d.host":    w.sample("out-of-office.eml", 3), // has our token, and no effect
			"5.e.host":    w.sample("arf-auth-failure.eml", 3),
			"6.f.host:2,": []byte("Delivered-To: anna@example.org\nSubject: for a person\n\nhello\n"),
			"7.g.host":    []byte("no message"),
			".hidden":     w.sample("postfix-unknown.eml", 3),
		})
		outside := filepath.Join(t.TempDir(), "outside")
		w.ok(os.WriteFile(outside, w.sample("postfix-unknown.eml", 3), 0o600))
		w.ok(os.Symlink(outside, filepath.Join(dir, "new", "8.h.host")))
		w.ok(os.Symlink("../new/4.d.host", filepath.Join(dir, "new", "9.i.host")))
		w.ok(os.Mkdir(filepath.Join(dir, "new", "99.folder"), 0o700))

		for pass := range 2 {
			n, err := w.HandleMaildir(t.Context(), dir)
			if want := []int{5, 0}[pass]; err != nil || n != want {
				t.Errorf("pass %d: %d taken, %v", pass, n, err)
			}
		}
		if got := list(t, dir, "new"); got != ".hidden 7.g.host 8.h.host 9.i.host 99.folder" {
			t.Errorf("new: %s", got)
		}
		// Anybody may write to the plain address, even a person.
		if got := list(t, dir, "cur"); got != "5.e.host:2, 6.f.host:2," {
			t.Errorf("cur: %s", got)
		}
		if w.suppressed(0) != digest.ForHardBounce || w.state(1) != digest.DigestLeft ||
			w.suppressed(2) != digest.ForHardBounce {
			t.Errorf("%q, %s, %q", w.suppressed(0), w.state(1), w.suppressed(2))
		}
		w.untouched(0, 1, 2)
		if n := strings.Count(w.log.String(), "level=WARN"); n != 4 { // each once in two passes
			t.Errorf("%d warnings:\n%s", n, w.log)
		}
	})
}

// TestSweepStoreFails checks that nothing is deleted or moved while the database fails.
func TestSweepStoreFails(t *testing.T) {
	each(t, 2, func(t *testing.T, w *world) {
		dir := maildir(t, map[string][]byte{"1": w.sample("postfix-unknown.eml", 0), "2": w.sample("leave.eml", 1),
			"3": []byte("To: a@b\n\n")})
		whole := w.Store
		w.Store = brokenStore{whole}
		if n, err := w.HandleMaildir(t.Context(), dir); !errors.Is(err, errBroken) || n != 0 {
			t.Errorf("%d, %v", n, err)
		}
		if got := list(t, dir, "new"); got != "1 2 3" {
			t.Error(got)
		}
		w.Store = whole
		if n, err := w.HandleMaildir(t.Context(), dir); err != nil || n != 2 {
			t.Errorf("%d, %v", n, err)
		}
		if got := list(t, dir, "new") + "|" + list(t, dir, "cur"); got != "|3:2," {
			t.Error(got)
		}
	})
}

func TestSweepTwoAtOnce(t *testing.T) {
	each(t, 1, func(t *testing.T, w *world) {
		files := map[string][]byte{}
		for i := range 60 {
			files[fmt.Sprintf("%02d.b", i)] = w.sample("postfix-expired.eml", 0)
			files[fmt.Sprintf("%02d.p", i)] = fmt.Appendf(nil, "To: a@b\nSubject: %d\n\n", i)
		}
		dir := maildir(t, files)
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := w.HandleMaildir(t.Context(), dir); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := list(t, dir, "new"); got != "" {
			t.Errorf("new: %s", got)
		}
		if n := len(strings.Fields(list(t, dir, "cur"))); n != 60 {
			t.Errorf("%d in cur", n)
		}
		if strings.Contains(w.log.String(), "level=WARN") {
			t.Error(w.log)
		}
		w.untouched()
	})
}

// TestSweepKeepsCur checks that a message in cur is never overwritten.
func TestSweepKeepsCur(t *testing.T) {
	d := testDesk("bounces@digest.example")
	d.Log = newLog(t)
	dir := maildir(t, map[string][]byte{"1": []byte("To: a@b\n\nnew")})
	must(t, os.WriteFile(filepath.Join(dir, "cur", "1:2,"), []byte("old"), 0o600))
	if _, err := d.HandleMaildir(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "cur", "1:2,")); string(b) != "old" || list(t, dir, "new") != "1" {
		t.Errorf("%q, new: %s", b, list(t, dir, "new"))
	}
}

func TestSweepNoMaildir(t *testing.T) {
	d := testDesk("bounces@digest.example")
	for _, dir := range []string{"", filepath.Join(t.TempDir(), "missing"), t.TempDir()} {
		if _, err := d.HandleMaildir(t.Context(), dir); digest.KindOf(err) != digest.Unavailable ||
			!strings.Contains(err.Error(), "DIGEST_BOUNCE_MAILDIR") {
			t.Errorf("%q: %v", dir, err)
		}
	}
}
