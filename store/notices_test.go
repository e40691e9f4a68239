package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// told describes the notices that wait for a digest: "gap f.example 12:00-13:00; ...".
func (w world) told(d digest.Digest) string {
	w.Helper()
	list := must(w.Editions.WaitingNotices(w.ctx, d.ID))
	return describe(list)
}

func describe(list []digest.Notice) string {
	var all []string
	for _, n := range list {
		text := string(n.Kind) + " " + n.Title
		if !n.To.IsZero() {
			text += " " + n.From.Format("15:04") + "-" + n.To.Format("15:04")
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// editionNotices describes the notices of a digest's editions, oldest first.
func (w world) editionNotices(d digest.Digest) string {
	w.Helper()
	list := must(w.Editions.Editions(w.ctx, d.ID, 100))
	var all []string
	for _, e := range list {
		told := must(w.Editions.Notices(w.ctx, []digest.Delivery{{Edition: e}}))
		for _, n := range told[e.ID] {
			want(w, "digest", n.DigestID, d.ID)
		}
		all = append([]string{e.LocalDate.String() + " " + describe(told[e.ID])}, all...)
	}
	return strings.Join(all, "; ")
}

// gap records a poll that may have lost posts since an instant.
func (w world) gap(now time.Time, f digest.Feed, from time.Time, identities ...string) {
	w.Helper()
	p := store.Polled{Feed: f, Posts: posts(now, identities...), Listed: identities,
		Gap: &digest.Gap{From: from, To: now}}
	p.Feed.ParsedAt, p.Feed.BusyInterval = now, 2*time.Hour
	must(w.Feeds.Record(w.ctx, now, []store.Polled{p}))
}

func TestGapsAreTold(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		f := w.feed("f.example")
		w.ok(w.addTitled(ada, f, "Mine"))
		w.subscribe(bob, f)
		w.setState(bob, digest.DigestPaused, noon)
		w.posted(f, "1")
		hour := func(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: cyd.ID, FeedID: f.ID}, hour(1)))

		w.gap(hour(2), f, noon, "2", "3")
		want(w, "ada", w.told(ada), "gap Mine 12:00-14:00")
		want(w, "bob pauses", w.told(bob), "")
		want(w, "cyd, since she takes it", w.told(cyd), "gap f.example 13:00-14:00")
		want(w, "busy", w.feedAgain(f).BusyInterval, 2*time.Hour)
		w.gap(hour(4), f, hour(2), "4", "5")
		want(w, "two are one", w.told(ada), "gap Mine 12:00-16:00")
		w.hour(parisMidnight)
		want(w, "edition", w.editionNotices(ada), "2026-11-20 gap Mine 12:00-16:00")
		want(w, "told once", w.told(ada), "")
		w.unsubscribe(ada, f)
		want(w, "and it stays", w.editionNotices(ada), "2026-11-20 gap Mine 12:00-16:00")
	})
}

// A gap counts only if none of the document's posts is known, under any identity.
func TestGapsThatAreNone(t *testing.T) {
	renamed := post("new-1", noon)
	renamed.Title, renamed.URL = "Title of 1", "https://example.org/1"
	for name, p := range map[string]store.Polled{
		"one is known":       {Posts: posts(noon, "2", "1"), Listed: []string{"2", "1"}},
		"one did not change": {Posts: posts(noon, "2", "3"), Listed: []string{"2", "3", "1"}},
		"one is renamed":     {Posts: []digest.Post{post("2", noon), renamed}, Listed: []string{"2", "new-1"}},
		"the first read":     {Posts: posts(noon, "2", "3"), Listed: []string{"2", "3"}, FirstRead: true},
		"nothing is listed":  {},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w world) {
				ada, f := w.follows()
				w.posted(f, "1")
				w.ok(w.Enqueue(w.ctx, f.ID, noon))
				w.end(noon, w.one(noon, "t"), func(q *store.Polled) {
					q.Posts, q.Listed, q.FirstRead = p.Posts, p.Listed, p.FirstRead
					q.Gap = &digest.Gap{From: noon.Add(-time.Hour), To: noon}
					q.Feed.BusyInterval, q.Feed.PollAt = 2*time.Hour, noon.Add(2*time.Hour)
				})
				want(w, "told", w.told(ada), "")
				want(w, "busy", w.feedAgain(f).BusyInterval, 0)
				want(w, "queued", w.feedAgain(f).PollAt, time.Time{})
			})
		})
	}
}

// A false gap does not remove a feed from the queue that no midnight polls.
func TestGapThatIsNoneOfAFeedThatSkips(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		w.subscribe(w.reader("ada"), f)
		w.posted(f, "1")
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		w.end(noon, w.one(noon, "t"), func(q *store.Polled) {
			q.Posts, q.Listed = posts(noon, "2", "1"), []string{"2", "1"}
			q.Gap = &digest.Gap{From: noon.Add(-time.Hour), To: noon}
			q.Feed.SkipHours = 1 << 23
			q.Feed.BusyInterval, q.Feed.PollAt = 2*time.Hour, noon.Add(9*time.Hour)
		})
		want(w, "busy", w.feedAgain(f).BusyInterval, 0)
		want(w, "queued", w.feedAgain(f).PollAt, noon.Add(9*time.Hour))
	})
}

// die records that a feed has failed for too long.
func (w world) die(f digest.Feed, now time.Time) {
	w.Helper()
	f = w.feedAgain(f)
	f.State, f.Errors, f.FirstErrorAt = digest.FeedDead, 99, now
	w.poll(now, store.Polled{Feed: f})
}

func TestTheDeadAreToldOnce(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.setState(bob, digest.DigestPaused, noon)
		w.die(f, noon)
		want(w, "told", w.told(ada), "dead f.example")
		want(w, "bob, when he comes back", w.told(bob), "dead f.example")
		w.hour(parisMidnight)
		tried := w.feedAgain(f)
		tried.State = digest.FeedTrial
		w.set(tried)
		w.die(f, parisMidnight)
		want(w, "a trial that failed", w.told(ada), "")
		tried.State = digest.FeedTrial
		w.set(tried)
		tried.State = digest.FeedActive
		w.set(tried)
		want(w, "it lives before bob was told", w.told(bob), "")
		want(w, "ada was", w.editionNotices(ada), "2026-11-20 dead f.example")
	})
}

// Notices move and are deleted as hidden posts are.
func TestNoticesMoveWithTheMidnight(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f, g)
		one := noon.Add(time.Hour)
		w.gap(one, f, noon, "1", "2")
		w.gap(one, g, noon, "1", "2")
		both := "gap f.example 12:00-13:00; gap g.example 12:00-13:00"
		w.setZone(ada, "Asia/Tokyo", noon)
		want(w, "in another zone", w.told(ada), both)
		w.setCadence(ada, 1<<time.Sunday, noon)
		want(w, "on another day", w.told(ada), both)
		w.setState(ada, digest.DigestPaused, noon)
		w.setState(ada, digest.DigestActive, noon.Add(30*day))
		want(w, "after a pause", w.told(ada), both)
		w.unsubscribe(ada, f)
		want(w, "without the feed", w.told(ada), "gap g.example 12:00-13:00")
		w.setState(ada, digest.DigestLeft, noon)
		w.holds("of who left, in case they come back", 1, `SELECT count(*) FROM notices`)
		w.setState(ada, digest.DigestActive, noon.Add(40*day))
		w.holds("of who came back late", 0, `SELECT count(*) FROM notices`)

		bob := w.reader("bob")
		w.subscribe(bob, f)
		w.gap(one, f, noon, "3", "4")
		w.holds("bob's", 1, `SELECT count(*) FROM notices`)
		w.remove(bob.UserID, noon)
		w.holds("of who was removed", 0, `SELECT count(*) FROM notices`)
	})
}

// TestTellingExcludesReleasing checks I8 for notices: each is in an edition, or waits.
func TestTellingExcludesReleasing(t *testing.T) {
	const readers, gaps = 5, 60
	each(t, func(w world) {
		f := w.feed("f.example")
		for i := range readers {
			w.subscribe(w.reader(fmt.Sprint("reader", i)), f)
		}
		gone := make([]digest.Feed, 10)
		for i := range gone {
			gone[i] = w.feed(fmt.Sprintf("gone%d.example", i))
			for id := range readers {
				w.subscribe(digest.Digest{ID: digest.DigestID(id + 1)}, gone[i])
			}
			w.say410(gone[i], noon)
		}
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := range gaps {
				w.gap(noon.Add(time.Duration(n+1)*time.Second), f, noon, fmt.Sprint("a", n), fmt.Sprint("b", n))
			}
		})
		wg.Go(func() {
			for _, g := range gone {
				if _, err := w.Feeds.Retire(w.ctx, noon, []digest.FeedID{g.ID}); err != nil {
					w.Error(err)
				}
			}
		})
		told := make(chan struct{})
		go func() { wg.Wait(); close(told) }()
		for now, done := parisMidnight, false; !done; now = now.Add(day) {
			select {
			case <-told:
				done = true
			default:
			}
			w.hour(now)
		}
		w.holds("of feeds that are gone", readers*len(gone), `SELECT count(*) FROM notices WHERE kind = 'gone'`)
		w.holds("that no edition tells", 0, `SELECT count(*) FROM notices n JOIN digests d ON d.id = n.digest_id
			WHERE n.visible_at <= d.last_due_at AND NOT EXISTS
			(SELECT 1 FROM editions e WHERE e.digest_id = n.digest_id AND e.due_at = n.visible_at)`)
		w.holds("that wait for no midnight", 0, `SELECT count(*) FROM notices n JOIN digests d ON d.id = n.digest_id
			WHERE n.visible_at > d.last_due_at AND n.visible_at <> d.next_due_at`)
	})
}

func TestPruneTakesAllOfAFeed(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.asked("f.example", noon)
		w.ok(w.addTitled(ada, f, "Mine"))
		w.subscribe(bob, f)
		w.setState(bob, digest.DigestPaused, noon)
		f.ParsedAt = noon
		w.poll(noon, store.Polled{
			Feed: f, Posts: posts(noon, "1"), Listed: []string{"1"},
			Body: &store.Body{Bytes: []byte("x")}, Poll: store.PollRecord{At: noon, Outcome: "changed"},
		})
		w.say410(f, noon)
		must(w.Feeds.Retire(w.ctx, noon, []digest.FeedID{f.ID}))
		w.hour(parisMidnight)
		w.send(parisMidnight)
		want(w, "told", w.editionNotices(ada), "2026-11-20 gone Mine")
		now := noon.Add(keep + 45*day)
		w.hour(now)
		w.prune(now)
		for _, table := range []string{"feeds", "posts", "bodies", "polls", "editions", "notices"} {
			n := 0
			if table == "notices" {
				n = 1 // bob may still return
			}
			w.holds(table, n, `SELECT count(*) FROM `+table)
		}
		want(w, "bob", w.told(bob), "gone ")
	})
}
