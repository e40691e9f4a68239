package store_test

import (
	"testing"
	"time"

	"digest"
)

// edited returns the title of a post after its author has changed it.
func (w world) edited(now time.Time, f digest.Feed, identity string) string {
	w.t.Helper()
	p := post(identity, noon)
	p.Title, p.ContentHash = "Edited at "+now.Format(time.DateOnly), now.String()
	w.record(now, f, []digest.Post{p})
	id, err := w.Count(w.ctx(), `SELECT id FROM posts WHERE feed_id = ? AND identity = ?`, f.ID, identity)
	w.ok(err)
	all, err := w.Editions.Posts(w.ctx(), []digest.PostID{digest.PostID(id)})
	w.ok(err)
	return all[0].Title
}

// TestEditOfWhatNobodyWasShown edits posts of a feed's first read: one that went to its reader, and one that was too
// old and went to no reader until a second one subscribed.
func TestEditOfWhatNobodyWasShown(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.newFeed("f.example")
		w.subscribe(ada, f)
		first := posts(noon, "new", "old")
		first[1].PublishedAt = noon.Add(-72 * time.Hour)
		w.record(noon, f, first)
		w.holds("shown to nobody", 1, `SELECT count(*) FROM posts WHERE shown_at = 0 AND identity = 'old'`)
		w.holds("shown", 1, `SELECT count(*) FROM posts WHERE shown_at > 0`)
		w.hour(parisMidnight)
		later := parisMidnight.Add(100 * 24 * time.Hour)
		w.hour(later)
		want(w.t, "in an edition", w.edited(later, f, "new"), "Title of new")
		want(w.t, "in none", w.edited(later, f, "old"), "Edited at 2027-02-27")

		w.ok(w.Exec(w.ctx(), `DELETE FROM posts WHERE identity = 'new'`))
		_, err := w.Subscriptions.Subscribe(w.ctx(), digest.Subscription{DigestID: bob.ID, FeedID: f.ID}, later)
		w.ok(err)
		want(w.t, "brought", w.waiting(bob), "old")
		want(w.t, "while it waits", w.edited(later.Add(time.Hour), f, "old"), "Edited at 2027-02-28")
		w.hour(later.Add(24 * time.Hour))
		want(w.t, "in an edition at last", w.edited(later.Add(48*time.Hour), f, "old"), "Edited at 2027-02-28")
	})
}

// TestEditAfterAnOutage edits posts that were first seen long before or after their edition's midnight.
func TestEditAfterAnOutage(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		back := parisMidnight.Add(60*24*time.Hour + time.Hour)
		w.record(noon, f, posts(noon, "before"))
		w.record(back, f, posts(back, "after"))
		w.hour(back)
		want(w.t, "one edition", w.editions(ada), "2027-01-19 before after")
		w.hour(back.Add(24 * time.Hour))
		want(w.t, "seen before it", w.edited(back.Add(25*time.Hour), f, "before"), "Title of before")
		want(w.t, "seen after it", w.edited(back.Add(26*time.Hour), f, "after"), "Title of after")
	})
}

// TestEditOfMany edits more delivered posts together than one statement takes.
func TestEditOfMany(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		many := posts(noon, hosts(1200)...)
		w.record(noon, f, many)
		w.hour(parisMidnight)
		for i := range many {
			many[i].Title, many[i].ContentHash = "Edited", "another"
		}
		w.record(parisMidnight.Add(time.Hour), f, many)
		w.holds("delivered posts that were edited", 0, `SELECT count(*) FROM posts WHERE title = 'Edited'`)
	})
}
