package store_test

import (
	"slices"
	"testing"
	"time"

	"digest"
)

// linking returns a post that links to the addresses of keys, all on site 7.
func linking(seen time.Time, identity string, keys ...int64) []digest.Post {
	p := post(identity, seen)
	for _, k := range keys {
		p.Links = append(p.Links, digest.Link{Key: k, Site: 7})
	}
	return []digest.Post{p}
}

func (w world) linkingTo(d digest.Digest, key int64, now time.Time) (names []string) {
	w.Helper()
	all := must(w.Posts.LinkingTo(w.ctx, d.UserID, key, 0, now, 10))
	for _, v := range all {
		names = append(names, v.Identity)
	}
	return names
}

// TestLinkingTo: each reader sees only posts that they have received, and none before its midnight.
func TestLinkingTo(t *testing.T) {
	each(t, func(w world) {
		a, b, private := w.feed("a.example"), w.feed("b.example"), w.feed("c.example")
		ada, bob := w.two()
		w.subscribe(ada, a, b)
		w.subscribe(bob, b, private)
		w.record(noon, a, linking(noon, "of a", 1, 2))
		w.record(noon, b, linking(noon, "of b", 1))
		w.record(noon, private, linking(noon, "of bob's own", 1))
		wantDiff(w, "before midnight", w.linkingTo(ada, 1, noon), []string(nil))
		w.hour(parisMidnight)
		wantDiff(w, "ada's", w.linkingTo(ada, 1, parisMidnight), []string{"of b", "of a"})
		wantDiff(w, "bob's", w.linkingTo(bob, 1, parisMidnight), []string{"of bob's own", "of b"})
		wantDiff(w, "by a clock that is behind", w.linkingTo(ada, 1, noon), []string(nil))
		wantDiff(w, "another address", w.linkingTo(ada, 2, parisMidnight), []string{"of a"})
		w.unsubscribe(ada, a)
		wantDiff(w, "of a feed that was left", w.linkingTo(ada, 2, parisMidnight), []string{"of a"})

		site := must(w.Posts.LinkingToSite(w.ctx, ada.UserID, 7, parisMidnight, 10))
		want(w, "to the site", len(site), 2)
		site = must(w.Posts.LinkingToSite(w.ctx, ada.UserID, 8, parisMidnight, 10))
		want(w, "to another site", len(site), 0)
	})
}

// TestPointedAt: an address ranks by feeds and not by posts. Links of a site to itself do not count.
func TestPointedAt(t *testing.T) {
	each(t, func(w world) {
		a, b := w.feed("a.example"), w.feed("b.example")
		ada := w.reader("ada")
		w.subscribe(ada, a, b)
		own := post("own", noon)
		own.Links = []digest.Link{{Key: 3, Site: 7, Own: true}}
		w.record(noon, a, slices.Concat(linking(noon, "one", 1, 2), linking(noon, "two", 2), []digest.Post{own}))
		w.record(noon, b, linking(noon, "three", 1, 3))
		w.hour(parisMidnight)
		got := must(w.Posts.PointedAt(w.ctx, ada.UserID, parisMidnight.Add(-day), parisMidnight, 10))
		if len(got) != 1 || got[0].Key != 1 ||
			w.identities([]digest.PostRef{{PostID: got[0].Posts[0]}, {PostID: got[0].Posts[1]}}) != "one three" {
			w.Errorf("pointed at %+v", got)
		}
		got = must(w.Posts.PointedAt(w.ctx, ada.UserID, parisMidnight, parisMidnight, 10))
		want(w, "since then", len(got), 0)
	})
}

// TestLinksFollowTheirPosts: an edit before midnight replaces a post's links. A post without readers has no links.
// Deleting a post deletes its links.
func TestLinksFollowTheirPosts(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("a.example")
		ada := w.reader("ada")
		w.subscribe(ada, f)
		w.record(noon, f, linking(noon, "one", 1, 2))
		edited := linking(noon, "one", 2, 5)
		edited[0].ContentHash = "another"
		w.record(noon.Add(time.Hour), f, edited)
		w.holds("the links of the edit", 2, `SELECT count(*) FROM post_links WHERE link_key IN (2, 5)`)
		want(w, "links", w.rows("post_links"), 2)
		old := linking(noon, "old", 9)
		old[0].PublishedAt = noon.Add(-1000 * day)
		g := w.newFeed("b.example")
		w.record(noon, g, slices.Concat(old, linking(noon, "new", 8)))
		w.holds("links of what goes to nobody", 0, `SELECT count(*) FROM post_links WHERE link_key = 9`)
		w.hour(parisMidnight)
		w.send(parisMidnight)
		later := noon.Add(500 * day)
		w.record(later, f, posts(later, "two"))
		w.hour(later)
		w.send(later)
		w.prune(later.Add(day))
		w.holds("the post when it is old", 0, `SELECT count(*) FROM posts WHERE identity = 'one'`)
		w.holds("its links", 0, `SELECT count(*) FROM post_links WHERE link_key IN (2, 5)`)
	})
}

func TestReaderToken(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada")
		made := must(w.Readers.ReaderTokenAt(w.ctx, ada.UserID))
		want(w, "none", made, time.Time{})
		w.ok(w.Readers.SetReaderToken(w.ctx, ada.UserID, []byte("one"), noon))
		want(w, "whose", must(w.Readers.TokenReader(w.ctx, []byte("one"))).ID, ada.UserID)
		w.ok(w.Readers.SetReaderToken(w.ctx, ada.UserID, []byte("two"), noon.Add(day)))
		oneLine(w, err2(w.Readers.TokenReader(w.ctx, []byte("one"))), digest.NotFound)
		made = must(w.Readers.ReaderTokenAt(w.ctx, ada.UserID))
		want(w, "made", made, noon.Add(day))
		w.ok(w.Readers.SetReaderToken(w.ctx, ada.UserID, nil, noon))
		oneLine(w, err2(w.Readers.TokenReader(w.ctx, []byte("two"))), digest.NotFound)
	})
}
