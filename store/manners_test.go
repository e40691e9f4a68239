package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// end records the poll of a claimed feed, with the changes of set.
func (w world) end(now time.Time, c store.ClaimedFeed, set func(*store.Polled)) store.RecordResult {
	w.Helper()
	p := store.Polled{Feed: c.Feed, Was: c.Feed, Token: c.Token, HostFreeAt: now}
	p.Feed.PollAt, p.Feed.LastOKAt, p.Feed.LastStatus = time.Time{}, now, 304
	set(&p)
	r := must(w.Feeds.Record(w.ctx, now, []store.Polled{p}))
	return r
}

// one claims the only feed that may be polled.
func (w world) one(now time.Time, token string) store.ClaimedFeed {
	w.Helper()
	claimed := w.claim(now, 9, token)
	if len(claimed) != 1 {
		w.Fatalf("claimed %d feeds, want one", len(claimed))
	}
	return claimed[0]
}

// Our own interval and the operator's for the host apply between polls. The interval in a feed is part of its
// freshness.
func TestIntervalsHold(t *testing.T) {
	each(t, func(w world) {
		must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "slow.example", Interval: 48 * time.Hour}, noon))
		for _, c := range []struct {
			host string
			own  time.Duration
			wait time.Duration
		}{
			{"plain.example", 0, time.Hour},
			{"silent.example", 12 * time.Hour, 12 * time.Hour},
			{"www.slow.example", 0, 48 * time.Hour},
			{"both.slow.example", 72 * time.Hour, 72 * time.Hour},
		} {
			f := w.newFeed(c.host)
			w.subscribe(w.reader("of "+c.host, "UTC"), f)
			w.ok(w.Enqueue(w.ctx, f.ID, noon))
			w.end(noon, w.one(noon, "t"), func(p *store.Polled) { p.Feed.OwnInterval = c.own })

			soon := noon.Add(30 * time.Minute)
			w.ok(w.Enqueue(w.ctx, f.ID, soon))
			want(w, c.host+", queued", w.feedAgain(f).PollAt, noon.Add(c.wait))
			w.exec(`UPDATE feed_times SET poll_at = ? WHERE feed_id = ?`, soon.Unix(), f.ID)
			next, _ := must2(w.Feeds.NextPoll(w.ctx))
			want(w, c.host+", next poll", next, noon.Add(c.wait))
			want(w, c.host+", too early", len(w.claim(noon.Add(c.wait-time.Second), 9, "u")), 0)
			w.end(noon.Add(c.wait), w.one(noon.Add(c.wait), "v"), func(*store.Polled) {})
		}
	})
}

// Rules for hosts apply to feeds that are added later, in any way.
func TestRulesHoldForNewFeeds(t *testing.T) {
	each(t, func(w world) {
		for host, hours := range map[string]int{"example.org": 24, "slow.example.org": 48} {
			must(w.Operator.SetHostRule(w.ctx,
				digest.HostRule{Host: host, Interval: time.Duration(hours) * time.Hour},
				noon))
		}
		ada := w.reader("ada", "UTC")
		must(w.Subscriptions.Import(w.ctx, ada.ID, []store.ImportItem{
			{URL: "https://slow.example.org/1", Host: "slow.example.org", Domain: "example.org"},
			{URL: "https://notexample.org/1", Host: "notexample.org", Domain: "notexample.org"},
		}, 1e6, noon))
		must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://example.org/1", Host: "example.org",
			Domain: "example.org"}))
		moving := w.feed("elsewhere.example")
		moving.URL, moving.Host, moving.Domain = "https://a.slow.example.org/1", "a.slow.example.org", "example.org"
		w.record(noon, moving, nil)
		for host, wanted := range map[string]struct {
			hours  time.Duration
			domain string
		}{
			"slow.example.org": {48, "example.org"}, "notexample.org": {0, "notexample.org"},
			"example.org": {24, "example.org"}, "a.slow.example.org": {48, "example.org"},
		} {
			f := must(w.Feeds.FeedByURL(w.ctx, "https://"+host+"/1"))
			want(w, host, f.HostInterval, wanted.hours*time.Hour)
			want(w, host+", domain", f.Domain, wanted.domain)
		}
	})
}

// A dead feed after Vouch is polled once.
func TestTrialIsAsked(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		w.subscribe(w.reader("ada"), f)
		w.exec(`UPDATE feeds SET state = 'trial'`)
		r := must(w.Feeds.Plan(w.ctx, parisMidnight, func(digest.Feed, time.Time) (time.Time, bool) {
			return parisMidnight,
				true
		}))
		want(w, "planned", r.Feeds, 1)
		next, _ := must2(w.Feeds.NextPoll(w.ctx))
		want(w, "next poll", next, parisMidnight)
		w.end(parisMidnight, w.one(parisMidnight, "t"), func(p *store.Polled) { p.Feed.State = digest.FeedDead })
		w.ok(w.Enqueue(w.ctx, f.ID, parisMidnight))
		want(w, "dead again", w.feedAgain(f).PollAt, time.Time{})
	})
}

// A feed without active digests leaves the queue.
func TestFeedsNobodyTakesLeaveTheQueue(t *testing.T) {
	each(t, func(w world) {
		for i, c := range []struct {
			name string
			part func(d digest.Digest, f digest.Feed) error
		}{
			{"unsubscribed", func(d digest.Digest,
				f digest.Feed) error {
				return w.Subscriptions.Unsubscribe(w.ctx, d.ID, f.ID)
			}},
			{"paused", func(d digest.Digest, _ digest.Feed) error {
				return w.Readers.SetDigestState(w.ctx, d.ID, digest.DigestPaused, noon)
			}},
			{"left", func(d digest.Digest, _ digest.Feed) error {
				return w.Readers.SetDigestState(w.ctx, d.ID, digest.DigestLeft, noon)
			}},
			{"removed", func(d digest.Digest, _ digest.Feed) error {
				return w.Readers.RemoveUser(w.ctx, d.UserID,
					noon)
			}},
		} {
			ada, bob := w.reader(fmt.Sprint("ada", i), "UTC"), w.reader(fmt.Sprint("bob", i), "UTC")
			f, shared, flying := w.newFeed(c.name+"1.example"), w.newFeed(c.name+"2.example"),
				w.newFeed(c.name+"3.example")
			w.subscribe(ada, f, shared, flying)
			w.subscribe(bob, shared)
			w.ok(w.Enqueue(w.ctx, flying.ID, noon))
			claimed := w.one(noon, "t")
			later := noon.Add(time.Hour)
			for _, feed := range []digest.Feed{f, shared} {
				w.ok(w.Enqueue(w.ctx, feed.ID, later))
			}
			for _, feed := range []digest.Feed{f, shared, flying} {
				if err := c.part(ada, feed); err != nil && digest.KindOf(err) != digest.NotFound {
					w.ok(err)
				}
			}
			w.end(noon, claimed, func(p *store.Polled) { p.Feed.PollAt = later })
			want(w, c.name, w.feedAgain(f).PollAt, time.Time{})
			want(w, c.name+", in flight", w.feedAgain(flying).PollAt, time.Time{})
			wanted := later
			if c.name == "unsubscribed" {
				wanted = w.feedAgain(shared).PollAt // bob's, whatever ada does
			}
			want(w, c.name+", taken by another", w.feedAgain(shared).PollAt, wanted)
			want(w, "queued at all", w.feedAgain(shared).PollAt.IsZero(), false)
			w.exec(`UPDATE feed_times SET poll_at = NULL`)
		}
	})
}

// A ping during a poll counts for the next poll.
func TestPingsDuringAPoll(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		w.subscribe(w.reader("ada", "UTC"), f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		claimed := w.one(noon, "t")
		ping := noon.Add(3 * time.Minute)
		w.ok(w.Feeds.Pinged(w.ctx, []string{f.URL}, ping))
		err := w.Feeds.Vouch(w.ctx, f.ID, ping)
		w.ok(err)
		now := noon.Add(4 * time.Minute)
		w.end(now, claimed, func(p *store.Polled) {
			p.Feed.FreshUntil = noon.Add(2 * time.Hour)
			p.Feed.OwnInterval = 90 * time.Minute
		})
		f = w.feedAgain(f)
		want(w, "pinged", f.PingedAt, ping)
		want(w, "doubted", f.ValidatorsDoubted, true)
		want(w, "queued for when it may be asked", f.PollAt, noon.Add(2*time.Hour))

		claimed = w.one(noon.Add(2*time.Hour), "u")
		w.end(noon.Add(2*time.Hour), claimed,
			func(p *store.Polled) { p.Feed.PingedAt, p.Feed.ValidatorsDoubted = time.Time{}, false })
		f = w.feedAgain(f)
		want(w, "answered", f.PingedAt.IsZero() && !f.ValidatorsDoubted && f.PollAt.IsZero(), true)
	})
}

// A post is late by the feed's last successful read before it, and by the previous midnight and its release.
func TestLateIsKnown(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f := w.newFeed("f.example")
		w.subscribe(ada, f)
		read := func(now time.Time, identity string) {
			w.Helper()
			w.ok(w.Enqueue(w.ctx, f.ID, now))
			w.end(now, w.one(now, "t"), func(p *store.Polled) {
				p.Feed.ParsedAt = now
				p.Posts, p.Listed = posts(now, identity), []string{identity}
			})
		}
		first, second := noon.Add(-time.Hour), parisMidnight.Add(4*time.Hour)
		read(first, "1")
		released := parisMidnight.Add(7 * time.Minute)
		w.hour(released)
		read(second, "2")
		w.hour(parisMidnight.Add(day))
		list := must(w.Editions.Editions(w.ctx, ada.ID, 9))
		want(w, "editions", len(list), 2)
		want(w, "before the first", list[1].PrevDueAt, time.Time{})
		want(w, "its release", list[1].PrevReleasedAt, time.Time{})
		want(w, "before the second", list[0].PrevDueAt, parisMidnight)
		want(w, "released", list[0].PrevReleasedAt, released)
		found := must(w.Editions.Posts(w.ctx, []digest.PostID{1, 2}))
		want(w, "read before the first", found[0].ReadBefore, time.Time{})
		want(w, "read before the second", found[1].ReadBefore, first)
		claimed := w.claimEditions(parisMidnight.Add(day), 9, "d")
		want(w, "with a delivery", claimed[len(claimed)-1].PrevDueAt, parisMidnight)
	})
}

// TestOutsideIsKept: the next poll knows that a feed was read at a public address.
func TestOutsideIsKept(t *testing.T) {
	each(t, func(w world) {
		f := w.newFeed("f.example")
		w.subscribe(w.reader("ann", "UTC"), f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		w.end(noon, w.one(noon, "t"), func(p *store.Polled) { p.Feed.PublicOnly = true })
		day := noon.Add(day)
		w.ok(w.Enqueue(w.ctx, f.ID, day))
		c := w.one(day, "u")
		want(w, "claimed", c.Feed.PublicOnly, true)
		w.end(day, c, func(*store.Polled) {})
		want(w, "polled again", w.feedAgain(f).PublicOnly, true)
	})
}
