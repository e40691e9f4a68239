package store_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestPoisonedPoll stores a batch in which the database rejects the posts of one poll. The others are stored, and
// that feed is not polled for a day.
func TestPoisonedPoll(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f, g)
		w.posted(f, "1")
		w.exec(`CREATE UNIQUE INDEX poison ON posts (title)`)
		for _, feed := range []digest.Feed{f, g} {
			w.ok(w.Enqueue(w.ctx, feed.ID, noon))
		}
		var polls []store.Polled
		for _, c := range w.claim(noon, 9, "t") {
			found := post("of "+c.Host, noon)
			if c.ID == g.ID {
				found.Title = "Title of 1"
			}
			rec := c.Feed
			rec.PollAt, rec.ETag = time.Time{}, "new"
			polls = append(polls, store.Polled{Feed: rec, Was: c.Feed, Token: "t", Posts: []digest.Post{found},
				Listed: []string{found.Identity}, HostFreeAt: noon,
				Poll: store.PollRecord{At: noon, Outcome: "changed", Status: 200},
				Body: &store.Body{Bytes: []byte("new")}})
		}
		r, err := w.Feeds.Record(w.ctx, noon, polls)
		w.ok(err)
		want(w, "result", r, store.RecordResult{Posts: 1, Hidden: 1, Refused: 1})
		want(w, "waiting", w.waiting(ada), "1 of f.example")
		bad := w.feedAgain(g)
		want(w, "its validators", bad.ETag, "")
		want(w, "why", strings.HasPrefix(bad.LastError, "could not be stored: ") &&
			!strings.Contains(bad.LastError, "\n"), true)
		want(w, "errors", bad.Errors, 1)
		want(w, "may be asked", bad.NotBefore, noon.Add(day))
		want(w, "in the queue", bad.PollAt, time.Time{})
		want(w, "failing since", bad.FailingSince, noon)
		history := must(w.Feeds.Polls(w.ctx, g.ID, time.Time{}))
		want(w, "its history", len(history) == 1 && history[0].Outcome == "failed" &&
			history[0].Note == bad.LastError, true)
		want(w, "its document, and the other's", w.body(g)+w.body(f), "none  new")
		w.holds("leases", 0, `SELECT count(*) FROM feed_times WHERE lease_token <> ''`)
		w.holds("hosts still leased", 0, `SELECT count(*) FROM hosts WHERE lease_until > ?`, noon.Unix())
		again := must(w.Feeds.Record(w.ctx, noon, polls[1:]))
		want(w, "once more, its lease being over", again, store.RecordResult{Stale: 1})

		fresh := w.feed("h.example")
		_, err = w.Feeds.Record(w.ctx, noon, []store.Polled{{Feed: fresh, Posts: posts(noon, "1"),
			Listed: []string{"1"}}})
		want(w, "who has just added a feed is told", err != nil, true)
	})
}
