package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestPingedSince: PingedSince is the first of a series of pings that are at most LongestPing apart.
func TestPingedSince(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		w.subscribe(w.reader("ann", "UTC"), f)
		told := func(want bool) {
			w.Helper()
			if told, err := w.Feeds.AnyTold(w.ctx); err != nil || told != want {
				w.Errorf("told %v, %v", told, err)
			}
		}
		told(false)
		first := noon
		for i, c := range []struct{ at, since time.Time }{
			{first, first},
			{first.Add(digest.LongestPing - time.Second), first},
			{first.Add(2*digest.LongestPing - 2*time.Second), first},
			{first.Add(3*digest.LongestPing - 2*time.Second), first.Add(3*digest.LongestPing - 2*time.Second)},
		} {
			w.exec(`UPDATE feed_times SET poll_at = NULL`)
			w.exec(`UPDATE feeds SET pinged_at = 0`)
			w.pinged(c.at, f.URL)
			known := must(w.Feeds.News(w.ctx, []digest.FeedID{f.ID}))
			news := known[f.ID]
			want(w, fmt.Sprint("since ", i), news.PingedSince, c.since)
			want(w, fmt.Sprint("the last ", i), news.LastPingAt, c.at)
			want(w, fmt.Sprint("pings ", i), news.Pings, i+1)
		}
		told(true)
	})
}

// TestWaysOfNews counts feeds by digest.News.Way.
func TestWaysOfNews(t *testing.T) {
	each(t, func(w world) {
		before, after := noon.Add(-time.Second).Unix(), noon.Add(time.Second).Unix()
		recent, old := noon.Add(-digest.LongestPing+time.Second).Unix(), noon.Add(-digest.LongestPing).Unix()
		var ids []digest.FeedID
		for i, c := range []struct{ pushes, ping, hub int64 }{
			{}, {1, 0, after}, {1, 0, before}, {0, 0, after}, {2, recent, after}, {0, recent, 0}, {0, old, 0},
			{1, recent, before},
		} {
			f := w.feed(fmt.Sprintf("f%d.example", i))
			ids = append(ids, f.ID)
			w.exec(`INSERT INTO feed_news (feed_id, pushes, last_ping_at) VALUES (?, ?, ?)`, f.ID,
				c.pushes, c.ping)
			w.exec(`INSERT INTO push_subscriptions (feed_id, hub, topic, secret, state,
				expires_at, next_at) VALUES (?, 'https://hub.example/', 't', 's', 'active', ?, 0)`, f.ID, c.hub)
		}
		w.feed("unknown.example")
		known := must(w.Feeds.News(w.ctx, ids))
		wanted := map[digest.Way]int{digest.ByPoll: 1}
		for _, id := range ids {
			way, _ := known[id].Way(noon)
			wanted[way]++
		}
		ways := must(w.Feeds.WaysOfNews(w.ctx, noon))
		for _, way := range digest.Ways() {
			want(w, string(way), ways[way], wanted[way])
			if wanted[way] == 0 {
				w.Errorf("none by %s", way)
			}
		}
	})
}
