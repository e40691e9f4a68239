package store_test

import (
	"testing"
	"time"

	"digest"
)

// Boosts and replies of an account only reach readers who want them, from the time of this choice.
func TestExtras(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("social.example")
		ada, bob, cyd := w.reader("ada"), w.reader("bob"),
			w.reader("cyd")
		w.subscribe(ada, f)
		for d, extras := range map[digest.DigestID]digest.Extra{bob.ID: digest.Repeat,
			cyd.ID: digest.Repeat | digest.Reply} {
			must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: d, FeedID: f.ID, Extras: extras},
				noon))
		}
		all := posts(noon, "own", "boost", "answer")
		all[1].Extra, all[2].Extra = digest.Repeat, digest.Reply
		w.record(noon, f, all)
		want(w, "of who wants none", w.waiting(ada), "own")
		want(w, "of who wants boosts", w.waiting(bob), "own boost")
		want(w, "of who wants both", w.waiting(cyd), "own boost answer")

		w.ok(w.Subscriptions.SetSubscription(w.ctx,
			digest.Subscription{DigestID: cyd.ID, FeedID: f.ID, Extras: digest.Reply}))
		want(w, "of who wants no boosts any more", w.waiting(cyd), "own answer")
		dan := w.reader("dan")
		must(w.Subscriptions.Subscribe(w.ctx,
			digest.Subscription{DigestID: dan.ID, FeedID: f.ID, Extras: digest.Reply}, noon))
		want(w, "of who comes new", w.waiting(dan), "own answer")
		eve := w.reader("eve")
		w.subscribe(eve, f)
		want(w, "of who comes new and wants none", w.waiting(eve), "own")
		w.pauseFeed(bob, f)
		w.resumeFeed(bob, f, noon)
		want(w, "after a pause", w.subscription(bob, f).Extras, digest.Repeat)
	})
}

// If the newest post of an account is a boost, a new reader gets an own post of the account.
func TestFirstOfAnAccount(t *testing.T) {
	each(t, func(w world) {
		f := w.newFeed("social.example")
		ada := w.reader("ada")
		w.subscribe(ada, f)
		all := posts(noon, "boost", "old", "older")
		all[0].Extra = digest.Repeat
		all[1].PublishedAt, all[2].PublishedAt = noon.Add(-50*time.Hour), noon.Add(-60*time.Hour)
		w.record(noon, f, all)
		want(w, "at first", w.waiting(ada), "old")
		bob := w.reader("bob")
		w.subscribe(bob, f)
		want(w, "of who comes later", w.waiting(bob), "old")
		cyd := w.reader("cyd")
		must(w.Subscriptions.Subscribe(w.ctx,
			digest.Subscription{DigestID: cyd.ID, FeedID: f.ID, Extras: digest.Repeat},
			noon.Add(30*time.Hour)))
		want(w, "of who wants boosts, when nothing is of the last day", w.waiting(cyd), "old")
	})
}

// A thread is one post while it is hidden. Later parts are their own posts. No part is lost or appears twice.
func TestThreadGrows(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("social.example")
		ada := w.reader("ada")
		w.subscribe(ada, f)
		thread := func(now time.Time, parts ...string) {
			w.Helper()
			whole := post("root", noon)
			var all []digest.Post
			for _, part := range parts {
				whole.Content += "<p>" + part + "</p>"
				whole.ContentHash += part
				p := post(part, noon)
				p.PartOf = "root"
				all = append(all, p)
			}
			w.record(now, f, append(all, whole))
		}
		thread(noon, "one")
		want(w, "a thread of two", w.waiting(ada), "root")
		thread(noon.Add(time.Hour), "one", "two")
		want(w, "a thread that has grown before midnight", w.waiting(ada), "root")
		whole := must(w.Editions.Posts(w.ctx, []digest.PostID{w.find("root")}))
		want(w, "its text", whole[0].Content, "<p>Content of root</p><p>one</p><p>two</p>")
		want(w, "released", w.hour(parisMidnight), 1)
		thread(parisMidnight.Add(time.Hour), "one", "two", "three")
		want(w, "what was added after it was delivered", w.waiting(ada), "three")
		thread(parisMidnight.Add(2*time.Hour), "one", "two", "three")
		want(w, "polled again", w.waiting(ada), "three")
	})
}

// A thread in the first document of an account is one post, for the first and later readers. An old thread also
// appears as a whole.
func TestThreadAtFirst(t *testing.T) {
	for name, age := range map[string]time.Duration{"today": time.Hour, "long ago": 40 * day} {
		each(t, func(w world) {
			f := w.newFeed("social.example")
			thread := posts(noon, "two", "root")
			thread[0].PartOf = "root"
			thread[0].PublishedAt, thread[1].PublishedAt = noon.Add(-age), noon.Add(-age-time.Minute)
			w.record(noon, f, thread)
			ada, bob := w.two()
			for _, reader := range []digest.Digest{ada, bob} {
				w.subscribe(reader, f)
				want(w, "a thread of "+name, w.waiting(reader), "root")
			}
			w.record(noon.Add(time.Hour), f, append(posts(noon, "next"), thread...))
			want(w, name+", polled again", w.waiting(bob), "root next")
		})
	}
}
