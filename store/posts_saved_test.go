package store_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// find returns the key of a post by its identity.
func (w world) find(identity string) digest.PostID {
	w.t.Helper()
	id, err := w.Count(w.ctx(), `SELECT id FROM posts WHERE identity = ?`, identity)
	w.ok(err)
	return digest.PostID(id)
}

// saved lists the identities of a reader's saved posts, newest first, read two at a time.
func (w world) saved(d digest.Digest) string {
	w.t.Helper()
	var all []string
	var after store.SavedKey
	for {
		page, err := w.Posts.SavedPosts(w.ctx(), d.UserID, after, 2)
		w.ok(err)
		for _, p := range page {
			all = append(all, p.Identity)
			after = p.Key()
		}
		if len(page) < 2 {
			return strings.Join(all, " ")
		}
	}
}

func (w world) sees(d digest.Digest, post digest.PostID) bool {
	w.t.Helper()
	_, err := w.Posts.VisiblePost(w.ctx(), d.UserID, post)
	if digest.KindOf(err) != digest.NotFound {
		w.ok(err)
	}
	return err == nil
}

func (w world) save(d digest.Digest, now time.Time, identities ...string) {
	w.t.Helper()
	for i, id := range identities {
		w.ok(w.Posts.SavePost(w.ctx(), d.UserID, w.find(id), now.Add(time.Duration(i)*time.Minute)))
	}
}

func TestSave(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f, g)
		w.ok(w.Exec(w.ctx(), `UPDATE subscriptions SET title = 'My F' WHERE digest_id = ? AND feed_id = ?`, ada.ID,
			f.ID))
		w.record(noon, f, posts(noon, "a", "b", "c"))
		w.record(noon, g, posts(noon, "of g"))
		a := w.find("a")
		second := parisMidnight.Add(-time.Second)
		refused := func(why string, d digest.Digest, id digest.PostID, now time.Time) {
			w.t.Helper()
			want(w.t, why, digest.KindOf(w.Posts.SavePost(w.ctx(), d.UserID, id, now)), digest.NotFound)
		}
		want(w.t, "a hidden post is seen", w.sees(ada, a), false)
		refused("a hidden post", ada, a, second)

		w.hour(parisMidnight)
		refused("by a clock that is behind", ada, a, second)
		refused("of a feed of others", ada, w.find("of g"), parisMidnight)
		refused("a post that never was", ada, 1<<40, parisMidnight)
		want(w.t, "what others have", w.sees(ada, w.find("of g")), false)

		w.save(ada, parisMidnight, "a", "b", "c")
		w.save(ada, parisMidnight.Add(time.Hour), "a") // again: it keeps its place
		want(w.t, "kept", w.saved(ada), "c b a")
		want(w.t, "by another", w.saved(bob), "")

		v, err := w.Posts.VisiblePost(w.ctx(), ada.UserID, a)
		w.ok(err)
		want(w.t, "its edition", v.Edition.String(), "2026-11-20")
		want(w.t, "its midnight", v.DueAt, parisMidnight)
		want(w.t, "its site", v.Label.Title, "My F")
		want(w.t, "its text", v.Content, "<p>Content of a</p>")
		want(w.t, "kept", v.Saved, true)
		v, err = w.Posts.VisiblePost(w.ctx(), bob.UserID, a)
		w.ok(err)
		want(w.t, "kept by bob", v.Saved, false)
		want(w.t, "bob's name of the site", v.Label.Title, "f.example")

		among, err := w.Posts.SavedAmong(w.ctx(), ada.UserID, []digest.PostID{a, w.find("of g")})
		w.ok(err)
		want(w.t, "saved among some", len(among) == 1 && among[a], true)
		w.ok(w.Posts.UnsavePost(w.ctx(), ada.UserID, w.find("b"), time.Time{}))
		w.ok(w.Posts.UnsavePost(w.ctx(), ada.UserID, w.find("b"), time.Time{}))
		w.ok(w.Posts.UnsavePost(w.ctx(), bob.UserID, a, time.Time{}))
		want(w.t, "after one was let go", w.saved(ada), "c a")
	})
}

// A saved post outlives its edition, the subscription to its feed, and other readers, but not its reader.
func TestSavedIsKept(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "a", "b"))
		w.hour(parisMidnight)
		w.send(parisMidnight)
		w.save(ada, parisMidnight, "a")
		a := w.find("a")
		for _, d := range []digest.Digest{ada, bob} {
			w.ok(w.Subscriptions.Unsubscribe(w.ctx(), d.ID, f.ID))
		}
		w.ok(w.Exec(w.ctx(), `UPDATE feed_times SET last_attempt_at = ?`, parisMidnight.Unix()))
		late := noon.Add(keep + 60*24*time.Hour)
		w.hour(late)
		w.prune(late)
		w.holds("editions", 0, `SELECT count(*) FROM editions`)
		want(w.t, "still kept", w.saved(ada), "a")
		want(w.t, "and seen", w.sees(ada, a), true)
		want(w.t, "by bob", w.sees(bob, a), false)
		v, err := w.Posts.VisiblePost(w.ctx(), ada.UserID, a)
		w.ok(err)
		want(w.t, "its edition", v.Edition.String(), "2026-11-20")
		want(w.t, "its site", v.Label.Title, "f.example")

		w.ok(w.Readers.RemoveUser(w.ctx(), ada.UserID, noon))
		w.prune(late)
		w.holds("posts", 0, `SELECT count(*) FROM posts`)
		w.holds("feeds", 0, `SELECT count(*) FROM feeds`)
	})
}

// A reader can save a post that a later edition has carried.
func TestSaveCarried(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "a"))
		w.hour(parisMidnight)
		next := parisMidnight.Add(24 * time.Hour)
		w.record(next.Add(-time.Hour), f, posts(next.Add(-time.Hour), "b"))
		w.hour(next)
		want(w.t, "editions", w.shown(ada), "2026-11-20 a; 2026-11-21 +a b")
		w.save(ada, next, "a", "b")
		want(w.t, "kept", w.saved(ada), "b a")
	})
}
