package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestMidnights counts readers and feeds by the quarter of an hour of the UTC
// day in which their days begin.
func TestMidnights(t *testing.T) {
	each(t, func(w world) {
		a, b, dead := w.feed("a.example"), w.feed("b.example"), w.feed("dead.example")
		paris, berlin, kathmandu := w.reader("p", "Europe/Paris"), w.reader("b", "Europe/Berlin"), w.reader("k", "Asia/Kathmandu")
		w.subscribe(paris, a, b, dead)
		w.subscribe(berlin, a)
		w.subscribe(kathmandu, b, dead)
		w.ok(w.Exec(w.ctx(), `UPDATE feeds SET state = 'dead' WHERE id = ?`, dead.ID))
		weekly := w.reader("w", "Europe/Paris") // whose next midnight is days away
		w.ok(w.SetWeekdays(w.ctx(), weekly.ID, 1<<time.Wednesday, noon))
		gone := w.reader("g", "Asia/Tokyo")
		w.ok(w.SetDigestState(w.ctx(), gone.ID, digest.DigestLeft, noon))
		away := w.reader("t", "Asia/Tokyo") // gets nothing until the pause is over, and misses nothing
		w.subscribe(away, a)
		w.ok(w.PauseDigest(w.ctx(), away.ID, noon.Add(5*day), noon))
		w.ok(w.PauseDigest(w.ctx(), w.reader("u", "Asia/Dubai").ID, time.Time{}, noon))
		readers, err := w.Midnights(w.ctx())
		w.ok(err)
		want(w.t, "readers", fmt.Sprint(readers), "[{18h15m0s 1 0} {23h0m0s 3 0}]")
		feeds, err := w.MidnightFeeds(w.ctx())
		w.ok(err)
		want(w.t, "feeds", fmt.Sprint(feeds), "[{15h0m0s 0 1} {18h15m0s 0 1} {23h0m0s 0 2}]")
	})
}

func TestTroubledFeeds(t *testing.T) {
	each(t, func(w world) {
		d, e := w.reader("d", "Europe/Paris"), w.reader("e", "Europe/Paris")
		well, dead, failing, nobodys := w.feed("well.example"), w.feed("dead.example"), w.feed("failing.example"), w.feed("nobodys.example")
		w.subscribe(d, well, dead, failing)
		w.subscribe(e, failing)
		w.ok(w.Exec(w.ctx(), `UPDATE feeds SET state = 'dead' WHERE id IN (?, ?)`, dead.ID, nobodys.ID))
		w.ok(w.Exec(w.ctx(), `UPDATE feeds SET errors = 2 WHERE id = ?`, failing.ID))
		list, all, err := w.TroubledFeeds(w.ctx(), 9)
		w.ok(err)
		want(w.t, "all", all, 2)
		want(w.t, "the first", list[0].Host+fmt.Sprint(list[0].Subscribers), "failing.example2")
		want(w.t, "the second", list[1].Host+fmt.Sprint(list[1].Subscribers), "dead.example1")
		list, all, err = w.TroubledFeeds(w.ctx(), 1)
		w.ok(err)
		want(w.t, "all of a short list", fmt.Sprint(len(list), all), "1 2")
		n, err := w.Numbers(w.ctx())
		w.ok(err)
		want(w.t, "numbers", fmt.Sprint(n.Readers, n.Subscriptions, n.Digests, n.Feeds, n.Failing, n.Suppressed),
			"2 4 map[active:2] map[active:2 dead:2] 1 map[]")
		want(w.t, "a database has a size", n.Bytes > 10_000, true)
	})
}

// done lists the tallies of ever.
func (w world) done() string {
	w.t.Helper()
	totals, err := w.CounterTotals(w.ctx())
	w.ok(err)
	return fmt.Sprint(totals)
}

// TestTallies follows polls, posts, editions and mail into their tallies, which
// stay when what they counted is deleted.
func TestTallies(t *testing.T) {
	each(t, func(w world) {
		d, f := w.reader("d", "Europe/Paris"), w.feed("f.example")
		w.subscribe(d, f)
		for i, p := range []store.PollRecord{
			{Outcome: "changed", Status: 200, Requests: 2, Bytes: 500}, {Outcome: "unchanged", Status: 304, Requests: 1},
			{Outcome: "failed", Status: 429}, {Outcome: "failed", Status: 404}, {Outcome: "failed", Status: 503}, {Outcome: "failed"},
		} {
			p.At = noon.Add(time.Duration(i) * 10 * time.Minute)
			w.ok(err2(w.Record(w.ctx(), p.At, []store.Polled{{Feed: f, Poll: p, Posts: posts(noon, fmt.Sprint(i/4))}})))
		}
		want(w.t, "editions", w.hour(parisMidnight), 1)
		w.take(parisMidnight, 1, "t")
		list, err := w.Editions(w.ctx(), d.ID, 1)
		w.ok(err)
		w.ok(w.MarkEditions(w.ctx(), parisMidnight, "t", []digest.Mark{{ID: list[0].ID, State: digest.EditionReady, NextAt: parisMidnight}}))
		w.take(parisMidnight, 1, "u")
		w.ok(w.MarkEditions(w.ctx(), parisMidnight, "u", []digest.Mark{{ID: list[0].ID, State: digest.EditionSent}}))
		w.ok(w.MarkEditions(w.ctx(), parisMidnight, "u", []digest.Mark{{ID: list[0].ID, State: digest.EditionSent}})) // not held any more
		const done = "map[edition:{1 0 0} mail retried:{1 0 0} mail sent:{1 0 0} poll broken:{1 0 0} poll changed:{1 2 500}" +
			" poll limited:{1 0 0} poll refused:{1 0 0} poll silent:{1 0 0} poll unchanged:{1 1 0} post:{2 0 0}]"
		want(w.t, "done", w.done(), done)
		hours, err := w.HourCounters(w.ctx(), parisMidnight.Add(30*time.Minute))
		w.ok(err)
		want(w.t, "in the hour of midnight", fmt.Sprint(hours), fmt.Sprintf("[{%v edition {1 0 0}} {%[1]v mail retried {1 0 0}} {%[1]v mail sent {1 0 0}}]", parisMidnight))

		// Pruned, and what is pruned twice, stays counted.
		for range 2 {
			_, err = w.PrunePolls(w.ctx(), noon.AddDate(0, 0, 100))
			w.ok(err)
		}
		want(w.t, "no polls", w.count(`SELECT count(*) FROM polls`), 0)
		want(w.t, "done, long ago", w.done(), done)
		want(w.t, "one row a kind", w.count(`SELECT count(*) FROM tallies`), 10)
		w.ok(err2(w.Record(w.ctx(), noon.AddDate(0, 0, 100), []store.Polled{{Feed: f, Poll: store.PollRecord{At: noon, Outcome: "unchanged"}}})))
		want(w.t, "and goes on", strings.Contains(w.done(), "poll unchanged:{2 1 0}"), true)
	})
}

func err2[T any](_ T, err error) error { return err }

func (w world) count(query string) int {
	w.t.Helper()
	n, err := w.Count(w.ctx(), query)
	w.ok(err)
	return n
}

// TestTalliesOfAnOldDatabase: what is still known of the time before is counted.
func TestTalliesOfAnOldDatabase(t *testing.T) {
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		s, err := store.Open(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		w := world{s, t}
		w.ok(s.MigrateTo(w.ctx(), 4))
		for _, values := range []string{"'changed', 200, 2, 900", "'unchanged', 304, 1, 0", "'failed', 429, 1, 0", "'failed', 0, 1, 0"} {
			w.ok(s.Exec(w.ctx(), fmt.Sprintf(`INSERT INTO polls (feed_id, at, outcome, status, requests, bytes) SELECT 1, COALESCE(MAX(at), %d) + 1, %s FROM polls`, noon.Unix(), values)))
		}
		w.ok(s.Exec(w.ctx(), fmt.Sprintf(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at, sent_at)
			VALUES (1, '2026-11-19', %d, 1, 1, 'sent', 1, 1, 1, %d)`, noon.Unix(), noon.Unix()+4000)))
		w.ok(s.Migrate(w.ctx()))
		want(t, "done", w.done(), "map[edition:{1 0 0} mail sent:{1 0 0} poll changed:{1 2 900} poll limited:{1 1 0} poll silent:{1 1 0} poll unchanged:{1 1 0}]")
	})
}

func TestMailWaiting(t *testing.T) {
	each(t, func(w world) {
		w.waits("well.example", 3)
		w.waits("rests.example", 2)
		w.ok(w.Exec(w.ctx(), `UPDATE editions SET next_at = ?, attempt = 0 WHERE id = 1`, noon.Add(time.Hour).Unix()))
		w.ok(w.Exec(w.ctx(), `UPDATE editions SET next_at = ?, attempt = 2, error = 'mailbox <full>' WHERE id = 2`, noon.Add(time.Hour).Unix()))
		w.ok(w.Exec(w.ctx(), `UPDATE editions SET next_at = ? WHERE id = 3`, noon.Add(-time.Hour).Unix()))
		_, err := w.ChangeLane(w.ctx(), noon, "rests.example", func(l digest.Lane) digest.Lane {
			l.Until, l.Reason = noon.Add(time.Hour), "busy"
			return l
		})
		w.ok(err)
		got, err := w.MailWaiting(w.ctx(), noon, 5)
		w.ok(err)
		want(w.t, "why", fmt.Sprint(got.Counts), "map[due:1 resting:2 retried:1 scheduled:1 sending:0]")
		want(w.t, "the longest", got.Oldest, noon.Add(-time.Hour))
		want(w.t, "with trouble", fmt.Sprint(len(got.Troubled), got.Troubled[0].ID, " ", got.Troubled[0].Error), "1 2 mailbox <full>")
		w.ok(w.Exec(w.ctx(), `UPDATE editions SET state = 'failed' WHERE id IN (1, 2)`))
		got, err = w.MailWaiting(w.ctx(), noon, 1)
		w.ok(err)
		want(w.t, "given up, the latest", fmt.Sprint(len(got.GivenUp), got.GivenUp[0].ID), "1 2")
	})
}

// BenchmarkMidnights looks at a million subscriptions.
func BenchmarkMidnights(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		w := world{s, nil}
		crowd(b, w, 50_000, 20_000, 20)
		for _, part := range []struct {
			name string
			read func() error
		}{
			{"readers", func() error { return err2(s.Midnights(b.Context())) }},
			{"feeds", func() error { return err2(s.MidnightFeeds(b.Context())) }},
			{"numbers", func() error { return err2(s.Numbers(b.Context())) }},
			{"troubled", func() error { _, _, err := s.TroubledFeeds(b.Context(), 20); return err }},
			{"mail", func() error { return err2(s.MailWaiting(b.Context(), noon, 20)) }},
			{"totals", func() error { return err2(s.CounterTotals(b.Context())) }},
		} {
			b.Run(part.name, func(b *testing.B) {
				for b.Loop() {
					if err := part.read(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	})
}

// crowd fills a database with readers all over the world, some feeds in trouble, and mail that waits.
func crowd(b *testing.B, w world, readers, feeds, each int) {
	b.Helper()
	const count = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO users (email, email_key, time_zone, created_at) `+count+`SELECT 'r' || i, 'r' || i, 'Europe/Paris', 0 FROM n`, readers),
		fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) SELECT id, '', %d + id %% 24 * 3600 FROM users ORDER BY id`, parisMidnight.Unix()),
		fmt.Sprintf(`INSERT INTO feeds (url, host, parsed_at, errors) `+count+`SELECT 'u' || i, 'h' || i, 1, CASE WHEN i %% 20 = 0 THEN 1 ELSE 0 END FROM n`, feeds),
		fmt.Sprintf(`INSERT INTO subscriptions (digest_id, feed_id, created_at) SELECT d.id, 1 + (d.id * 7 + k.i * 97) %% %d, 0
			FROM digests d CROSS JOIN (`+count+`SELECT i FROM n) k ORDER BY 1, 2`, feeds, each),
		`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at)
			SELECT id, '2026-11-19', next_due_at - 86400, 0, 1, CASE WHEN id % 10 = 0 THEN 'ready' ELSE 'sent' END, 0, 0, 2000000000 FROM digests`,
		`ANALYZE`,
	} {
		if err := w.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
}
