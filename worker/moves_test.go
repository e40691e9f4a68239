package worker_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"digest"
)

// forge adds a post with the identity of another site's post.
func (s *site) forge(title, identity string) { s.item(title, identity, "") }

// midnights runs the job at midnights of November and ignores the summaries.
func (h *house) midnights(days ...int) {
	h.t.Helper()
	for _, day := range days {
		h.tickAt(fmt.Sprintf("2026-11-%02d 00:00", day))
	}
}

func (h *house) oldestFirst(d digest.Digest) []digest.Edition {
	h.t.Helper()
	list, err := h.st.Editions.Editions(h.t.Context(), d.ID, 100)
	ok(h.t, err)
	slices.Reverse(list)
	return list
}

// titles returns the titles of all posts of a digest, in edition order.
func (h *house) titles(d digest.Digest) string {
	h.t.Helper()
	var all []string
	for _, e := range h.oldestFirst(d) {
		refs, err := h.st.Editions.EditionPosts(h.t.Context(), []digest.Delivery{{Edition: e}})
		ok(h.t, err)
		for _, r := range refs[e.ID] {
			posts, err := h.st.Editions.Posts(h.t.Context(), []digest.PostID{r.PostID})
			ok(h.t, err)
			all = append(all, posts[0].Title)
		}
	}
	return strings.Join(all, ", ")
}

// TestI9_ForgedIdentities has a feed that publishes under identities that another feed will use, and then
// redirects to it permanently. The other feed's readers see none of its posts and get the genuine ones.
func TestI9_ForgedIdentities(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		forger, genuine := newSite(t, "of the forger"), newSite(t, "first")
		ann, bob := h.reader("ann@example.org", "UTC", forger), h.reader("bob@example.org", "UTC", genuine)
		h.midnights(20)
		forger.forge("FORGED", "next")
		h.midnights(21)
		forger.says(http.StatusMovedPermanently, "Location", genuine.URL+"/feed.xml")
		h.midnights(22)
		genuine.publish("next")
		h.midnights(23, 24)
		genuine.publish("after")
		h.midnights(25, 26)
		if got := h.titles(bob); got != "first, next, after" {
			t.Errorf("the other's reader has had %s", got)
		}
		if got := h.titles(ann); strings.Count(got, "after") != 1 || strings.Count(got, "first") != 1 {
			t.Errorf("the reader who came by the move has had %s", got)
		}
	})
}

// TestI9_MoveAndReturn has a feed that moves to an address without readers. A later subscriber of that
// address gets its posts alone, and stays when the feed is missing.
func TestI9_MoveAndReturn(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		forger, genuine := newSite(t, "of the forger"), newSite(t, "first")
		ann := h.reader("ann@example.org", "UTC", forger)
		h.midnights(20)
		forger.says(http.StatusMovedPermanently, "Location", genuine.URL+"/feed.xml")
		h.midnights(21, 22)
		h.set("2026-11-22 10:00")
		bob := h.reader("bob@example.org", "UTC", genuine)
		h.midnights(23)
		if got := h.titles(bob); got != "first" {
			t.Errorf("who subscribed to the genuine feed has had %s", got)
		}
		genuine.says(http.StatusNotFound)
		h.midnights(24, 25)
		forger.says(0)
		forger.publish("of the forger again")
		h.midnights(26, 27)
		genuine.says(0)
		genuine.publish("second")
		h.midnights(28, 29)
		if got := h.titles(bob); got != "first, second" {
			t.Errorf("who subscribed to the genuine feed has had %s", got)
		}
		if got := h.titles(ann); got != "of the forger, first, of the forger again" {
			t.Errorf("who subscribed to the other has had %s", got)
		}
	})
}

// TestI9_NameOfAMove holds that later readers never see the title of the feed before its move. That
// includes a new document without a title, and one that was read before the move was confirmed.
func TestI9_NameOfAMove(t *testing.T) {
	for _, title := range []string{"Genuine", ""} {
		eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
			genuine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprintf(w, `<rss version="2.0"><channel><title>%s</title><item><title>a</title><guid>a</guid>`+
					`</item></channel></rss>`, title)
			}))
			defer genuine.Close()
			forger := newSite(t, "of the forger")
			ann := h.reader("ann@example.org", "UTC", forger)
			h.midnights(20)
			forger.says(http.StatusMovedPermanently, "Location", genuine.URL+"/feed.xml")
			h.midnights(21, 22, 23)
			f, err := h.st.Feeds.FeedByURL(t.Context(), genuine.URL+"/feed.xml")
			if err != nil || f.Title != title {
				t.Errorf("the feed at the new address is called %q, %v", f.Title, err)
			}
			moves, err := h.st.Subscriptions.Moves(t.Context(), ann.ID)
			if err != nil || len(moves) != 1 || moves[0].Title != "Paper" {
				t.Errorf("told %+v, %v", moves, err)
			}
		})
	}
}

// TestI9_TellsAndUndoes holds that readers learn of a move to another site, and that one of them can revert
// it, so that the feed stays.
func TestI9_TellsAndUndoes(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		old, next := newSite(t, "first"), newSite(t, "first", "there")
		ann, bob := h.reader("ann@example.org", "UTC", old), h.reader("bob@example.org", "UTC", old)
		h.midnights(20)
		old.says(http.StatusMovedPermanently, "Location", next.URL+"/feed.xml")
		h.midnights(21, 22)
		moves, err := h.st.Subscriptions.Moves(t.Context(), ann.ID)
		if err != nil || len(moves) != 1 || moves[0].URL != old.URL+"/feed.xml" ||
			moves[0].MovedTo != next.URL+"/feed.xml" {
			t.Fatalf("told %+v, %v", moves, err)
		}
		ok(t, h.st.Subscriptions.UndoMove(t.Context(), ann.ID, moves[0].FeedID, h.clock.Add(time.Hour)))
		next.publish("second there")
		h.midnights(23)
		old.says(0)
		old.publish("second here")
		h.midnights(24, 25)
		if got := h.titles(ann); strings.Contains(got, "second there") || strings.Count(got, "second here") != 1 ||
			strings.Count(got, "first") != 1 {
			t.Errorf("who went back has had %s", got)
		}
		if got := h.titles(bob); strings.Contains(got, "second here") || strings.Count(got, "second there") != 1 ||
			strings.Count(got, "first") != 1 {
			t.Errorf("who did not has had %s", got)
		}
	})
}

// TestMoveWithinASite holds that a feed that moves within its site stays the same feed, and returns to its
// old address completely. No post comes twice (I4).
func TestMoveWithinASite(t *testing.T) {
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		var moved, missing atomic.Bool
		var posts atomic.Value
		posts.Store("a")
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/feed.xml" && moved.Load():
				http.Redirect(w, r, "/new.xml", http.StatusMovedPermanently)
			case r.URL.Path == "/new.xml" && missing.Load(), r.URL.Path == "/robots.txt":
				http.NotFound(w, r)
			default:
				writeFeed(w, posts.Load().(string))
			}
		}))
		defer server.Close()
		ann := h.reader("ann@example.org", "UTC", &site{Server: server})
		before := h.feedAt(server.URL + "/feed.xml")
		isAt := func(path string) {
			t.Helper()
			if f := h.feedAt(server.URL + path); f.ID != before.ID || f.URL != server.URL+path {
				t.Errorf("the feed is %d at %s; want %d at %s", f.ID, f.URL, before.ID, path)
			}
		}
		h.midnights(20)
		moved.Store(true)
		posts.Store("b a")
		h.midnights(21, 22)
		isAt("/new.xml")
		missing.Store(true)
		h.midnights(23, 24)
		moved.Store(false)
		posts.Store("c b a")
		h.midnights(25, 26)
		isAt("/feed.xml")
		if got := h.titles(ann); got != "a, b, c" {
			t.Errorf("the reader has had %s", got)
		}
	})
}
