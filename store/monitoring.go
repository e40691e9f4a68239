package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"digest"
)

// A Midnight is a quarter of an hour of the UTC day in which days begin.
type Midnight struct {
	At      time.Duration // after 00:00 UTC
	Readers int           // readers whose next edition is then released
	Feeds   int           // feeds that are polled then
}

// quarterOf returns the start of an instant's quarter of an hour, from 00:00 UTC. All midnights begin at a quarter.
func quarterOf(t time.Time) time.Duration {
	return t.Truncate(15 * time.Minute).Sub(t.Truncate(24 * time.Hour))
}

// Midnights returns when in the UTC day active digests become due, earliest first, without feeds. A reader who is also
// a member of newsletters counts once.
func (s Operator) Midnights(ctx context.Context) ([]Midnight, error) {
	var due []struct {
		At      time.Time
		Readers int
	}
	err := s.read().All(ctx, &due,
		`SELECT d.next_due_at % 86400 AS at, count(DISTINCT d.user_id) AS readers FROM digests d
		WHERE d.state = 'active' GROUP BY d.next_due_at % 86400`)
	readers := make(map[time.Duration]int)
	for _, d := range due {
		readers[quarterOf(d.At)] += d.Readers
	}
	return each(slices.Sorted(maps.Keys(readers)), func(at time.Duration) Midnight {
		return Midnight{At: at, Readers: readers[at]}
	}), failed("counting the readers of each midnight", err)
}

// MidnightFeeds returns how many feeds are polled for each quarter of an hour, without readers. It includes the feeds
// of digests paused until a time. It reads every subscription; see BenchmarkMidnights.
func (s Operator) MidnightFeeds(ctx context.Context) ([]Midnight, error) {
	var asked []struct {
		At    time.Time
		Feeds string
	}
	err := s.read().All(ctx, &asked, `SELECT x.at, string_agg(CAST(x.feed_id AS TEXT), ',') AS feeds FROM (
		SELECT DISTINCT `+askedAt+` AS at, s.feed_id
		FROM digests d JOIN subscriptions s ON s.digest_id = d.id AND s.paused = 0 WHERE `+gathers+`
		AND s.feed_id NOT IN (SELECT f.id FROM feeds f WHERE f.state NOT IN ('active', 'trial'))) x GROUP BY x.at`)
	if err != nil {
		return nil, failed("counting the feeds of each midnight", err)
	}
	feeds := make(map[time.Duration][]digest.FeedID)
	for _, a := range asked {
		ids, err := parseKeys[digest.FeedID](a.Feeds)
		if err != nil {
			return nil, failed("counting the feeds of each midnight", err)
		}
		feeds[quarterOf(a.At)] = append(feeds[quarterOf(a.At)], ids...)
	}
	return each(slices.Sorted(maps.Keys(feeds)), func(at time.Duration) Midnight {
		slices.Sort(feeds[at])
		return Midnight{At: at, Feeds: len(slices.Compact(feeds[at]))}
	}), nil
}

// A troubledFeed is a feed that fails or exceeds its quota.
type troubledFeed struct {
	ID      digest.FeedID
	Readers int
	Since   instant `db:"failing_since"`
}

// TroubledFeeds returns feeds that fail or exceed their quota and have subscribers, and their total number. The feeds
// with the most subscribers come first, at most limit. It sorts them here, so that it reads the other columns only for
// these.
func (s Operator) TroubledFeeds(ctx context.Context, limit int) (feeds []FeedInfo, all int, err error) {
	var rows []troubledFeed
	if err := s.read().All(ctx, &rows, `SELECT f.id, f.failing_since, `+subscribers+` AS readers FROM feeds f
		WHERE (f.errors > 0 OR f.state <> 'active' OR f.posts_waiting > 0) AND f.merged_into = 0`); err != nil {
		return nil, 0, fmt.Errorf("looking for feeds in trouble: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(f troubledFeed) bool { return f.Readers == 0 })
	slices.SortFunc(rows, func(a, b troubledFeed) int {
		return cmp.Or(cmp.Compare(b.Readers, a.Readers), cmp.Compare(a.Since, b.Since), cmp.Compare(a.ID, b.ID))
	})
	shown := rows[:min(limit, len(rows))]
	if len(shown) == 0 {
		return nil, len(rows), nil
	}
	place := make(map[digest.FeedID]int)
	for i, f := range shown {
		place[f.ID] = i
	}
	ids := each(shown, func(f troubledFeed) digest.FeedID { return f.ID })
	if feeds, err = s.feedInfos(ctx, `f.id IN (`+list(ids)+`)`); err != nil {
		return nil, 0, err
	}
	slices.SortFunc(feeds, func(a, b FeedInfo) int { return cmp.Compare(place[a.ID], place[b.ID]) })
	return feeds, len(rows), nil
}

// Numbers counts the contents of the database.
type Numbers struct {
	Readers       int // accounts
	Subscriptions int
	Digests       map[digest.DigestState]int
	Feeds         map[digest.FeedState]int // without merged feeds
	Failing       int                      // active feeds whose last poll failed
	OverQuota     int                      // feeds with waiting posts, because they exceeded the quota of a day
	Suppressed    map[digest.Reason]int
	Bytes         int64 // of the database
	Pushed        int   // feeds that hubs push
	LeftToHubs    int   // pushed feeds that are polled weekly
	SavedPolls    int64 // midnights without a poll of such feeds
}

// Numbers counts the contents of the database.
func (s Operator) Numbers(ctx context.Context) (Numbers, error) {
	n := Numbers{
		Digests: make(map[digest.DigestState]int), Feeds: make(map[digest.FeedState]int),
		Suppressed: make(map[digest.Reason]int),
	}
	for _, q := range []struct {
		query string
		to    any
	}{
		{`SELECT count(*) FROM users`, &n.Readers},
		{`SELECT count(*) FROM subscriptions WHERE paused = 0`, &n.Subscriptions},
		{`SELECT count(*) FROM feeds f WHERE f.state = 'active' AND f.errors > 0 AND f.merged_into = 0`, &n.Failing},
		{`SELECT count(*) FROM feeds f WHERE f.posts_waiting > 0 AND f.merged_into = 0`, &n.OverQuota},
		{s.d.Size, &n.Bytes},
		{`SELECT count(*) FROM feed_news WHERE pushed_since > 0`, &n.Pushed},
		{`SELECT count(*) FROM feed_news WHERE trusted_at > 0`, &n.LeftToHubs},
		{`SELECT COALESCE(CAST(SUM(saved_polls) AS BIGINT), 0) FROM feed_news`, &n.SavedPolls},
	} {
		if err := s.read().Get(ctx, q.to, q.query); err != nil {
			return n, fmt.Errorf("counting what there is: %w", err)
		}
	}
	err := cmp.Or(
		countBy(ctx, s.read(), n.Digests, `SELECT state AS kind, count(*) AS n FROM digests GROUP BY state`),
		countBy(ctx, s.read(), n.Feeds,
			`SELECT state AS kind, count(*) AS n FROM feeds WHERE merged_into = 0 GROUP BY state`),
		countBy(ctx, s.read(), n.Suppressed, `SELECT reason AS kind, count(*) AS n FROM suppressions GROUP BY reason`))
	return n, failed("counting what there is", err)
}

// Size returns the size of the database in bytes.
func (s Operator) Size(ctx context.Context) (bytes int64, err error) {
	err = s.read().Get(ctx, &bytes, s.d.Size)
	return bytes, failed("measuring the database", err)
}

// countBy reads the number of each kind into counts.
func countBy[K comparable](ctx context.Context, c conn, counts map[K]int, query string, args ...any) error {
	var rows []struct {
		Kind K
		N    int
	}
	err := c.All(ctx, &rows, query, args...)
	for _, r := range rows {
		counts[r.Kind] = r.N
	}
	return err
}

// Heartbeat returns when the hourly job last wrote a heartbeat, or false if it never did.
func (s Operator) Heartbeat(ctx context.Context) (time.Time, bool, error) {
	last, known, err := lastBeat(ctx, s.read())
	return last.at(), known, failed("reading the heartbeat", err)
}

// Waits returns the earliest midnight that has passed at now without a release, or false.
func (s Operator) Waits(ctx context.Context, now time.Time) (time.Time, bool, error) {
	var t instant
	err := s.read().Get(ctx, &t, `SELECT MIN(d.next_due_at) FROM digests d WHERE d.state = 'active'`)
	return t.Time(), t != 0 && t <= at(now), failed("finding the oldest midnight", err)
}

// PollsLate returns the due time of the oldest late poll, or false if no poll is late at now.
func (s Operator) PollsLate(ctx context.Context, now time.Time) (time.Time, bool, error) {
	next, any, err := Feeds(s).NextPoll(ctx)
	return next, any && next.Before(now), err
}

// Lags returns how late the hourly job is at now. deadline is how long a planned digest waits for its feeds.
func (s Operator) Lags(ctx context.Context, now time.Time, deadline time.Duration) (l digest.Lags, err error) {
	var last instant // when the oldest due digest was planned, or should have been
	if err := s.read().Get(ctx, &last,
		`SELECT MIN(CASE WHEN d.planned_due_at = d.next_due_at THEN d.planned_at ELSE d.next_due_at END)
		FROM digests d WHERE d.state = 'active' AND d.next_due_at <= ?`, now); err != nil {
		return l, fmt.Errorf("finding the oldest edition that is due: %w", err)
	}
	if at := last.Plus(deadline).Time(); last != 0 && at.Before(now) {
		l.Editions = at
	}
	polls, late, err := s.PollsLate(ctx, now)
	if err != nil {
		return l, err
	}
	if late {
		l.Polls = polls
	}
	l.Mail, err = s.oldestMail(ctx, now)
	return l, err
}

// oldestMail returns the due time of the oldest unsent email; zero: no email is due.
func (s *database) oldestMail(ctx context.Context, now time.Time) (time.Time, error) {
	t, _, err := s.earliest(ctx, "the oldest mail", `SELECT MIN(e.next_at) FROM editions e
		WHERE e.state = 'ready' AND e.expires_at > ? AND e.next_at <= ?`, now, now)
	return t, err
}
