package acceptance

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// An office is a house whose readers all follow one site with daily posts, and whose mail goes to a server with
// faults.
type office struct {
	*house
	*ledger
	recorder *recorder
	site     *site
	server   *mailServer
	now      time.Time
	readers  []string

	mu     sync.Mutex
	random *rand.Rand
	runs   int
	deaths int
}

func newOffice(t *testing.T, database string, seed uint64) *office {
	t.Helper()
	if full() {
		seed = rand.Uint64()
	}
	if again, err := strconv.ParseUint(os.Getenv("DIGEST_ACCEPTANCE_SEED"), 10, 64); err == nil {
		seed = again
	}
	t.Logf("seed %d", seed)
	o := &office{house: newHouse(t, database), ledger: newLedger(), now: begin(),
		random: rand.New(rand.NewPCG(seed, 11))}
	o.house.Set("DIGEST_POLL_WINDOW=0")
	o.site = newSite(0, manner{name: "daily", etag: usualETag, long: true}, o.now)
	for at := o.now.Add(-5 * time.Hour); at.Before(o.now.Add(20 * oneDay)); at = at.Add(5*time.Hour + 7*time.Minute) {
		o.site.publish(at)
	}
	o.recorder = newRecorder(t, o.now)
	o.recorder.put(o.site, "")
	o.server = newMailServer(t, o.now)
	o.set(o.now)
	return o
}

func (o *office) set(now time.Time) {
	o.now = now
	o.recorder.set(now)
	o.server.set(now)
}

// enrol adds readers in UTC, who expect their posts at the midnights up to a time.
func (o *office) enrol(readers int, until time.Time) {
	o.t.Helper()
	var emails []string
	for i := range readers {
		emails = append(emails, fmt.Sprintf("reader%d@%s", i,
			[]string{"example.org", "example.net", "example.com"}[i%3]))
	}
	o.add(until, "UTC", emails...)
}

func (o *office) add(until time.Time, zone string, emails ...string) {
	o.t.Helper()
	o.until = until
	queue := make(chan string)
	var adding sync.WaitGroup
	o.at(o.now, "user", "add", emails[0], "--time-zone", zone, "--subject", "date")
	o.at(o.now, "subscribe", emails[0], o.site.address())
	for range 3 {
		adding.Go(func() {
			for email := range queue {
				o.at(o.now, "user", "add", email, "--time-zone", zone, "--subject", "date")
				o.at(o.now, "subscribe", email, o.site.address())
			}
		})
	}
	for _, email := range emails[1:] {
		queue <- email
	}
	close(queue)
	adding.Wait()
	o.readers = append(o.readers, emails...)
	for _, email := range emails {
		o.due[email] = map[string]time.Time{}
		for _, p := range o.site.posts {
			if at := midnight(o.t, p.at, zone); p.at.After(o.now) && !at.After(until) {
				o.due[email][p.url] = at
			}
		}
	}
}

func (o *office) seal() {
	o.t.Helper()
	o.house.Set("DIGEST_FROM=Daily Digest <digest@example.org>", "DIGEST_RETURN_PATH=bounces@example.org")
	var made struct{ Name, Value string }
	o.read(o.now, &made, "dkim", "new", "example.org")
	o.keys[strings.TrimSuffix(made.Name, ".")] = made.Value
	o.sealed = true
}

// through returns a house that sends mail by its own door, and the door's name.
func (o *office) through() (*house, string) {
	o.mu.Lock()
	o.runs++
	run := fmt.Sprintf("run %d", o.runs)
	o.mu.Unlock()
	h := *o.House
	h.Settings = append(slices.Clone(h.Settings), "DIGEST_MAIL="+o.mailSetting(o.server.door(run)))
	return &house{&h, o.t, o.database}, run
}

func (o *office) mailSetting(address string) string {
	switch {
	case o.server.tls != nil:
		return "smtp://digest:" + o.server.password + "@" + address
	case o.server.password != "":
		return "smtp+insecure://digest:" + o.server.password + "@" + address
	}
	return "smtp+insecure://" + address
}

// once runs a tick, which may fail to send everything.
func (o *office) once(now time.Time) summary {
	o.t.Helper()
	h, _ := o.through()
	out := h.try(o.t.Context(), "--now", instant(now), "--json", "tick")
	return o.ended(out, now)
}

func (o *office) ended(out outcome, now time.Time) (s summary) {
	o.t.Helper()
	waits := out.status == 1 && strings.Contains(out.stderr, "they wait")
	if out.status != 0 && !waits {
		o.t.Errorf("%s: tick ended with %d: %s%s", instant(now), out.status, out.stdout, out.stderr)
		return s
	}
	s, err := readSummary(out.stdout)
	if err != nil {
		o.t.Error(err)
	}
	return s
}

// A fate decides when a run is killed.
type fate struct {
	at    point
	n     int
	after time.Duration
}

// draw draws a fate: after a while, or when the n-th message reaches a point.
func (o *office) draw() fate {
	o.mu.Lock()
	defer o.mu.Unlock()
	f := fate{after: time.Duration(o.random.Int64N(int64(80 * time.Millisecond)))}
	if o.random.IntN(3) > 0 {
		points := []point{atBanner, atMAIL, atRCPT, atDATA, inBody, atDotLost, atDotStored, atDotStored, atDotStored,
			atQUIT}
		// a tick ends earlier
		f = fate{at: points[o.random.IntN(len(points))], n: 1 + o.random.IntN(8), after: 10 * time.Second}
	}
	return f
}

func (o *office) doom(f fate, args ...string) {
	o.t.Helper()
	h, run := o.through()
	ctx, kill := context.WithCancel(o.t.Context())
	defer kill()
	dead := make(chan struct{})
	if f.at != "" {
		o.server.catch(run, &trap{at: f.at, n: f.n, spring: func() { kill(); <-dead }})
	}
	timer := time.AfterFunc(f.after, kill)
	out := h.try(ctx, args...)
	timer.Stop()
	o.mu.Lock()
	if out.status == -1 {
		o.killed[run] = true
		o.deaths++
	}
	o.mu.Unlock()
	close(dead)
	if out.status > 0 && !strings.Contains(out.stderr, "they wait") {
		o.t.Errorf("digest %s: exit status %d: %s", strings.Join(args, " "), out.status, out.stderr)
	}
}

func (o *office) hold() judgement {
	o.t.Helper()
	o.server.checkProtocol()
	j := o.judge(o.server.kept(), o.server.tries())
	if len(j.findings) > 0 {
		o.t.Errorf("%s", j.tell())
		o.evidence(j)
	}
	return j
}

// evidence logs the server's data about the reader in the first finding, and the program's state.
func (o *office) evidence(j judgement) {
	o.t.Helper()
	reader := slices.IndexFunc(o.readers, func(email string) bool { return strings.Contains(j.findings[0], email) })
	for _, a := range o.server.tries() {
		if reader >= 0 && a.to == o.readers[reader] {
			o.t.Logf("%s (killed: %v): %+v", instant(a.now), o.killed[a.run], a)
		}
	}
	for _, a := range o.server.kept() {
		if reader >= 0 && a.to == o.readers[reader] {
			p, _ := o.examine(a.raw)
			o.t.Logf("%s: %s kept %s %q, answered %q", instant(a.now), a.run, p.ID, p.Subject, a.answer)
		}
	}
	o.t.Logf("the queue: %.4000s", o.at(o.now, "--json", "queue"))
}

// every runs ticks at regular intervals for a part of the first day.
func (o *office) every(step, from, until time.Duration) {
	o.t.Helper()
	for since := from; since < until; since += step {
		o.set(firstMidnight().Add(since))
		o.once(o.now)
	}
}

// agenda returns the times of ticks within a day: frequent after midnight, rare later.
func agenda(midnight time.Time) (ticks []time.Time) {
	for _, part := range []struct{ until, step time.Duration }{
		{time.Hour, 5 * time.Minute}, {4 * time.Hour, 20 * time.Minute}, {12 * time.Hour, 2 * time.Hour},
		{oneDay, 4 * time.Hour},
	} {
		last := midnight.Add(-part.step)
		if len(ticks) > 0 {
			last = ticks[len(ticks)-1]
		}
		for at := last.Add(part.step); at.Before(midnight.Add(part.until)); at = at.Add(part.step) {
			ticks = append(ticks, at)
		}
	}
	return ticks
}
