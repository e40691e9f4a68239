package worker_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/subscribe"
	"digest/worker"
)

// A tarpit is a feed that answers normally until it hangs. Then it sends the header of an answer, and
// sometimes a byte.
type tarpit struct {
	*site
	hangs   atomic.Bool
	caught  chan struct{} // receives a value when a request hangs
	release chan struct{}
}

// newTarpit returns a tarpit on another host than the other sites.
func newTarpit(t *testing.T) *tarpit {
	p := &tarpit{site: &site{}, caught: make(chan struct{}, 10), release: make(chan struct{})}
	p.Server = httptest.NewServer(p)
	p.URL = strings.Replace(p.URL, "127.0.0.1", "localhost", 1)
	t.Cleanup(func() { close(p.release); p.Close() })
	p.publish("of the tarpit")
	return p
}

func (p *tarpit) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.hangs.Load() {
		p.site.ServeHTTP(w, r)
		return
	}
	p.caught <- struct{}{}
	w.WriteHeader(http.StatusOK)
	for {
		select {
		case <-p.release:
			return
		case <-r.Context().Done():
			return
		case <-time.After(50 * time.Millisecond):
			_, _ = w.Write([]byte(" "))
			_ = http.NewResponseController(w).Flush()
		}
	}
}

// A runner is a house with a clock that the test moves.
type runner struct {
	*house
	now atomic.Int64
}

func eachRunner(t *testing.T, clock string, f func(t *testing.T, h *runner)) {
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		h := &runner{house: newHouse(t, st, clock)}
		h.jump(clock)
		f(t, h)
	})
}

func (h *runner) jump(clock string) {
	h.set(clock)
	h.now.Store(h.clock.Unix())
}

func (h *runner) read() time.Time { return time.Unix(h.now.Load(), 0).UTC() }

// running returns a job with that clock and a short nap.
func (h *runner) running() *worker.Job {
	h.t.Helper()
	job := h.job()
	job.Frozen, job.Now, job.Nap, job.Grace = false, h.read, 20*time.Millisecond, 50*time.Millisecond
	job.Mail.Now = h.read
	h.polls(job, poller.Options{UserAgentVersion: "test"})
	return job
}

// polls gives a job another poller on this machine.
func (h *runner) polls(job *worker.Job, o poller.Options) {
	o.BaseURL, o.NoWait, o.Now = "http://localhost:8080", true, h.read
	o.AllowNetworks = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	job.Poller = poller.New(o)
	h.t.Cleanup(job.Poller.Close)
}

// reads adds a reader of sites by their own addresses.
func (h *runner) reads(email, zone string, sites ...*site) {
	h.t.Helper()
	h.reader(email, zone)
	subscriber := subscribe.Subscriber{Store: h.st, Poller: h.running().Poller, Now: h.read}
	for _, s := range sites {
		_, _, err := subscriber.Subscribe(h.t.Context(), digest.Subscription{DigestID: h.d.ID}, s.address())
		ok(h.t, err)
		s.requests()
	}
}

// begin runs work in the background until the test calls stop.
func begin(t *testing.T, work func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); work(ctx) }()
	stop = func() { cancel(); <-over }
	t.Cleanup(stop)
	return stop
}

// await waits until holds returns true. Only a hang reaches its limit.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	for !holds() {
		select {
		case <-end:
			t.Fatalf("never: %s", what)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func (h *runner) mails(n int) func() bool {
	return func() bool { got, _ := h.inbox(); return got == n }
}

// TestClaimsWhileAPollHangs holds that feeds of other readers are polled at their midnight, and their
// editions are sent, while a site hangs.
func TestClaimsWhileAPollHangs(t *testing.T) {
	eachRunner(t, "2026-11-19 10:00", func(t *testing.T, h *runner) {
		slow, honest := newTarpit(t), newSite(t, "first")
		h.reads("slow@example.org", "Asia/Kathmandu", slow.site) // midnight at 18:15
		h.reads("honest@example.org", "Asia/Kolkata", honest)    // at 18:30
		slow.hangs.Store(true)
		honest.publish("second")
		h.jump("2026-11-19 18:15")
		job := h.running()
		begin(t, func(ctx context.Context) { _ = job.Run(ctx) })
		<-slow.caught
		h.jump("2026-11-19 18:30")
		await(t, "the edition that waits for no slow feed", h.mails(1))
		if _, text := h.inbox(); !strings.Contains(text, "second") {
			t.Error("the honest feed was not asked")
		}
	})
}

// TestTickReleasesWhileAPollHangs holds that a tick releases editions that wait for no slow feed while a
// poll is in flight, and the others at the deadline.
func TestTickReleasesWhileAPollHangs(t *testing.T) {
	eachRunner(t, "2026-11-19 10:00", func(t *testing.T, h *runner) {
		slow, honest := newTarpit(t), newSite(t, "first")
		h.reads("slow@example.org", "UTC", slow.site, honest)
		h.reads("honest@example.org", "UTC", honest)
		slow.hangs.Store(true)
		honest.publish("second")
		h.jump("2026-11-20 00:00")
		job := h.running()
		begin(t, func(ctx context.Context) { _, _ = job.Tick(ctx) })
		<-slow.caught
		await(t, "the edition that waits for no slow feed", h.mails(1))
		h.jump("2026-11-20 00:30")
		await(t, "the edition that waits for the slow feed, at its deadline", h.mails(2))
	})
}

// TestReleaseAtTheDeadline holds that a digest is released exactly at its deadline if another worker does
// not finish its feed.
func TestReleaseAtTheDeadline(t *testing.T) {
	storetest.EachAddress(t, func(t *testing.T, database string) {
		h := houseOfMany(t, database, 1)
		if n := claimAndKill(t, h, 15*time.Minute); n != 1 { // plans at midnight
			t.Fatalf("claimed %d feeds", n)
		}
		synctest.Test(t, func(t *testing.T) {
			job := h.running(t, database, h.clock.Add(3*time.Second))
			ctx, stop := context.WithCancel(t.Context())
			var at time.Time
			job.Report = func(e worker.Event) {
				if e.Kind == worker.EventReleased {
					at = e.At
					stop()
				}
			}
			ok(t, job.Run(ctx))
			if want := h.clock.Add(h.spread.Deadline); at.Sub(want).Abs() > time.Second {
				t.Errorf("released at %v, want %v", at, want)
			}
		})
	})
}

// TestStopGivesBack holds that a stop ends hanging polls after the grace. If a request was sent, the
// attempt counts for the gap. A feed that only waited is polled by the next worker.
func TestStopGivesBack(t *testing.T) {
	eachRunner(t, "2026-11-19 10:00", func(t *testing.T, h *runner) {
		slow, waiting := newTarpit(t), newSite(t, "first")
		h.reads("utc@example.org", "UTC", slow.site, waiting)
		slow.hangs.Store(true)
		waiting.publish("second")
		h.jump("2026-11-20 00:00")
		ok(t, h.st.Feeds.Vouch(t.Context(), h.feed(slow.site).ID, h.clock))
		job := h.running()
		h.polls(job, poller.Options{Requests: 1, SlowAfter: time.Hour, Timeout: time.Hour})
		stop := begin(t, func(ctx context.Context) { _, _ = job.Poll(ctx) })
		<-slow.caught
		ok(t, h.st.Feeds.Vouch(t.Context(), h.feed(waiting).ID, h.clock))
		await(t, "the claim of the feed that has to wait for the wire",
			func() bool { return !h.feed(waiting).LeaseUntil.IsZero() })
		stop()
		for _, s := range []*site{slow.site, waiting} {
			if f := h.feed(s); !f.LeaseUntil.IsZero() || f.PollAt.IsZero() || f.Errors > 0 {
				t.Errorf("%s: leased until %v, queued for %v, %d errors", f.URL, f.LeaseUntil, f.PollAt, f.Errors)
			}
		}
		if f := h.feed(slow.site); !f.LastAttemptAt.Equal(h.clock) {
			t.Errorf("the attempt does not count: %v", f.LastAttemptAt)
		}
		slow.hangs.Store(false)
		slow.requests()
		sum, err := h.running().Poll(t.Context())
		if err != nil || sum.Polled != 1 || waiting.requests() == "" || slow.requests() != "" {
			t.Errorf("after the stop: %+v, %v; want the one that had waited, and no other within the gap", sum, err)
		}
	})
}
