package poller

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

// A month plays one feed with a real poller and a site that records its requests, in synctest time.
type month struct {
	*play
	site    *site
	results []Result
	asked   []request
}

// overTheWire plays 52 days of a site and returns its log.
func overTheWire(t *testing.T, answer func(request) string, zones []*time.Location) month {
	n := newNetwork()
	defer n.close()
	s := n.site("a.example:80", answer)
	r := n.reader(t, "http://a.example/feed")
	m := month{site: s, play: &play{
		t: t, zones: zones, spread: usualSpread(), feed: r.feed, now: time.Now,
		until: func(at time.Time) { time.Sleep(time.Until(at)) },
	}}
	m.feed.State = digest.FeedActive
	m.poll = func() {
		result := r.p.Poll(t.Context(), m.feed, len(zones))
		m.feed = result.Feed
		m.store()
		m.results = append(m.results, result)
	}
	m.run(fiftyTwo)
	m.asked = s.log()
	return m
}

// TestS14_Months plays 52 days of one feed with readers in 24 time zones. All polls are at least an hour
// apart, no midnight is skipped, and each poll is one request.
func TestS14_Months(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := overTheWire(t, good(1), hourlyZones(24))
		for i := 1; i < len(m.log); i++ {
			if gap := m.log[i].Sub(m.log[i-1]); gap < time.Hour || gap > time.Hour+4*time.Minute {
				t.Fatalf("polls %v apart", gap)
			}
		}
		for _, q := range m.asked {
			if at := q.at.Minute(); at == 59 || at < 2 {
				t.Fatalf("S35: a request in a hot minute: %v", q.at)
			}
		}
		if want := fiftyTwo * 24; len(m.log) != want || len(m.asked) != want {
			t.Errorf("%d polls and %d requests, want %d", len(m.log), len(m.asked), want)
		}
		if got := strings.Count(methods(m.asked), "HEAD"); got > 1 {
			t.Errorf("S32: %d HEADs before it was known that GET is enough", got)
		}
	})
}

// TestS15_Months holds that a feed that is fresh for exactly a day is polled every day, and never while it
// is fresh, whichever answers state it.
func TestS15_Months(t *testing.T) {
	for why, answer := range map[string]func(request) string{
		"always":     good(1, "Cache-Control: max-age=86400"),
		"only a 304": only("304", good(1), "Cache-Control: max-age=86400"),
		"only a 200": only("200", good(1), "Cache-Control: max-age=86400"),
		"with Age":   good(1, "Cache-Control: max-age=90000", "Age: 3600"),
		"ttl":        conditional(fresh1440, `"1"`, monday),
	} {
		t.Run(why, func(t *testing.T) {
			for _, readers := range []int{1, 24} {
				synctest.Test(t, func(t *testing.T) {
					m := overTheWire(t, answer, hourlyZones(readers))
					first := 1
					if why == "only a 304" {
						first = 2
					}
					for i := first; i < len(m.asked); i++ {
						if gap := m.asked[i].at.Sub(m.asked[i-1].at); gap < oneDay {
							t.Fatalf("%d readers: asked after %v", readers, gap)
						}
					}
					if n := len(m.asked); n < fiftyTwo || n > fiftyTwo+first-1 {
						t.Errorf("%d readers: %d requests in %d days", readers, n, fiftyTwo)
					}
				})
			}
		})
	}
}

func only(status string, answer func(request) string, field string) func(request) string {
	return func(r request) string {
		first, rest, _ := strings.Cut(answer(r), "\r\n")
		if strings.Contains(first, " "+status+" ") {
			rest = field + "\r\n" + rest
		}
		return first + "\r\n" + rest
	}
}

// fresh1440 is a feed whose document states that it is fresh for a day.
const fresh1440 = `<?xml version="1.0"?><rss version="2.0"><channel><title>Weather</title><link>https://weather.example/</link>
<ttl>1440</ttl><item><guid>1</guid><title>Day 1</title><link>https://weather.example/1</link></item></channel></rss>`

// TestS33_Months holds that a feed without validators is requested once a day, whatever number of readers
// it has.
func TestS33_Months(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := overTheWire(t, func(r request) string { return reply(r, 200, atom(1)) }, hourlyZones(24))
		for i := 1; i < len(m.asked); i++ {
			if gap := m.asked[i].at.Sub(m.asked[i-1].at); gap < oneDay {
				t.Fatalf("asked after %v", gap)
			}
		}
		if len(m.asked) < fiftyTwo-1 || len(m.asked) > fiftyTwo {
			t.Errorf("%d requests", len(m.asked))
		}
	})
}
