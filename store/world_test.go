package store_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// noon is when most tests begin, eleven hours before midnight in Paris.
var noon = time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)

// parisMidnight begins the 20th in Paris.
var parisMidnight = time.Date(2026, 11, 19, 23, 0, 0, 0, time.UTC)

const deadline = 30 * time.Minute

// A world is a database with the steps of most tests. Each step fails the test on an error.
type world struct {
	*store.Store
	t *testing.T
}

func (w world) ctx() context.Context { return w.t.Context() }

func (w world) ok(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// reader adds a user and returns their digest.
func (w world) reader(name, zone string) digest.Digest {
	w.t.Helper()
	_, d, err := w.Readers.AddUser(w.ctx(), name+"@example.org", zone, noon)
	w.ok(err)
	return d
}

// feed adds a feed that was read before and has no posts.
func (w world) feed(host string) digest.Feed {
	w.t.Helper()
	f := w.newFeed(host)
	f.ParsedAt = noon.Add(-48 * time.Hour)
	_, err := w.Feeds.Record(w.ctx(), f.ParsedAt, []store.Polled{{Feed: f}})
	w.ok(err)
	return f
}

// newFeed adds a feed that was never read.
func (w world) newFeed(host string) digest.Feed {
	w.t.Helper()
	f, _, err := w.Feeds.EnsureFeed(w.ctx(), digest.Feed{URL: "https://" + host + "/feed", Host: host, Title: host})
	w.ok(err)
	return f
}

func (w world) subscribe(d digest.Digest, feeds ...digest.Feed) {
	w.t.Helper()
	for _, f := range feeds {
		_, err := w.Subscriptions.Subscribe(w.ctx(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, noon)
		w.ok(err)
	}
}

// post returns a post as the parser would.
func post(identity string, seen time.Time) digest.Post {
	return digest.Post{
		Identity: identity, Title: "Title of " + identity, URL: "https://example.org/" + identity,
		SeenAt: seen, PublishedAt: seen.Add(-time.Minute), ContentHash: "hash of " + identity,
		Summary: "Summary", Content: "<p>Content of " + identity + "</p>",
	}
}

func posts(seen time.Time, identities ...string) []digest.Post {
	list := make([]digest.Post, len(identities))
	for i, id := range identities {
		list[i] = post(id, seen)
	}
	return list
}

// record stores the result of a poll of an unclaimed feed. listed are identities that the document lists besides the
// found posts.
func (w world) record(now time.Time, f digest.Feed, found []digest.Post, listed ...string) store.RecordResult {
	w.t.Helper()
	for _, p := range found {
		listed = append(listed, p.Identity)
	}
	f.ParsedAt = now
	r, err := w.Feeds.Record(w.ctx(), now,
		[]store.Polled{{Feed: f, Posts: found, Listed: listed, ReadAt: f.URL, Arrival: arrival(found, listed)}})
	w.ok(err)
	return r
}

// arrival returns the arrival at a new address where the document has the found posts and the known, listed ones.
func arrival(found []digest.Post, listed []string) store.Arrival {
	a := store.Arrival{Read: true}
	for _, identity := range listed {
		if !slices.ContainsFunc(found, func(p digest.Post) bool { return p.Identity == identity }) {
			a.Posts = append(a.Posts, post(identity, noon))
		}
	}
	a.Posts = append(a.Posts, found...)
	return a
}

// queueNothing is a schedule that polls no feed.
func queueNothing(digest.Feed, time.Time) (time.Time, bool) { return time.Time{}, false }

// hour plans without polls, and releases.
func (w world) hour(now time.Time) int {
	w.t.Helper()
	_, err := w.Feeds.Plan(w.ctx(), now, queueNothing)
	w.ok(err)
	return w.release(now)
}

func (w world) release(now time.Time) int {
	w.t.Helper()
	n, err := w.Editions.Release(w.ctx(), now, deadline)
	w.ok(err)
	return n
}

// editions describes a digest's editions without carried posts, oldest first: "2026-11-20 a b; ...".
func (w world) editions(d digest.Digest) string {
	w.t.Helper()
	return w.describe(d, func(refs []digest.PostRef) string {
		return w.identities(slices.DeleteFunc(refs, func(r digest.PostRef) bool { return r.Carried }))
	})
}

// shown describes a digest's editions with carried posts, marked: "2026-11-20 a +b; ...".
func (w world) shown(d digest.Digest) string {
	w.t.Helper()
	return w.describe(d, w.marked)
}

func (w world) describe(d digest.Digest, posts func([]digest.PostRef) string) string {
	w.t.Helper()
	list, err := w.Editions.Editions(w.ctx(), d.ID, 100)
	w.ok(err)
	slices.Reverse(list)
	var out []string
	for _, e := range list {
		refs, err := w.Editions.EditionPosts(w.ctx(), []digest.Delivery{{Edition: e}})
		w.ok(err)
		out = append(out, strings.TrimSpace(e.LocalDate.String()+" "+posts(refs[e.ID])))
	}
	return strings.Join(out, "; ")
}

// marked lists the identities of posts, with a plus before carried ones.
func (w world) marked(refs []digest.PostRef) string {
	w.t.Helper()
	var names []string
	for _, r := range refs {
		name := w.identities([]digest.PostRef{r})
		if r.Carried {
			name = "+" + name
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// waiting lists the identities of the posts that wait for a digest.
func (w world) waiting(d digest.Digest) string {
	w.t.Helper()
	refs, err := w.Editions.WaitingPosts(w.ctx(), d.ID)
	w.ok(err)
	return w.identities(refs)
}

func (w world) identities(refs []digest.PostRef) string {
	w.t.Helper()
	ids := make([]digest.PostID, len(refs))
	for i, r := range refs {
		ids[i] = r.PostID
	}
	found, err := w.Editions.Posts(w.ctx(), ids)
	w.ok(err)
	var names []string
	for _, p := range found {
		names = append(names, p.Identity)
	}
	return strings.Join(names, " ")
}

func (w world) again(d digest.Digest) digest.Digest {
	w.t.Helper()
	d, err := w.Readers.Digest(w.ctx(), d.ID)
	w.ok(err)
	return d
}

func (w world) feedAgain(f digest.Feed) digest.Feed {
	w.t.Helper()
	f, err := w.Feeds.FeedByURL(w.ctx(), f.URL)
	w.ok(err)
	return f
}

// each runs f in a world on each database. Afterwards every feed must have the time from which it may be polled, by
// its own record (I5), and every digest the feeds of its posts.
func each(t *testing.T, f func(w world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		f(world{s, t})
		stale, err := s.StaleAskable(t.Context())
		if err != nil || len(stale) > 0 {
			t.Errorf("feeds that keep another instant than the policy says: %v, %v", stale, err)
		}
		unknown, err := s.Count(t.Context(), `SELECT count(*) FROM digest_posts dp JOIN posts p ON p.id = dp.post_id
			WHERE NOT EXISTS (SELECT 1 FROM subscriptions x WHERE x.digest_id = dp.digest_id AND x.feed_id = p.feed_id)
			AND NOT EXISTS (SELECT 1 FROM former_subscriptions x WHERE x.digest_id = dp.digest_id
			AND x.feed_id = p.feed_id)`)
		if err != nil || unknown > 0 {
			t.Errorf("%d posts came to digests that never had their feeds: %v", unknown, err)
		}
	})
}

func want[T comparable](t *testing.T, what string, got, wanted T) {
	t.Helper()
	if got != wanted {
		t.Errorf("%s: got %v, want %v", what, got, wanted)
	}
}

func hosts(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("h%d.example", i)
	}
	return list
}

// move changes a digest's midnight without the store's methods.
func (w world) move(d digest.Digest, due time.Time) {
	w.t.Helper()
	old := w.again(d).NextDueAt
	w.ok(w.Exec(w.ctx(), `UPDATE digest_posts SET visible_at = ? WHERE digest_id = ? AND visible_at = ?`, due.Unix(),
		d.ID, old.Unix()))
	w.ok(w.Exec(w.ctx(), `UPDATE digests SET next_due_at = ? WHERE id = ?`, due.Unix(), d.ID))
}
