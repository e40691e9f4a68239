package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

const keep = 400 * day

// prune prunes until nothing is left.
func (w world) prune(now time.Time) int {
	w.Helper()
	total := 0
	for {
		n := w.pruneOnce(now, keep, 2)
		if n == 0 {
			return total
		}
		total += n
	}
}

// send delivers all editions that are due.
func (w world) send(now time.Time) []digest.Delivery {
	w.Helper()
	claimed := w.claimEditions(now, 1000, "send")
	for _, e := range claimed {
		w.dot(now, "send", e.ID)
		w.mark(now, "send", digest.Mark{ID: e.ID, State: digest.EditionSent})
	}
	return claimed
}

func TestPrune(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
		w.posted(f, "1", "2", "3", "4", "listed")
		w.hour(parisMidnight)
		w.send(parisMidnight)
		// A year of the same document with one new post a month. It always lists "listed".
		var last time.Time
		for month := 1; month <= 15; month++ {
			last = noon.Add(time.Duration(month) * 30 * day)
			w.record(last, f, posts(last, "month"+last.Format("0601")), "listed")
			w.hour(last)
			w.send(last)
		}
		young := noon.Add(keep)
		w.hour(young)
		want(w, "nothing is older than that", w.prune(young), 0)
		old := last.Add(day) // 451 days
		w.hour(old)
		want(w, "pruned", w.prune(old), 2+4+1)
		w.holds("old posts, but the listed one", 1, `SELECT count(*) FROM posts WHERE seen_at <= ?`, noon.Unix())
		w.holds("it is", 1, `SELECT count(*) FROM posts WHERE identity = 'listed'`)
		if !w.Partitioned() { // otherwise they are dropped with their month
			w.holds("rows of editions that are gone", 0, `SELECT count(*) FROM digest_posts dp WHERE NOT EXISTS
				(SELECT 1 FROM editions e WHERE e.digest_id = dp.digest_id AND e.due_at = dp.visible_at)`)
		}
		again := w.record(old, f, posts(old, "listed"))
		want(w, "and does not come back", again.Posts, 0)
		want(w, "no more", w.prune(old), 0)
	})
}

// A server may answer 200 with the same bytes for years. Then no post is updated, and all of them are still listed
// (I4).
func TestPruneSparesWhatTheSameBytesList(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
		w.posted(f, "1", "2", "3")
		w.hour(parisMidnight)
		w.send(parisMidnight)
		last := noon
		for range 15 {
			last = last.Add(30 * day)
			same := f
			same.ParsedAt = last
			w.poll(last, store.Polled{Feed: same})
			w.hour(last)
		}
		w.prune(last)
		w.holds("posts", 3, `SELECT count(*) FROM posts`)
		r := w.record(last, f, posts(last, "new", "1", "2", "3"))
		want(w, "new posts", r.Posts, 1)
	})
}

// An edition may be unsent, or not even created, for longer than keep.
func TestPruneSparesTheUnsent(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f)
		w.posted(f, "unsent")
		w.hour(parisMidnight)
		w.subscribe(bob, g)
		w.posted(g, "unreleased")
		old := noon.Add(keep + 100*day)
		for _, feed := range []digest.Feed{f, g} {
			w.record(old, feed, posts(old, "new"))
		}
		want(w, "pruned", w.prune(old), 0)
		want(w, "unsent", w.editions(ada), "2026-11-20 unsent")
		want(w, "unreleased", w.waiting(bob), "unreleased new")
		w.hour(old) // the unsent one is too old to be sent, so the new one carries it
		want(w, "still nothing: both are to be sent", w.prune(old), 0)
		want(w, "what ada is to get", w.shown(ada), "2026-11-20 unsent; 2028-04-02 +unsent new")
		w.claimEditions(old, 100, "t")
		want(w, "nor while they are in flight", w.prune(old), 0)
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		w.send(old)
		want(w, "then all three editions of midnights so long ago, and the posts of the first", w.prune(old), 3+2)
	})
}

// A post that was added late for a reader is as old as this event.
func TestPruneSparesWhatWasBroughtLate(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		w.posted(f, "old")
		later := noon.Add(keep + 60*day)
		moved := f
		moved.ParsedAt = later
		w.record(later, moved, nil, "other")
		ada := w.reader("ada")
		w.setState(ada, digest.DigestPaused, noon)
		w.setState(ada, digest.DigestActive, later)
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: f.ID}, later))
		want(w, "the newest, though old", w.waiting(ada), "old")
		now := later.Add(30 * time.Hour)
		w.hour(now)
		w.send(now)
		want(w, "pruned", w.prune(now.Add(48*time.Hour)), 0)
		w.holds("its post", 1, `SELECT count(*) FROM posts`)
	})
}

func TestPruneForgetsFeedsThatNobodyTakes(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		taken, left, fresh := w.asked("taken.example", noon), w.asked("left.example", noon),
			w.asked("fresh.example", noon.Add(keep))
		w.newFeed("never.example")
		w.subscribe(ada, taken, left)
		for _, f := range []digest.Feed{taken, left, fresh} {
			w.posted(f, "p")
		}
		w.hour(parisMidnight)
		w.send(parisMidnight)
		w.unsubscribe(ada, left)
		w.hour(noon.Add(keep))
		want(w, "not yet", w.prune(noon.Add(keep-time.Hour)), 0)
		now := noon.Add(keep + 45*day)
		w.hour(now)
		want(w, "the edition and the feed", w.prune(now), 2)
		w.holds("feeds", 3, `SELECT count(*) FROM feeds WHERE url NOT LIKE '%left%'`)
		w.holds("all", 3, `SELECT count(*) FROM feeds`)
		w.holds("posts", 2, `SELECT count(*) FROM posts`)
		back := w.asked("left.example", now)
		want(w, "met as new", back.ParsedAt.IsZero() && back.ID > fresh.ID, true)
	})
}

// asked adds a feed that was polled at the given time.
func (w world) asked(host string, at time.Time) digest.Feed {
	w.Helper()
	f, _ := must2(w.Feeds.EnsureFeed(w.ctx,
		digest.Feed{URL: "https://" + host + "/feed", Host: host, Schedule: digest.Schedule{LastAttemptAt: at}}))
	return f
}

// Each prune stores its time, at which the next one starts.
func TestPruneTimeIsNoted(t *testing.T) {
	each(t, func(w world) {
		far := noon.AddDate(100, 0, 0)
		for i, c := range []struct{ now, want time.Time }{
			{noon, noon}, {noon.Add(time.Hour), noon.Add(time.Hour)}, {far, noon.Add(time.Hour).AddDate(0, 0, 7)},
			{far, noon.Add(time.Hour).AddDate(0, 0, 14)}, {noon.Add(2 * time.Hour), noon.Add(2 * time.Hour)},
		} {
			want(w, fmt.Sprint("time ", i), must(w.Operator.PruneTime(w.ctx, c.now)).Equal(c.want), true)
		}
	})
}
