package store_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func (w world) body(f digest.Feed) string {
	w.Helper()
	b, ok := must2(w.Posts.Body(w.ctx, f.ID))
	if !ok {
		return "none"
	}
	return b.ContentType + " " + b.URL + " " + string(b.Bytes)
}

// The stored document saves a request when the parser improves (S11).
func TestTheLastDocumentIsKept(t *testing.T) {
	const longest = 4 << 20
	each(t, func(w world) {
		f, g := w.newFeed("f.example"), w.newFeed("g.example")
		w.subscribe(w.reader("ada", "UTC"), f, g)
		want(w, "not read yet", w.body(f), "none")
		now := noon
		read := func(b *store.Body) {
			w.Helper()
			now = now.Add(day)
			w.ok(w.Enqueue(w.ctx, f.ID, now))
			w.end(now, w.one(now, "t"), func(p *store.Polled) { p.Body = b })
		}
		odd := "\x00\xff<rss>\r\n" + strings.Repeat("é", 100_000)
		read(&store.Body{ContentType: "text/xml; charset=\xfflatin1", URL: f.URL, Bytes: []byte(odd)})
		want(w, "byte for byte", w.body(f), "text/xml; charset=\uFFFDlatin1 "+f.URL+" "+odd)
		n := w.count(`SELECT MAX(LENGTH(body)) FROM bodies`)
		if n > 1000 {
			w.Errorf("stored in %d bytes", n)
		}
		read(nil)
		want(w, "unchanged", len(w.body(f)) > len(odd), true)
		read(&store.Body{URL: "u", Bytes: []byte("second")})
		want(w, "replaced", w.body(f), " u second")
		random := make([]byte, longest)
		rand.Read(random)
		read(&store.Body{Bytes: random})
		b, _ := must2(w.Posts.Body(w.ctx, f.ID))
		want(w, "the longest", bytes.Equal(b.Bytes, random), true)
		read(&store.Body{Bytes: make([]byte, longest+1)})
		want(w, "longer than that: none is the last", w.body(f), "none")
		read(&store.Body{Bytes: []byte("third")})
		read(&store.Body{})
		want(w, "empty", w.body(f), "none")
		want(w, "another's", w.body(g), "none")
	})
}

// A poll whose lease has expired stores neither its document nor a row in polls.
func TestStalePollsLeaveNothing(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "UTC")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Enqueue(w.ctx, f.ID, noon))
		slow := w.one(noon, "slow")
		quick := w.one(noon.Add(2*time.Hour), "quick")
		full := func(p *store.Polled) {
			p.Body = &store.Body{Bytes: []byte(p.Token)}
			p.Poll = store.PollRecord{At: noon, Outcome: "changed", Note: p.Token, Took: 1234 * time.Millisecond,
				Bytes: 5, Requests: 2, Status: 200}
			p.Gap = &digest.Gap{From: noon.Add(-time.Hour), To: noon.Add(3 * time.Hour)}
			p.Posts, p.Listed = posts(noon, p.Token), []string{p.Token}
		}
		want(w, "stale", w.end(noon, slow, full).Stale, 1)
		want(w, "document", w.body(f), "none")
		w.end(noon, quick, full)
		want(w, "the other's", w.body(f), "  quick")
		want(w, "told", strings.HasPrefix(w.told(ada), "gap f.example"), true)
		history := must(w.Feeds.Polls(w.ctx, f.ID, time.Time{}))
		want(w, "polls", len(history), 1)
		want(w, "the poll", history[0], store.PollRecord{
			At: noon, Outcome: "changed", Note: "quick", Took: 1234 * time.Millisecond, Bytes: 5, Requests: 2,
			Status: 200,
		})
	})
}

// A merged feed moves its history to the other feed and loses its stored document. The other feed keeps its own.
func TestMovesTakeTheHistoryAlong(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a, b)
		poll := func(f digest.Feed, now time.Time) {
			w.Helper()
			w.poll(now, store.Polled{
				Feed: f, Poll: store.PollRecord{At: now, Outcome: "unchanged"},
				Body: &store.Body{Bytes: []byte(f.Host)}, Arrival: arrival(nil, []string{"1", "2"}),
			})
		}
		poll(a, noon)
		poll(b, noon)
		poll(a, noon.Add(time.Hour))
		w.gap(noon.Add(2*time.Hour), a, noon, "1", "2")
		w.die(b, noon)
		w.exec(`UPDATE feeds SET gone_at = 1, failing_since = 1 WHERE id = ?`, b.ID)
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		poll(moved, noon.Add(3*time.Hour))

		want(w, "document", w.body(b), "  b.example")
		want(w, "of the one that ended", w.body(a), "none")
		want(w, "polls", len(must(w.Feeds.Polls(w.ctx, b.ID, time.Time{}))), 3)
		w.holds("left behind", 0, `SELECT count(*) FROM polls WHERE feed_id = ?`, a.ID)
		got := w.feedAgain(b)
		want(w, "it lives", got.State == digest.FeedActive && got.GoneAt.IsZero() && got.FailingSince.IsZero() &&
			got.FirstErrorAt.IsZero(), true)
		want(w, "told", w.told(ada), "gap a.example 12:00-14:00")
		w.unsubscribe(ada, b)
		want(w, "nothing of either", w.told(ada), "")
	})
}
