package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

const day = 24 * time.Hour

// TestHostRules: a rule holds for a host and all below it, the nearest one counts,
// and a rule that goes leaves what the next one above says.
func TestHostRules(t *testing.T) {
	each(t, func(w world) {
		apex, blog, deep := w.feed("example.org"), w.feed("blog.example.org"), w.feed("a.blog.example.org")
		other, alike := w.feed("notexample.org"), w.feed("blog-example.org")
		steps := []struct {
			host                          string
			every                         time.Duration // 0: the rule goes
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
				w.ok(w.DropHostRule(w.ctx(), s.host))
			} else {
				n, err := w.SetHostRule(w.ctx(), store.HostRule{Host: s.host, Interval: s.every}, noon)
				w.ok(err)
				want(w.t, "feeds of "+s.host, n, s.feeds)
			}
			for f, every := range map[*digest.Feed]time.Duration{&apex: s.apex, &blog: s.blog, &deep: s.deep, &other: s.other, &alike: s.like} {
				want(w.t, s.host+" for "+f.Host, w.feedAgain(*f).HostInterval, every)
			}
		}
		rules, err := w.HostRules(w.ctx())
		w.ok(err)
		if len(rules) != 1 || rules[0] != (store.HostRule{Host: "a.blog.example.org", Interval: day}) {
			t.Errorf("rules: %v", rules)
		}
		want(w.t, "a rule that is not there", digest.KindOf(w.DropHostRule(w.ctx(), "example.org")), digest.NotFound)
	})
}

// TestHostRuleSigns: what a host's name holds stands for itself.
func TestHostRuleSigns(t *testing.T) {
	each(t, func(w world) {
		f, plain := w.feed("a.my_host.example"), w.feed("a.my-host.example")
		n, err := w.SetHostRule(w.ctx(), store.HostRule{Host: "my_host.example", Interval: day}, noon)
		w.ok(err)
		want(w.t, "feeds", n, 1)
		want(w.t, "the one below", w.feedAgain(f).HostInterval, day)
		want(w.t, "the other", w.feedAgain(plain).HostInterval, 0)
	})
}

// TestHostRuleQueue: what may not be asked yet by the new rule leaves the queue.
func TestHostRuleQueue(t *testing.T) {
	each(t, func(w world) {
		early, late, fresh := w.feed("early.example"), w.feed("late.example"), w.newFeed("new.example")
		for f, asked := range map[*digest.Feed]time.Time{&early: noon.Add(-time.Hour), &late: noon.Add(-3 * day)} {
			f.LastAttemptAt, f.PollAt = asked, noon
			_, err := w.Record(w.ctx(), noon, []store.Polled{{Feed: *f}})
			w.ok(err)
		}
		w.ok(w.Exec(w.ctx(), `UPDATE feed_times SET poll_at = ? WHERE feed_id = ?`, noon.Unix(), fresh.ID))
		_, err := w.SetHostRule(w.ctx(), store.HostRule{Host: "example", Interval: 2 * day}, noon)
		w.ok(err)
		want(w.t, "asked an hour ago", w.feedAgain(early).PollAt.IsZero(), true)
		want(w.t, "asked long ago", w.feedAgain(late).PollAt, noon)
		want(w.t, "never asked", w.feedAgain(fresh).PollAt, noon)
	})
}

// TestHostRuleKeepsQueue: a rule that lets a feed be asked takes it out of the queue
// for nothing else that it waits for there. It is asked as soon as that is over (I3).
func TestHostRuleKeepsQueue(t *testing.T) {
	later := noon.Add(2 * time.Hour)
	for name, set := range map[string]func(*digest.Feed){
		"fresh":                  func(f *digest.Feed) { f.LastAttemptAt, f.FreshUntil = noon.Add(-day), later },
		"penalised":              func(f *digest.Feed) { f.LastAttemptAt, f.NotBefore = noon.Add(-day), later },
		"slowed":                 func(f *digest.Feed) { f.LastAttemptAt, f.OwnInterval = noon.Add(-day), day+2*time.Hour },
		"never asked, and fresh": func(f *digest.Feed) { f.LastAttemptAt, f.FreshUntil = time.Time{}, later },
		"within the gap":         func(f *digest.Feed) { f.LastAttemptAt = noon.Add(-10 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				f := w.newFeed("f.example")
				w.subscribe(w.reader("ada", "Europe/Paris"), f)
				f.PollAt = noon
				set(&f)
				f = w.set(f)
				_, err := w.SetHostRule(w.ctx(), store.HostRule{Host: "example", Interval: time.Minute}, noon)
				w.ok(err)
				want(w.t, "queued", w.feedAgain(f).PollAt, noon)
				next, ok, err := w.NextPoll(w.ctx())
				w.ok(err)
				want(w.t, "waits", ok && next.After(noon), true)
				want(w.t, "too early", len(w.claim(next.Add(-time.Second), 9, "t")), 0)
				want(w.t, "asked", len(w.claim(next, 9, "u")), 1)
			})
		})
	}
}

func TestHostRuleBounds(t *testing.T) {
	each(t, func(w world) {
		for _, bad := range []time.Duration{0, -time.Hour, time.Millisecond, 400 * day} {
			_, err := w.SetHostRule(w.ctx(), store.HostRule{Host: "example.org", Interval: bad}, noon)
			want(w.t, bad.String(), digest.KindOf(err), digest.Invalid)
		}
	})
}
