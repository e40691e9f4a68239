package store_test

import (
	"testing"
	"time"

	"digest"
)

// edited returns the title of a post after its author has changed it.
func (w world) edited(now time.Time, f digest.Feed, identity string) string {
	w.Helper()
	p := post(identity, noon)
	p.Title, p.ContentHash = "Edited at "+now.Format(time.DateOnly), now.String()
	w.record(now, f, []digest.Post{p})
	id := w.count(`SELECT id FROM posts WHERE feed_id = ? AND identity = ?`, f.ID, identity)
	all := must(w.Editions.Posts(w.ctx, []digest.PostID{digest.PostID(id)}))
	return all[0].Title
}

// TestEditOfWhatNobodyWasShown edits posts of a feed's first read: one that went to its reader, and one that was too
// old and went to no reader until a second one subscribed.
func TestEditOfWhatNobodyWasShown(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.newFeed("f.example")
		w.subscribe(ada, f)
		first := posts(noon, "new", "old")
		first[1].PublishedAt = noon.Add(-72 * time.Hour)
		w.record(noon, f, first)
		w.holds("shown to nobody", 1, `SELECT count(*) FROM posts WHERE shown_at = 0 AND identity = 'old'`)
		w.holds("shown", 1, `SELECT count(*) FROM posts WHERE shown_at > 0`)
		w.hour(parisMidnight)
		later := parisMidnight.Add(100 * day)
		w.hour(later)
		want(w, "in an edition", w.edited(later, f, "new"), "Title of new")
		want(w, "in none", w.edited(later, f, "old"), "Edited at 2027-02-27")

		w.exec(`DELETE FROM posts WHERE identity = 'new'`)
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: bob.ID, FeedID: f.ID}, later))
		want(w, "brought", w.waiting(bob), "old")
		want(w, "while it waits", w.edited(later.Add(time.Hour), f, "old"), "Edited at 2027-02-28")
		w.hour(later.Add(day))
		want(w, "in an edition at last", w.edited(later.Add(48*time.Hour), f, "old"), "Edited at 2027-02-28")
	})
}

// TestEditAfterAnOutage edits posts that were first seen long before or after their edition's midnight.
func TestEditAfterAnOutage(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		back := parisMidnight.Add(60*day + time.Hour)
		w.posted(f, "before")
		w.record(back, f, posts(back, "after"))
		w.hour(back)
		want(w, "one edition", w.editions(ada), "2027-01-19 before after")
		w.hour(back.Add(day))
		want(w, "seen before it", w.edited(back.Add(25*time.Hour), f, "before"), "Title of before")
		want(w, "seen after it", w.edited(back.Add(26*time.Hour), f, "after"), "Title of after")
	})
}

// TestEditOfMany edits more delivered posts together than one statement takes.
func TestEditOfMany(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
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
