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
	"digest/internal/backup"
)

// Exec runs a statement that no method offers, for tests of what must not
// happen. What it changes of feeds decides when they may be asked, as always.
func (s *Store) Exec(ctx context.Context, statement string, args ...any) error {
	return s.write(ctx, func(c conn) error {
		if _, err := c.exec(ctx, statement, args...); err != nil {
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

// addMissingTimes gives feeds their times, in a schema that has them.
func addMissingTimes(ctx context.Context, c conn) error {
	n, err := c.number(ctx, c.d.tables, "feed_times")
	if err != nil || n == 0 {
		return err
	}
	var ids []digest.FeedID
	err = c.all(ctx, &ids, `SELECT id FROM feeds WHERE id NOT IN (SELECT feed_id FROM feed_times)`)
	if err != nil {
		return err
	}
	return addTimes(ctx, c, ids, 0)
}

// Enqueue asks for a poll of a feed no later than the given instant, as a ping or a
// reader's wish does. The poll gap, leases and what the site asked for hold all the same.
func (s *Store) Enqueue(ctx context.Context, id digest.FeedID, poll time.Time) error {
	return s.change(ctx, "queueing the feed", func(c conn) error {
		return queue(ctx, c, []digest.FeedID{id}, at(poll))
	})
}

// Together runs statements in one transaction, and then, before it commits, f.
func (s *Store) Together(ctx context.Context, f func(), statements ...string) error {
	return s.write(ctx, func(c conn) error {
		defer f()
		return c.execEach(ctx, statements)
	})
}

// AtOneInstant is atOneInstant.
func (s *Store) AtOneInstant(ctx context.Context, f func(*Store) error) error {
	return s.atOneInstant(ctx, "", f)
}

// StaleAskable gives the feeds whose askable_at is not what the policy says of
// their records. A claim may have moved it behind a time to be skipped.
func (s *Store) StaleAskable(ctx context.Context) ([]digest.FeedID, error) {
	var rows []askRow
	if err := s.read().all(ctx, &rows, `SELECT `+askColumns+` FROM `+
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

// A Column is one of a table.
type Column struct {
	Name            string
	IsText, IsBytes bool // else it holds numbers
	Nullable        bool
}

// Columns gives the columns of a table.
func (s *Store) Columns(ctx context.Context, table string) ([]Column, error) {
	rows, err := s.r.QueryxContext(ctx, `SELECT * FROM `+table+` WHERE 1 = 0`)
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

// Count reads one number.
func (s *Store) Count(ctx context.Context, query string, args ...any) (n int, err error) {
	err = s.read().get(ctx, &n, query, args...)
	return n, err
}

// ClaimFeedsWith is ClaimFeeds with something happening between looking for
// candidates and leasing them, and gives the feeds won.
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

// Partitioned reports whether digest_posts is partitioned.
func (s *Store) Partitioned() bool { return s.d.partitions != "" }

// Partitions are the names of the partitions of digest_posts.
func (s *Store) Partitions(ctx context.Context) ([]string, error) {
	have, err := s.partitions(ctx)
	var names []string
	for _, p := range have {
		names = append(names, p.table())
	}
	return names, err
}

// Empty deletes all hidden rows, and leaves no trace of them that would slow
// the next ones down.
func (s *Store) Empty(ctx context.Context) error {
	if s.d.forUpdate != "" {
		return s.Exec(ctx, `TRUNCATE digest_posts`)
	}
	return s.Exec(ctx, `DELETE FROM digest_posts`)
}

// Scan reads a column of numbers and counts them.
func (s *Store) Scan(ctx context.Context, query string) (int, error) {
	var all []int64
	err := s.read().all(ctx, &all, query)
	return len(all), err
}

// ReleasePlan is how the database would find the digests to release at a
// midnight, line by line.
func (s *Store) ReleasePlan(ctx context.Context, due time.Time) (string, error) {
	g := releaseBatch{releaseKind: releaseKind{TimeZone: "Europe/Paris", DueAt: at(due), Cadence: digest.Daily},
		hours: []int64{0}}
	for id := range 500 {
		g.ids = append(g.ids, digest.DigestID(id+1))
	}
	where, args := g.digests(s.d)
	return s.read().explain(ctx, `SELECT d.id FROM digests d WHERE `+where, args)
}

// LockPlan is how the database would find the candidates that a claim of feeds locks.
func (s *Store) LockPlan(ctx context.Context, ids []digest.FeedID, now time.Time) (string, error) {
	return s.read().explain(ctx, strings.TrimSuffix(lockQuery(s.d), s.d.skipRows("t")),
		[]any{keys(s.d, ids), at(now), at(now)})
}

// LookPlan is how the database would find what planned digests wait for.
func (s *Store) LookPlan(ctx context.Context) (string, error) {
	return s.read().explain(ctx, `SELECT `+waitsFor+` FROM waiting_digests WHERE digest_id IN (1, 2, 3, 4, 5)`,
		[]any{1800})
}

// ReleaseWith is Release with something happening between looking for batches
// and releasing them.
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

// Write gives tests a transaction as the store's own: exec runs a statement in
// it, and text reads one value.
func (s *Store) Write(ctx context.Context, f func(exec func(string) error, text func(string) string) error) error {
	return s.write(ctx, func(c conn) error {
		return f(func(statement string) error {
			_, err := c.exec(ctx, statement)
			return err
		}, func(query string) string {
			var text string
			if err := c.get(ctx, &text, query); err != nil {
				return err.Error()
			}
			return text
		})
	})
}

// ExplainError is what becomes of an error of a driver.
func ExplainError(err error) error { return explain(err) }

// MigrateTo brings an empty database to an older schema.
func (s *Store) MigrateTo(ctx context.Context, version int64) error { return s.migrateTo(ctx, version) }

// ClaimPlan is how the database would find the next editions to claim beside
// lanes that are closed, in a transaction as the claim's.
func (s *Store) ClaimPlan(ctx context.Context, now time.Time, closed string) (plan string, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := c.untilCommit(ctx, c.d.inOrder); err != nil {
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

// HidePlan is how the database would make the hidden rows of a feed's new posts.
func (s *Store) HidePlan(ctx context.Context, feed digest.FeedID) (string, error) {
	var v values
	v.row(digest.PostID(1), feed, 0)
	v.row(digest.PostID(2), feed, int(digest.Repeat))
	text, args := s.d.rows(&v)
	return conn{s.w, s.d, &s.Policy}.explain(ctx, strings.Replace(insertHidden, "VALUES {rows}", text, 1), args)
}

// explain gives the plan of a query, line by line.
func (c conn) explain(ctx context.Context, query string, args []any) (string, error) {
	explain, line := `EXPLAIN QUERY PLAN `, 3
	if c.d.forUpdate != "" {
		explain, line = `EXPLAIN `, 0
	}
	rows, err := c.db.QueryxContext(ctx, sqlx.Rebind(c.d.bind, explain+query), args...)
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

// ReleaseFiltered is Release with something happening between looking what
// filters match and releasing.
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

// Synced tells whether commits wait for the disk, within what does not wait and after it.
func (s *Store) Synced(ctx context.Context) (inside, after bool, err error) {
	waits := func(c conn) (synced bool, err error) {
		query := `SELECT synchronous = 2 FROM pragma_synchronous`
		if s.d.unsynced != "" {
			query = `SELECT setting <> 'off' OR reset_val = 'off' AND current_setting('digest.within', true) IS DISTINCT FROM 'yes' FROM pg_settings WHERE name = 'synchronous_commit'`
		}
		err = c.get(ctx, &synced, query)
		return synced, err
	}
	within := s.writeUnsynced
	if s.d.unsynced != "" {
		within = s.write
	}
	err = within(ctx, func(c conn) (err error) {
		if s.d.unsynced != "" {
			if err := c.untilCommit(ctx, `SET LOCAL digest.within = 'yes'`,
				`SET LOCAL synchronous_commit = on`); err != nil {
				return err
			}
			var met bool
			if err := c.get(ctx, &met, `SELECT `+s.d.unsynced); err != nil {
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

// LookAtWaiting looks at digests as a worker does that has found them a while ago.
func (s *Store) LookAtWaiting(ctx context.Context, ids []digest.DigestID, now time.Time, deadline time.Duration) error {
	return s.changeAlone(ctx, "", func(c conn) error { return lookAt(ctx, c, ids, at(now), deadline) })
}

// Thresholds sets in how many posts of the instance a word may be that SQLite looks for first
// by itself, and how many PostgreSQL may gather for each that it compares else.
func (s *Store) Thresholds(rareIn, gathered int) { s.d.rareIn, s.d.gathered = rareIn, gathered }

// ForgetBareWords leaves each nth post as an upgrade does until it is indexed anew.
func (s *Store) ForgetBareWords(ctx context.Context, n int) error {
	if len(s.d.wordTables) == 1 {
		return nil
	}
	return s.change(ctx, "", func(c conn) error {
		return c.execEach(ctx, []string{
			`INSERT INTO index_queue (post_id) SELECT rowid FROM bare_words WHERE rowid % ? = 0`,
			`DELETE FROM bare_words WHERE rowid % ? = 0`,
		}, n)
	})
}

// Cells gives what stands in all tables.
func (s *Store) Cells(ctx context.Context) string {
	tables := `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1`
	if s.d.forUpdate == "" {
		tables = `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%words%' ORDER BY 1`
	}
	var names []string
	var all strings.Builder
	err := s.read().all(ctx, &names, tables)
	for _, name := range names {
		var rows *sqlx.Rows
		if err == nil {
			rows, err = s.r.QueryxContext(ctx, `SELECT * FROM "`+name+`"`)
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

// PrunedPolls is how many rows DeletePolls deletes at most.
const PrunedPolls = prunedPolls

// DeletePolls is one transaction of PrunePolls, of one feed.
func (s *Store) DeletePolls(ctx context.Context, id digest.FeedID, old time.Time) (n int, err error) {
	return changed(ctx, s, "", func(c conn) (int, error) { return deletePolls(ctx, c, []digest.FeedID{id}, at(old)) })
}

// BackupTables are those that a backup of this program's schema has.
func BackupTables(ctx context.Context) ([]backup.Table, error) {
	tables, err := drawNewest(ctx)
	return each(tables, func(t blueprintTable) backup.Table { return t.Table }), err
}

// ListTexts reads a column of texts.
func (s *Store) ListTexts(ctx context.Context, query string) (texts []string, err error) {
	err = s.read().all(ctx, &texts, query)
	return texts, err
}

// MailboxPlan is how the database finds the people of a list by their mailbox, and counts the letters of a share.
func (s *Store) MailboxPlan(ctx context.Context) (plan string, err error) {
	c := conn{s.w, s.d, &s.Policy}
	asks, err := c.explain(ctx, asksMailbox, []any{1, "a@example.org"})
	if err != nil {
		return "", err
	}
	letters, err := c.explain(ctx, letterLoad, []any{"", "", "", "", "newcomers", 0})
	return asks + letters, err
}
