package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"

	"digest"
	"digest/store/db"
)

// Exec runs any statement, to create states that no method creates. It updates askable_at after changes of feeds.
func (s *Store) Exec(ctx context.Context, statement string, args ...any) error {
	return s.write(ctx, func(c conn) error {
		if _, err := c.Exec(ctx, statement, args...); err != nil {
			return err
		}
		if strings.HasPrefix(statement, "INSERT INTO feeds") {
			return addMissingTimes(ctx, c)
		}
		for _, column := range []string{"last_attempt_at", "not_before", "fresh_until", "lease_until", "_interval",
			"skip_"} {
			if strings.HasPrefix(statement, "UPDATE feed") && strings.Contains(statement, column) {
				return refreshAskable(ctx, c, "1 = 1")
			}
		}
		return nil
	})
}

// addMissingTimes inserts missing rows of feed_times, if the schema has this table.
func addMissingTimes(ctx context.Context, c conn) error {
	n, err := c.Number(ctx, c.d.Tables, "feed_times")
	if err != nil || n == 0 {
		return err
	}
	var ids []digest.FeedID
	err = c.All(ctx, &ids, `SELECT id FROM feeds WHERE id NOT IN (SELECT feed_id FROM feed_times)`)
	if err != nil {
		return err
	}
	return addTimes(ctx, c, ids, 0)
}

// Enqueue queues a poll of a feed at the given instant at the latest, as a ping or a new reader does.
func (s *Store) Enqueue(ctx context.Context, id digest.FeedID, poll time.Time) error {
	return s.change(ctx, "queueing the feed", func(c conn) error {
		return queue(ctx, c, []digest.FeedID{id}, at(poll))
	})
}

// Together runs statements in one transaction and calls f before the commit.
func (s *Store) Together(ctx context.Context, f func(), statements ...string) error {
	return s.write(ctx, func(c conn) error {
		defer f()
		return c.ExecEach(ctx, statements)
	})
}

func (s *Store) AtOneInstant(ctx context.Context, f func(*Store) error) error {
	return s.atOneInstant(ctx, "", f)
}

// StaleAskable returns the feeds whose askable_at differs from the policy. A claim may have moved it behind a skipped
// time.
func (s *Store) StaleAskable(ctx context.Context) ([]digest.FeedID, error) {
	var rows []askRow
	if err := s.read().All(ctx, &rows, `SELECT `+askColumns+` FROM `+
		timedFeeds+` WHERE f.state IN ('active', 'trial') ORDER BY f.id`); err != nil {
		return nil, err
	}
	var stale []digest.FeedID
	for _, r := range rows {
		says := s.read().askable(r.Feed, 0)
		if r.AskableAt < says || r.AskableAt > says && r.SkipHours == 0 && r.SkipDays == 0 {
			stale = append(stale, r.ID)
		}
	}
	return stale, nil
}

type Column struct {
	Name            string
	IsText, IsBytes bool // false: numbers
	Nullable        bool
}

func (s *Store) Columns(ctx context.Context, table string) ([]Column, error) {
	rows, err := s.read().Query(ctx, `SELECT * FROM `+table+` WHERE 1 = 0`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	kinds, err := rows.ColumnTypes()
	return each(kinds, func(k *sql.ColumnType) Column {
		kind := k.DatabaseTypeName()
		nullable := slices.Contains([]string{"poll_at", "newsletter_id", "handle"}, k.Name())
		return Column{k.Name(), kind == "TEXT", kind == "BLOB" || kind == "BYTEA", nullable}
	}), err
}

func (s *Store) Count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = s.read().Get(ctx, &n, query, args...)
	return n, err
}

// ClaimFeedsWith is ClaimFeeds, but calls meanwhile before the lease. It returns the number of leased feeds.
func (s *Store) ClaimFeedsWith(ctx context.Context, now time.Time, token string, meanwhile func()) (won int,
	err error) {
	err = s.write(ctx, func(c conn) error {
		q := claiming{ClaimOptions: ClaimOptions{N: 9, Lease: time.Minute, Token: token}, c: c, now: at(now),
			until: at(now), attempt: from(now)}
		wanted, _, err := q.candidates(ctx)
		if err != nil {
			return err
		}
		meanwhile()
		ids, err := q.leaseHosts(ctx, wanted)
		won = len(ids)
		return err
	})
	return won, err
}

func (s *Store) Partitioned() bool { return s.d.Partitions != "" }

func (s *Store) Partitions(ctx context.Context) ([]string, error) {
	var rows []struct {
		Name string
		Open bool
	}
	err := s.read().All(ctx, &rows, s.d.Partitions)
	var names []string
	for _, r := range rows {
		if r.Name != "digest_posts_default" {
			names = append(names, r.Name)
		}
	}
	return names, err
}

// Empty deletes all hidden rows, without dead rows that slow later statements down.
func (s *Store) Empty(ctx context.Context) error {
	if s.d.ForUpdate != "" {
		return s.Exec(ctx, `TRUNCATE digest_posts`)
	}
	return s.Exec(ctx, `DELETE FROM digest_posts`)
}

// Scan reads a column of numbers and returns the number of rows.
func (s *Store) Scan(ctx context.Context, query string) (int, error) {
	var all []int64
	err := s.read().All(ctx, &all, query)
	return len(all), err
}

// ReleasePlan returns the query plan that finds the digests to release.
func (s *Store) ReleasePlan(ctx context.Context, due time.Time) (string, error) {
	g := releaseBatch{releaseKind: releaseKind{TimeZone: "Europe/Paris", DueAt: at(due), Cadence: digest.Daily},
		hours: []int64{0}}
	for id := range 500 {
		g.ids = append(g.ids, digest.DigestID(id+1))
	}
	where, args := g.digests(s.d)
	return s.read().explain(ctx, `SELECT d.id FROM digests d WHERE `+where, args)
}

// LockPlan returns the query plan that locks the candidates of a claim.
func (s *Store) LockPlan(ctx context.Context, ids []digest.FeedID, now time.Time) (string, error) {
	return s.read().explain(ctx, strings.TrimSuffix(lockQuery(s.d), s.d.SkipRows("t")),
		[]any{ids, at(now), at(now)})
}

// LookPlan returns the query plan that finds the feeds that digests wait for.
func (s *Store) LookPlan(ctx context.Context) (string, error) {
	return s.read().explain(ctx, `SELECT `+waitsFor+` FROM waiting_digests WHERE digest_id IN (1, 2, 3, 4, 5)`,
		[]any{1800})
}

// ReleaseWith is Release, but calls meanwhile before the release of the batches.
func (s *Store) ReleaseWith(ctx context.Context, now time.Time, meanwhile func()) (editions int, err error) {
	if err := s.lookAtWaiting(ctx, at(now), 0); err != nil {
		return 0, err
	}
	batches, err := s.releaseBatches(ctx, at(now))
	meanwhile()
	for _, g := range batches {
		n, e := s.releaseAlone(ctx, g, now)
		editions, err = editions+n, errors.Join(err, e)
	}
	return editions, err
}

// Write calls f in a write transaction. exec runs a statement, and text reads one value.
func (s *Store) Write(ctx context.Context, f func(exec func(string) error, text func(string) string) error) error {
	return s.write(ctx, func(c conn) error {
		return f(func(statement string) error {
			_, err := c.Exec(ctx, statement)
			return err
		}, func(query string) string {
			var text string
			if err := c.Get(ctx, &text, query); err != nil {
				return err.Error()
			}
			return text
		})
	})
}

func ExplainError(err error) error { return db.Explain(err) }

func (s *Store) MigrateTo(ctx context.Context, version int64) error {
	return db.MigrateTo(ctx, s.DB, version)
}

// ClaimPlan returns the query plan that finds the next editions to claim while a lane is closed.
func (s *Store) ClaimPlan(ctx context.Context, now time.Time, closed string) (plan string, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := c.UntilCommit(ctx, c.d.InOrder); err != nil {
			return err
		}
		q := editionClaim{c: c, now: now}
		if closed != "" {
			q.closed = []string{closed}
		}
		query, args := q.query(80)
		plan, err = c.explain(ctx, query, args)
		return err
	})
	return plan, err
}

// HidePlan returns the query plan that inserts the hidden rows of new posts.
func (s *Store) HidePlan(ctx context.Context, feed digest.FeedID) (plan string, err error) {
	var v values
	v.Row(digest.PostID(1), feed, 0)
	v.Row(digest.PostID(2), feed, int(digest.Repeat))
	err = s.read().EachPart(&v, insertHidden, nil, func(query string, args []any) (err error) {
		plan, err = s.read().explain(ctx, query, args)
		return err
	})
	return plan, err
}

func (c conn) explain(ctx context.Context, query string, args []any) (string, error) {
	explain, line := `EXPLAIN QUERY PLAN `, 3
	if c.d.ForUpdate != "" {
		explain, line = `EXPLAIN `, 0
	}
	rows, err := c.Query(ctx, explain+query, args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		cells, err := rows.SliceScan()
		if err != nil {
			return "", err
		}
		text, ok := cells[line].([]byte)
		if !ok {
			text = []byte(cells[line].(string))
		}
		plan.Write(text)
		plan.WriteByte('\n')
	}
	return plan.String(), rows.Err()
}

// ReleaseFiltered is Release, but calls meanwhile between filtering and release.
func (s *Store) ReleaseFiltered(ctx context.Context, now time.Time, meanwhile func()) (editions int, err error) {
	if err := s.lookAtWaiting(ctx, at(now), 0); err != nil {
		return 0, err
	}
	batches, err := s.releaseBatches(ctx, at(now))
	if err != nil {
		return 0, err
	}
	for _, g := range batches {
		if err := g.lookAtFilters(ctx, s.read()); err != nil {
			return 0, err
		}
		meanwhile()
		n, err := s.releaseUnderLock(ctx, g, now)
		if editions += n; err != nil {
			return editions, err
		}
	}
	return editions, nil
}

// Synced reports whether commits wait for the disk inside and after an unsynced transaction.
func (s *Store) Synced(ctx context.Context) (inside, after bool, err error) {
	waits := func(c conn) (synced bool, err error) {
		query := `SELECT synchronous = 2 FROM pragma_synchronous`
		if s.d.Unsynced != "" {
			query = `SELECT setting <> 'off' OR reset_val = 'off' AND current_setting('digest.within', true) IS DISTINCT
				FROM 'yes' FROM pg_settings WHERE name = 'synchronous_commit'`
		}
		err = c.Get(ctx, &synced, query)
		return synced, err
	}
	within := db.WriteUnsynced
	if s.d.Unsynced != "" {
		within = db.Write
	}
	err = within(ctx, s.DB, func(t db.Tx) (err error) {
		c := s.conn(t)
		if s.d.Unsynced != "" {
			if err := c.UntilCommit(ctx, `SET LOCAL digest.within = 'yes'`,
				`SET LOCAL synchronous_commit = on`); err != nil {
				return err
			}
			var met bool
			if err := c.Get(ctx, &met, `SELECT `+s.d.Unsynced); err != nil {
				return err
			}
		}
		inside, err = waits(c)
		return err
	})
	if err != nil {
		return inside, false, err
	}
	err = s.write(ctx, func(c conn) (err error) {
		after, err = waits(c)
		return err
	})
	return inside, after, err
}

// LookAtWaiting is lookAt for a worker that has found the digests earlier.
func (s *Store) LookAtWaiting(ctx context.Context, ids []digest.DigestID, now time.Time, deadline time.Duration) error {
	return s.changeAlone(ctx, "", func(c conn) error { return lookAt(ctx, c, ids, at(now), deadline) })
}

// Thresholds sets rareIn and gathered of the dialect.
func (s *Store) Thresholds(rareIn, gathered int) { s.d.rareIn, s.d.gathered = rareIn, gathered }

// ForgetBareWords removes every nth post from the second index and queues it, as an upgrade does.
func (s *Store) ForgetBareWords(ctx context.Context, n int) error {
	if len(s.d.wordTables) == 1 {
		return nil
	}
	return s.change(ctx, "", func(c conn) error {
		return c.ExecEach(ctx, []string{
			`INSERT INTO index_queue (post_id) SELECT rowid FROM bare_words WHERE rowid % ? = 0`,
			`DELETE FROM bare_words WHERE rowid % ? = 0`,
		}, n)
	})
}

func (s *Store) Cells(ctx context.Context) string {
	tables := `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'
		AND table_type = 'BASE TABLE' ORDER BY 1`
	if s.d.ForUpdate == "" {
		tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%words%' ORDER BY 1`
	}
	var names []string
	var all strings.Builder
	err := s.read().All(ctx, &names, tables)
	for _, name := range names {
		var rows *sqlx.Rows
		if err == nil {
			rows, err = s.read().Query(ctx, `SELECT * FROM "`+name+`"`)
		}
		for err == nil && rows.Next() {
			var cells []any
			cells, err = rows.SliceScan()
			all.WriteString(fmt.Sprintf("%s %s\n", name, cells))
		}
		if rows != nil {
			_ = rows.Close()
		}
	}
	if err != nil {
		return err.Error()
	}
	return all.String()
}

const PrunedPolls = prunedPolls

// DeletePolls runs one transaction of PrunePolls for one feed.
func (s *Store) DeletePolls(ctx context.Context, id digest.FeedID, old time.Time) (n int, err error) {
	return changed(ctx, s.database, "", func(c conn) (int,
		error) {
		return deletePolls(ctx, c, []digest.FeedID{id}, at(old))
	})
}

func (s *Store) ListTexts(ctx context.Context, query string) (texts []string, err error) {
	err = s.read().All(ctx, &texts, query)
	return texts, err
}

// MailboxPlan returns the query plans that find people of a list by mailbox and count the letters of a share.
func (s *Store) MailboxPlan(ctx context.Context) (plan string, err error) {
	c := s.read()
	asks, err := c.explain(ctx, asksMailbox, []any{1, "a@example.org"})
	if err != nil {
		return "", err
	}
	letters, err := c.explain(ctx, letterLoad, []any{"", "", "", "", "newcomers", 0})
	return asks + letters, err
}
