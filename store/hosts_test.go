package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

const day = 24 * time.Hour

// TestHostRules: a rule applies to a host and all below it. The closest one counts, and without it the next one above.
func TestHostRules(t *testing.T) {
	each(t, func(w world) {
		apex, blog, deep := w.feed("example.org"), w.feed("blog.example.org"), w.feed("a.blog.example.org")
		other, alike := w.feed("notexample.org"), w.feed("blog-example.org")
		steps := []struct {
			host                          string
			every                         time.Duration // 0: delete the rule
			feeds                         int
			apex, blog, deep, other, like time.Duration
		}{
			{"example.org", 48 * time.Hour, 3, 2 * day, 2 * day, 2 * day, 0, 0},
			{"blog.example.org", 6 * time.Hour, 2, 2 * day, 6 * time.Hour, 6 * time.Hour, 0, 0},
			{"example.org", 72 * time.Hour, 1, 3 * day, 6 * time.Hour, 6 * time.Hour, 0, 0},
			{"a.blog.example.org", day, 1, 3 * day, 6 * time.Hour, day, 0, 0},
			{"blog.example.org", 0, 0, 3 * day, 3 * day, day, 0, 0},
			{"example.org", 0, 0, 0, 0, day, 0, 0},
		}
		for _, s := range steps {
			if s.every == 0 {
				w.ok(w.Operator.DropHostRule(w.ctx, s.host, false))
			} else {
				n := must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: s.host, Interval: s.every}, noon))
				want(w, "feeds of "+s.host, n, s.feeds)
			}
			for f, every := range map[*digest.Feed]time.Duration{&apex: s.apex, &blog: s.blog, &deep: s.deep,
				&other: s.other, &alike: s.like} {
				want(w, s.host+" for "+f.Host, w.feedAgain(*f).HostInterval, every)
			}
		}
		rules := must(w.Operator.HostRules(w.ctx))
		if len(rules) != 1 || rules[0] != (digest.HostRule{Host: "a.blog.example.org", Interval: day,
			CreatedAt: noon}) {
			t.Errorf("rules: %v", rules)
		}
		oneLine(w, w.Operator.DropHostRule(w.ctx, "example.org", false), digest.NotFound)
	})
}

// TestHostRuleSigns: wildcards of LIKE in a host name match only themselves.
func TestHostRuleSigns(t *testing.T) {
	each(t, func(w world) {
		f, plain := w.feed("a.my_host.example"), w.feed("a.my-host.example")
		n := must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "my_host.example", Interval: day}, noon))
		want(w, "feeds", n, 1)
		want(w, "the one below", w.feedAgain(f).HostInterval, day)
		want(w, "the other", w.feedAgain(plain).HostInterval, 0)
	})
}

// TestHostRuleQueue: feeds that must not be polled yet by a new rule leave the queue.
func TestHostRuleQueue(t *testing.T) {
	each(t, func(w world) {
		early, late, fresh := w.feed("early.example"), w.feed("late.example"), w.newFeed("new.example")
		for f, asked := range map[*digest.Feed]time.Time{&early: noon.Add(-time.Hour), &late: noon.Add(-3 * day)} {
			f.LastAttemptAt, f.PollAt = asked, noon
			w.poll(noon, store.Polled{Feed: *f})
		}
		w.exec(`UPDATE feed_times SET poll_at = ? WHERE feed_id = ?`, noon.Unix(), fresh.ID)
		must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "example", Interval: 2 * day}, noon))
		want(w, "asked an hour ago", w.feedAgain(early).PollAt.IsZero(), true)
		want(w, "asked long ago", w.feedAgain(late).PollAt, noon)
		want(w, "never asked", w.feedAgain(fresh).PollAt, noon)
	})
}

// TestHostRuleKeepsQueue: a rule that permits a poll does not remove a feed from the queue that waits for another
// reason. The feed is polled when that ends (I3).
func TestHostRuleKeepsQueue(t *testing.T) {
	later := noon.Add(2 * time.Hour)
	for name, set := range map[string]func(*digest.Feed){
		"fresh":     func(f *digest.Feed) { f.LastAttemptAt, f.FreshUntil = noon.Add(-day), later },
		"penalised": func(f *digest.Feed) { f.LastAttemptAt, f.NotBefore = noon.Add(-day), later },
		"slowed": func(f *digest.Feed) {
			f.LastAttemptAt, f.OwnInterval = noon.Add(-day),
				day+2*time.Hour
		},
		"never asked, and fresh": func(f *digest.Feed) { f.LastAttemptAt, f.FreshUntil = time.Time{}, later },
		"within the gap":         func(f *digest.Feed) { f.LastAttemptAt = noon.Add(-10 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				f := w.newFeed("f.example")
				w.subscribe(w.reader("ada"), f)
				f.PollAt = noon
				set(&f)
				f = w.set(f)
				must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "example", Interval: time.Minute}, noon))
				want(w, "queued", w.feedAgain(f).PollAt, noon)
				next, ok := must2(w.Feeds.NextPoll(w.ctx))
				want(w, "waits", ok && next.After(noon), true)
				want(w, "too early", len(w.claim(next.Add(-time.Second), 9, "t")), 0)
				want(w, "asked", len(w.claim(next, 9, "u")), 1)
			})
		})
	}
}

func TestHostRuleBounds(t *testing.T) {
	each(t, func(w world) {
		for _, bad := range []time.Duration{0, -time.Hour, time.Millisecond, 400 * day} {
			_, err := w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "example.org", Interval: bad}, noon)
			want(w, bad.String(), digest.KindOf(err), digest.Invalid)
		}
	})
}

// TestHostRulesOfTwo: the longer interval of the operator's and the owner's rule applies. Each can delete only their
// own.
func TestHostRulesOfTwo(t *testing.T) {
	each(t, func(w world) {
		apex, blog := w.feed("example.org"), w.feed("blog.example.org")
		rule := func(host string, byOwner bool, every time.Duration) {
			must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: host, ByOwner: byOwner, Interval: every},
				noon))
		}
		holds := func(what string, atApex, atBlog time.Duration) {
			w.Helper()
			want(w, what+": at the host", w.feedAgain(apex).HostInterval, atApex)
			want(w, what+": below it", w.feedAgain(blog).HostInterval, atBlog)
		}
		rule("example.org", true, 2*day)
		rule("example.org", false, day)
		holds("the owner asks for more", 2*day, 2*day)
		rule("blog.example.org", false, 3*day)
		holds("the operator wants more below", 2*day, 3*day)
		rule("blog.example.org", true, time.Hour)
		holds("the owner's nearer word, and the operator's", 2*day, 3*day)
		w.ok(w.Operator.DropHostRule(w.ctx, "blog.example.org", false))
		holds("without the operator's rule below", 2*day, day)
		w.ok(w.Operator.DropHostRule(w.ctx, "example.org", true))
		holds("without the owner's", day, day)
		oneLine(w, w.Operator.DropHostRule(w.ctx, "example.org", true), digest.NotFound)
	})
}

// TestHostBlock: a block stops all polls of a host. Queued feeds leave the queue, polls in flight are discarded and
// new feeds are blocked. Digests do not wait for them, and readers get one notice. After the last block ends, polls
// resume.
func TestHostBlock(t *testing.T) {
	each(t, func(w world) {
		f, below, other := w.feed("example.org"), w.feed("blog.example.org"), w.feed("notexample.org")
		d := w.reader("ada")
		w.subscribe(d, f, below, other)
		for _, one := range []digest.Feed{f, below, other} {
			w.exec(`UPDATE feed_times SET poll_at = ? WHERE feed_id = ?`, noon.Unix(), one.ID)
		}
		flying := w.claim(noon, 9, "flying")
		want(w, "in flight", len(flying), 3)
		block := func(host string, byOwner bool, feeds int) {
			w.Helper()
			n := must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: host, ByOwner: byOwner, Blocked: true},
				noon))
			want(w, "feeds at "+host, n, feeds)
		}
		stands := func(what string, at digest.FeedState, ofBelow digest.FeedState) {
			w.Helper()
			want(w, what+": at the host", w.feedAgain(f).State, at)
			want(w, what+": below it", w.feedAgain(below).State, ofBelow)
			want(w, what+": elsewhere", w.feedAgain(other).State, digest.FeedActive)
		}
		block("example.org", false, 2)
		stands("by the operator", digest.FeedBlocked, digest.FeedBlocked)
		want(w, "notices", w.count(`SELECT count(*) FROM notices WHERE kind = 'blocked'`), 2)
		for _, c := range flying {
			poll := store.Polled{Feed: c.Feed, Was: c.Feed, Token: "flying", Posts: posts(noon, "one")}
			must(w.Feeds.Record(w.ctx, noon, []store.Polled{poll}))
		}
		want(w, "posts of what was in flight",
			w.count(`SELECT count(*) FROM posts p JOIN feeds f ON f.id = p.feed_id
				WHERE f.host <> 'notexample.org'`), 0)
		w.ok(w.Feeds.Pinged(w.ctx, []string{f.URL}, noon.Add(time.Hour)))
		w.ok(w.Feeds.Vouch(w.ctx, below.ID, noon.Add(time.Hour)))
		stands("after a ping and a reader's word", digest.FeedBlocked, digest.FeedBlocked)
		want(w, "in the queue",
			w.count(`SELECT count(*) FROM feed_times t JOIN feeds f ON f.id = t.feed_id
				WHERE t.poll_at IS NOT NULL AND f.host <> 'notexample.org'`), 0)

		fresh := w.newFeed("new.example.org")
		want(w, "a new feed", w.feedAgain(fresh).State, digest.FeedBlocked)

		block("blog.example.org", true, 1)
		stands("by the owner of a part", digest.FeedBlocked, digest.FeedDeclined)
		want(w, "notices of the operator's block", w.count(`SELECT count(*) FROM notices WHERE kind = 'blocked'`), 1)
		w.ok(w.Operator.DropHostRule(w.ctx, "example.org", false))
		stands("without the operator's block", digest.FeedActive, digest.FeedDeclined)
		want(w, "notices that wait", w.count(`SELECT count(*) FROM notices`), 1)
		blocks := must(w.Operator.HostBlocks(w.ctx))
		if len(blocks) != 1 || blocks[0] != (digest.HostRule{Host: "blog.example.org", ByOwner: true, Blocked: true,
			CreatedAt: noon}) {
			t.Errorf("blocks: %v", blocks)
		}
		must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "blog.example.org", ByOwner: true,
			Interval: day},
			noon.Add(day)))
		stands("the owner wants it slow instead", digest.FeedActive, digest.FeedActive)
		want(w, "the interval", w.feedAgain(below).HostInterval, day)
		want(w, "notices that wait", w.count(`SELECT count(*) FROM notices`), 0)
	})
}

// TestHostBlockKeepsEnds: dead and gone feeds keep their state.
func TestHostBlockKeepsEnds(t *testing.T) {
	each(t, func(w world) {
		for _, state := range []digest.FeedState{digest.FeedDead, digest.FeedGone} {
			f := w.feed(string(state) + ".example.org")
			f.State = state
			f = w.set(f)
			must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: f.Host, Blocked: true}, noon))
			want(w, "blocked", w.feedAgain(f).State, state)
			w.ok(w.Operator.DropHostRule(w.ctx, f.Host, false))
			want(w, "and no more", w.feedAgain(f).State, state)
		}
	})
}

// TestHostBlockEndsPushes: pushes from a hub for a blocked feed are discarded. Before the block they are stored.
func TestHostBlockEndsPushes(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("example.org")
		w.subscribe(w.reader("ada"), f)
		pushed := func(identity string) int {
			w.Helper()
			w.ok(w.Feeds.ReceivePush(w.ctx, noon, f.ID, "text/xml", []byte("<rss/>")))
			p, found := must2(w.Feeds.ClaimPush(w.ctx, noon, time.Minute))
			want(w, "claimed", found, true)
			got := must(w.Feeds.RecordPush(w.ctx, noon, p, store.Polled{Feed: f, Posts: posts(noon, identity)}))
			want(w, "pushes that wait", w.count(`SELECT count(*) FROM pushes`), 0)
			return got.Posts
		}
		want(w, "before", pushed("one"), 1)
		must(w.Operator.SetHostRule(w.ctx, digest.HostRule{Host: "example.org", ByOwner: true, Blocked: true},
			noon))
		want(w, "blocked", pushed("two"), 0)
		w.ok(w.Operator.DropHostRule(w.ctx, "example.org", true))
		want(w, "after", pushed("three"), 1)
	})
}
