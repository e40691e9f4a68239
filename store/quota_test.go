package store_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

// big returns posts with a content of size bytes, newest first, none of them older than an hour.
func big(now time.Time, size int, identities ...string) []digest.Post {
	list := posts(now, identities...)
	for i := range list {
		list[i].PublishedAt = now.Add(-time.Duration(i+1) * time.Minute)
		list[i].Content = strings.Repeat("x", size)
	}
	return list
}

// within sets other quotas, in bytes.
func (w world) within(feed, account int64) {
	w.Policy.Admit = poller.Quota{Feed: feed, Account: account}.Admit
}

// brings records a claimed poll, as of a server with validators.
func (w world) brings(now time.Time, f digest.Feed, found []digest.Post) store.RecordResult {
	w.Helper()
	f = w.feedAgain(f)
	p := store.Polled{Feed: f, Was: f, Posts: found, ReadAt: f.URL, FirstRead: f.ParsedAt.IsZero()}
	for _, post := range found {
		p.Listed = append(p.Listed, post.Identity)
	}
	p.Feed.ETag, p.Feed.LastModified, p.Feed.BodyHash, p.Feed.ParsedAt, p.Feed.LastOKAt = `"1"`, "Monday", "hash",
		now, now
	r := must(w.Feeds.Record(w.ctx, now, []store.Polled{p}))
	return r
}

// TestQuotaOfAFeed: posts over a feed's quota wait until the next day, the oldest first. The document is then read
// whatever its validators say, and the reader gets a notice.
func TestQuotaOfAFeed(t *testing.T) {
	each(t, func(w world) {
		w.within(100_000, 0)
		ada, f := w.follows()

		r := w.brings(noon, f, big(noon, 40_000, "a", "b", "c", "d"))
		want(w, "stored", r.Posts, 2)
		want(w, "left", r.Waiting, 2)
		want(w, "hidden", w.waiting(ada), "a b")
		got := w.feedAgain(f)
		want(w, "waiting", got.PostsWaiting, 2)
		want(w, "asked by", got.ETag+got.LastModified+got.BodyHash, "")
		told := must(w.Editions.WaitingNotices(w.ctx, ada.ID))
		if len(told) != 1 || told[0].Kind != digest.NoticeWaiting {
			w.Errorf("told: %+v", told)
		}

		later := noon.Add(time.Hour)
		want(w, "the same day", w.brings(later, f, big(noon, 40_000, "c", "d")).Posts, 0)
		want(w, "waiting still", w.feedAgain(f).PostsWaiting, 2)

		next := noon.Add(day)
		want(w, "the next day", w.brings(next, f, big(noon, 40_000, "c", "d")).Posts, 2)
		want(w, "hidden the next day", w.waiting(ada), "a b c d")
		got = w.feedAgain(f)
		want(w, "waiting no more", got.PostsWaiting, 0)
		want(w, "asked by its validators", got.ETag, `"1"`)
	})
}

// TestQuotaCountsEdits: a text that replaces another counts too, and the old one stays until the quota has room.
// Edits of posts in an edition cost nothing.
func TestQuotaCountsEdits(t *testing.T) {
	each(t, func(w world) {
		w.within(100_000, 0)
		_, f := w.follows()
		edit := func(now time.Time, version string) int {
			p := big(now, 40_000, "a")
			p[0].Title, p[0].ContentHash = version, version
			return w.brings(now, f, p).Waiting
		}
		want(w, "first", edit(noon, "1"), 0)
		want(w, "second", edit(noon.Add(time.Hour), "2"), 0)
		want(w, "third", edit(noon.Add(2*time.Hour), "3"), 1)
		w.holds("the second stays", 1, `SELECT count(*) FROM posts WHERE title = '2'`)
		w.hour(parisMidnight)
		for i := range 5 {
			want(w, "of an edition", edit(parisMidnight.Add(time.Duration(i)*time.Minute), "again"), 0)
		}
	})
}

// TestQuotaOfAnAccount: a reader whose feeds bring too much gets the first posts of each. No other reader gets less.
func TestQuotaOfAnAccount(t *testing.T) {
	each(t, func(w world) {
		w.within(1_000_000, 200_000)
		ada, bob := w.two()
		flood, honest, both := w.feed("flood.example"), w.feed("honest.example"), w.feed("both.example")
		w.subscribe(ada, flood, honest, both)
		w.subscribe(bob, both)

		want(w, "of a flood", w.brings(noon, flood, big(noon, 50_000, "a", "b", "c", "d", "e", "f", "g")).Posts, 5)
		want(w, "beside it", w.brings(noon, honest, big(noon, 20_000, "h", "i")).Posts, 2)
		want(w, "beyond what is free", w.brings(noon, honest, big(noon, 45_000, "j")).Posts, 0)
		want(w, "of what another reads", w.brings(noon, both, big(noon, 90_000, "k", "l", "m")).Posts, 3)
		want(w, "for the other", w.waiting(bob), "k l m")
		w.holds("on her account", 1, `SELECT count(*) FROM account_quotas WHERE digest_id = ? AND bytes >= 190000`,
			ada.ID)

		want(w, "the next day", w.brings(noon.Add(day), honest, big(noon, 45_000, "j")).Posts, 1)
		used := must(w.Subscriptions.AccountUse(w.ctx, bob.ID, noon))
		if used == 0 || used > 150_000 {
			w.Errorf("%d bytes on his account, want his half", used)
		}
	})
}

// TestQuotaOfAFirstRead: the older posts of a new feed are stored without their content. If the quota has no room
// even for that, the feed counts as not read, so that none of them is news later.
func TestQuotaOfAFirstRead(t *testing.T) {
	each(t, func(w world) {
		w.within(1_000_000, 100_000)
		ada := w.reader("ada")
		large, second := w.newFeed("large.example"), w.newFeed("second.example")
		w.subscribe(ada, large, second)
		found := big(noon, 30_000, "new", "old1", "old2", "old3")
		for i := range found[1:] {
			found[i+1].PublishedAt = noon.Add(-time.Duration(i+3) * day)
		}
		want(w, "of a large one", w.brings(noon, large, found).Posts, 4)
		want(w, "shown", w.waiting(ada), "new")
		w.holds("without content", 2, `SELECT count(*) FROM posts WHERE content = '' AND summary <> ''`)
		want(w, "again", w.brings(noon.Add(day), large, found).Posts, 0)

		w.within(2_000, 0)
		few := posts(noon, "b", "c", "d", "e", "f")
		for i := range few {
			few[i].PublishedAt = noon.Add(-time.Duration(i) * 2 * day)
		}
		if r := w.brings(noon, second, few); r.Posts == 0 || r.Waiting == 0 {
			w.Errorf("%+v, want some stored and some waiting", r)
		}
		want(w, "read", w.feedAgain(second).ParsedAt.IsZero(), true)
		w.within(1_000_000, 0)
		w.brings(noon.Add(day), second, few)
		want(w, "shown of both", w.waiting(ada), "new b")
		w.holds("known", 5, `SELECT count(*) FROM posts WHERE feed_id = ?`, second.ID)
		want(w, "not read", w.feedAgain(second).ParsedAt.IsZero(), false)
	})
}

// TestQuotaOfAFirstReadBeforeItsReader: some posts of a feed are stored before a reader subscribes. The reader gets
// these in the next edition, and the rest once.
func TestQuotaOfAFirstReadBeforeItsReader(t *testing.T) {
	each(t, func(w world) {
		w.within(100_000, 0)
		ada := w.reader("ada")
		f := w.feed("f.example")
		found := big(noon, 40_000, "a", "b", "c", "d")
		want(w, "stored", w.brings(noon, f, found).Posts, 2)
		w.subscribe(ada, f)
		want(w, "hidden", w.waiting(ada), "a b")
		w.brings(noon.Add(day), f, found)
		want(w, "hidden the next day", w.waiting(ada), "a b c d")
	})
}

// TestQuotaOfAFind: a feed that a reader only looks up counts on their account.
func TestQuotaOfAFind(t *testing.T) {
	each(t, func(w world) {
		w.within(1_000_000, 100_000)
		ada := w.reader("ada")
		f := w.newFeed("f.example")
		f.ParsedAt = noon
		p := store.Polled{Feed: f, FirstRead: true, Posts: big(noon, 50_000, "a", "b", "c", "d"), FoundFor: ada.ID}
		want(w, "stored", must(w.Feeds.Record(w.ctx, noon, []store.Polled{p})).Posts, 3)
		used := must(w.Subscriptions.AccountUse(w.ctx, ada.ID, noon))
		if used < 80_000 || used > 100_000 {
			w.Errorf("%d bytes on her account", used)
		}
	})
}

// TestQuotaOfADocument: a document that grows beyond an account is not stored. One that does not grow is.
func TestQuotaOfADocument(t *testing.T) {
	each(t, func(w world) {
		w.within(0, 100_000)
		_, f := w.follows()
		keep := func(size int) bool {
			noise := make([]byte, size)
			rand.Read(noise)
			p := store.Polled{Feed: w.feedAgain(f), Body: &store.Body{Bytes: noise}}
			must(w.Feeds.Record(w.ctx, noon, []store.Polled{p}))
			_, found := must2(w.Posts.Body(w.ctx, f.ID))
			return found
		}
		want(w, "at first", keep(150_000), true)
		want(w, "the same again", keep(150_000), true)
		want(w, "larger", keep(300_000), false)
	})
}

// TestQuotaOfAMove: posts that a move brings count at the new address.
func TestQuotaOfAMove(t *testing.T) {
	each(t, func(w world) {
		w.within(100_000, 0)
		ada := w.reader("ada")
		old, target := w.feed("old.example"), w.feed("target.example")
		w.subscribe(ada, old)
		moved := w.feedAgain(old)
		moved.URL, moved.Host, moved.ParsedAt = target.URL, target.Host, noon
		found := big(noon, 40_000, "a", "b", "c")
		w.poll(noon, store.Polled{Feed: moved, Listed: []string{"a", "b", "c"}, ReadAt: target.URL,
			Arrival: store.Arrival{Abroad: true, Read: true, Posts: found}})
		w.holds("stored", 2, `SELECT count(*) FROM posts WHERE feed_id = ?`, target.ID)
		got := w.feedAgain(target)
		want(w, "waiting", got.PostsWaiting, 1)
		want(w, "the next day", w.brings(noon.Add(day), target, found[2:]).Posts, 1)
	})
}
