package acceptance

import (
	"strings"
	"sync"
	"testing"
	"time"

	"digest/store/storetest"
	"digest/test/program"
	"digest/test/tier"
)

// The behaviours of hubs in the month.
const (
	honestHub = "honest" // pushes new posts immediately
	secondHub = "second" // pushes the same feeds as the honest hub
	twiceHub  = "twice"  // pushes each post twice, without others
	neverHub  = "never"  // confirms subscriptions, but never pushes
	awayHub   = "away"   // does not respond for a week
	lateHub   = "late"   // pushes a day late
)

// hubsOfMonth returns the hubs that the n-th pushed feed names.
func hubsOfMonth(n int) []string {
	switch {
	case n < 10:
		return []string{honestHub, secondHub}
	case n < 60:
		return []string{honestHub}
	case n < 70:
		return []string{twiceHub}
	case n < 80:
		return []string{neverHub}
	case n < 90:
		return []string{awayHub}
	}
	return []string{lateHub}
}

// A month simulates a month of an instance with pushes, and of its twin, which only polls.
type month struct {
	*pushWorld
	main, twin *house
	base       string
	begin      time.Time
	posted     map[string]int            // by post: its day
	mailed     map[*house]map[string]int // by post: the day at whose end it was mailed
	inboxes    map[*house]*letterbox
	pushes     int
}

// TestThirtyDaysOfPushes uses 200 feeds for thirty days, half of them with all kinds of hubs, beside a twin that only
// polls. No post is lost or repeated, and no forged post arrives. A post is late only if its hub lost it. The test
// counts the saved requests.
func TestThirtyDaysOfPushes(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	const feeds, days = 200, 30
	address := program.FreeAddress(t)
	m := &month{pushWorld: newPushWorld(t), base: "http://" +
		address, begin: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), posted: map[string]int{}}
	for n := range feeds {
		if n%2 == 0 {
			m.add(hubsOfMonth(n / 2)...)
		} else {
			m.add()
		}
	}
	m.main, m.twin = newHouse(t, storetest.SQLite(t)), newHouse(t, storetest.SQLite(t))
	m.inboxes = map[*house]*letterbox{m.main: newLetterbox(m.main), m.twin: newLetterbox(m.twin)}
	m.mailed = map[*house]map[string]int{m.main: {}, m.twin: {}}
	for _, h := range []*house{m.main, m.twin} {
		h.Set("DIGEST_POLL_WINDOW=0", "DIGEST_HOST_INTERVAL=100ms", "DIGEST_LOG_LEVEL=warn",
			"DIGEST_METRICS_TOKEN=secret-of-metrics", "SSL_CERT_FILE="+m.trust)
	}
	m.main.Set("DIGEST_BASE_URL=" + m.base)
	m.main.follow(m.pushWorld, m.begin.Add(8*time.Hour), "/pushed.xml", 50)
	m.twin.follow(m.pushWorld, m.begin.Add(8*time.Hour), "/polled.xml", 50)
	m.midnight(m.begin.Add(10*time.Hour), -1)
	for d := range days {
		m.day(d, address)
		m.midnight(m.begin.Add(time.Duration(d+1)*day), d)
	}
	m.judge(days)
}

// midnight runs both houses at a time, and reads their mail.
func (m *month) midnight(at time.Time, d int) {
	m.t.Helper()
	m.mu.Lock()
	m.verified = false // no server listens during the tick
	m.mu.Unlock()
	var both sync.WaitGroup
	for h := range m.inboxes {
		both.Go(func() {
			if o := h.try(m.t.Context(), "--now", instant(at), "tick"); o.status != 0 {
				m.t.Errorf("tick: %s", o.stderr)
			}
		})
	}
	both.Wait()
	for h, in := range m.inboxes {
		for _, l := range in.arrived(m.t) {
			for post := range l.posts {
				if was, again := m.mailed[h][post]; again {
					m.t.Errorf("%s was mailed on the days %d and %d", post, was, d)
				}
				m.mailed[h][post] = d
			}
		}
	}
}

// day publishes the posts of a day at noon, and makes the hubs push them.
func (m *month) day(d int, address string) {
	m.t.Helper()
	m.mu.Lock()
	m.away[awayHub] = d >= 12 && d < 19
	m.verified = true
	m.mu.Unlock()
	server := m.main.pushServer(address, m.begin.Add(time.Duration(d)*day+12*time.Hour))
	m.verifyAll() // subscriptions of midnight, when no server listened
	if d == 0 {
		m.awaitPromises(110) // of 100 feeds, ten of which name two hubs
	}
	for _, f := range m.feeds {
		if (d+f.n/2)%(1+f.n/2%5) == 0 {
			m.posted[m.publish(f)] = d
		}
		for _, hub := range f.hubs {
			m.pushes += m.pushDay(hub, f, d)
		}
	}
	for callback := range m.callbacks(honestHub, m.feeds[0]) {
		if status := m.deliver(callback, m.document(m.feeds[0], "/pushed.xml",
			[]string{"http://site-999.example/posts/1"}), "no secret"); status/100 != 2 {
			m.t.Errorf("a forged push is answered %d", status)
		}
	}
	m.main.awaitMetric(m.base, "digest_pushes_total", m.pushes)
	server.Stop()
	if m.t.Failed() {
		m.t.FailNow()
	}
}

// pushDay pushes a feed's posts of a day as the hub would, and returns the number of accepted bodies.
func (m *month) pushDay(hub string, f *pushedFeed, d int) (accepted int) {
	fresh := m.posted[f.posts[0]] == d && len(f.posts) > 1
	late := len(f.posts) > 2 && m.posted[f.posts[1]] == d-1 || len(f.posts) > 1 && m.posted[f.posts[0]] == d-1
	switch {
	case hub == lateHub && late:
		return m.push(hub, f, f.posts[1:])
	case hub == lateHub, hub == neverHub, hub == awayHub && m.away[awayHub], !fresh:
		return 0
	case hub == twiceHub:
		return m.push(hub, f, f.posts[:1]) + m.push(hub, f, f.posts[:1])
	}
	return m.push(hub, f, f.posts)
}

// judge compares mailed and published posts, and counts requests.
func (m *month) judge(days int) {
	m.t.Helper()
	type sum struct{ feeds, posts, late, main, twin int }
	sums := map[string]*sum{}
	for _, f := range m.feeds {
		group := strings.Join(f.hubs, " and ")
		s := sums[group]
		if s == nil {
			s = &sum{}
			sums[group] = s
		}
		s.feeds++
		s.main, s.twin = s.main+f.requests["/pushed.xml"], s.twin+f.requests["/polled.xml"]
		for _, post := range f.posts[:len(f.posts)-1] {
			s.posts++
			posted := m.posted[post]
			if at, came := m.mailed[m.twin][post]; !came || at != posted {
				m.t.Errorf("the twin mailed %s of day %d on day %d (%t)", post, posted, at, came)
			}
			at, came := m.mailed[m.main][post]
			// its hub lost the post, and the feed relies on the hub
			weekly := group == awayHub && posted >= 12 && posted < 19
			switch {
			case !came && !(weekly && posted+8 > days):
				m.t.Errorf("lost: %s of day %d, of the hub %q", post, posted, group)
			case came && at != posted && (!weekly || at > posted+8):
				m.t.Errorf("late: %s of day %d came on day %d, of the hub %q", post, posted, at, group)
			case at != posted:
				s.late++
			}
		}
	}
	if _, came := m.mailed[m.main]["http://site-999.example/posts/1"]; came {
		m.t.Error("a forged post was mailed")
	}
	all := sum{}
	for group, s := range sums {
		m.t.Logf("%q: %+v", group, *s)
		all.main, all.twin = all.main+s.main, all.twin+s.twin
	}
	hubs := m.asked["subscribe"] + m.asked["unsubscribe"]
	m.t.Logf("%d requests to feeds and %d to hubs (%v) in %d days, twin %d; %d pushes", all.main, hubs, m.asked, days,
		all.twin, m.pushes)
	if s := sums[honestHub]; s.main*2 > s.twin {
		m.t.Errorf("feeds with an honest hub were asked %d times, those of the twin %d", s.main, s.twin)
	}
	if s := sums[""]; s.main != s.twin {
		m.t.Errorf("feeds without a hub were asked %d times, those of the twin %d", s.main, s.twin)
	}
	if all.main+hubs >= all.twin {
		m.t.Errorf("%d requests with hubs, %d without", all.main+hubs, all.twin)
	}
}
