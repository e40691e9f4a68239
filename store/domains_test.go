package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// inDomain adds feeds on hosts of one registrable domain, taken and queued.
func (w world) inDomain(domain string, n int, queued time.Time) []digest.Feed {
	w.t.Helper()
	var items []store.ImportItem
	for i := range n {
		host := fmt.Sprintf("h%d.%s", i, domain)
		items = append(items, store.ImportItem{URL: "https://" + host + "/feed", Host: host, Domain: domain})
	}
	_, err := w.Import(w.ctx(), w.reader("of "+domain, "UTC").ID, items, 1e6, queued)
	w.ok(err)
	feeds := make([]digest.Feed, n)
	for i, it := range items {
		feeds[i], err = w.FeedByURL(w.ctx(), it.URL)
		w.ok(err)
	}
	return feeds
}

// An outcome is what a poll means for its domain.
type outcome func(*store.Polled)

func limited(p *store.Polled) {
	p.Feed.LastStatus, p.Feed.Errors, p.Feed.LastOKAt = 429, 1, p.Was.LastOKAt
}

// busy is a 503 that named a time; failing is one that did not.
func busy(p *store.Polled) { limited(p); p.Feed.LastStatus = 503 }

func failing(p *store.Polled) { busy(p); p.Feed.FirstErrorAt = noon }

func well(p *store.Polled) { p.Feed.Errors = 0 }

// asked polls a feed of a domain at an instant, whatever its record says.
func (w world) askedOnce(f digest.Feed, now time.Time, o outcome) {
	w.t.Helper()
	w.ok(w.Exec(w.ctx(), `UPDATE feed_times SET poll_at = CASE WHEN feed_id = ? THEN CAST(? AS BIGINT) ELSE NULL END, last_attempt_at = 0, not_before = 0`, f.ID, now.Unix()))
	w.ok(w.Exec(w.ctx(), `UPDATE hosts SET lease_until = 0`))
	claimed, _, err := w.ClaimFeeds(w.ctx(), now, store.ClaimOptions{N: 1, Lease: time.Hour, Token: "o"})
	w.ok(err)
	want(w.t, "claimed", len(claimed), 1)
	w.end(now, claimed[0], o)
}

func (w world) pace(domain string) time.Duration {
	w.t.Helper()
	n, err := w.Count(w.ctx(), `SELECT COALESCE(MAX(pace), 0) FROM domains WHERE domain = ?`, domain)
	w.ok(err)
	return time.Duration(n) * time.Second
}

func TestLimitedDomains(t *testing.T) {
	type poll struct {
		minute int
		feed   int
		o      outcome
	}
	cases := []struct {
		name  string
		polls []poll
		pace  time.Duration
	}{
		{"one is no domain", []poll{{0, 0, limited}}, 0},
		{"one twice is one", []poll{{0, 0, limited}, {5, 0, limited}}, 0},
		{"two within ten minutes", []poll{{0, 0, limited}, {10, 1, limited}}, time.Minute},
		{"two too far apart", []poll{{0, 0, limited}, {11, 1, limited}}, 0},
		{"the second of them counts on", []poll{{0, 0, limited}, {11, 1, limited}, {15, 2, limited}}, time.Minute},
		{"503 with a time", []poll{{0, 0, busy}, {1, 1, limited}}, time.Minute},
		{"503 without one", []poll{{0, 0, failing}, {1, 1, failing}}, 0},
		{"half a pair more", []poll{{0, 0, limited}, {1, 1, limited}, {3, 2, limited}}, time.Minute},
		{"a further pair", []poll{{0, 0, limited}, {1, 1, limited}, {3, 2, limited}, {5, 0, limited}}, 2 * time.Minute},
		{"a good poll", []poll{{0, 0, limited}, {1, 1, limited}, {3, 2, limited}, {5, 0, limited}, {15, 1, well}}, time.Minute},
		{"a good poll so soon", []poll{{0, 0, limited}, {1, 1, limited}, {10, 1, well}}, time.Minute},
		{"it ends", []poll{{0, 0, limited}, {1, 1, limited}, {11, 2, well}}, 0},
		{"an error is neither", []poll{{0, 0, limited}, {1, 1, limited}, {3, 2, failing}}, time.Minute},
		{"asked before it was slowed", []poll{{0, 0, limited}, {1, 1, limited}, {1, 2, limited}, {1, 0, limited}, {1, 2, well}}, time.Minute},
	}
	each(t, func(w world) {
		for i, c := range cases {
			domain := fmt.Sprintf("d%d.example", i)
			feeds := w.inDomain(domain, 3, noon)
			for _, p := range c.polls {
				w.askedOnce(feeds[p.feed], noon.Add(time.Duration(p.minute)*time.Minute), p.o)
			}
			want(w.t, c.name, w.pace(domain), c.pace)
		}
	})
}

// However often a domain limits us it is asked once an hour at least.
func TestPaceHasAnEnd(t *testing.T) {
	each(t, func(w world) {
		feeds := w.inDomain("example.org", 2, noon)
		now := noon
		for i := range 20 {
			now = now.Add(5 * time.Minute)
			w.askedOnce(feeds[i%2], now, limited)
		}
		want(w.t, "pace", w.pace("example.org"), time.Hour)
		for range 6 {
			now = now.Add(time.Hour)
			w.askedOnce(feeds[0], now, well)
		}
		want(w.t, "after six good polls", w.pace("example.org"), 0)
		w.prune(now.Add(24 * time.Hour))
		w.holds("remembered", 1, `SELECT count(*) FROM domains`)
		w.prune(now.Add(31 * 24 * time.Hour))
		w.holds("forgotten", 0, `SELECT count(*) FROM domains`)
	})
}

// Claims keep to the pace, however many workers there are; others are not held up.
func TestClaimsKeepToThePace(t *testing.T) {
	const feeds, workers = 9, 4
	each(t, func(w world) {
		w.inDomain("slow.example", feeds, noon)
		w.inDomain("quick.example", feeds, noon.Add(time.Second))
		w.ok(w.Exec(w.ctx(), `INSERT INTO domains (domain, limited_at, pace, free_at) VALUES ('slow.example', ?, 60, ?)`, noon.Unix(), noon.Add(time.Minute).Unix()))
		claimAll := func(now time.Time) map[string]int {
			var mu sync.Mutex
			var wg sync.WaitGroup
			got := make(map[string]int)
			for i := range workers {
				wg.Go(func() {
					for round := range 20 {
						claimed, _, err := w.ClaimFeeds(w.ctx(), now, store.ClaimOptions{N: 4, Lease: time.Hour, Token: fmt.Sprint(now, i, round), Pace: true})
						if err != nil {
							w.t.Error(err)
						}
						mu.Lock()
						for _, c := range claimed {
							got[c.Domain]++
						}
						mu.Unlock()
					}
				})
			}
			wg.Wait()
			return got
		}
		got := claimAll(noon.Add(30 * time.Second))
		want(w.t, "of the domain that rests", got["slow.example"], 0)
		want(w.t, "of the other", got["quick.example"], feeds)
		for minute := 1; minute <= 3; minute++ {
			now := noon.Add(time.Duration(minute) * time.Minute)
			next, _, err := w.NextPoll(w.ctx())
			w.ok(err)
			want(w.t, "next poll", next, now)
			want(w.t, "in its minute", claimAll(now)["slow.example"], 1)
			want(w.t, "within it", claimAll(now.Add(59 * time.Second))["slow.example"], 0)
		}
		frozen, _, err := w.ClaimFeeds(w.ctx(), noon.Add(3*time.Minute), store.ClaimOptions{N: 50, Lease: time.Hour, Token: "f"})
		w.ok(err)
		want(w.t, "by a clock that stands still", len(frozen), feeds-3)
	})
}

// Two workers store limited polls of one domain at once: that is a pair.
func TestLimitedAtOnce(t *testing.T) {
	each(t, func(w world) {
		for i := range 10 {
			domain := fmt.Sprintf("d%d.example", i)
			w.inDomain(domain, 2, noon)
			claimed := w.claim(noon, 9, "t")
			want(w.t, "claimed", len(claimed), 2)
			var wg sync.WaitGroup
			for _, c := range claimed {
				wg.Go(func() { w.end(noon, c, limited) })
			}
			wg.Wait()
			want(w.t, "pace", w.pace(domain), time.Minute)
		}
	})
}
