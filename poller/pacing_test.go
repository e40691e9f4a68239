package poller

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"digest"
	"digest/feed"
)

// manyHosts polls a feed on each of many slow hosts. It returns the maximum number of requests at the same
// time, and when the last poll ended.
func manyHosts(t *testing.T, hosts, requests int, takes time.Duration) (most int, last time.Duration) {
	inNetwork(t, func(t *testing.T, n *network) {
		var g gauge
		slow := func(r request) string {
			g.take(takes)
			return good(1)(r)
		}
		r := n.reader(t, "http://a.example/", func(o *Options) { o.Requests = requests })
		begun := time.Now()
		var wg sync.WaitGroup
		for i := range hosts {
			host := fmt.Sprintf("h%d.example", i)
			n.site(host+":80", slow)
			wg.Go(func() {
				f := digest.Feed{URL: "http://" + host + "/", Host: host}
				if result := r.p.Poll(t.Context(), f, 1); result.Outcome != Changed || result.Took != takes {
					t.Errorf("%s after %v", result.Message, result.Took)
				}
			})
		}
		wg.Wait()
		most, last = g.most, time.Since(begun)
	})
	return most, last
}

// TestS34_NoMoreThanSome holds that the numbers of new and of slow requests are limited, whatever number of
// hosts there is.
func TestS34_NoMoreThanSome(t *testing.T) {
	for _, test := range []struct {
		hosts, requests, most int
		takes                 time.Duration
	}{
		{50, 0, 20, time.Second / 2},
		{50, 3, 3, time.Second / 2},
		{100, 3, 3 + 3*slowEach, 29 * time.Second},
	} {
		if most, _ := manyHosts(t, test.hosts, test.requests, test.takes); most != test.most {
			t.Errorf("%d requests at once, want %d: %+v", most, test.most, test)
		}
	}
}

// TestSlowSitesInTime holds that polls end long before the deadline of a midnight, even if all polls that
// may be in flight are slow.
func TestSlowSitesInTime(t *testing.T) {
	if _, last := manyHosts(t, 250, 0, 25*time.Second); last > time.Minute {
		t.Errorf("250 slow sites took %v", last)
	}
}

// TestTarpitsHoldUpNobody holds that a feed behind unresponsive sites is polled soon.
func TestTarpitsHoldUpNobody(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		r := n.reader(t, "http://good.example/")
		n.site("good.example:80", good(1))
		var wg sync.WaitGroup
		for i := range 200 {
			host := fmt.Sprintf("tarpit%d.example", i)
			n.site(host+":80", func(request) string { time.Sleep(time.Hour); return "" })
			wg.Go(func() { r.p.Poll(t.Context(), digest.Feed{URL: "http://" + host + "/", Host: host}, 1) })
		}
		synctest.Wait()
		begun := time.Now()
		result := r.p.Poll(t.Context(), r.feed, 1)
		if took := time.Since(begun); result.Outcome != Changed || took > 11*time.Second {
			t.Errorf("%s after %v", result.Message, took)
		}
		wg.Wait()
	})
}

// A register leases hosts like a store, and records the leases.
type register struct {
	mu   sync.Mutex
	held map[string]time.Time // until when
	log  []string
}

func (g *register) LeaseHost(_ context.Context, now time.Time, host string, lease time.Duration) (string, time.Time,
	error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if until := g.held[host]; until.After(now) {
		return "", until, nil
	}
	g.held[host] = now.Add(lease)
	g.log = append(g.log, "leased "+host)
	return "token", time.Time{}, nil
}

func (g *register) GiveBackHost(_ context.Context, host, token string, free time.Time) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if token != "token" {
		return errors.New("freed with " + token)
	}
	g.held[host] = free
	g.log = append(g.log, fmt.Sprintf("freed %s in %v", host, time.Until(free)))
	return nil
}

// TestS34_AcrossWorkers holds that the target host of a redirect is leased for the request and pauses after
// it. The caller leases the feed's own host.
func TestS34_AcrossWorkers(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("b.example:80", good(1))
		n.site("a.example:80", says(302, "", "Location: http://b.example/feed"))
		hosts := &register{held: map[string]time.Time{"b.example": time.Now().Add(90 * time.Second)}}
		r := n.reader(t, "http://a.example/feed", func(o *Options) { o.Hosts = hosts })
		begun := time.Now()
		if result := r.p.Poll(t.Context(), r.feed, 1); result.Outcome != Changed {
			t.Fatal(result.Message)
		}
		if waited := s.log()[0].at.Sub(begun); waited < 90*time.Second || waited > 92*time.Second {
			t.Errorf("asked after %v", waited)
		}
		if got := strings.Join(hosts.log, ", "); got != "leased b.example, freed b.example in 2s" {
			t.Error(got)
		}
	})
}

// TestS34_HostThatStaysBusy holds that the poll ends without a failure of the feed.
func TestS34_HostThatStaysBusy(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("b.example:80", good(1))
		n.site("a.example:80", says(302, "", "Location: http://b.example/feed"))
		hosts := &register{held: map[string]time.Time{"b.example": time.Now().Add(time.Hour)}}
		r := n.reader(t, "http://a.example/feed", func(o *Options) { o.Hosts = hosts })
		begun := time.Now()
		result := r.p.Poll(t.Context(), r.feed, 1)
		if f := result.Feed; result.Outcome != Stopped || f.Errors != 0 || f.LastAttemptAt.IsZero() ||
			time.Since(begun) > 3*time.Minute {
			t.Errorf("%+v after %v", result, time.Since(begun))
		}
		asked(t, s, "")
	})
}

// TestS34_ToEachOther has two feeds whose hosts redirect to each other. One poll gives up before the other,
// which then succeeds.
func TestS34_ToEachOther(t *testing.T) {
	const rounds = 20
	stuck := 0
	for range rounds {
		inNetwork(t, func(t *testing.T, n *network) {
			hosts := &register{held: map[string]time.Time{}}
			for _, way := range [][2]string{{"a.example", "b.example"}, {"b.example", "a.example"}} {
				hosts.held[way[0]] = time.Now().Add(15 * time.Minute) // by the claim of its feed
				n.site(way[0]+":80", func(q request) string {
					if q.target == "/feed" {
						return good(1)(q)
					}
					return reply(q, 302, "", "Location: http://"+way[1]+"/feed")
				})
			}
			r := n.reader(t, "http://a.example/x", func(o *Options) { o.Hosts = hosts })
			outcomes := make([]Outcome, 2)
			var wg sync.WaitGroup
			for i, host := range []string{"a.example", "b.example"} {
				wg.Go(func() {
					result := r.p.Poll(t.Context(), digest.Feed{ID: digest.FeedID(i + 1), URL: "http://" + host +
						"/x", Host: host}, 1)
					outcomes[i] = result.Outcome
					time.Sleep(time.Second) // the time of the database
					hosts.mu.Lock()
					defer hosts.mu.Unlock()
					hosts.held[host] = result.HostFreeAt
				})
			}
			wg.Wait()
			if outcomes[0] != Changed && outcomes[1] != Changed {
				stuck++
			}
		})
	}
	if stuck > rounds/2 {
		t.Errorf("%d times of %d both gave up", stuck, rounds)
	}
}

// TestS34_SearchLeases holds that a search leases every host that it uses.
func TestS34_SearchLeases(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("a.example:80", good(1))
		hosts := &register{held: map[string]time.Time{}}
		r := n.reader(t, "http://a.example/feed", func(o *Options) { o.Hosts = hosts })
		if _, err := find(r.p, "http://a.example/feed"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(hosts.log, ", "); got != "leased a.example, freed a.example in 2s" {
			t.Error(got)
		}
	})
}

// TestS35_NoRequestInHotMinutes holds that a poll that began before minute :59 sends nothing in the hot
// minutes. A poll that somebody starts then continues.
func TestS35_NoRequestInHotMinutes(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		s := n.site("a.example:80", good(1))
		r := n.reader(t, "http://a.example/feed", head(HeadAlways))
		r.feed = r.p.Poll(t.Context(), r.feed, 1).Feed // at minute 0
		s.answers(good(2))
		s.log()
		time.Sleep(time.Until(time.Now().Truncate(time.Hour).Add(59*time.Minute - time.Second)))
		if result := r.p.Poll(t.Context(), r.feed, 1); result.Outcome != Changed || result.Took > time.Second {
			t.Errorf("%s, took %v", result.Message, result.Took)
		}
		log := asked(t, s, "HEAD GET")
		if m := log[1].at.Minute(); log[0].at.Minute() != 58 || m != 2 {
			t.Errorf("HEAD at %v, GET at %v", log[0].at, log[1].at)
		}
	})
}

// TestS38_OneAddressAPoll holds that a poll's GET uses the address of its HEAD, even with a new connection,
// and that the next poll chooses again.
func TestS38_OneAddressAPoll(t *testing.T) {
	served := map[string]int{}
	var mu sync.Mutex
	s := newSiteAt(t, "0.0.0.0:0", nil)
	_, port, _ := strings.Cut(s.address, ":")
	g := newGuard(loopback())
	turn := 0
	g.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		turn++
		a, b := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
		if turn%2 == 0 {
			a, b = b, a
		}
		return []netip.Addr{a, b}, nil
	}
	s.answers(func(r request) string {
		mu.Lock()
		served[r.to]++
		mu.Unlock()
		return reply(r, 200, atom(len(r.method)+turn), "Connection: close", `ETag: "`+fmt.Sprint(turn)+`"`)
	})
	r := newReader(t, "http://a.example:"+port+
		"/feed", func(o *Options) { o.DialContext, o.Head = g.DialContext, HeadAlways })
	for range 4 {
		clear(served)
		r.want(Changed)
		if len(served) != 1 {
			t.Errorf("one poll came to %v", served)
		}
	}
	if turn < 7 {
		t.Errorf("%d connections", turn)
	}
}

// TestTookWithAFrozenClock holds that the time of a poll is measured by the real clock.
func TestTookWithAFrozenClock(t *testing.T) {
	inNetwork(t, func(t *testing.T, n *network) {
		n.site("a.example:80", func(r request) string {
			time.Sleep(25 * time.Second)
			return reply(r, 302, "", "Location: "+r.target+"x")
		})
		at := time.Now()
		r := n.reader(t, "http://a.example/", func(o *Options) {
			o.Now, o.NoWait = func() time.Time { return at },
				true
		})
		f := digest.Feed{URL: "http://a.example/", Host: feed.Host("http://a.example/")}
		if result := r.p.Poll(t.Context(), f, 1); result.Took != 2*time.Minute || result.Outcome != Failed {
			t.Errorf("%s after %v", result.Message, result.Took)
		}
	})
}
