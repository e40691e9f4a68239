package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestCounters counts polls, posts, editions and email. Counters remain when the counted rows are deleted.
func TestCounters(t *testing.T) {
	each(t, func(w world) {
		d, f := w.reader("d"), w.feed("f.example")
		w.subscribe(d, f)
		for i, p := range []store.PollRecord{
			{Outcome: "changed", Status: 200, Requests: 2, Bytes: 500},
			{Outcome: "unchanged", Status: 304, Requests: 1},
			{Outcome: "failed", Status: 429}, {Outcome: "failed", Status: 404}, {Outcome: "failed", Status: 503},
			{Outcome: "failed"},
		} {
			p.At = noon.Add(time.Duration(i) * 10 * time.Minute)
			w.ok(err2(w.Feeds.Record(w.ctx, p.At,
				[]store.Polled{{Feed: f, Poll: p, Posts: posts(noon, fmt.Sprint(i/4))}})))
		}
		want(w, "editions", w.hour(parisMidnight), 1)
		w.claimEditions(parisMidnight, 1, "t")
		list := w.latest(d)
		w.mark(parisMidnight, "t", digest.Mark{ID: list.ID, State: digest.EditionReady, NextAt: parisMidnight})
		w.claimEditions(parisMidnight, 1, "u")
		w.mark(parisMidnight, "u", digest.Mark{ID: list.ID, State: digest.EditionSent})
		w.mark(parisMidnight, "u", digest.Mark{ID: list.ID, State: digest.EditionSent}) // already marked
		const done = "map[edition:{1 0 0} mail retried:{1 0 0} mail sent:{1 0 0} poll broken:{1 0 0} poll " +
			"changed:{1 2 500}" +
			" poll limited:{1 0 0} poll refused:{1 0 0} poll silent:{1 0 0} poll unchanged:{1 1 0} post:{2 0 0}]"
		want(w, "done", w.done(), done)
		hours := must(w.Operator.HourCounters(w.ctx, parisMidnight.Add(30*time.Minute)))
		want(w, "in the hour of midnight", fmt.Sprint(hours),
			fmt.Sprintf("[{%v edition {1 0 0}} {%[1]v mail retried {1 0 0}} {%[1]v mail sent {1 0 0}}]", parisMidnight))

		// Pruning, even twice, does not change the counters.
		for range 2 {
			must(w.Feeds.PrunePolls(w.ctx, noon.AddDate(0, 0, 100)))
		}
		want(w, "no polls", w.count(`SELECT count(*) FROM polls`), 0)
		want(w, "done, long ago", w.done(), done)
		want(w, "one row a kind", w.count(`SELECT count(*) FROM counters`), 10)
		w.ok(err2(w.Feeds.Record(w.ctx, noon.AddDate(0, 0, 100),
			[]store.Polled{{Feed: f, Poll: store.PollRecord{At: noon, Outcome: "unchanged"}}})))
		want(w, "and goes on", strings.Contains(w.done(), "poll unchanged:{2 1 0}"), true)
	})
}

// TestCountersOfAnOldDatabase: the migration counts the rows that are still stored.
func TestCountersOfAnOldDatabase(t *testing.T) {
	upgrade(t, 4, func(w world) {
		for _, values := range []string{"'changed', 200, 2, 900", "'unchanged', 304, 1, 0", "'failed', 429, 1, 0",
			"'failed', 0, 1, 0"} {
			w.exec(fmt.Sprintf(
				`INSERT INTO polls (feed_id, at, outcome, status, requests, bytes) SELECT 1,
					COALESCE(MAX(at), %d) + 1, %s FROM polls`, noon.Unix(), values))
		}
		w.exec(fmt.Sprintf(
			`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at,
				expires_at, sent_at)
			VALUES (1, '2026-11-19', %d, 1, 1, 'sent', 1, 1, 1, %d)`, noon.Unix(), noon.Unix()+4000))
		w.ok(w.Migrate(w.ctx))
		want(w, "done", w.done(),
			"map[edition:{1 0 0} mail sent:{1 0 0} poll changed:{1 2 900} poll limited:{1 1 0} poll silent:{1 1 0}"+
				" poll unchanged:{1 1 0}]")
	})
}
