package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func (w world) filter(d digest.Digest, words string, feed ...digest.Feed) digest.Filter {
	w.t.Helper()
	f := digest.Filter{DigestID: d.ID, Words: words}
	if len(feed) > 0 {
		f.FeedID = feed[0].ID
	}
	f, err := w.AddFilter(w.ctx(), f, noon)
	w.ok(err)
	return f
}

func TestFilters(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		taken, other := w.feed("a.example"), w.feed("b.example")
		w.subscribe(ada, taken)
		refused := func(kind digest.Kind, f digest.Filter) {
			w.t.Helper()
			f.DigestID = ada.ID
			_, err := w.AddFilter(w.ctx(), f, noon)
			want(w.t, fmt.Sprintf("%.20q of %d", f.Words, f.FeedID), digest.KindOf(err), kind)
		}
		refused(digest.Invalid, digest.Filter{Words: " \n "})
		refused(digest.Invalid, digest.Filter{Words: "?!"})
		refused(digest.Invalid, digest.Filter{Words: strings.Repeat("é", 201)})
		refused("", digest.Filter{Words: strings.Repeat("é", 200)})
		refused(digest.NotFound, digest.Filter{Words: "a", FeedID: other.ID})
		refused("", digest.Filter{Words: "b", FeedID: taken.ID})

		first := w.filter(ada, " Climate \t change\x00")
		want(w.t, "cleaned", first.Words, "Climate change\uFFFD")
		again := w.filter(ada, "CLIMATE CHANGE\uFFFD")
		want(w.t, "the same again", again, first)
		other2 := w.filter(ada, "climate change\uFFFD", taken)
		if other2.ID == first.ID {
			w.t.Error("of one feed it is another filter")
		}
		all, err := w.Filters(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "filters", len(all), 4)
		want(w.t, "created", all[2], first)
		want(w.t, "another's", digest.KindOf(w.RemoveFilter(w.ctx(), bob.ID, first.ID)), digest.NotFound)
		w.ok(w.RemoveFilter(w.ctx(), ada.ID, first.ID))
		want(w.t, "twice", digest.KindOf(w.RemoveFilter(w.ctx(), ada.ID, first.ID)), digest.NotFound)

		for i := 0; i < 200-3; i++ {
			w.filter(ada, fmt.Sprint("word", i))
		}
		refused(digest.Invalid, digest.Filter{Words: "one more"})
		refused("", digest.Filter{Words: "WORD7"}) // there already
		w.ok(w.Unsubscribe(w.ctx(), ada.ID, taken.ID))
		all, err = w.Filters(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "without the feed's", len(all), 198)
		w.holds("noted", 1, `SELECT count(*) FROM digests WHERE filtered = 1`)
		w.ok(w.RemoveUser(w.ctx(), ada.UserID))
		w.holds("nothing is left", 0, `SELECT count(*) FROM filters`)
	})
}

func TestRest(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f, other := w.feed("a.example"), w.feed("b.example")
		_, err := w.Subscribe(w.ctx(), digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine", Folder: "News", Display: digest.FullText}, noon)
		w.ok(err)
		w.subscribe(ada, other)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "a", "b"))
		w.record(noon, other, posts(noon, "o"))
		want(w.t, "waits", w.waiting(ada), "a b o")

		w.ok(w.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.PauseSubscription(w.ctx(), ada.ID, f.ID))
		want(w.t, "goes with it", w.waiting(ada), "o")
		want(w.t, "others keep theirs", w.waiting(bob), "a b")
		want(w.t, "not taken", w.subscribed(ada), other.ID)
		rested, err := w.PausedSubscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "rests", len(rested), 1)
		want(w.t, "kept", rested[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine", Folder: "News", Display: digest.FullText})
		info, err := w.Feed(w.ctx(), f.ID)
		w.ok(err)
		want(w.t, "subscribers", info.Subscribers, 1)
		w.record(noon.Add(time.Hour), f, posts(noon, "c"), "a", "b")
		want(w.t, "nothing comes", w.waiting(ada), "o")
		w.hour(parisMidnight)

		w.ok(w.ResumeSubscription(w.ctx(), ada.ID, f.ID, parisMidnight.Add(time.Hour)))
		w.ok(w.ResumeSubscription(w.ctx(), ada.ID, f.ID, parisMidnight.Add(time.Hour)))
		want(w.t, "like a new subscription", w.waiting(ada), "a b c")
		subs, err := w.Subscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "as it was", subs[1].Subscription, rested[0].Subscription)
		w.hour(parisMidnight.Add(24 * time.Hour))
		w.ok(w.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.ResumeSubscription(w.ctx(), ada.ID, f.ID, parisMidnight.Add(25*time.Hour)))
		want(w.t, "never twice", w.waiting(ada), "")

		want(w.t, "of no subscription", digest.KindOf(w.PauseSubscription(w.ctx(), bob.ID, other.ID)), digest.NotFound)
		want(w.t, "of no rest", digest.KindOf(w.ResumeSubscription(w.ctx(), bob.ID, other.ID, noon)), digest.NotFound)
	})
}

func TestRestAndSubscribe(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("a.example")
		_, err := w.Subscribe(w.ctx(), digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine"}, noon)
		w.ok(err)
		w.ok(w.PauseSubscription(w.ctx(), ada.ID, f.ID))
		r, err := w.Import(w.ctx(), ada.ID, []store.ImportItem{{URL: f.URL, Host: f.Host}}, noon)
		w.ok(err)
		want(w.t, "a list leaves it", r.Already, 1)
		w.holds("at rest", 0, `SELECT count(*) FROM subscriptions WHERE rests = 0`)
		created, err := w.Subscribe(w.ctx(), digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Folder: "New"}, noon)
		w.ok(err)
		want(w.t, "its address wakes it", created, true)
		subs, err := w.Subscriptions(w.ctx(), ada.ID)
		w.ok(err)
		want(w.t, "with both", subs[0].Subscription, digest.Subscription{DigestID: ada.ID, FeedID: f.ID, Title: "Mine", Folder: "New"})
		w.filter(ada, "a", f)
		w.ok(w.PauseSubscription(w.ctx(), ada.ID, f.ID))
		w.ok(w.Unsubscribe(w.ctx(), ada.ID, f.ID))
		w.holds("nothing is left", 0, `SELECT (SELECT count(*) FROM subscriptions) + (SELECT count(*) FROM filters)`)
		w.ok(w.RemoveUser(w.ctx(), ada.UserID))
	})
}
