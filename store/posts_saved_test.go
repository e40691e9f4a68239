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
	w.Helper()
	id := w.count(`SELECT id FROM posts WHERE identity = ?`, identity)
	return digest.PostID(id)
}

// saved lists the identities of a reader's saved posts, newest first, read two at a time.
func (w world) saved(d digest.Digest) string {
	w.Helper()
	var all []string
	var after store.SavedKey
	for {
		page := must(w.Posts.SavedPosts(w.ctx, d.UserID, after, 2))
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
	w.Helper()
	_, err := w.Posts.VisiblePost(w.ctx, d.UserID, post)
	if digest.KindOf(err) != digest.NotFound {
		w.ok(err)
	}
	return err == nil
}

func (w world) save(d digest.Digest, now time.Time, identities ...string) {
	w.Helper()
	for i, id := range identities {
		w.ok(w.Posts.SavePost(w.ctx, d.UserID, w.find(id), now.Add(time.Duration(i)*time.Minute)))
	}
}

func TestSave(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f, g)
		w.exec(`UPDATE subscriptions SET title = 'My F' WHERE digest_id = ? AND feed_id = ?`, ada.ID,
			f.ID)
		w.posted(f, "a", "b", "c")
		w.posted(g, "of g")
		a := w.find("a")
		second := parisMidnight.Add(-time.Second)
		refused := func(why string, d digest.Digest, id digest.PostID, now time.Time) {
			w.Helper()
			oneLine(w, w.Posts.SavePost(w.ctx, d.UserID, id, now), digest.NotFound)
		}
		want(w, "a hidden post is seen", w.sees(ada, a), false)
		refused("a hidden post", ada, a, second)

		w.hour(parisMidnight)
		refused("by a clock that is behind", ada, a, second)
		refused("of a feed of others", ada, w.find("of g"), parisMidnight)
		refused("a post that never was", ada, 1<<40, parisMidnight)
		want(w, "what others have", w.sees(ada, w.find("of g")), false)

		w.save(ada, parisMidnight, "a", "b", "c")
		w.save(ada, parisMidnight.Add(time.Hour), "a") // again: it keeps its place
		want(w, "kept", w.saved(ada), "c b a")
		want(w, "by another", w.saved(bob), "")

		v := must(w.Posts.VisiblePost(w.ctx, ada.UserID, a))
		want(w, "its edition", v.Edition.String(), "2026-11-20")
		want(w, "its midnight", v.DueAt, parisMidnight)
		want(w, "its site", v.Label.Title, "My F")
		want(w, "its text", v.Content, "<p>Content of a</p>")
		want(w, "kept", v.Saved, true)
		v = must(w.Posts.VisiblePost(w.ctx, bob.UserID, a))
		want(w, "kept by bob", v.Saved, false)
		want(w, "bob's name of the site", v.Label.Title, "f.example")

		among := must(w.Posts.SavedAmong(w.ctx, ada.UserID, []digest.PostID{a, w.find("of g")}))
		want(w, "saved among some", len(among) == 1 && among[a], true)
		w.ok(w.Posts.UnsavePost(w.ctx, ada.UserID, w.find("b"), time.Time{}))
		w.ok(w.Posts.UnsavePost(w.ctx, ada.UserID, w.find("b"), time.Time{}))
		w.ok(w.Posts.UnsavePost(w.ctx, bob.UserID, a, time.Time{}))
		want(w, "after one was let go", w.saved(ada), "c a")
	})
}

// A saved post outlives its edition, the subscription to its feed, and other readers, but not its reader.
func TestSavedIsKept(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "a", "b")
		w.hour(parisMidnight)
		w.send(parisMidnight)
		w.save(ada, parisMidnight, "a")
		a := w.find("a")
		for _, d := range []digest.Digest{ada, bob} {
			w.unsubscribe(d, f)
		}
		w.exec(`UPDATE feed_times SET last_attempt_at = ?`, parisMidnight.Unix())
		late := noon.Add(keep + 60*day)
		w.hour(late)
		w.prune(late)
		w.holds("editions", 0, `SELECT count(*) FROM editions`)
		want(w, "still kept", w.saved(ada), "a")
		want(w, "and seen", w.sees(ada, a), true)
		want(w, "by bob", w.sees(bob, a), false)
		v := must(w.Posts.VisiblePost(w.ctx, ada.UserID, a))
		want(w, "its edition", v.Edition.String(), "2026-11-20")
		want(w, "its site", v.Label.Title, "f.example")

		w.remove(ada.UserID, noon)
		w.prune(late)
		w.holds("posts", 0, `SELECT count(*) FROM posts`)
		w.holds("feeds", 0, `SELECT count(*) FROM feeds`)
	})
}

// A reader can save a post that a later edition has carried.
func TestSaveCarried(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "a")
		w.hour(parisMidnight)
		next := parisMidnight.Add(day)
		w.record(next.Add(-time.Hour), f, posts(next.Add(-time.Hour), "b"))
		w.hour(next)
		want(w, "editions", w.shown(ada), "2026-11-20 a; 2026-11-21 +a b")
		w.save(ada, next, "a", "b")
		want(w, "kept", w.saved(ada), "b a")
	})
}
