package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestInstantsAreStored: fractions of a second are rounded up in an instant before which something must not happen,
// otherwise cut off. The zero time stays zero.
func TestInstantsAreStored(t *testing.T) {
	nanosecond := noon.Add(time.Nanosecond)
	for _, test := range []struct{ instant, past, future time.Time }{
		{},
		{noon, noon, noon},
		{nanosecond, noon, noon.Add(time.Second)},
		{noon.Add(time.Second - 1), noon, noon.Add(time.Second)},
		{nanosecond.In(time.FixedZone("", 14*3600)), noon, noon.Add(time.Second)},
		{time.Time{}.Add(1001 * time.Millisecond), time.Time{}.Add(time.Second), time.Time{}.Add(2 * time.Second)},
		{time.Date(9999, 12, 31, 23, 59, 58, 1, time.UTC), time.Date(9999, 12, 31, 23, 59, 58, 0, time.UTC),
			time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)},
	} {
		t.Run(test.instant.Format(time.RFC3339Nano), func(t *testing.T) {
			each(t, func(w world) {
				w.storesFeed(test.instant, test.past, test.future)
				w.storesOthers(test.instant, test.past, test.future)
			})
		})
	}
}

// storesFeed stores an instant in each time of a feed and of a post.
func (w world) storesFeed(instant, past, future time.Time) {
	w.Helper()
	f := w.newFeed("f.example")
	wanted := f
	for _, feed := range []struct {
		*digest.Feed
		past, future time.Time
	}{{&f, instant, instant}, {&wanted, past, future}} {
		feed.LastOKAt, feed.ParsedAt, feed.FirstErrorAt, feed.FailingSince, feed.GoneAt = feed.past, feed.past,
			feed.past, feed.past, feed.past
		feed.HeadRetestAt, feed.MovedSince, feed.MovedAt, feed.NewestAt, feed.PingedAt = feed.past, feed.past,
			feed.past, feed.past, feed.past
		feed.NotBefore, feed.FreshUntil, feed.PollAt = feed.future, feed.future, feed.future
	}
	if future.After(time.Time{}.Add(time.Hour)) { // an earlier attempt does not replace a later one
		f.LastAttemptAt, wanted.LastAttemptAt = instant, future
	}
	p := post("a", instant)
	p.PublishedAt = instant
	w.poll(noon, store.Polled{Feed: f, Posts: []digest.Post{p}})
	got := w.feedAgain(f)
	wanted.QuotaUse = digest.QuotaUse{QuotaDay: digest.DayOf(noon), QuotaBytes: got.QuotaBytes}
	want(w, "the feed", got, wanted)
	stored := must(w.Editions.Posts(w.ctx, []digest.PostID{1}))
	want(w, "seen", stored[0].SeenAt, past)
	want(w, "published", stored[0].PublishedAt, past)
}

func (w world) storesOthers(instant, past, future time.Time) {
	w.Helper()
	must(w.Editions.ChangeLane(w.ctx, instant, "a.example", func(l digest.Lane) digest.Lane {
		l.Until, l.Reason = instant, "in trouble"
		return l
	}))
	l := must(w.Editions.Lane(w.ctx, "a.example"))
	want(w, "the lane", l, digest.Lane{Name: "a.example", Until: future, Reason: "in trouble", ChangedAt: past})

	s := digest.Suppression{Email: "u@example.org", Reason: digest.ForOperator, CreatedAt: instant}
	w.ok(w.Editions.Suppress(w.ctx, s))
	s.CreatedAt = past
	suppressed, _ := must2(w.Editions.Suppressed(w.ctx, s.Email))
	want(w, "the suppression", suppressed, s)

	r := digest.Robots{Origin: "https://f.example:443", FetchedAt: instant}
	w.ok(w.Feeds.SaveRobots(w.ctx, r))
	r.FetchedAt = past
	robots, _ := must2(w.Feeds.Robots(w.ctx, r.Origin))
	want(w, "the robots.txt", robots, r)

	if before := past.Add(-time.Hour); before.Unix() > 0 {
		w.ok(w.Operator.NoteRefusal(w.ctx, "https://f.example", instant, "why", before))
		until, why := must2(w.Operator.Refusal(w.ctx, "https://f.example", before))
		want(w, "refused until", until, future)
		want(w, "why", why, "why")
	}
}
