package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestMidnights counts readers and feeds by the quarter of an hour of the UTC day in which their days begin. An owner
// and a member of a newsletter count once.
func TestMidnights(t *testing.T) {
	each(t, func(w world) {
		a, b, dead := w.feed("a.example"), w.feed("b.example"), w.feed("dead.example")
		paris, berlin, kathmandu := w.reader("p"), w.reader("b", "Europe/Berlin"),
			w.reader("k", "Asia/Kathmandu")
		w.subscribe(paris, a, b, dead)
		w.subscribe(berlin, a)
		w.subscribe(kathmandu, b, dead)
		w.exec(`UPDATE feeds SET state = 'dead' WHERE id = ?`, dead.ID)
		weekly := w.reader("w") // the next midnight is days away
		w.setCadence(weekly, 1<<time.Wednesday, noon)
		w.subscribe(weekly, a) // counts once for this quarter, whatever the day
		w.member(w.newsletter("letters", paris, a), "b@example.org", "Europe/Berlin")
		gone := w.reader("g", "Asia/Tokyo")
		w.setState(gone, digest.DigestLeft, noon)
		away := w.reader("t", "Asia/Tokyo") // no edition until the pause ends, but polls
		w.subscribe(away, a)
		w.pause(away, noon.Add(5*day), noon)
		w.ok(w.Readers.PauseDigest(w.ctx, w.reader("u", "Asia/Dubai").ID, time.Time{}, noon))
		readers := must(w.Operator.Midnights(w.ctx))
		want(w, "readers", fmt.Sprint(readers), "[{18h15m0s 1 0} {23h0m0s 3 0}]")
		feeds := must(w.Operator.MidnightFeeds(w.ctx))
		want(w, "feeds", fmt.Sprint(feeds), "[{15h0m0s 0 1} {18h15m0s 0 1} {23h0m0s 0 2}]")
	})
}

// TestLags: only overdue work is late, each kind since the instant at which it was due.
func TestLags(t *testing.T) {
	each(t, func(w world) {
		lags := func(now time.Time) digest.Lags {
			l := must(w.Operator.Lags(w.ctx, now, deadline))
			return l
		}
		_, f := w.follows()
		w.posted(f, "p")
		want(w, "before midnight", lags(parisMidnight.Add(-time.Second)), digest.Lags{})
		want(w, "within the deadline", lags(parisMidnight.Add(deadline)), digest.Lags{})
		want(w, "nobody planned", lags(parisMidnight.Add(deadline+time.Second)),
			digest.Lags{Editions: parisMidnight.Add(deadline)})

		planned := parisMidnight.Add(8 * time.Hour) // after a night's sleep
		poll := planned.Add(2 * time.Minute)
		must(w.Feeds.Plan(w.ctx, planned, func(digest.Feed, time.Time) (time.Time, bool) { return poll, true }))
		want(w, "planned", lags(poll), digest.Lags{})
		want(w, "nobody asks", lags(poll.Add(time.Minute)), digest.Lags{Polls: poll})
		must2(w.Feeds.ClaimFeeds(w.ctx, poll.Add(time.Minute),
			store.ClaimOptions{N: 1, Lease: time.Hour, Token: "t"}))
		want(w, "asked, and not in yet", lags(planned.Add(deadline)), digest.Lags{})
		late := planned.Add(deadline + time.Minute)
		want(w, "nobody releases", lags(late), digest.Lags{Editions: planned.Add(deadline)})
		want(w, "an edition", w.release(late), 1)
		want(w, "nobody mails", lags(late.Add(time.Minute)), digest.Lags{Mail: late})
		w.send(late.Add(time.Minute))
		want(w, "all is done", lags(late.Add(2*time.Minute)), digest.Lags{})
	})
}

func TestTroubledFeeds(t *testing.T) {
	each(t, func(w world) {
		d, e := w.reader("d"), w.reader("e")
		well, dead, failing, nobodys := w.feed("well.example"), w.feed("dead.example"), w.feed("failing.example"),
			w.feed("nobodys.example")
		w.subscribe(d, well, dead, failing)
		w.subscribe(e, failing)
		w.exec(`UPDATE feeds SET state = 'dead' WHERE id IN (?, ?)`, dead.ID, nobodys.ID)
		w.exec(`UPDATE feeds SET errors = 2 WHERE id = ?`, failing.ID)
		list, all := must2(w.Operator.TroubledFeeds(w.ctx, 9))
		want(w, "all", all, 2)
		want(w, "the first", list[0].Host+fmt.Sprint(list[0].Subscribers), "failing.example2")
		want(w, "the second", list[1].Host+fmt.Sprint(list[1].Subscribers), "dead.example1")
		list, all = must2(w.Operator.TroubledFeeds(w.ctx, 1))
		want(w, "all of a short list", fmt.Sprint(len(list), all), "1 2")
		n := must(w.Operator.Numbers(w.ctx))
		want(w, "numbers", fmt.Sprint(n.Readers, n.Subscriptions, n.Digests, n.Feeds, n.Failing, n.Suppressed),
			"2 4 map[active:2] map[active:2 dead:2] 1 map[]")
		want(w, "a database has a size", n.Bytes > 10_000, true)
	})
}

func (w world) done() string {
	w.Helper()
	totals := must(w.Operator.CounterTotals(w.ctx))
	return fmt.Sprint(totals)
}

func err2[T any](_ T, err error) error { return err }

func err3[T, U any](_ T, _ U, err error) error { return err }

// BenchmarkMidnights reads a million subscriptions.
func BenchmarkMidnights(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		w := newWorld(nil, s)
		crowd(b, w, 50_000, 20_000, 20)
		for _, part := range []struct {
			name string
			read func() error
		}{
			{"readers", func() error { return err2(s.Operator.Midnights(b.Context())) }},
			{"feeds", func() error { return err2(s.Operator.MidnightFeeds(b.Context())) }},
			{"numbers", func() error { return err2(s.Operator.Numbers(b.Context())) }},
			{"troubled", func() error { _, _, err := s.Operator.TroubledFeeds(b.Context(), 20); return err }},
			{"mail", func() error { return err2(s.Editions.MailWaiting(b.Context(), noon, 20)) }},
			{"totals", func() error { return err2(s.Operator.CounterTotals(b.Context())) }},
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

// crowd fills a database with readers around the world, some failing feeds and unsent mail.
func crowd(b *testing.B, w world, readers, feeds, each int) {
	b.Helper()
	const count = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO users (email, email_key, time_zone, created_at) `+
			count+`SELECT 'r' || i, 'r' || i, 'Europe/Paris', 0 FROM n`, readers),
		fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) SELECT id, '', %d + id %% 24 * 3600
			FROM users ORDER BY id`, parisMidnight.Unix()),
		fmt.Sprintf(`INSERT INTO feeds (url, host, parsed_at, errors) `+
			count+`SELECT 'u' || i, 'h' || i, 1, CASE WHEN i %% 20 = 0 THEN 1 ELSE 0 END FROM n`, feeds),
		fmt.Sprintf(`INSERT INTO subscriptions (digest_id, feed_id, created_at)
			SELECT d.id, 1 + (d.id * 7 + k.i * 97) %% %d, 0
			FROM digests d CROSS JOIN (`+count+`SELECT i FROM n) k ORDER BY 1, 2`, feeds, each),
		`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at)
			SELECT id, '2026-11-19', next_due_at - 86400, 0, 1, CASE WHEN id % 10 = 0 THEN 'ready'
			ELSE 'sent' END, 0, 0, 2000000000 FROM digests`,
		`ANALYZE`,
	} {
		if err := w.Exec(b.Context(), statement); err != nil {
			b.Fatal(err)
		}
	}
}
