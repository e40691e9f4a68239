package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// inDomain adds feeds on hosts of one registrable domain, with a reader, and queues them.
func (w world) inDomain(domain string, n int, queued time.Time) []digest.Feed {
	w.Helper()
	var items []store.ImportItem
	for i := range n {
		host := fmt.Sprintf("h%d.%s", i, domain)
		items = append(items, store.ImportItem{URL: "https://" + host + "/feed", Host: host, Domain: domain})
	}
	must(w.Subscriptions.Import(w.ctx, w.reader("of "+domain, "UTC").ID, items, 1e6, queued))
	feeds := make([]digest.Feed, n)
	for i, it := range items {
		feeds[i] = must(w.Feeds.FeedByURL(w.ctx, it.URL))
	}
	return feeds
}

// An outcome changes a poll to a result that affects its domain.
type outcome func(*store.Polled)

func limited(p *store.Polled) {
	p.Feed.LastStatus, p.Feed.Errors, p.Feed.LastOKAt = 429, 1, p.Was.LastOKAt
}

// busy is a 503 with a Retry-After; failing is one without.
func busy(p *store.Polled) { limited(p); p.Feed.LastStatus = 503 }

func failing(p *store.Polled) { busy(p); p.Feed.FirstErrorAt = noon }

func well(p *store.Polled) { p.Feed.Errors = 0 }

// askedOnce polls a feed of a domain at an instant, regardless of its record and its domain's pace.
func (w world) askedOnce(f digest.Feed, now time.Time, o outcome) {
	w.Helper()
	w.exec(`UPDATE feed_times SET poll_at = CASE WHEN feed_id = ? THEN CAST(? AS BIGINT) ELSE NULL END, `+
		`last_attempt_at = CASE WHEN feed_id = ? THEN 0 ELSE last_attempt_at END, not_before = 0`, f.ID,
		now.Unix(), f.ID)
	w.exec(`UPDATE hosts SET lease_until = 0`)
	w.exec(`UPDATE domains SET free_at = 0`)
	claimed, _ := must2(w.Feeds.ClaimFeeds(w.ctx, now, store.ClaimOptions{N: 1, Lease: time.Hour, Token: "o"}))
	want(w, "claimed", len(claimed), 1)
	w.end(now, claimed[0], o)
}

func (w world) pace(domain string) time.Duration {
	w.Helper()
	n := w.count(`SELECT COALESCE(MAX(pace), 0) FROM domains WHERE domain = ?`, domain)
	return time.Duration(n) * time.Second
}

// A domain is paced after three refusals within an hour, and free again after good answers.
func TestLimitedDomains(t *testing.T) {
	each(t, func(w world) {
		feeds := w.inDomain("example.org", 3, noon)
		minute := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Minute) }
		for i, f := range feeds {
			want(w, "before", w.pace("example.org"), 0)
			w.askedOnce(f, minute(i), limited)
		}
		want(w, "after three", w.pace("example.org"), time.Minute)
		w.askedOnce(feeds[0], minute(4), busy)
		want(w, "after a fourth", w.pace("example.org"), 2*time.Minute)
		w.askedOnce(feeds[1], minute(6), failing)
		w.askedOnce(feeds[1], minute(7), well)
		want(w, "a good answer so soon", w.pace("example.org"), 2*time.Minute)
		w.askedOnce(feeds[1], minute(20), well)
		want(w, "a good answer", w.pace("example.org"), time.Minute)
		for i := range 97 {
			w.askedOnce(feeds[i%3], minute(21+i), well)
		}
		want(w, "after many", w.pace("example.org"), 0)
		w.prune(noon.Add(day))
		w.holds("remembered", 1, `SELECT count(*) FROM domains`)
		w.prune(noon.Add(31 * day))
		w.holds("forgotten", 0, `SELECT count(*) FROM domains`)
	})
}

// An IP address is paced as a domain is if it serves more than 20 of our hosts, whatever their domains.
func TestLimitedAddresses(t *testing.T) {
	for _, hosts := range []int{20, 21} {
		each(t, func(w world) {
			var feeds []digest.Feed
			for i := range hosts {
				feeds = append(feeds, w.inDomain(fmt.Sprintf("d%d.example", i), 1, noon)...)
			}
			for i, f := range feeds {
				w.askedOnce(f, noon.Add(time.Duration(i)*time.Second),
					func(p *store.Polled) { well(p); p.Feed.Address = "192.0.2.1" })
			}
			for i := range 3 {
				w.askedOnce(feeds[i], noon.Add(time.Minute+time.Duration(i)*time.Second), limited)
			}
			paced := hosts > 20
			want(w, fmt.Sprintf("%d hosts are paced", hosts), w.pace("192.0.2.1") == time.Minute, paced)
			want(w, "their domains are", w.pace("d0.example"), 0)
			w.exec(`UPDATE feed_times SET poll_at = ?, last_attempt_at = 0, not_before = 0, askable_at = 0`,
				noon.Unix())
			w.exec(`UPDATE hosts SET lease_until = 0`)
			n := len(w.claim(noon.Add(90*time.Second), hosts, "early"))
			free := 0
			if !paced {
				free = hosts
			}
			want(w, "claimed before the address is free", n, free)
			if paced {
				next, _ := must2(w.Feeds.NextPoll(w.ctx))
				want(w, "the next poll", next, noon.Add(2*time.Minute+2*time.Second))
				want(w, "claimed then", len(w.claim(noon.Add(3*time.Minute), hosts, "one")), 1)
				want(w, "claimed after it", len(w.claim(noon.Add(3*time.Minute), hosts, "none")), 0)
			}
		})
	}
}

// Claims respect the pace with several workers, and other domains are not delayed.
func TestClaimsKeepToThePace(t *testing.T) {
	const feeds, workers = 9, 4
	each(t, func(w world) {
		w.inDomain("slow.example", feeds, noon)
		w.inDomain("quick.example", feeds, noon.Add(time.Second))
		w.exec(`INSERT INTO domains (domain, limited_at, pace, free_at)
			VALUES ('slow.example', ?, 60, ?)`, noon.Unix(), noon.Add(time.Minute).Unix())
		claimAll := func(now time.Time) map[string]int {
			var mu sync.Mutex
			var wg sync.WaitGroup
			got := make(map[string]int)
			for i := range workers {
				wg.Go(func() {
					for round := range 20 {
						claimed, _, err := w.Feeds.ClaimFeeds(w.ctx, now,
							store.ClaimOptions{N: 4, Lease: time.Hour, Token: fmt.Sprint(now, i, round)})
						if err != nil {
							w.Error(err)
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
		want(w, "of the domain that rests", got["slow.example"], 0)
		want(w, "of the other", got["quick.example"], feeds)
		for minute := 1; minute <= 3; minute++ {
			now := noon.Add(time.Duration(minute) * time.Minute)
			next, _ := must2(w.Feeds.NextPoll(w.ctx))
			want(w, "next poll", next, now)
			want(w, "in its minute", claimAll(now)["slow.example"], 1)
			want(w, "within it", claimAll(now.Add(59 * time.Second))["slow.example"], 0)
		}
	})
}

// Refusals of one domain that workers store in parallel all count.
func TestLimitedAtOnce(t *testing.T) {
	each(t, func(w world) {
		for i := range 10 {
			domain := fmt.Sprintf("d%d.example", i)
			w.inDomain(domain, 3, noon)
			claimed := w.claim(noon, 9, "t")
			want(w, "claimed", len(claimed), 3)
			var wg sync.WaitGroup
			for _, c := range claimed {
				wg.Go(func() { w.end(noon, c, limited) })
			}
			wg.Wait()
			want(w, "pace", w.pace(domain), time.Minute)
		}
	})
}

// The owner of one domain does not slow the other sites at its IP address, however many of its hosts refuse polls.
func TestOneDomainSlowsItselfAlone(t *testing.T) {
	each(t, func(w world) {
		at := func(o outcome) outcome { return func(p *store.Polled) { o(p); p.Feed.Address = "192.0.2.1" } }
		hostile := w.inDomain("hostile.example", 8, noon)
		var others []digest.Feed
		for i := range 30 {
			others = append(others, w.inDomain(fmt.Sprintf("d%d.example", i), 1, noon)...)
		}
		now := noon
		next := func() time.Time { now = now.Add(time.Second); return now }
		for _, f := range others {
			w.askedOnce(f, next(), at(well))
		}
		for _, f := range hostile {
			w.askedOnce(f, next(), at(limited))
		}
		want(w, "its own pace", w.pace("hostile.example"), 15*time.Minute)
		want(w, "that of its address", w.pace("192.0.2.1"), 0)
		for _, f := range others[:2] {
			w.askedOnce(f, next(), at(limited))
		}
		want(w, "three domains refuse", w.pace("192.0.2.1"), time.Minute)
		w.askedOnce(hostile[0], next(), at(limited))
		want(w, "it refuses once more", w.pace("192.0.2.1"), time.Minute)
	})
}
