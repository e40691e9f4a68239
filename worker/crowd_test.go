package worker_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/mailer"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
)

// A crowd is a database with many readers in one time zone, all due at the same midnight. It is filled by
// SQL, because single calls would take minutes.
type crowd struct {
	*store.Store
	address string
	db      *sql.DB // bypasses the store, to measure the bound
	feeds   []digest.Feed
	readers int
	night   int // midnights so far
}

// eachCrowd runs f with a crowd on both databases. Each reader has some of the feeds, which were all polled
// before.
func eachCrowd(b *testing.B, readers, each int, feeds []store.ImportItem, f func(b *testing.B, c *crowd)) {
	b.Helper()
	storetest.BenchAddress(b, func(b *testing.B, database string) {
		c := &crowd{Store: storetest.Open(b, database), address: database, db: openDatabase(b, database),
			readers: readers}
		c.addFeeds(b, feeds)
		c.addReaders(b, each)
		f(b, c)
	})
}

// openDatabase opens a test database without the store.
func openDatabase(t testing.TB, address string) *sql.DB {
	t.Helper()
	driver, name := "sqlite3", "file:"+address
	if strings.HasPrefix(address, "postgres://") {
		driver, name = "postgres", address
	}
	db, err := sql.Open(driver, name)
	ok(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func (c *crowd) addFeeds(b *testing.B, items []store.ImportItem) {
	b.Helper()
	founder, d, err := c.Readers.AddUser(b.Context(), "founder@example.org", "UTC", eve)
	ok(b, err)
	_, err = c.Subscriptions.Import(b.Context(), d.ID, items, 1e6, eve)
	ok(b, err)
	ok(b, c.Readers.RemoveUser(b.Context(), founder.ID, time.Now()))
	known(b, c.Store)
	for _, f := range storetest.All(b, c.Feeds.Feeds(b.Context())) {
		c.feeds = append(c.feeds, f.Feed)
	}
}

const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) `

func (c *crowd) addReaders(b *testing.B, each int) {
	b.Helper()
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO users (email, email_key, time_zone, created_at) `+numbers+
			`SELECT 'reader' || i || '@example.org', 'reader' || i || '@example.org', 'UTC', 0 FROM n`, c.readers),
		fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at)
			SELECT id, 'Daily Digest', %d FROM users ORDER BY id`, nightsLater(0).Unix()),
		fmt.Sprintf(`INSERT INTO subscriptions (digest_id, feed_id, created_at) `+numbers+
			`SELECT d.id, 1 + (d.id * %d + n.i) %% %d, 0 FROM digests d CROSS JOIN n ORDER BY d.id`, each, each,
			len(c.feeds)),
		`ANALYZE`,
	} {
		if _, err := c.db.ExecContext(b.Context(), statement); err != nil {
			b.Fatalf("%s: %v", statement, err)
		}
	}
}

// nextMidnight gives each feed some posts and moves to the next midnight, where only the release remains to
// do.
func (c *crowd) nextMidnight(b *testing.B, posts int) time.Time {
	b.Helper()
	now := nightsLater(c.night)
	c.night++
	seen := now.Add(-time.Hour)
	for feeds := range slices.Chunk(c.feeds, 200) {
		var polled []store.Polled
		for _, f := range feeds {
			polled = append(polled, c.polled(f, posts, seen))
		}
		_, err := c.Feeds.Record(b.Context(), seen, polled)
		ok(b, err)
	}
	_, err := c.Feeds.Plan(b.Context(), now, noPoll)
	ok(b, err)
	return now
}

// polled returns the result of a poll of f: new posts of a size at which 15 make an edition of 29 KB.
func (c *crowd) polled(f digest.Feed, posts int, seen time.Time) store.Polled {
	p := store.Polled{Feed: f}
	for i := range posts {
		id := fmt.Sprintf("%d-%d-%d", f.ID, c.night, i)
		p.Listed = append(p.Listed, id)
		p.Posts = append(p.Posts, digest.Post{
			Identity: id, ContentHash: id, URL: "https://site.example/posts/" + id, SeenAt: seen,
			PublishedAt: seen.Add(-time.Hour),
			Title:       "A headline of usual length, number " + id, Author: "An Author", Language: "en",
			Summary: strings.Repeat("A sentence that says what the post is about. ", 8),
		})
	}
	return p
}

func (c *crowd) release(b *testing.B, now time.Time) {
	b.Helper()
	n, err := c.Editions.Release(b.Context(), now, benchSpread.Deadline)
	ok(b, err)
	if n != c.readers {
		b.Fatalf("%d editions, want %d", n, c.readers)
	}
}

func benchSigner() *digest.Signer { return digest.NewSigner(make([]byte, 32)) }

func (c *crowd) renderer() *edition.Builder {
	return edition.New(edition.Options{Store: c.Store.Editions, Signer: benchSigner(),
		BaseURL: "https://digest.example"})
}

func (c *crowd) loop(tr mailer.Transport, connections int) *mailer.Deliverer {
	return &mailer.Deliverer{
		Queue: c.Store.Editions, Renderer: c.renderer(), Signer: benchSigner(),
		Sender: &mailer.Sender{Transport: tr, From: "Digest <digest@example.org>"},
		Route:  digest.Limits{Connections: connections},
	}
}

var benchSpread = poller.Spread{Gap: time.Hour, Deadline: 30 * time.Minute, NoWait: true}
