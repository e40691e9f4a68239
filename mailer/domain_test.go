package mailer

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// A town is a server for several domains. Its reply to a recipient depends on the address and the number of attempts.
type town struct {
	sink
	triedMu sync.Mutex
	tried   map[string]int
}

func newTown(rcpt func(to string, n int) string) *town {
	w := &town{tried: map[string]int{}}
	w.recipient = func(to string) string {
		w.triedMu.Lock()
		w.tried[to]++
		n := w.tried[to]
		w.triedMu.Unlock()
		return rcpt(to, n)
	}
	return w
}

func (w *town) attempts() (n int) {
	w.triedMu.Lock()
	defer w.triedMu.Unlock()
	for _, m := range w.tried {
		n += m
	}
	return n
}

func (q *memQueue) spread(n int, domain string) {
	for id, r := range q.rows {
		if int(id)%n == 0 {
			r.Domain, r.Email = domain, fmt.Sprintf("reader%d@%s", id, domain)
		}
	}
}

// TestGreylistedDomain: a domain with greylisting gets the first attempts for all recipients without delay, because
// each delay begins at the first attempt.
func TestGreylistedDomain(t *testing.T) {
	w := newTown(func(_ string, n int) string {
		if n == 1 {
			return "451 4.7.1 please try again later"
		}
		return ""
	})
	q := newMemQueue(300, midnight)
	l := w.deliverer(t, q)
	if got := once(t, l, midnight); got != (Stats{Retried: 300}) {
		t.Errorf("%+v", got)
	}
	if lane := q.lanes["example.org"]; !lane.Until.IsZero() || lane.Width != 1 {
		t.Errorf("%+v", lane)
	}
	if got := once(t, l, midnight.Add(5*time.Minute)); got != (Stats{Sent: 300}) || len(q.lanes) > 0 ||
		w.attempts() != 600 {
		t.Errorf("%+v, %+v, %d attempts", got, q.lanes, w.attempts())
	}
}

// TestDomainThatIsThrottled: a domain that limits mail gets less and others do not. It recovers until all mail is
// delivered.
func TestDomainThatIsThrottled(t *testing.T) {
	var accepting atomic.Bool
	w := newTown(func(to string, _ int) string {
		if strings.HasSuffix(to, "@busy.example") && !accepting.Load() {
			return "451 4.7.650 temporarily rate limited"
		}
		return ""
	})
	q := newMemQueue(200, midnight)
	q.spread(2, "busy.example")
	setting := w.listen(t)
	l := testDeliverer(t, q, openTest(t, setting, Options{}))
	got := once(t, l, midnight)
	lane := q.lanes["busy.example"]
	if got.Sent != 100 || got.Retried > 4 || lane.Width == 0 || !lane.Until.Equal(midnight.Add(time.Minute)) {
		t.Errorf("%+v, %+v", got, lane)
	}
	counted := 0
	for _, r := range q.rows {
		if r.State == digest.EditionReady {
			counted += r.Attempt
			if r.Error != "" && r.NextAt.Before(lane.Until) {
				t.Errorf("edition %d is to be tried at %v", r.ID, r.NextAt)
			}
		}
	}
	if counted != got.Retried {
		t.Errorf("%d attempts are counted, of %d messages that were tried", counted, got.Retried)
	}
	for now := midnight; now.Before(midnight.Add(5 * time.Hour)); now = now.Add(time.Minute) {
		l = testDeliverer(t, q, openTest(t, setting, Options{})) // a new process each minute
		once(t, l, now)
		if lane := q.lanes["busy.example"]; lane.Until.Sub(now) > time.Hour {
			t.Fatalf("%+v", lane)
		}
	}
	if n := w.attempts() - 100; n > 30 {
		t.Errorf("%d attempts at a domain that wants nothing", n)
	}
	accepting.Store(true)
	for now := midnight.Add(5 * time.Hour); now.Before(midnight.Add(11 * time.Hour)); now = now.Add(time.Minute) {
		once(t, l, now)
	}
	wantStates(t, q, states{digest.EditionSent: 200})
	if len(q.lanes) > 0 {
		t.Errorf("it did not recover: %+v", q.lanes)
	}
}

// TestDomainThatRefuses: if a domain refuses all mail of this instance, at most a few readers lose their edition, and
// no address is suppressed.
func TestDomainThatRefuses(t *testing.T) {
	var accepting atomic.Bool
	w := newTown(func(to string, _ int) string {
		if strings.HasSuffix(to, "@strict.example") && !accepting.Load() {
			return "550 5.7.1 listed by a blocklist"
		}
		return ""
	})
	q := newMemQueue(200, midnight)
	q.spread(2, "strict.example")
	l := w.deliverer(t, q)
	got := once(t, l, midnight)
	lane := q.lanes["strict.example"]
	if got.Sent != 100 || got.Failed > 2 || !lane.Alarm || !lane.Until.Equal(midnight.Add(time.Hour)) {
		t.Errorf("%+v, %+v", got, lane)
	}
	failed := got.Failed
	for hour := range 5 {
		before := w.attempts()
		now := midnight.Add(time.Duration(hour+1) * time.Hour)
		if got := once(t, l, now); got.Failed > 0 || got.Retried > mostProbes || w.attempts() > before+mostProbes {
			t.Errorf("in hour %d: %+v, %d attempts", hour+1, got, w.attempts()-before)
		}
	}
	accepting.Store(true)
	once(t, l, midnight.Add(6*time.Hour))
	once(t, l, midnight.Add(6*time.Hour+time.Minute)) // the last probe
	wantStates(t, q, states{digest.EditionSent: 200 - failed, digest.EditionFailed: failed})
	if len(q.bounces) > 0 || len(q.lanes) > 0 {
		t.Errorf("%+v, %+v", q.bounces, q.lanes)
	}
}

// TestLeasesAreKept: a slow worker keeps its claims, and another worker gets none of them.
func TestLeasesAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &sink{answer: slow("DOT", 4*time.Minute)}
		dial := Options{Dial: s.dial}
		q := newMemQueue(20, time.Now())
		var workers sync.WaitGroup
		for range 2 {
			tr := newSMTP(server{host: "mail.example.org", port: 25, security: plain}, dial)
			l := testDeliverer(t, q, tr)
			l.Now, l.Route.Connections = time.Now, 1
			workers.Go(func() {
				defer tr.Close()
				for range 10 {
					once(t, l, time.Now())
					time.Sleep(time.Minute)
				}
			})
			time.Sleep(time.Minute)
		}
		workers.Wait()
		if n := len(s.messages()); n != 20 || len(recipients(t, s.messages())) != 20 || q.renewals == 0 {
			t.Errorf("%d messages, %d renewals", n, q.renewals)
		}
		for _, r := range q.rows {
			if r.Attempt != 1 {
				t.Errorf("%d attempts at edition %d", r.Attempt, r.ID)
			}
		}
		time.Sleep(time.Hour)
	})
}
