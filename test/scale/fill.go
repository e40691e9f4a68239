package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"digest/store"
)

type size struct {
	readers, each, feeds, port int

	zone string // of all readers; "": zones all over the world
	tls  bool   // the sites use https
}

const (
	// flat is the number of most popular feeds with about equal popularity. In a million subscriptions by Zipf's law
	// two of three readers would have the first feed; with flat, one in ten has it.
	flat = 20
	// fillStep is the number of readers in one statement, fillers the number of concurrent statements.
	fillStep = 25_000
	fillers  = 4
)

// fill creates the schema and fills it with bulk statements.
func fill(ctx context.Context, database string, s size) error {
	st, err := store.Open(ctx, database)
	if err != nil {
		return err
	}
	defer st.Close()
	if err := st.Migrate(ctx); err != nil {
		return err
	}
	if _, err := st.Secret(ctx); err != nil {
		return err
	}
	db, err := open(database)
	if err != nil {
		return err
	}
	defer db.Close()
	f := filler{db: db, size: s, postgres: strings.HasPrefix(database, "postgres://"), began: time.Now()}
	return f.all(ctx)
}

type filler struct {
	size
	db       *sql.DB
	postgres bool
	began    time.Time
}

func (f *filler) all(ctx context.Context) error {
	var index string
	if f.postgres {
		const of = `SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()
			AND indexname = 'subscriptions_feed'`
		if err := f.db.QueryRowContext(ctx, of).Scan(&index); err != nil {
			return fmt.Errorf("reading how an index is made: %w", err)
		}
		if err := f.run(ctx, "", `DROP INDEX subscriptions_feed`); err != nil {
			return err
		}
	}
	if err := f.run(ctx, "feeds", f.feedRows()); err != nil {
		return err
	}
	if err := f.run(ctx, "", timeRows()); err != nil {
		return err
	}
	if err := f.readerRows(ctx); err != nil {
		return err
	}
	if index != "" {
		if err := f.run(ctx, "index of subscriptions", index); err != nil {
			return err
		}
		return f.run(ctx, "statistics", `VACUUM ANALYZE`)
	}
	return f.run(ctx, "statistics", `ANALYZE`)
}

// run runs a statement in a session without foreign key checks.
func (f *filler) run(ctx context.Context, what, statement string) error {
	c, err := f.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if f.postgres {
		if _, err := c.ExecContext(ctx,
			`SET session_replication_role = replica; SET synchronous_commit = off`); err != nil {
			return fmt.Errorf("not looking up what rows refer to: %w", err)
		}
		defer func() { _, _ = c.ExecContext(context.WithoutCancel(ctx), `RESET ALL`) }()
	}
	if _, err := c.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("filling %s: %.200s: %w", what, statement, err)
	}
	if what != "" {
		fmt.Fprintf(os.Stderr, "%6.1f s: %s\n", time.Since(f.began).Seconds(), what)
	}
	return nil
}

// numbers is a table of the integers from the first to the second.
const numbers = `WITH RECURSIVE n (i) AS (SELECT CAST(%d AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i < %d)`

// feedRows inserts feeds whose last poll was the day before. Seven of ten have their own host; the others share
// hosts, a hundredth as many as there are feeds.
func (f *filler) feedRows() string {
	now := firstDay().Unix()
	n := fmt.Sprintf(numbers, 1, f.feeds)
	scheme := "http"
	if f.tls {
		scheme = "https"
	}
	host := fmt.Sprintf(`CASE WHEN i %% 10 < 7 THEN i ELSE %d + i %% %d END`, f.feeds+1, max(1, f.feeds/100))
	return n + fmt.Sprintf(`
		INSERT INTO feeds (id, url, host, domain, kind, title, etag, validator_url, body_hash, conditional_state,
			reliability, parsed_at, listed_at, last_status)
		SELECT i, url, host, host, 'rss2', 'Site ' || i, '"' || ((%d + i * 7919 %% %d) / %d) || '"', url, 'hash' || i,
			'works', 'proven', %[4]d, %[4]d, 200
		FROM (SELECT i, host, '%[7]s://' || host || ':%[5]d/' || i || '/feed.xml' AS url
			FROM (SELECT i, '127.' || (1 + h / 62500) || '.' || (h / 250 %% 250) || '.' || (1 + h %% 250) AS host
				FROM (SELECT i, %[6]s AS h FROM n) x) y) z`,
		now-86400, period, period, now-86400, f.port, host, scheme)
}

func timeRows() string {
	return fmt.Sprintf(`INSERT INTO feed_times (feed_id, last_attempt_at, last_ok_at)
		SELECT id, %[1]d, %[1]d FROM feeds ORDER BY id`, firstDay().Unix()-86400)
}

// readerRows inserts readers with their digests and subscriptions in batches.
func (f *filler) readerRows(ctx context.Context) error {
	where := zones()
	if f.zone != "" {
		where = []zone{{f.zone, 1000}}
	}
	table, err := zoneTable(where, firstDay())
	if err != nil {
		return err
	}
	steps := make(chan int)
	failed := make(chan error, fillers)
	parallel := fillers
	if !f.postgres {
		parallel = 1
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wait sync.WaitGroup
	for range parallel {
		wait.Go(func() {
			for from := range steps {
				if err := f.someReaders(ctx, table, from, min(from+fillStep-1, f.readers)); err != nil {
					failed <- err
					cancel()
					return
				}
			}
		})
	}
	for from := 1; from <= f.readers && ctx.Err() == nil; from += fillStep {
		select {
		case steps <- from:
		case <-ctx.Done():
		}
	}
	close(steps)
	wait.Wait()
	close(failed)
	if err := <-failed; err != nil {
		return err
	}
	return f.identities(ctx)
}

// identities sets PostgreSQL's sequences to the last IDs.
func (f *filler) identities(ctx context.Context) error {
	if !f.postgres {
		return nil
	}
	for table, n := range map[string]int{"users": f.readers, "digests": f.readers, "feeds": f.feeds} {
		if err := f.run(ctx, "", fmt.Sprintf(`SELECT setval(pg_get_serial_sequence('%s', 'id'), %d)`, table,
			n)); err != nil {
			return err
		}
	}
	return nil
}

// someReaders inserts the readers with IDs from from to to.
func (f *filler) someReaders(ctx context.Context, zoneTable string, from, to int) error {
	n := fmt.Sprintf(numbers, from, to)
	zoned := fmt.Sprintf(`, z (low, high, name, due) AS (VALUES %s), r AS (SELECT i, %s %% 1000 AS place FROM n)`,
		zoneTable, scattered("i"))
	for _, rows := range []struct{ what, statement string }{ // in the order of their references
		{"", n + zoned + `
			INSERT INTO users (id, email, email_key, mail_domain, time_zone, created_at)
			SELECT i, 'reader' || i || '@' || d, 'reader' || i || '@' || d, d, name, 0
			FROM (SELECT r.i, z.name, 'mail' || (CASE WHEN r.i % 10 < 5 THEN 0 ELSE r.i % 500 END) || '.example' AS d
				FROM r JOIN z ON r.place >= z.low AND r.place < z.high) x ORDER BY i`},
		{"", n + zoned + `
			INSERT INTO digests (id, user_id, name, next_due_at)
			SELECT r.i, r.i, 'Daily Digest', z.due FROM r JOIN z ON r.place >= z.low AND r.place < z.high
			ORDER BY r.i`},
		{fmt.Sprintf("subscriptions of readers %d to %d", from, to), n + fmt.Sprintf(`, k (k) AS (VALUES %s)
			INSERT INTO subscriptions (digest_id, feed_id, created_at)
			SELECT DISTINCT i, 1 + CAST(floor(%[2]d * (exp(%[3]s / 2147483647.0 * ln(1 + %[4]d / %[2]d.0)) - 1)) AS BIGINT)
				%% %[4]d, 0
			FROM n CROSS JOIN k ORDER BY 1, 2`, oneTo(f.each), flat, scattered(fmt.Sprintf("(i * %d + k)", f.each)),
			f.feeds)},
	} {
		if err := f.run(ctx, rows.what, rows.statement); err != nil {
			return err
		}
	}
	return nil
}

// scattered returns SQL that maps an integer to a pseudo-random one below 2³¹-1, in both databases.
func scattered(n string) string {
	x := fmt.Sprintf(`((%s * 48271) %% 2147483647)`, n)
	return fmt.Sprintf(`((%s * %s %% 2147483647 * 69621 + 12345) %% 2147483647)`, x, x)
}

func oneTo(n int) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf("(%d)", i+1)
	}
	return strings.Join(rows, ", ")
}
