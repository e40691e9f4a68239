package store_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func (w world) addPoll(f int64, at time.Time) {
	w.Helper()
	w.exec(`INSERT INTO polls (feed_id, at, outcome, status, requests, bytes, millis, note)
		VALUES (?, ?, 'unchanged', 304, 1, 20, 150, 'a note')`, f, at.Unix())
}

func TestPolls(t *testing.T) {
	each(t, func(w world) {
		f, other := w.feed("a.example"), w.feed("b.example")
		for i := range 4 {
			w.addPoll(int64(f.ID), noon.Add(-time.Duration(i)*day))
		}
		w.addPoll(int64(other.ID), noon)
		got := must(w.Feeds.Polls(w.ctx, f.ID, noon.Add(-day)))
		one := store.PollRecord{Outcome: "unchanged", Status: 304, Requests: 1, Bytes: 20, Took: 150 * time.Millisecond,
			Note: "a note"}
		yesterday, today := one, one
		yesterday.At, today.At = noon.Add(-day), noon
		if want := []store.PollRecord{yesterday, today}; !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	})
}

// Polls that found nothing new share rows, and each is read as it was stored.
func TestPollsShareRows(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
		chance := rand.New(rand.NewPCG(25, 2))
		var all []store.PollRecord
		now, alike := noon, 0
		for i := range 100 {
			now = now.Add(time.Duration(1+chance.IntN(100_000)) * time.Second)
			p := store.PollRecord{At: now, Outcome: "unchanged", Status: 304, Requests: 1,
				Took: time.Duration(chance.IntN(9000)) * time.Millisecond, Note: "unchanged: 304"}
			switch chance.IntN(8) {
			case 0:
				p.Outcome, p.Status, p.Note = "failed", 503, "503 Service  Unavailable"
			case 1:
				p.Status, p.Requests, p.Bytes, p.Note = 200, 2, 1<<40, " the same\tbytes, 100 % \u2028"
			case 2:
				p.Status, p.Note = 0, ""
			}
			if p.Outcome == "unchanged" {
				alike++
			}
			all = append(all, p)
			w.exec(`UPDATE feed_times SET last_attempt_at = 0`)
			w.ok(w.Enqueue(w.ctx, f.ID, now))
			w.exec(`UPDATE hosts SET lease_until = 0`)
			claimed := w.one(now, fmt.Sprint(i))
			w.end(now, claimed, func(polled *store.Polled) { polled.Poll = p })
			w.end(now, claimed, func(polled *store.Polled) { polled.Poll = p }) // its lease has ended
		}
		got := must(w.Feeds.Polls(w.ctx, f.ID, noon))
		if !reflect.DeepEqual(got, all) {
			t.Errorf("got %+v\nwant %+v", got, all)
		}
		rows := w.count(`SELECT count(*) FROM polls`)
		want(w, "rows", rows, len(all)-alike+alike/16)
		since := all[len(all)-20].At
		got = must(w.Feeds.Polls(w.ctx, f.ID, since))
		want(w, "the last 20", len(got), 20)
	})
}

// TestPrunePolls: each feed keeps its last 90 days, independent of the others.
func TestPrunePolls(t *testing.T) {
	each(t, func(w world) {
		for _, host := range hosts(3) {
			f := w.feed(host)
			for age := 89; age <= 92; age++ {
				w.addPoll(int64(f.ID), noon.Add(-time.Duration(age)*day))
			}
		}
		w.ok(w.Feeds.SaveRobots(w.ctx, digest.Robots{Origin: "https://old.example", FetchedAt: noon.Add(-91 * day)}))
		w.ok(w.Feeds.SaveRobots(w.ctx, digest.Robots{Origin: "https://new.example", FetchedAt: noon.Add(-8 * day)}))
		n := must(w.Feeds.PrunePolls(w.ctx, noon))
		want(w, "deleted", n, 6)
		n = must(w.Feeds.PrunePolls(w.ctx, noon))
		want(w, "again", n, 0)
		n = w.count(`SELECT count(*) FROM polls WHERE at >= ?`, noon.Add(-90*day).Unix())
		want(w, "kept", n, 6)
		_, old := must2(w.Feeds.Robots(w.ctx, "https://old.example"))
		_, young := must2(w.Feeds.Robots(w.ctx, "https://new.example"))
		want(w, "a robots.txt long unread is kept", old, false)
		want(w, "a young one is kept", young, true)
	})
}

// One transaction deletes a bounded number of old polls.
func TestPrunePollsInParts(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		const more = 3
		w.exec(fmt.Sprintf(
			`INSERT INTO polls (feed_id, at, outcome) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
				WHERE i < %d)
			SELECT %d, i, 'unchanged' FROM n`, 3*store.PrunedPolls+more, f.ID))
		n := must(w.DeletePolls(w.ctx, f.ID, noon))
		want(w, "deleted at once", n, store.PrunedPolls)
		n = must(w.Feeds.PrunePolls(w.ctx, noon))
		want(w, "deleted in all", n, 2*store.PrunedPolls+more)
	})
}

// TestRobots: the stored robots.txt is returned, and the newest one stays.
func TestRobots(t *testing.T) {
	each(t, func(w world) {
		_, known := must2(w.Feeds.Robots(w.ctx, "https://a.example"))
		want(w, "known before", known, false)
		r := digest.Robots{Origin: "https://a.example", FetchedAt: noon, ETag: `"1"`, LastModified: "yesterday",
			Rules: "disallow: /\n"}
		w.ok(w.Feeds.SaveRobots(w.ctx, r))
		older := digest.Robots{Origin: r.Origin, FetchedAt: noon.Add(-time.Hour)}
		w.ok(w.Feeds.SaveRobots(w.ctx, older))
		got, known := must2(w.Feeds.Robots(w.ctx, r.Origin))
		want(w, "known", known, true)
		want(w, "the stored", got, r)
		r.FetchedAt, r.Rules = noon.Add(time.Hour), ""
		w.ok(w.Feeds.SaveRobots(w.ctx, r))
		got, _ = must2(w.Feeds.Robots(w.ctx, r.Origin))
		want(w, "the newer", got, r)
	})
}
