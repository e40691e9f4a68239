package acceptance

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/tier"
)

// A sleeper is a run that was stopped at a point, with its connection open.
type sleeper struct {
	*exec.Cmd
	stderr  bytes.Buffer
	release chan struct{} // closing it continues the server's session
}

// settle is the time without activity after which a run is only waiting.
const settle = 700 * time.Millisecond

// atRest returns when a process has not used or requested the processor for a while, even on a busy machine. Without
// /proc it only waits.
func atRest(pid int) {
	before := ""
	for since := time.Now(); time.Since(since) < settle; <-time.After(settle / 50) {
		if now, wanting := usage(pid); wanting || now != before {
			before, since = now, time.Now()
		}
	}
}

// usage returns the processor time of a process's threads, and whether one is runnable.
func usage(pid int) (used string, wanting bool) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
	for _, thread := range threads {
		stat, _ := os.ReadFile(thread)
		if fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:])); len(fields) > 12 {
			wanting = wanting || fields[0] == "R" || fields[0] == "D"
			used += fields[11] + "+" + fields[12] + " "
		}
	}
	return used, wanting
}

// stall starts a tick and stops it when its n-th message reaches a point.
func (o *office) stall(at point, n int) *sleeper {
	o.t.Helper()
	h, run := o.through()
	s := &sleeper{release: make(chan struct{})}
	stopped := make(chan struct{})
	s.Cmd = h.Command(o.t.Context(), "--now", instant(o.now), "tick")
	s.Stderr = &s.stderr
	// The trap may spring before Start has set the process.
	started := make(chan struct{})
	o.server.catch(run, &trap{at: at, n: n, spring: func() {
		<-started
		atRest(s.Process.Pid)             // now it only waits for the response, and holds no lock
		s.Process.Signal(syscall.SIGSTOP) //nolint:errcheck // the test shows it
		close(stopped)
		<-s.release
	}, goOn: true})
	if err := s.Start(); err != nil {
		o.t.Fatal(err)
	}
	close(started)
	select {
	case <-stopped:
	case <-time.After(patience):
		o.t.Fatalf("no message came to %s: %s", at, s.stderr.String())
	}
	return s
}

func (s *sleeper) wake(t *testing.T) {
	t.Helper()
	s.Process.Signal(syscall.SIGCONT) //nolint:errcheck // Wait shows it
	close(s.release)
	if err := s.Wait(); err != nil && s.ProcessState.ExitCode() != 1 {
		t.Errorf("the run that slept: %v: %s", err, s.stderr.String())
	}
}

// TestMailZombie checks that a worker that sleeps beyond its lease, at each point of a session, sends nothing that
// another worker has sent.
func TestMailZombie(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for _, at := range []point{atBanner, atMAIL, atRCPT, atDATA} {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			storetest.EachAddress(t, func(t *testing.T, database string) {
				o := newOffice(t, database, 7)
				o.enrol(1, firstMidnight()) // with more, it would stop while it records one and holds SQLite's lock
				o.set(firstMidnight())
				asleep := o.stall(at, 1)
				o.later(6*time.Minute, 11*time.Minute)
				before := len(o.server.kept())
				asleep.wake(t)
				o.later(17*time.Minute, 33*time.Minute, time.Hour, 2*time.Hour)
				if j := o.hold(); before != 1 || j.messages != 1 || j.twice != 0 {
					t.Errorf("%d messages, %d of them before it woke, %d came twice", j.messages, before, j.twice)
				}
			})
		})
	}
}

func (o *office) later(since ...time.Duration) {
	o.t.Helper()
	for _, d := range since {
		o.set(firstMidnight().Add(d))
		o.once(o.now)
	}
}

// TestMailZombieAtDot stops a worker while the server has its message but has not responded. Others wait a quarter of
// an hour; then the message is in doubt, and is sent again after the same time. Whenever the first worker wakes, no
// third copy follows.
func TestMailZombieAtDot(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for name, c := range map[string]struct {
		asleep []time.Duration
		copies int
	}{
		"in time":          {[]time.Duration{6 * time.Minute, 14 * time.Minute}, 1},
		"in doubt":         {[]time.Duration{6 * time.Minute, 17 * time.Minute}, 2},
		"after the resend": {[]time.Duration{6 * time.Minute, 17 * time.Minute, 33 * time.Minute}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.EachAddress(t, func(t *testing.T, database string) {
				o := newOffice(t, database, 7)
				o.enrol(1, firstMidnight())
				o.set(firstMidnight())
				asleep := o.stall(atDotStored, 1)
				o.later(c.asleep...)
				o.killed["run 1"] = true // effectively
				asleep.wake(t)
				o.later(35*time.Minute, 55*time.Minute, 2*time.Hour, 5*time.Hour)
				if j := o.hold(); j.messages != 1 || j.messages+j.twice > c.copies {
					t.Errorf("%d messages, %d came twice; want at most %d copies", j.messages, j.twice, c.copies)
				}
			})
		})
	}
}
