package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// TestOddTimer runs the job at irregular intervals, from minutes to more than an hour.
func TestOddTimer(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, 30)
		s.populate(10)
		random := rand.New(rand.NewPCG(11, 11))
		for now := begin(); now.Before(begin().Add(48*time.Hour)) && !t.Failed(); {
			now = now.Add(time.Duration(60+random.IntN(90*60)) * time.Second)
			s.hour(now, 1)
		}
		s.checkManners()
	})
}

// TestOutage does not run the program for almost two days. Afterwards readers get one edition for the last day, and
// each site one request.
func TestOutage(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, 30)
		s.populate(10)
		for since := time.Hour; since < 96*time.Hour && !t.Failed(); since += time.Hour {
			if since <= 20*time.Hour || since > 64*time.Hour {
				s.hour(begin().Add(since), 1)
			}
		}
		s.checkPromise()
		s.checkManners()
	})
}

// TestHeadModes checks DIGEST_HEAD: the program sends HEAD always or never.
func TestHeadModes(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for _, mode := range []string{"always", "never"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, storetest.SQLite(t), 6) // well-behaved ones
			s.house.set("DIGEST_HEAD=" + mode)
			s.oracle.noHEAD = mode == "never"
			s.populate(5)
			first := len(s.web.requests())
			for since := time.Hour; since < 48*time.Hour; since += time.Hour {
				s.hour(begin().Add(since), 1)
			}
			polls := map[string]string{}
			for _, q := range s.web.requests()[first:] {
				polls[q.page.name+"\n"+instant(q.at)] += q.method + " "
			}
			for poll, methods := range polls {
				validators := !strings.HasPrefix(poll, "no validators")
				if head := strings.HasPrefix(methods, "HEAD"); head != (mode == "always" && validators) {
					t.Errorf("%s: %s", poll, methods)
				}
			}
			if len(polls) < 20 {
				t.Errorf("only %d polls", len(polls))
			}
		})
	}
}

// TestGivenUp checks that a reader who left gets no further mail, and a paused reader no posts of the pause.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, 5)
		s.populate(4)
		s.set(begin().Add(time.Hour))
		s.at(s.now, "user", "set", "reader0@example.org", "--state", "left")
		s.at(s.now, "user", "remove", "reader1@example.org")
		s.at(s.now, "user", "set", "reader2@example.org", "--state", "paused")
		for since := 2 * time.Hour; since < 30*time.Hour; since += time.Hour {
			s.set(begin().Add(since))
			s.tick(s.now)
		}
		for _, l := range s.inbox.arrived(t) {
			if l.to != "reader3@example.org" {
				t.Errorf("%s got %q", l.to, l.subject)
			}
		}
		if len(s.inbox.letters) == 0 {
			t.Error("reader3 got nothing")
		}
	})
}

// TestStop checks that SIGTERM ends a run after the current requests and messages, and that the next run, at the same
// time, completes the work without repeating any.
func TestStop(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, 30)
		s.house.set("DIGEST_HEAD=never")
		for _, site := range s.sites {
			// only GET, and slow
			site.temper = temper{name: "slow", kind: "rss", etag: strong, deaf: true, slow: true}
		}
		s.join("reader@example.org", "UTC", 0, 1)
		before := len(s.web.requests())
		s.set(time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC))
		cmd := s.command(t.Context(), "--now", instant(s.now), "--json", "tick")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		started := make(chan *os.Process, 1)
		s.web.onRequest(5, func() { (<-started).Signal(syscall.SIGTERM) })
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started <- cmd.Process
		if err := cmd.Wait(); err != nil {
			t.Errorf("stopped: %v\n%s", err, stderr.String())
		}
		stopped, err := readSummary(stdout.String())
		if err != nil {
			t.Fatal(err)
		}
		rest := s.tick(s.now)
		if stopped.Polled+rest.Polled != len(s.sites) || stopped.Editions+rest.Editions != 1 ||
			stopped.Sent+rest.Sent != 1 {
			t.Errorf("stopped after %+v, then %+v", stopped, rest)
		}
		asked := map[*site]int{}
		for _, q := range s.web.requests()[before:] {
			if q.page.moved == 0 {
				asked[q.page.site]++
			}
		}
		for _, site := range s.sites {
			if asked[site] != 1 {
				t.Errorf("site %d was asked %d times", site.n, asked[site])
			}
		}
		_, editions := s.oracle.tick(t, s.now)
		s.checkMail(editions, s.inbox.arrived(t))
	})
}

// TestLeaveAtOnce checks that a second SIGTERM does not wait for a site that hangs.
func TestLeaveAtOnce(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	asked := make(chan struct{}, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})}
	l := listen(t, 998)
	go server.Serve(l)
	t.Cleanup(func() { close(hang); server.Close() })
	h := newHouse(t, storetest.SQLite(t))
	h.set("DIGEST_FETCH_TIMEOUT=1h")
	h.run("user", "add", "reader@example.org", "--time-zone", "UTC")
	cmd := h.command(t.Context(), "subscribe", "reader@example.org", "http://"+l.Addr().String()+"/feed.xml")
	says, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	// Two simultaneous signals may arrive as one, so the second waits until the program reports the first. The
	// program would wait for the site longer than the test lasts.
	cmd.Process.Signal(syscall.SIGTERM)
	lines := bufio.NewScanner(says)
	for lines.Scan() && !strings.Contains(lines.Text(), "once more leaves at once") {
	}
	cmd.Process.Signal(syscall.SIGTERM)
	_, _ = io.Copy(io.Discard, says) // until it exits
	err = cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 {
		t.Errorf("left with %v, want exit status 1", err)
	}
}

// tells compares the program's data about each site with the oracle, under the names of the JSON output.
func (s *scene) tells() {
	s.t.Helper()
	for site, a := range s.oracle.sites {
		said := s.at(s.now, "--json", "feeds", site.address())
		var f map[string]any
		if err := json.Unmarshal([]byte(said), &f); err != nil {
			s.t.Fatal(err)
		}
		for _, name := range []string{"url", "title", "state", "reason", "last_status", "last_polled_at",
			"next_poll_at", "subscribers", "etag", "last_modified", "errors"} {
			if _, ok := f[name]; !ok {
				s.t.Errorf("feeds --json has no %q: %s", name, said)
			}
		}
		state := "active"
		switch {
		case a.notBefore.After(s.now):
			state = "penalised"
		case a.freshUntil.After(s.now):
			state = "waiting"
		}
		if f["url"] != site.address() || f["state"] != state || f["last_polled_at"] != instant(a.last) ||
			f["subscribers"] != float64(s.oracle.subscribers(site)) || f["title"] != fmt.Sprintf("Site %d", site.n) {
			s.t.Errorf("%s: of site %d (%s), %s, asked last on %s, by %d subscribers: %s", instant(s.now), site.n,
				site.name, state, instant(a.last), s.oracle.subscribers(site), said)
		}
		if (f["errors"].(float64) > 0) != (state == "penalised" || site.trouble.at(a.last)) {
			s.t.Errorf("%s: errors of site %d (%s): %s", instant(s.now), site.n, site.name, said)
		}
	}
}

func (s *scene) previews(r *reader) {
	s.t.Helper()
	before := len(s.web.requests())
	for _, form := range []string{"--text", "--html"} {
		shown := links(s.at(s.now, "preview", r.email, form))
		if missing, extra := difference(r.waiting, shown); len(missing)+len(extra) > 0 {
			s.t.Errorf("%s: preview %s of %s misses %v and should not have %v", instant(s.now), form, r.email, missing,
				extra)
		}
	}
	if n := len(s.web.requests()) - before; n != 0 {
		s.t.Errorf("preview made %d requests", n)
	}
}

// exports checks a reader's exported list against their subscriptions, and that importing it again adds nothing.
func (s *scene) exports(r *reader) {
	s.t.Helper()
	list := s.at(s.now, "opml", "export", r.email)
	want := map[string]bool{}
	for _, site := range r.sites {
		want[strings.ReplaceAll(site.address(), "&", "&amp;")] = true
	}
	got := map[string]bool{}
	for _, part := range strings.Split(list, `xmlUrl="`)[1:] {
		got[part[:strings.IndexByte(part, '"')]] = true
	}
	if !maps.Equal(want, got) || !strings.Contains(list, `"Folder"`) {
		s.t.Errorf("the list of %s has %v, want %v", r.email, slices.Sorted(maps.Keys(got)),
			slices.Sorted(maps.Keys(want)))
	}
}
