package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// A platform is 200 hosts that refuse every poll as one too many until it recovers, and two workers that poll them.
type platform struct {
	world
	recovers time.Time
	loads    [2]poller.Load
	refused  int
	read     map[digest.FeedID]time.Time
}

// work makes a worker claim feeds, and then store its results.
func (p *platform) work(worker int, now time.Time) {
	load := &p.loads[worker]
	claimed, _ := must2(p.Feeds.ClaimFeeds(p.ctx, now, store.ClaimOptions{
		N: 128, Lease: time.Hour, Token: fmt.Sprint(worker, now), Full: load.Full(), Next: load.Next,
	}))
	var polled []store.Polled
	var places []*poller.Place
	for _, c := range claimed {
		places = append(places, load.Begin(c.Queued()))
		polled = append(polled, p.poll(c, now))
	}
	must(p.Feeds.Record(p.ctx, now, polled))
	for i, place := range places {
		load.End(place, polled[i].Feed.Errors == 0)
	}
	for _, x := range polled {
		p.ok(p.Feeds.GiveBackHost(p.ctx, x.Feed.Host, x.Token, now))
	}
}

// poll returns the answer of a feed of the platform.
func (p *platform) poll(c store.ClaimedFeed, now time.Time) store.Polled {
	x := store.Polled{Feed: c.Feed, Was: c.Feed, Token: c.Token}
	x.Feed.LastAttemptAt, x.Feed.PollAt = now, time.Time{}
	if now.Before(p.recovers) {
		limited(&x)
		x.Feed.NotBefore, x.Feed.PollAt = now.Add(4*time.Hour), now.Add(4*time.Hour)
		p.refused++
		return x
	}
	well(&x)
	x.Feed.LastStatus, x.Feed.LastOKAt = 200, now
	p.read[c.ID] = now
	return x
}

// A platform that refuses everything for six hours refuses few polls, and it is read soon after it has recovered: 200
// blogs of one domain, and 200 hosts of one IP address.
func TestPlatformRefusesFew(t *testing.T) {
	const hosts = 200
	for name, begin := range map[string]func(w world) []digest.Feed{
		"one domain": func(w world) []digest.Feed { return w.inDomain("platform.example", hosts, noon) },
		"one address": func(w world) (feeds []digest.Feed) {
			for i := range hosts {
				feeds = append(feeds, w.inDomain(fmt.Sprintf("d%d.example", i), 1, noon)...)
			}
			w.exec(`UPDATE feeds SET address = '192.0.2.1'`)
			return feeds
		},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				p := &platform{world: w, recovers: noon.Add(6 * time.Hour), read: map[digest.FeedID]time.Time{}}
				begin(w)
				now := noon
				for len(p.read) < hosts {
					for worker := range p.loads {
						p.work(worker, now)
					}
					next, queued := must2(p.Feeds.NextPoll(p.ctx))
					if now = now.Add(time.Second); queued && next.After(now) {
						now = next
					}
					if now.After(noon.Add(12 * time.Hour)) {
						t.Fatalf("%d of %d are read", len(p.read), hosts)
					}
				}
				late := 0
				for _, at := range p.read {
					if at.After(p.recovers.Add(45 * time.Minute)) {
						late++
					}
				}
				if p.refused > 50 || late > 20 { // the penalty of those that were refused last is not over
					t.Errorf("%d polls are refused, and %d feeds are read late", p.refused, late)
				}
				t.Logf("%d polls are refused, and %d feeds are read late", p.refused, late)
			})
		})
	}
}
