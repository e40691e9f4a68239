package main

import (
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"digest/store/storetest"
)

const canary = "canary-7f3a"

// A privateSite has three private feeds: with a password, with a token, and at a secret address that the feed itself
// contains.
func privateSite(t *testing.T) (s *httptest.Server, setPassword func(string)) {
	var mu sync.Mutex
	password := canary
	s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		user, given, basic := r.BasicAuth()
		title := ""
		switch {
		case r.URL.Path == "/open" && !basic:
			title = "Public"
		case r.URL.Path == "/open" && user == "ann" && given == password:
			title = "Of Ann"
		case r.URL.Path == "/token" && r.Header.Get("Authorization") == "Bearer "+canary:
			title = "By token"
		case r.URL.Path == "/"+canary+"/feed":
			title = "Secret"
		default:
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/rss+xml")
		w.Header().Set("ETag", `"1"`)
		fmt.Fprintf(w, `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>%s</title><link>http://%s%s</link>
			<atom:link rel="self" href="http://%[2]s%[3]s"/><item><title>Post %[1]s</title><guid>%[1]s</guid><description>text</description></item></channel></rss>`,
			title, r.Host, r.URL.RequestURI())
	}))
	t.Cleanup(s.Close)
	return s, func(p string) { mu.Lock(); password = p; mu.Unlock() }
}

// A console runs commands in the morning, unless they name another time, and records their output. In the afternoon, an
// edition would wait for feeds that may not be polled at its midnight.
type console struct {
	t   *testing.T
	all strings.Builder
}

func (c *console) run(status int, args ...string) string {
	c.t.Helper()
	var out strings.Builder
	if got := run(c.t.Context(), c.t.Context(),
		append([]string{"--log-level", "debug", "--now", "2026-03-04T08:00:00Z"}, args...), &out, &out); got != status {
		c.t.Errorf("%v: status %d: %s", args, got, out.String())
	}
	fmt.Fprintln(&c.all, args, out.String())
	return out.String()
}

func write(t *testing.T, name, content string) {
	t.Helper()
	must(t, os.WriteFile(name, []byte(content), 0o600))
}

// TestPrivateFeeds checks that each private feed is polled with its reader's credential and delivered to nobody else.
// No secret may appear in output, log, email or database.
func TestPrivateFeeds(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Chdir(t.TempDir())
		t.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
		t.Setenv("DIGEST_DATABASE", database)
		t.Setenv("DIGEST_HOST_INTERVAL", "1ms")
		s, setPassword := privateSite(t)
		c := &console{t: t}
		day := func(n int) string { return time.Date(2026, time.March, 4+n, 0, 0, 0, 0, time.UTC).Format(time.RFC3339) }
		write(t, "password", canary+"\n")
		write(t, "wrong", canary+"2\n")
		for _, name := range []string{"ann", "bob", "eve"} {
			c.run(exitDone, "user", "add", name+"@example.org", "--time-zone", "UTC")
		}
		withPassword := []string{"subscribe", "ann@example.org", s.URL + "/open", "--user", "ann", "--password-file",
			"password"}
		if strings.Contains(database, "://") {
			if out := c.run(exitFailed, withPassword...); !strings.Contains(out, "DIGEST_KEY_FILE") {
				t.Error(out)
			}
			write(t, "key", c.run(exitDone, "key", "new"))
			t.Setenv("DIGEST_KEY_FILE", "key")
		}

		c.run(exitDone, "subscribe", "bob@example.org", s.URL+"/open")
		c.run(exitFailed, "subscribe", "ann@example.org", s.URL+"/open", "--user", "ann", "--password-file", "wrong")
		c.run(exitUsage, "subscribe", "ann@example.org", s.URL+"/open", "--user", "ann")
		c.run(exitUsage, append(withPassword, "--bearer-file", "password")...)
		for range 2 {
			if out := c.run(exitDone, withPassword...); !strings.Contains(out, "Of Ann") {
				t.Error(out)
			}
		}
		c.run(exitDone, "subscribe", "ann@example.org", s.URL+"/token", "--bearer-file", "password")
		if out := printed(c, "subscribe", "ann@example.org", s.URL+"/"+canary+
			"/feed", "--secret"); !strings.Contains(out, "Secret") || strings.Contains(out, canary) {
			t.Error(out)
		}
		// Another reader with the same password gets a separate feed.
		c.run(exitDone, "subscribe", "eve@example.org", strings.Replace(s.URL, "://", "://ann:"+canary+"@", 1)+"/open")
		c.all.Reset() // the person typed the password

		feeds := c.run(exitDone, "feeds")
		if n := strings.Count(feeds, s.URL+"/open"); n != 3 || strings.Count(feeds, "#private-") != 4 ||
			!strings.Contains(feeds, s.URL+"/…#private-") {
			t.Error(feeds)
		}
		c.run(exitDone, "feeds", "--json")
		for _, name := range []string{"ann", "bob", "eve"} {
			c.run(exitDone, "preview", name+"@example.org", "--html")
			c.run(exitDone, "opml", "export", name+"@example.org")
		}
		c.run(exitDone, "key", "list")
		c.run(exitDone, "tick", "--now", day(1))
		mails := c.mails()
		for name, posts := range map[string]string{"ann": "Post Of Ann, Post By token, Post Secret",
			"bob": "Post Public", "eve": "Post Of Ann"} {
			for _, post := range []string{"Post Of Ann", "Post By token", "Post Secret", "Post Public"} {
				if got := strings.Contains(mails[name], post); got != strings.Contains(posts, post) {
					t.Errorf("the mail of %s has %s: %t", name, post, got)
				}
			}
		}

		// The site changes the password, and the reader enters the new one.
		setPassword(canary + "3")
		if out := c.run(exitDone, "tick", "--now", day(3), "--json"); !strings.Contains(out, `"failed":2`) {
			t.Error(out)
		}
		if out := c.run(exitDone, "feeds"); strings.Count(out,
			"the password is not accepted (401); give it anew") != 2 {
			t.Error(out)
		}
		write(t, "password", canary+"3\r\n")
		if out := c.run(exitDone, append(withPassword, "--now", day(3))...); !strings.Contains(out,
			"was subscribed already") {
			t.Error(out)
		}

		// Rotate the key.
		if out := c.run(exitDone, "key", "rotate"); !strings.Contains(out, "4 passwords encrypted") {
			t.Error(out)
		}
		if out := c.run(exitDone, "key", "list"); strings.Count(out, "\n") != 2 || !strings.Contains(out, "4 feeds") ||
			!strings.Contains(out, "for backups only") {
			t.Error(out)
		}
		keyFile := "key"
		if !strings.Contains(database, "://") {
			keyFile = database + ".key"
		}
		keys, err := os.ReadFile(keyFile)
		must(t, err)
		first, _, _ := strings.Cut(string(keys), "\n")
		write(t, keyFile, first)
		if out := c.run(exitDone, "tick", "--now", day(5), "--json"); !strings.Contains(out, `"failed":1`) { // eve's
			t.Error(out)
		}
		c.run(exitDone, append(withPassword, "--now", day(5))...)
		if out := c.run(exitDone, "feeds"); strings.Count(out, "#private-") != 4 {
			t.Errorf("the password given anew after the rotation makes another feed: %s", out)
		}

		// Only an export with --with-credentials contains the credentials.
		list := printed(c, "opml", "export", "ann@example.org", "--with-credentials")
		for _, has := range []string{"://ann:" + canary + "3@", `digest:bearer="` + canary + `"`, "/" + canary +
			"/feed", `digest:secret="true"`} {
			if !strings.Contains(list, has) {
				t.Errorf("no %s in %s", has, list)
			}
		}
		write(t, "list.opml", list)
		c.run(exitDone, "user", "add", "joe@example.org", "--time-zone", "UTC")
		if out := c.run(exitDone, "opml", "import", "joe@example.org", "list.opml"); !strings.Contains(out,
			"3 feeds added") || !strings.Contains(out, "0 could not be read") {
			t.Error(out)
		}
		c.run(exitDone, "unsubscribe", "joe@example.org", s.URL+"/open")
		c.run(exitDone, "user", "remove", "joe@example.org")
		write(t, "list.opml", c.run(exitDone, "opml", "export", "ann@example.org"))
		if out := c.run(exitDone, "opml", "import", "eve@example.org", "list.opml"); !strings.Contains(out,
			"the list doesn’t include the feed’s secret address") {
			t.Error(out)
		}
		if out := c.run(exitDone, "key", "list"); !strings.Contains(out, "4 feeds") {
			t.Errorf("what nobody is subscribed to is forgotten: %s", out)
		}

		shown := c.all.String() + fmt.Sprint(c.mails())
		if strings.Contains(shown, canary) {
			t.Error(shown)
		}
		contents := storetest.Contents(t, database)
		if strings.Contains(contents, canary) || strings.Contains(contents, hex.EncodeToString([]byte(canary))) ||
			!strings.Contains(contents, "Post Secret") {
			at := max(0, strings.Index(contents, canary))
			t.Errorf("the database has it: …%q", contents[max(0, at-300):min(len(contents), at+100)])
		}
	})
}

// printed is run for output that may contain secrets.
func printed(c *console, args ...string) string {
	c.t.Helper()
	own := &console{t: c.t}
	return own.run(exitDone, args...)
}

func (c *console) mails() map[string]string {
	c.t.Helper()
	names, err := filepath.Glob("mail/new/*")
	if err != nil {
		c.t.Fatal(err)
	}
	mails := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			c.t.Fatal(err)
		}
		for _, reader := range []string{"ann", "bob", "eve"} {
			if strings.Contains(string(text), "To: <"+reader+"@") || strings.Contains(string(text), "To: "+reader+"@") {
				mails[reader] += string(text)
			}
		}
	}
	return mails
}
