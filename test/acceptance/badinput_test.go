package acceptance

import (
	"bytes"
	"database/sql"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// refused runs a command and checks that it fails with the exit status, prints one line on stderr with the words, and
// changes no files.
func (h *house) refused(status int, words string, args ...string) {
	h.t.Helper()
	before := snapshot(h.t, h.dir)
	o := h.try(h.t.Context(), args...)
	about := "digest " + strings.Join(args, " ")
	if o.status != status {
		h.t.Errorf("%s: exit status %d, want %d: %s", about, o.status, status, o.stderr)
	}
	line, rest, ended := strings.Cut(o.stderr, "\n")
	if !ended || rest != "" || line == "" {
		h.t.Errorf("%s: not one line on stderr: %q", about, o.stderr)
	}
	for word := range strings.FieldsSeq(words) {
		if !strings.Contains(line, word) {
			h.t.Errorf("%s: %q does not say %q", about, line, word)
		}
	}
	for _, bad := range []string{"panic", "goroutine", "%!", "SQLSTATE", "\x00"} {
		if strings.Contains(line, bad) {
			h.t.Errorf("%s: %q is not for people", about, line)
		}
	}
	if len(line) > 400 {
		h.t.Errorf("%s: a line of %d bytes", about, len(line))
	}
	if after := snapshot(h.t, h.dir); !maps.EqualFunc(before, after, bytes.Equal) {
		h.t.Errorf("%s: changed files: had %v, now %v", about, slices.Sorted(maps.Keys(before)),
			slices.Sorted(maps.Keys(after)))
	}
}

func snapshot(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "-wal") || strings.HasSuffix(path, "-shm") {
			return err
		}
		files[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func (h *house) dump() string {
	h.t.Helper()
	return h.run("--json", "user", "list") + h.run("--json", "feeds")
}

func TestBadCommandLine(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	h.refused(2, "frobnicate", "frobnicate")
	h.refused(2, "time-zone", "user", "add", "a@example.org")
	h.refused(2, "--frob", "tick", "--frob")
	h.refused(2, "email", "opml", "import")
	h.refused(2, "", "user")
	h.refused(1, "nowhere.opml", "opml", "import", "a@example.org", "nowhere.opml")
	h.refused(2, "--now yesterday", "tick", "--now", "yesterday")
	h.refused(2, "--head maybe", "--head", "maybe", "tick")
	h.refused(1, "/dev/zero larger", "parse", "/dev/zero")
	if o := h.try(t.Context(), "--help"); o.status != 0 || !strings.Contains(o.stdout, "tick") || o.stderr != "" {
		t.Errorf("--help: %+v", o)
	}
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct{ setting, words string }{
		{"DIGEST_POLL_WINDOW=soon", "DIGEST_POLL_WINDOW soon 15m"},
		{"DIGEST_POLL_GAP=-1h", "DIGEST_POLL_GAP -1h 1h"},
		{"DIGEST_RELEASE_DEADLINE=30", "DIGEST_RELEASE_DEADLINE 30m"},
		{"DIGEST_HOST_INTERVAL=2 seconds", "DIGEST_HOST_INTERVAL 2s"},
		{"DIGEST_FETCH_TIMEOUT=0", "DIGEST_FETCH_TIMEOUT 30s"},
		{"DIGEST_KEEP=forever", "DIGEST_KEEP forever 400d"},
		{"DIGEST_HEAD=maybe", "DIGEST_HEAD maybe learned"},
		{"DIGEST_ALLOW_NETWORKS=localhost", "DIGEST_ALLOW_NETWORKS localhost 127.0.0.0/8"},
		{"DIGEST_BASE_URL=example.org", "DIGEST_BASE_URL example.org https://"},
		{"DIGEST_FROM=nobody", "DIGEST_FROM nobody @"},
		{"DIGEST_MAIL=pigeon:post", "DIGEST_MAIL pigeon maildir:mail"},
		{"DIGEST_MAIL=smtp://", "DIGEST_MAIL smtp://"},
		{"DIGEST_LISTEN=8080", "DIGEST_LISTEN 8080 127.0.0.1:8080"},
		{"DIGEST_POLL_WINDOW=1h", "DIGEST_POLL_WINDOW 1h DIGEST_RELEASE_DEADLINE"},
		{"DIGEST_NOW=9999-01-01T00:00:00Z", "DIGEST_NOW 9999 2026-11-20T00:00:00Z"},
		{"DIGEST_NOW=tomorrow", "DIGEST_NOW tomorrow 2026-11-20T00:00:00Z"},
		{"DIGEST_LOG_LEVEL=loud", "DIGEST_LOG_LEVEL loud debug"},
		{"DIGEST_DATABASE=mysql://localhost/digest", "DIGEST_DATABASE mysql postgres://"},
		{"DIGEST_DATABASE=", "DIGEST_DATABASE"},
	} {
		t.Run(bad.setting, func(t *testing.T) {
			h := newHouse(t, storetest.SQLite(t))
			h.set(bad.setting)
			h.refused(1, bad.words, "tick")
		})
	}
}

func TestBadReaders(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		h := newHouse(t, database)
		h.run("user", "add", "reader@example.org", "--time-zone", "Europe/Paris")
		before := h.dump()
		h.refused(1, "Europe/Pariss Europe/Paris", "user", "add", "other@example.org", "--time-zone", "Europe/Pariss")
		h.refused(1, "zone", "user", "add", "other@example.org", "--time-zone", "")
		h.refused(1, "zone", "user", "add", "other@example.org", "--time-zone", "../../etc/passwd")
		h.refused(1, "zone", "user", "add", "other@example.org", "--time-zone", "Local")
		h.refused(1, "Mars/Olympus", "user", "set", "reader@example.org", "--time-zone", "Mars/Olympus")
		h.refused(1, "reader@example.org", "user", "add", "reader@example.org", "--time-zone", "UTC")
		h.refused(1, "address", "user", "add", "not an address", "--time-zone", "UTC")
		h.refused(1, "address", "user", "add", "a@example.org\nBcc: b@example.org", "--time-zone", "UTC")
		h.refused(1, "nobody@example.org", "subscribe", "nobody@example.org", "http://127.0.0.1:1/")
		h.refused(1, "nobody@example.org", "preview", "nobody@example.org")
		h.refused(1, "feed", "feeds", "http://127.0.0.1:1/never-heard-of")
		if after := h.dump(); after != before {
			t.Errorf("something changed:\n%s\n%s", before, after)
		}
	})
}

// TestBadFeeds subscribes to addresses without a feed, in every way.
func TestBadFeeds(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(badSite))
	defer site.Close()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		h := newHouse(t, database)
		h.set("DIGEST_HOST_INTERVAL=0", "DIGEST_FETCH_TIMEOUT=10m") // time to unpack a gigabyte on a slow machine
		h.run("user", "add", "reader@example.org", "--time-zone", "Europe/Paris")
		before := h.dump()
		for path, words := range map[string]string{
			"/page":       "feed",
			"/binary":     "feed",
			"/empty":      "feed",
			"/huge":       "32",
			"/bomb":       "10",
			"/missing":    "404",
			"/loop":       "redirect loop",
			"/to-file":    "redirected",
			"/to-private": "is private",
			"/json":       "feed",
		} {
			h.refused(1, words, "subscribe", "reader@example.org", site.URL+path)
		}
		closed := listen(t, 999)
		closed.Close()
		h.refused(1, "refused", "subscribe", "reader@example.org", "http://"+closed.Addr().String()+"/feed.xml")
		h.refused(1, "http", "subscribe", "reader@example.org", "ftp://example.org/feed.xml")
		h.refused(1, "http", "subscribe", "reader@example.org", "javascript:alert(1)")
		h.refused(1, "is private", "subscribe", "reader@example.org", "http://10.0.0.1/feed.xml")
		file := filepath.Join(h.dir, "list.opml")
		for _, list := range []string{"\x00\x01\x02\xff binary", "<html><body>no list</body></html>", "",
			"<rss version=\"2.0\"><channel><title>t</title></channel></rss>"} {
			if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
				t.Fatal(err)
			}
			h.refused(1, "list.opml", "opml", "import", "reader@example.org", file)
		}
		if after := h.dump(); after != before {
			t.Errorf("something changed:\n%s\n%s", before, after)
		}
	})
}

func badSite(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/page":
		io.WriteString(w, "<!DOCTYPE html><title>A page</title><p>Nothing to subscribe to.</p>")
	case "/binary":
		w.Write(bytes.Repeat([]byte{0, 1, 2, 0xff, 0xfe, 'P', 'K'}, 5000))
	case "/empty":
	case "/json":
		io.WriteString(w, `{"version": 1, "items": "none"}`)
	case "/huge": // a gigabyte without compression
		w.Header().Set("Content-Type", "application/rss+xml")
		io.WriteString(w, `<rss version="2.0"><channel><title>Huge</title>`)
		stuff := bytes.Repeat([]byte("<item><title>x</title></item>"), 1<<15)
		for sent := 0; sent < 1<<30 && r.Context().Err() == nil; sent += len(stuff) {
			if _, err := w.Write(stuff); err != nil {
				return
			}
		}
	case "/bomb": // a gigabyte, compressed
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(compress(bytes.Repeat([]byte("<rss>  "), 40<<20/7)))
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/to-file":
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	case "/to-private":
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusFound)
	default:
		http.NotFound(w, r)
	}
}

func TestMailServerDown(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		s := newScene(t, database, 2)
		s.house.set("DIGEST_MAIL=smtp+insecure://" + program.FreeAddress(t))
		s.join("reader@example.org", "UTC", 0, 1)
		midnight := time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC)
		s.set(midnight)
		o := s.try(t.Context(), "--now", instant(midnight), "--json", "tick")
		sum, err := readSummary(o.stdout)
		if err != nil || sum.Editions != 1 || sum.Sent != 0 || sum.FailedMail != 0 {
			t.Errorf("with the mail server down: %+v, %v", sum, err)
		}
		if o.status != 1 || strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "refused") ||
			!strings.Contains(o.stderr, "next tick") {
			t.Errorf("with the mail server down, status %d, stderr: %q", o.status, o.stderr)
		}
		k := newSink(t)
		s.mailTo(k)
		s.set(midnight.Add(time.Hour))
		if sum := s.tick(s.now); sum.Sent != 1 {
			t.Errorf("when it is back: %+v", sum)
		}
		if letters := k.take(); len(letters) != 1 || !strings.HasPrefix(letters[0].subject, "Saturday 28 March") {
			t.Errorf("when it is back: %d letters", len(letters))
		}
	})
}

// TestReadOnly uses a database in a directory that even root cannot write.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "/proc/digest.db")
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("needs a folder that nobody can write")
	}
	h.refused(1, "/proc/digest.db", "tick")
	h.refused(1, "/proc/digest.db", "user", "add", "reader@example.org", "--time-zone", "UTC")
	h = newHouse(t, filepath.Join(h.dir, "no", "such", "folder", "digest.db"))
	h.refused(1, "digest.db", "tick")
	folder := t.TempDir()
	h = newHouse(t, folder)
	h.refused(1, folder, "tick")
	h = newHouse(t, storetest.SQLite(t))
	h.set("DIGEST_MAIL=maildir:/proc/mail")
	h.run("migrate")
	h.refused(1, "DIGEST_MAIL /proc/mail", "tick")
	notes := filepath.Join(h.dir, "notes.txt")
	if err := os.WriteFile(notes, []byte("Dear diary, this is no database. "+strings.Repeat("Really. ", 100)),
		0o600); err != nil {
		t.Fatal(err)
	}
	h = newHouse(t, notes)
	h.refused(1, "notes.txt", "tick")
}

// TestReadOnlyFile uses a database that the user may read but not write. Root may write everything, so root runs the
// program as another user.
func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	h := newHouse(t, storetest.SQLite(t))
	h.run("user", "add", "reader@example.org", "--time-zone", "UTC")
	if os.Geteuid() == 0 {
		if _, err := exec.LookPath("setpriv"); err != nil {
			t.Skip("root may write everything, and there is no setpriv to run as somebody else")
		}
		h.as = []string{"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"}
		for _, dir := range []string{filepath.Dir(h.path), h.dir, filepath.Dir(h.database)} {
			if err := os.Chmod(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	for path, mode := range map[string]os.FileMode{h.database: 0o444, filepath.Dir(h.database): 0o555} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Dir(h.database), 0o755) })
	before, err := os.ReadFile(h.database)
	if err != nil {
		t.Fatal(err)
	}
	h.refused(1, "written DIGEST_DATABASE", "tick")
	h.refused(1, "written", "user", "set", "reader@example.org", "--state", "paused")
	if after, err := os.ReadFile(h.database); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database has changed: %v", err)
	}
}

// TestNewerSchema checks that the program does not change a database of a newer version.
func TestNewerSchema(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		h := newHouse(t, database)
		h.run("user", "add", "reader@example.org", "--time-zone", "Europe/Paris")
		driver := "sqlite3"
		if strings.HasPrefix(database, "postgres") {
			driver = "postgres"
		}
		db, err := sql.Open(driver, database)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)`); err != nil {
			t.Fatal(err)
		}
		db.Close()
		h.refused(1, "newer", "tick")
		h.refused(1, "newer", "user", "list")
		h.refused(1, "newer", "migrate")
	})
}

// TestDatabaseAway uses a PostgreSQL server that does not respond, and one without the database. No error may contain
// the password.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	h := newHouse(t, "postgres://digest:secret-word@127.0.0.1:1/digest?sslmode=disable")
	h.refused(1, "127.0.0.1", "tick")
	if o := h.try(t.Context(), "tick"); strings.Contains(o.stderr+o.stdout, "secret-word") {
		t.Errorf("the password is shown: %s", o.stderr)
	}
}
