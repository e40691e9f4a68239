package acceptance

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
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
		s := newScene(t, database, begin(), newSites(30)...)
		s.populate(10)
		random := rand.New(rand.NewPCG(11, 11))
		for now := begin(); now.Before(begin().Add(48*time.Hour)) && !t.Failed(); {
			now = now.Add(time.Duration(60+random.IntN(90*60)) * time.Second)
			s.hour(now, 1)
		}
		s.judgeRobots()
	})
}

// TestOutage does not run the program for almost two days. Afterwards readers get one edition for the last day, and
// each site one request.
func TestOutage(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, begin(), newSites(30)...)
		s.populate(10)
		for since := time.Hour; since < 96*time.Hour && !t.Failed(); since += time.Hour {
			if since <= 20*time.Hour || since > 64*time.Hour {
				s.hour(begin().Add(since), 1)
			}
		}
		s.checkPromise()
		s.judgeRobots()
	})
}

// TestStop checks that SIGTERM ends a run after the current requests and messages, and that the next run, at the same
// time, completes the work without repeating any.
func TestStop(t *testing.T) {
	t.Parallel()
	storetest.EachAddress(t, func(t *testing.T, database string) {
		t.Parallel()
		s := newScene(t, database, begin(), newSites(30)...)
		s.house.Set("DIGEST_HEAD=never")
		for _, site := range s.sites {
			// only GET, and slow
			site.manner = manner{name: "slow", etag: usualETag, deaf: true, long: true, adjust: slowly,
				moved: site.moved}
		}
		s.join("reader@example.org", "UTC", 0, 1)
		before := len(s.entries(0))
		s.set(time.Date(2026, 3, 28, 0, 0, 0, 0, time.UTC))
		cmd := s.Command(t.Context(), "--now", instant(s.now), "--json", "tick")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		started := make(chan *os.Process, 1)
		s.onRequest(5, func() { (<-started).Signal(syscall.SIGTERM) })
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
		for _, e := range s.requests(before) {
			if !e.moved {
				asked[e.site]++
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
	hangs := manner{name: "hangs", etag: usualETag, trouble: during(time.Hour, 1000*day, reply{hang: true})}
	s := newScene(t, storetest.SQLite(t), begin(), plant(0, hangs, begin(), begin().Add(day)))
	s.Set("DIGEST_FETCH_TIMEOUT=1h")
	s.join("reader@example.org", "UTC", 0, 1)
	s.set(firstMidnight())
	asked := make(chan struct{})
	s.onRequest(1, func() { close(asked) })
	cmd := s.Command(t.Context(), "--now", instant(s.now), "tick")
	says, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	// Two simultaneous signals may arrive as one, so the second waits until the program reports the first.
	cmd.Process.Signal(syscall.SIGTERM)
	in := bufio.NewReader(says)
	if line, err := in.ReadString('\n'); !strings.Contains(line, "a second signal stops") {
		t.Fatalf("told to stop, it says %q, %v", line, err)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	said, _ := io.ReadAll(in)
	err = cmd.Wait()
	if e, ok := errors.AsType[*exec.ExitError](err); !ok || e.ExitCode() != 1 || len(said) > 0 {
		t.Errorf("left with %v, want exit status 1 at once: %s", err, said)
	}
}
