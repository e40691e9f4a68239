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
	w.t.Helper()
	w.ok(w.Exec(w.ctx(), `INSERT INTO polls (feed_id, at, outcome, status, requests, bytes, millis, note)
		VALUES (?, ?, 'unchanged', 304, 1, 20, 150, 'a note')`, f, at.Unix()))
}

func TestPolls(t *testing.T) {
	each(t, func(w world) {
		f, other := w.feed("a.example"), w.feed("b.example")
		for i := range 4 {
			w.addPoll(int64(f.ID), noon.Add(-time.Duration(i)*day))
		}
		w.addPoll(int64(other.ID), noon)
		got, err := w.Feeds.Polls(w.ctx(), f.ID, noon.Add(-day))
		w.ok(err)
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
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("a.example")
		w.subscribe(ada, f)
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
			w.ok(w.Exec(w.ctx(), `UPDATE feed_times SET last_attempt_at = 0`))
			w.ok(w.Enqueue(w.ctx(), f.ID, now))
			w.ok(w.Exec(w.ctx(), `UPDATE hosts SET lease_until = 0`))
			claimed := w.one(now, fmt.Sprint(i))
			w.end(now, claimed, func(polled *store.Polled) { polled.Poll = p })
			w.end(now, claimed, func(polled *store.Polled) { polled.Poll = p }) // its lease has ended
		}
		got, err := w.Feeds.Polls(w.ctx(), f.ID, noon)
		w.ok(err)
		if !reflect.DeepEqual(got, all) {
			t.Errorf("got %+v\nwant %+v", got, all)
		}
		rows, err := w.Count(w.ctx(), `SELECT count(*) FROM polls`)
		w.ok(err)
		want(w.t, "rows", rows, len(all)-alike+alike/16)
		since := all[len(all)-20].At
		got, err = w.Feeds.Polls(w.ctx(), f.ID, since)
		w.ok(err)
		want(w.t, "the last 20", len(got), 20)
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
		w.ok(w.Feeds.SaveRobots(w.ctx(), digest.Robots{Origin: "https://old.example", FetchedAt: noon.Add(-91 * day)}))
		w.ok(w.Feeds.SaveRobots(w.ctx(), digest.Robots{Origin: "https://new.example", FetchedAt: noon.Add(-8 * day)}))
		n, err := w.Feeds.PrunePolls(w.ctx(), noon)
		w.ok(err)
		want(w.t, "deleted", n, 6)
		n, err = w.Feeds.PrunePolls(w.ctx(), noon)
		w.ok(err)
		want(w.t, "again", n, 0)
		n, err = w.Count(w.ctx(), `SELECT count(*) FROM polls WHERE at >= ?`, noon.Add(-90*day).Unix())
		w.ok(err)
		want(w.t, "kept", n, 6)
		_, old, err := w.Feeds.Robots(w.ctx(), "https://old.example")
		w.ok(err)
		_, young, err := w.Feeds.Robots(w.ctx(), "https://new.example")
		w.ok(err)
		want(w.t, "a robots.txt long unread is kept", old, false)
		want(w.t, "a young one is kept", young, true)
	})
}

// One transaction deletes a bounded number of old polls.
func TestPrunePollsInParts(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		const more = 3
		w.ok(w.Exec(w.ctx(), fmt.Sprintf(
			`INSERT INTO polls (feed_id, at, outcome) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n
				WHERE i < %d)
			SELECT %d, i, 'unchanged' FROM n`, 3*store.PrunedPolls+more, f.ID)))
		n, err := w.DeletePolls(w.ctx(), f.ID, noon)
		w.ok(err)
		want(w.t, "deleted at once", n, store.PrunedPolls)
		n, err = w.Feeds.PrunePolls(w.ctx(), noon)
		w.ok(err)
		want(w.t, "deleted in all", n, 2*store.PrunedPolls+more)
	})
}

// TestRobots: the stored robots.txt is returned, and the newest one stays.
func TestRobots(t *testing.T) {
	each(t, func(w world) {
		_, known, err := w.Feeds.Robots(w.ctx(), "https://a.example")
		w.ok(err)
		want(w.t, "known before", known, false)
		r := digest.Robots{Origin: "https://a.example", FetchedAt: noon, ETag: `"1"`, LastModified: "yesterday",
			Rules: "disallow: /\n"}
		w.ok(w.Feeds.SaveRobots(w.ctx(), r))
		older := digest.Robots{Origin: r.Origin, FetchedAt: noon.Add(-time.Hour)}
		w.ok(w.Feeds.SaveRobots(w.ctx(), older))
		got, known, err := w.Feeds.Robots(w.ctx(), r.Origin)
		w.ok(err)
		want(w.t, "known", known, true)
		want(w.t, "the stored", got, r)
		r.FetchedAt, r.Rules = noon.Add(time.Hour), ""
		w.ok(w.Feeds.SaveRobots(w.ctx(), r))
		got, _, err = w.Feeds.Robots(w.ctx(), r.Origin)
		w.ok(err)
		want(w.t, "the newer", got, r)
	})
}
