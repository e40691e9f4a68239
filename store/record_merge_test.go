package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestMovesToAKnownFeed moves a feed to the address of another, at the first of four midnights. Each reader gets each
// of their posts once (I3, I4), and one feed is polled afterwards (I5).
func TestMovesToAKnownFeed(t *testing.T) {
	for _, c := range []struct {
		name string
		poll func(a *store.Polled) // of the feed that moves
	}{
		{"with news", func(*store.Polled) {}},
		{"news read there", func(a *store.Polled) { a.ReadAt = a.Feed.URL }},
		{"unchanged since", func(a *store.Polled) {
			a.Posts, a.Listed, a.Arrival = nil, nil,
				arrival(nil, []string{"1", "b0"})
		}},
	} {
		t.Run(c.name, func(t *testing.T) { each(t, func(w world) { w.moveToAKnownFeed(c.poll) }) })
	}
}

func (w world) moveToAKnownFeed(poll func(*store.Polled)) {
	w.Helper()
	night := func(n int) time.Time { return parisMidnight.Add(time.Duration(n) * day) }
	ada, bob, cyd := w.reader("ada"), w.reader("bob"), w.reader("cyd")
	a, b := w.feed("a.example"), w.feed("b.example")
	old := a.URL
	w.subscribe(ada, a)
	w.subscribe(bob, b)
	w.ok(w.addTitled(cyd, b, "Mine"))
	w.posted(a, "a0")
	w.posted(b, "b0")
	w.hour(night(0))

	w.subscribe(cyd, a) // adds a0, which the document at the new address does not list
	moving := a
	moving.MovedTo, moving.MovedSince = b.URL, night(0)
	w.record(night(0).Add(time.Hour), moving, posts(noon.Add(13*time.Hour), "1"), "b0") // only a has read it
	moved := moving
	moved.URL, moved.Host, moved.MovedTo, moved.MovedSince = b.URL, b.Host, "", time.Time{}
	w.ok(w.Enqueue(w.ctx, b.ID, night(1)))
	p := store.Polled{Feed: moved, Posts: posts(night(1), "2"), Listed: []string{"2", "1", "b0"}}
	p.ReadAt, p.Arrival = b.URL, arrival(posts(night(1), "2"), []string{"1", "b0"})
	poll(&p)
	p.Feed.ParsedAt = night(1)
	must(w.Feeds.Record(w.ctx, night(1), []store.Polled{p}))
	want(w, "asked again within the gap", len(w.claim(night(1), 9, "t")), 0)
	w.hour(night(1))
	for n := 2; n <= 3; n++ {
		w.record(night(n), w.feedAgain(b), posts(night(n), "2", "1", "b0", []string{"", "", "3", "4"}[n]))
		w.hour(night(n))
	}
	for name, d := range map[string]digest.Digest{"b0 1 2 3 4": bob, "a0 1 2 3 4": ada, "a0 b0 1 2 3 4": cyd} {
		got := w.editions(d)
		for _, post := range strings.Fields(name) {
			if n := strings.Count(got+" ", " "+post+" ") + strings.Count(got, " "+post+";"); n != 1 {
				w.Errorf("reader %d got %s %d times: %s", d.ID, post, n, got)
			}
		}
		want(w, "subscriptions", w.subscribed(d), b.ID)
	}
	subs := must(w.Subscriptions.Subscriptions(w.ctx, cyd.ID))
	want(w, "the reader's own title", subs[0].Title, "Mine")
	all := storetest.All(w, w.Feeds.Feeds(w.ctx))
	want(w, "feeds that are listed", len(all), 1)
	w.leadsTo(old, a, b)
}

// leadsTo checks that a lookup of a merged feed finds the other.
func (w world) leadsTo(old string, ended, into digest.Feed) {
	w.Helper()
	want(w, "under its old address", must(w.Feeds.FeedByURL(w.ctx, old)).ID, into.ID)
	dan := w.reader("dan")
	must(w.Subscriptions.Import(w.ctx, dan.ID, []store.ImportItem{{URL: old, Host: ended.Host}}, 1e6, noon))
	want(w, "taken by list", w.subscribed(dan), into.ID)
	eve := w.reader("eve")
	w.subscribe(eve, ended)
	want(w, "taken by its key, found before it ended", w.subscribed(eve), into.ID)
	w.ok(w.Enqueue(w.ctx, ended.ID, noon))
	w.holds("asked", 0, `SELECT count(*) FROM feed_times WHERE poll_at IS NOT NULL AND feed_id = ?`, ended.ID)
}

func (w world) addTitled(d digest.Digest, f digest.Feed, title string) error {
	_, err := w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID, Title: title}, noon)
	return err
}

// subscribed returns the only feed of a digest.
func (w world) subscribed(d digest.Digest) digest.FeedID {
	w.Helper()
	subs := must(w.Subscriptions.Subscriptions(w.ctx, d.ID))
	if len(subs) != 1 {
		w.Errorf("digest %d takes %d feeds", d.ID, len(subs))
		return 0
	}
	return subs[0].Feed.ID
}

// TestMovesToAFeedThatIsPolled polls both feeds in one batch, the one at the new address for the first time.
func TestMovesToAFeedThatIsPolled(t *testing.T) {
	each(t, func(w world) {
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		a, b, c := w.feed("a.example"), w.feed("b.example"), w.newFeed("c.example")
		w.subscribe(ada, a, b)
		w.subscribe(bob, b)
		w.subscribe(cyd, c)
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.poll(noon, store.Polled{Feed: moved, Posts: posts(noon, "1"), Listed: []string{"1"}, ReadAt: b.URL,
			Arrival: arrival(posts(noon, "1"), nil)}, store.Polled{Feed: b, Posts: posts(noon, "1"),
			Listed: []string{"1"}})
		want(w, "a reader of both", w.waiting(ada), "1")
		want(w, "a reader of one", w.waiting(bob), "1")

		w.record(noon, w.feedAgain(b), posts(noon, "0"), "1")
		w.unsubscribe(ada, b)
		want(w, "who leaves one leaves both", w.waiting(ada), "")
		w.subscribe(ada, w.feedAgain(b))
		want(w, "and who comes back", w.waiting(ada), "1 0")
		w.exec(`DELETE FROM digest_posts WHERE post_id IN (SELECT id FROM posts WHERE identity = '0')`)

		was := w.feedAgain(b)
		was.State, was.Errors = digest.FeedActive, 0
		onward := was
		onward.URL, onward.Host = c.URL, c.Host
		listed := posts(noon, "1", "2")
		listed[0].PublishedAt = noon.Add(-48 * time.Hour)
		w.record(noon.Add(time.Hour), onward, listed)
		want(w, "twice merged", w.waiting(ada), "1 2")
		want(w, "the reader of a feed that was never read", w.waiting(cyd), "2")
		w.record(noon.Add(2*time.Hour), w.feedAgain(c), posts(noon, "1", "2", "3"))
		want(w, "from then on", w.waiting(ada)+"; "+w.waiting(bob)+"; "+w.waiting(cyd), "1 2 3; 1 2 3; 2 3")
		want(w, "its first address", w.feedAgain(a).ID, c.ID)

		back := w.feedAgain(c)
		back.URL, back.Host = a.URL, a.Host
		w.record(noon.Add(3*time.Hour), back, nil)
		want(w, "back where it began", w.feedAgain(a).URL, a.URL)
	})
}

// TestMovedCountsForTheGap: a poll of the moved feed counts for the feed at the new address (I5).
func TestMovedCountsForTheGap(t *testing.T) {
	each(t, func(w world) {
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(w.reader("ada"), a, b)
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		w.posted(moved, "1")
		want(w, "asked at", w.feedAgain(b).LastAttemptAt, noon)
		w.ok(w.Enqueue(w.ctx, b.ID, noon))
		want(w, "asked within the gap", len(w.claim(noon.Add(time.Hour-time.Second), 9, "t")), 0)
		want(w, "asked after it", len(w.claim(noon.Add(time.Hour), 9, "t")), 1)
	})
}

// TestComingBackAfterAMove: readers who had a post before its feed was merged into another do not get it again (I4).
// No subscription restores the merged feed.
func TestComingBackAfterAMove(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		a, b := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, a)
		w.posted(a, "1")
		w.hour(parisMidnight)
		moved := a
		moved.URL, moved.Host = b.URL, b.Host
		later := parisMidnight.Add(time.Hour)
		w.record(later, moved, posts(later, "2"), "1", "2")
		w.unsubscribe(ada, b)
		for _, d := range []digest.Digest{ada, bob} {
			must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: d.ID, FeedID: b.ID}, later))
		}
		want(w, "who had the first", w.waiting(ada), "2")
		want(w, "who had none", w.waiting(bob), "1 2")

		w.ok(w.Feeds.Vouch(w.ctx, a.ID, later))
		w.holds("the one that ended", 1,
			fmt.Sprintf(`SELECT count(*) FROM feeds f JOIN feed_times t ON t.feed_id = f.id WHERE f.id = %d
				AND f.state = 'gone' AND t.poll_at IS NULL`, a.ID))
	})
}

// TestMovingMeetsTheRest moves a feed while the feed at the new address is stored, and while a reader subscribes to
// it.
func TestMovingMeetsTheRest(t *testing.T) {
	const rounds = 20
	each(t, func(w world) {
		for i := range rounds {
			ada, bob := w.reader(fmt.Sprint("ada", i)), w.reader(fmt.Sprint("bob", i))
			b, a := w.feed(fmt.Sprintf("b%d.example", i)), w.feed(fmt.Sprintf("a%d.example", i))
			w.subscribe(bob, b)
			moved := a
			moved.URL, moved.Host = b.URL, b.Host
			var wg sync.WaitGroup
			for _, f := range []digest.Feed{moved, b} {
				wg.Go(func() {
					f.ParsedAt = noon
					p := store.Polled{Feed: f, Posts: posts(noon, "1"), Listed: []string{"1"}, ReadAt: b.URL,
						Arrival: arrival(posts(noon, "1"), nil)}
					if _, err := w.Feeds.Record(w.ctx, noon, []store.Polled{p}); err != nil {
						w.Error(err)
					}
				})
			}
			wg.Go(func() {
				if _, err := w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: ada.ID, FeedID: a.ID},
					noon); err != nil {
					w.Error(err)
				}
			})
			wg.Wait()
			want(w, "who was there", w.waiting(bob), "1")
			want(w, "who came", w.waiting(ada), "1")
			want(w, "takes", w.subscribed(ada), b.ID)
		}
	})
}
