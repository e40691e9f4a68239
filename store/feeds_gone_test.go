package store_test

import (
	"slices"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// say410 records that a feed answered 410, for the first time at now.
func (w world) say410(f digest.Feed, now time.Time) {
	w.Helper()
	f = w.feedAgain(f)
	f.GoneAt, f.LastStatus, f.Errors, f.FirstErrorAt = now, 410, 1, now
	w.poll(now, store.Polled{Feed: f})
}

func (w world) feedAt(url, host string) digest.Feed {
	w.Helper()
	f, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: url, Host: host}))
	f.ParsedAt, f.LastOKAt = noon.Add(-48*time.Hour), noon.Add(-48*time.Hour)
	w.poll(f.ParsedAt, store.Polled{Feed: f})
	return f
}

// Siblings are the feeds on the same host and port that have readers.
func TestSaidGone(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "UTC")
		a := w.feedAt("https://x.example/a", "x.example")
		b := w.feedAt("https://x.example:443/b", "x.example")
		other := w.feedAt("https://x.example:8443/c", "x.example")
		w.feedAt("https://x.example/d", "x.example")
		below := w.feedAt("https://www.x.example/e", "www.x.example")
		alone := w.feedAt("http://y.example/", "y.example")
		w.subscribe(ada, a, b, other, below, alone)
		cases := func() string {
			w.Helper()
			found := must(w.Feeds.SaidGone(w.ctx, noon))
			text := ""
			for _, c := range found {
				text += c.Feed.URL + ":"
				for _, s := range c.Siblings {
					text += " " + s.URL
				}
				text += "\n"
			}
			return text
		}
		want(w, "none", cases(), "")
		w.say410(a, noon)
		w.say410(alone, noon)
		want(w, "two", cases(), "https://x.example/a: https://x.example:443/b\nhttp://y.example/:\n")
		w.say410(b, noon)
		want(w, "the host", cases(),
			"https://x.example/a: https://x.example:443/b\nhttps://x.example:443/b: "+
				"https://x.example/a\nhttp://y.example/:\n")
		w.exec(`UPDATE feed_times SET lease_until = ? WHERE feed_id = ?`, noon.Add(time.Second).Unix(),
			a.ID)
		w.exec(`UPDATE feeds SET last_status = 503 WHERE id = ?`, b.ID)
		want(w, "in flight, and another answer", cases(), "http://y.example/:\n")
		want(w, "digests", must(w.Feeds.Retire(w.ctx, noon, []digest.FeedID{a.ID, b.ID, alone.ID})), 1)
		want(w, "decided", cases(), "")
		want(w, "still taken", len(must(w.Subscriptions.Subscriptions(w.ctx, ada.ID))), 4)
	})
}

// The siblings with the most information come first.
func TestSiblingsOfACrowd(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "UTC")
		var feeds []digest.Feed
		for i := range 30 {
			f := w.feedAt("https://x.example/"+string(rune('a'+i)), "x.example")
			feeds = append(feeds, f)
			w.subscribe(ada, f)
			w.say410(f, noon)
		}
		lively := feeds[17]
		lively.GoneAt, lively.LastOKAt, lively.LastStatus = time.Time{}, noon, 200
		w.record(noon, lively, nil)
		found := must(w.Feeds.SaidGone(w.ctx, noon))
		want(w, "cases", len(found), 29)
		for _, c := range found {
			want(w, "siblings", len(c.Siblings), 20)
			want(w, "first", c.Siblings[0].ID, lively.ID)
			want(w, "itself", slices.ContainsFunc(c.Siblings, func(f digest.Feed) bool { return f.ID == c.Feed.ID }),
				false)
		}
	})
}

// Retire ends all subscriptions to a gone feed, with a notice. Its hidden posts are released (I3), once (I4).
func TestRetire(t *testing.T) {
	each(t, func(w world) {
		ada, bob, eve := w.reader("ada"), w.reader("bob"),
			w.reader("eve")
		f := w.feed("f.example")
		w.ok(w.addTitled(ada, f, "Mine"))
		w.subscribe(bob, f)
		w.subscribe(eve, f)
		w.posted(f, "1")
		w.hour(parisMidnight)
		later := parisMidnight.Add(time.Hour)
		w.record(later, f, posts(later, "2"))
		w.setState(bob, digest.DigestPaused, later)
		w.setState(eve, digest.DigestLeft, later)
		w.say410(f, later)
		w.ok(w.Enqueue(w.ctx, f.ID, later))
		want(w, "digests", must(w.Feeds.Retire(w.ctx, later, []digest.FeedID{f.ID})), 3)
		again := must(w.Feeds.Retire(w.ctx, later, []digest.FeedID{f.ID}))
		want(w, "once", again, 0)
		got := w.feedAgain(f)
		want(w, "gone", got.State, digest.FeedGone)
		want(w, "queued", got.PollAt, time.Time{})
		want(w, "waiting", w.waiting(ada), "2")
		want(w, "told", w.told(ada), "gone Mine")
		want(w, "told when he comes back", w.told(bob), "gone f.example")
		want(w, "who left is not", w.told(eve), "")
		for _, d := range []digest.Digest{ada, bob, eve} {
			want(w, "subscriptions", len(must(w.Subscriptions.Subscriptions(w.ctx, d.ID))), 0)
		}
		w.hour(parisMidnight.Add(day))
		want(w, "ada's", w.editions(ada), "2026-11-20 1; 2026-11-21 2")
		back := parisMidnight.Add(30 * time.Hour)
		w.setState(bob, digest.DigestActive, back)
		want(w, "still to be told", w.told(bob), "gone f.example")
		w.hour(parisMidnight.Add(48 * time.Hour))
		want(w, "bob's", w.editions(bob), "2026-11-20 1; 2026-11-22 2")

		// The feed returns, with a new reader and then with a former one.
		f = w.feedAgain(f)
		f.State, f.GoneAt = digest.FeedActive, time.Time{}
		changed := post("1", noon)
		changed.Title, changed.ContentHash = "Changed", "changed"
		now := parisMidnight.Add(49 * time.Hour)
		w.subscribe(w.reader("fay"), f)
		w.record(now, f, []digest.Post{changed}, "2")
		w.holds("what was shown to those who left does not change", 0,
			`SELECT count(*) FROM posts WHERE title = 'Changed'`)
		changed.ContentHash = "changed again"
		w.subscribe(ada, f)
		w.record(now, f, []digest.Post{changed}, "2")
		want(w, "had all of it", w.waiting(ada), "")
		w.holds("what was shown does not change", 0, `SELECT count(*) FROM posts WHERE title = 'Changed'`)
	})
}

// A late poll does not restore a retired feed.
func TestRetireMeetsALatePoll(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		w.subscribe(w.reader("ada", "UTC"), f)
		w.say410(f, noon)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		claimed := w.one(noon, "t")
		n := must(w.Feeds.Retire(w.ctx, noon, []digest.FeedID{f.ID}))
		want(w, "in flight", n, 0)
		after := noon.Add(2 * time.Hour)
		n = must(w.Feeds.Retire(w.ctx, after, []digest.FeedID{f.ID}))
		want(w, "its lease is over", n, 1)
		r := w.end(after, claimed, well)
		want(w, "stale", r.Stale, 1)
		want(w, "gone", w.feedAgain(f).State, digest.FeedGone)
	})
}

func TestFeedDue(t *testing.T) {
	each(t, func(w world) {
		var from time.Time
		due := func() time.Time {
			w.Helper()
			at := must(w.Feeds.FeedDue(w.ctx, 1, from))
			return at
		}
		f := w.feed("f.example")
		want(w, "nobody's", due(), time.Time{})
		ada, bob := w.reader("ada"), w.reader("bob", "America/New_York")
		w.subscribe(ada, f)
		want(w, "ada's", due(), parisMidnight)
		must(w.Feeds.Plan(w.ctx, parisMidnight, queueNothing))
		want(w, "her next, for this one is under way", due(), parisMidnight.Add(day))
		w.subscribe(bob, f)
		want(w, "bob's", due(), parisMidnight.Add(6*time.Hour))
		from = parisMidnight.Add(7 * time.Hour)
		want(w, "ada's next, from then on", due(), parisMidnight.Add(day))
		from = time.Time{}
		w.setState(bob, digest.DigestPaused, noon)
		want(w, "he pauses", due(), parisMidnight.Add(day))
		w.hour(parisMidnight)
		want(w, "after the release", due(), parisMidnight.Add(day))
		w.setCadence(ada, 1<<time.Sunday|1<<time.Wednesday, parisMidnight)
		sunday := parisMidnight.Add(2 * day)
		want(w, "on Sundays and Wednesdays", due(), sunday)
		late := sunday.Add(8 * day)
		must(w.Feeds.Plan(w.ctx, late, queueNothing))
		want(w, "after an outage", due(), sunday.Add(10*day))
	})
}
