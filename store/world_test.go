package store_test

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
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
	*testing.T
	ctx context.Context
}

func newWorld(t *testing.T, s *store.Store) world { return world{s, t, t.Context()} }

func (w world) ok(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// exec is ok with Exec.
func (w world) exec(statement string, args ...any) {
	w.Helper()
	w.ok(w.Exec(w.ctx, statement, args...))
}

// A failure is the panic of must. each turns it into a failure of its test.
type failure struct {
	error
	line string
}

// must returns the value of a call that must not fail.
func must[A any](a A, err error) A {
	if err != nil {
		_, file, line, _ := runtime.Caller(1)
		panic(failure{err, fmt.Sprintf("%s:%d", filepath.Base(file), line)})
	}
	return a
}

// must2 is must for a call with two values.
func must2[A, B any](a A, b B, err error) (A, B) {
	if err != nil {
		_, file, line, _ := runtime.Caller(1)
		panic(failure{err, fmt.Sprintf("%s:%d", filepath.Base(file), line)})
	}
	return a, b
}

// failed fails the test of a function whose must panics. It is deferred.
func failed(t *testing.T) {
	t.Helper()
	r := recover()
	if f, ok := r.(failure); ok {
		t.Fatalf("%s: %v", f.line, f.error)
	}
	if r != nil {
		panic(r)
	}
}

// reader adds a user in a zone, or else in Paris, and returns their digest.
func (w world) reader(name string, zone ...string) digest.Digest {
	w.Helper()
	_, d := must2(w.Readers.AddUser(w.ctx, name+"@example.org", append(zone, "Europe/Paris")[0], noon))
	return d
}

// follows adds a reader of one feed.
func (w world) follows() (digest.Digest, digest.Feed) {
	w.Helper()
	d, f := w.reader("ada"), w.feed("f.example")
	w.subscribe(d, f)
	return d, f
}

// feed adds a feed that was read before and has no posts.
func (w world) feed(host string) digest.Feed {
	w.Helper()
	f := w.newFeed(host)
	f.ParsedAt = noon.Add(-48 * time.Hour)
	must(w.Feeds.Record(w.ctx, f.ParsedAt, []store.Polled{{Feed: f}}))
	return f
}

// newFeed adds a feed that was never read.
func (w world) newFeed(host string) digest.Feed {
	w.Helper()
	f, _ := must2(w.Feeds.EnsureFeed(w.ctx, digest.Feed{URL: "https://" + host + "/feed", Host: host, Title: host}))
	return f
}

func (w world) subscribe(d digest.Digest, feeds ...digest.Feed) {
	w.Helper()
	for _, f := range feeds {
		must(w.Subscriptions.Subscribe(w.ctx, digest.Subscription{DigestID: d.ID, FeedID: f.ID}, noon))
	}
}

func (w world) unsubscribe(d digest.Digest, f digest.Feed) {
	w.Helper()
	w.ok(w.Subscriptions.Unsubscribe(w.ctx, d.ID, f.ID))
}

// two adds two readers in Paris.
func (w world) two() (ada, bob digest.Digest) {
	w.Helper()
	return w.reader("ada"), w.reader("bob")
}

func (w world) remove(user digest.UserID, now time.Time) {
	w.Helper()
	w.ok(w.Readers.RemoveUser(w.ctx, user, now))
}

func (w world) subscription(d digest.Digest, f digest.Feed) store.SubscriptionInfo {
	w.Helper()
	return must(w.Subscriptions.Subscription(w.ctx, d.ID, f.ID))
}

func (w world) pauseFeed(d digest.Digest, f digest.Feed) {
	w.Helper()
	w.ok(w.Subscriptions.PauseSubscription(w.ctx, d.ID, f.ID))
}

func (w world) resumeFeed(d digest.Digest, f digest.Feed, now time.Time) {
	w.Helper()
	w.ok(w.Subscriptions.ResumeSubscription(w.ctx, d.ID, f.ID, now))
}

func (w world) setState(d digest.Digest, state digest.DigestState, now time.Time) {
	w.Helper()
	w.ok(w.Readers.SetDigestState(w.ctx, d.ID, state, now))
}

func (w world) pause(d digest.Digest, until, now time.Time) {
	w.Helper()
	w.ok(w.Readers.PauseDigest(w.ctx, d.ID, until, now))
}

func (w world) setCadence(d digest.Digest, c digest.Cadence, now time.Time) {
	w.Helper()
	w.ok(w.Readers.SetCadence(w.ctx, d.ID, c, now))
}

func (w world) setZone(d digest.Digest, zone string, now time.Time) {
	w.Helper()
	w.ok(w.Readers.SetTimeZone(w.ctx, d.UserID, zone, now))
}

func (w world) setNewsletter(n digest.Newsletter, state digest.NewsletterState, reason string, now time.Time) {
	w.Helper()
	w.ok(w.Newsletters.SetNewsletterState(w.ctx, n.ID, state, reason, now))
}

func (w world) pruneOnce(now time.Time, keep time.Duration, batch int) int {
	w.Helper()
	return must(w.Operator.Prune(w.ctx, now, keep, batch))
}

func (w world) endPauses(now time.Time) int {
	w.Helper()
	return must(w.Editions.EndPauses(w.ctx, now))
}

// poll stores the results of polls.
func (w world) poll(now time.Time, polls ...store.Polled) store.RecordResult {
	w.Helper()
	return must(w.Feeds.Record(w.ctx, now, polls))
}

// count reads a number.
func (w world) count(query string, args ...any) int {
	w.Helper()
	return must(w.Count(w.ctx, query, args...))
}

// latest returns the latest edition of a digest.
func (w world) latest(d digest.Digest) digest.Edition {
	w.Helper()
	return must(w.Editions.Editions(w.ctx, d.ID, 1))[0]
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
	w.Helper()
	for _, p := range found {
		listed = append(listed, p.Identity)
	}
	f.ParsedAt = now
	r := must(w.Feeds.Record(w.ctx, now,
		[]store.Polled{{Feed: f, Posts: found, Listed: listed, ReadAt: f.URL, Arrival: arrival(found, listed)}}))
	return r
}

// posted is record of new posts at noon.
func (w world) posted(f digest.Feed, identities ...string) {
	w.Helper()
	w.record(noon, f, posts(noon, identities...))
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
	w.Helper()
	must(w.Feeds.Plan(w.ctx, now, queueNothing))
	return w.release(now)
}

func (w world) release(now time.Time) int {
	w.Helper()
	n := must(w.Editions.Release(w.ctx, now, deadline))
	return n
}

// editions describes a digest's editions without carried posts, oldest first: "2026-11-20 a b; ...".
func (w world) editions(d digest.Digest) string {
	w.Helper()
	return w.describe(d, func(refs []digest.PostRef) string {
		return w.identities(slices.DeleteFunc(refs, func(r digest.PostRef) bool { return r.Carried }))
	})
}

// shown describes a digest's editions with carried posts, marked: "2026-11-20 a +b; ...".
func (w world) shown(d digest.Digest) string {
	w.Helper()
	return w.describe(d, w.marked)
}

func (w world) describe(d digest.Digest, posts func([]digest.PostRef) string) string {
	w.Helper()
	list := must(w.Editions.Editions(w.ctx, d.ID, 100))
	slices.Reverse(list)
	var out []string
	for _, e := range list {
		refs := must(w.Editions.EditionPosts(w.ctx, []digest.Delivery{{Edition: e}}))
		out = append(out, strings.TrimSpace(e.LocalDate.String()+" "+posts(refs[e.ID])))
	}
	return strings.Join(out, "; ")
}

// marked lists the identities of posts, with a plus before carried ones.
func (w world) marked(refs []digest.PostRef) string {
	w.Helper()
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
	w.Helper()
	refs := must(w.Editions.WaitingPosts(w.ctx, d.ID))
	return w.identities(refs)
}

func (w world) identities(refs []digest.PostRef) string {
	w.Helper()
	ids := make([]digest.PostID, len(refs))
	for i, r := range refs {
		ids[i] = r.PostID
	}
	found := must(w.Editions.Posts(w.ctx, ids))
	var names []string
	for _, p := range found {
		names = append(names, p.Identity)
	}
	return strings.Join(names, " ")
}

func (w world) again(d digest.Digest) digest.Digest {
	w.Helper()
	d = must(w.Readers.Digest(w.ctx, d.ID))
	return d
}

func (w world) feedAgain(f digest.Feed) digest.Feed {
	w.Helper()
	f = must(w.Feeds.FeedByURL(w.ctx, f.URL))
	return f
}

// each runs f in a world on each database. Afterwards every feed must have the time from which it may be polled, by
// its own record (I5), and every digest the feeds of its posts.
func each(t *testing.T, f func(w world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		t.Helper()
		func() {
			defer failed(t)
			f(newWorld(t, s))
		}()
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

func want[T comparable](t testing.TB, what string, got, wanted T) {
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
	w.Helper()
	old := w.again(d).NextDueAt
	w.exec(`UPDATE digest_posts SET visible_at = ? WHERE digest_id = ? AND visible_at = ?`, due.Unix(),
		d.ID, old.Unix())
	w.exec(`UPDATE digests SET next_due_at = ? WHERE id = ?`, due.Unix(), d.ID)
}
