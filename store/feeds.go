package store

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/store/db"
)

// feedRecord has the columns of a feed's record, without its times.
var feedRecord = db.ColumnsOf[digest.Feed](`url, host, kind, title, site_url, me, language, etag, last_modified,
	validator_url, body_hash, parsed_at, errors, first_error_at, last_status, last_error, state, head_state,
	conditional_state, head_retest_at, moved_to, moved_since, moved_from, moved_at, length, domain, address,
	newest_at, parser, doc_interval, own_interval, busy_interval, skip_hours, skip_days, failing_since, gone_at,
	pinged_at, repeats, by_date, validators_doubted, public_only, reliability, quota_day, quota_bytes,
	posts_waiting, topic, hubs`)

// feedColumns are the columns of a digest.Feed in timedFeeds.
var feedColumns = feedRecord.Each("f.$") + `, f.id, f.move_undone, f.number, f.host_interval, f.sealed, f.pushed_until,
	t.last_attempt_at, t.last_ok_at, t.not_before, t.fresh_until, t.poll_at, t.lease_until`

// subscribers counts the digests that collect the posts of the feed f.
const subscribers = `(SELECT count(*) FROM subscriptions s JOIN digests d ON d.id = s.digest_id
	WHERE s.feed_id = f.id AND s.paused = 0 AND ` + gathers + `)`

// askedAt is the next midnight at which the feeds of a digest d, for which gathers holds, are polled.
const askedAt = `CASE WHEN d.state = 'active' AND (d.next_poll_at = 0
	OR d.next_due_at < d.next_poll_at) THEN d.next_due_at ELSE d.next_poll_at END`

// FeedByURL returns a feed by its normalized address, or by an earlier one before a permanent move. It returns
// digest.NotFound if the feed does not exist.
func (s Feeds) FeedByURL(ctx context.Context, url string) (digest.Feed, error) {
	f, err := feedByURL(ctx, s.read(), url)
	if isNone(err) {
		return f, notFound("no feed at %s is known; see: digest feeds", digest.WithoutCredentials(url))
	}
	return f, failed("finding the feed", err)
}

func feedByURL(ctx context.Context, c conn, url string) (f digest.Feed, err error) {
	err = c.Get(ctx, &f, `SELECT `+feedColumns+` FROM `+timedFeeds+`
		WHERE f.url = ? OR f.id = (SELECT a.feed_id FROM former_addresses a WHERE a.url = ?)
		ORDER BY CASE WHEN f.url = ? THEN 0 ELSE 1 END LIMIT 1`, url, url, url)
	return f, err
}

// EnsureFeed returns the feed that FeedByURL finds at f.URL, and adds it if it does not exist.
//
// For a new feed it stores only its names and the time of the attempt, not the result of the poll, because the posts
// are not stored yet (I3). To store a fetched document, call Record next, with an empty Token. If the process dies in
// between, the feed is polled when its reader is next due.
func (s Feeds) EnsureFeed(ctx context.Context, f digest.Feed) (feed digest.Feed, created bool, err error) {
	err = s.change(ctx, "adding the feed", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil { // setting a rule for its host takes the lock alone
			return err
		}
		feed, err = feedByURL(ctx, c, f.URL)
		if err == nil || !isNone(err) {
			created = false
			if err == nil && f.Sealed != "" {
				err, feed.Sealed = setSealed(ctx, c, feed.ID, f.Sealed), f.Sealed
			}
			return err
		}
		var ids []digest.FeedID
		err := c.All(ctx, &ids, `INSERT INTO feeds (url, host, domain, kind, title, site_url, language, sealed)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (url) DO NOTHING RETURNING id`,
			f.URL, f.Host, f.Domain, f.Kind, f.Title, f.SiteURL, f.Language, f.Sealed)
		if err == nil {
			err = addTimes(ctx, c, ids, from(f.LastAttemptAt))
		}
		if err != nil {
			return err
		}
		if err := followRules(ctx, c, ids); err != nil {
			return err
		}
		created = len(ids) > 0
		feed, err = feedByURL(ctx, c, f.URL)
		return err
	})
	if err != nil {
		return digest.Feed{}, false, err
	}
	return feed, created, nil
}

// Feeds yields every feed, by address, except those that were merged into another.
func (s Feeds) Feeds(ctx context.Context) iter.Seq2[FeedInfo, error] {
	return pages(func(last *FeedInfo) ([]FeedInfo, error) {
		after := ""
		if last != nil {
			after = last.URL
		}
		return s.feedInfos(ctx, `f.merged_into = 0 AND f.url > ? ORDER BY f.url LIMIT ?`, after, pageRows)
	})
}

// FeedsOfHost returns the feeds of a host, by address, except those that were merged into another.
func (s Feeds) FeedsOfHost(ctx context.Context, host string) ([]FeedInfo, error) {
	return s.feedInfos(ctx, `f.host = ? AND f.merged_into = 0 ORDER BY f.url`, host)
}

// FeedsOfSite returns the feeds of a host, with or without "www.", that were added after a feed, in this order, at
// most most. It omits feeds that were merged into another.
func (s Feeds) FeedsOfSite(ctx context.Context, host string, after digest.FeedID, most int) ([]FeedInfo, error) {
	host = strings.TrimPrefix(host, "www.")
	return s.feedInfos(ctx, `f.host IN (?, ?) AND f.merged_into = 0 AND f.id > ? ORDER BY f.id LIMIT ?`, host, "www."+
		host, after, most)
}

// Feed returns a feed with its number of subscribers, or digest.NotFound.
func (s Feeds) Feed(ctx context.Context, id digest.FeedID) (FeedInfo, error) {
	found, err := s.feedInfos(ctx, `f.id = ?`, id)
	if err != nil || len(found) == 0 {
		return FeedInfo{}, cmp.Or(err, noFeed())
	}
	return found[0], nil
}

func (s *database) feedInfos(ctx context.Context, where string, args ...any) ([]FeedInfo, error) {
	feeds, err := readRows[FeedInfo](ctx, s.read(), "reading feeds", `SELECT `+feedColumns+` FROM `+
		timedFeeds+` WHERE `+where, args...)
	if err != nil || len(feeds) == 0 {
		return feeds, err
	}
	type readers struct {
		Subscribers int
		NextDueAt   time.Time
	}
	var rows []struct {
		FeedID digest.FeedID
		readers
	}
	ids := each(feeds, func(f FeedInfo) digest.FeedID { return f.ID })
	err = s.read().All(ctx, &rows, `SELECT s.feed_id, count(*) AS subscribers, MIN(`+askedAt+`) AS next_due_at
		FROM subscriptions s JOIN digests d ON d.id = s.digest_id
		WHERE s.feed_id`+s.d.OneOf+` AND s.paused = 0 AND `+gathers+` GROUP BY s.feed_id`, ids)
	if err != nil {
		return feeds, failed("counting the readers of feeds", err)
	}
	byFeed := make(map[digest.FeedID]readers, len(rows))
	for _, r := range rows {
		byFeed[r.FeedID] = r.readers
	}
	news, err := Feeds{s}.News(ctx, ids)
	for i, f := range feeds {
		r := byFeed[f.ID]
		feeds[i].Subscribers, feeds[i].NextDueAt, feeds[i].News = r.Subscribers, r.NextDueAt, news[f.ID]
	}
	return feeds, err
}

func noFeed() error { return notFound("there is no such feed; see: digest feeds") }

// dropIdle removes the feeds f that where selects from the queue if no digest collects their posts.
func dropIdle(ctx context.Context, c conn, where string, args ...any) error {
	return unqueue(ctx, c, where+` AND NOT `+wanted, args...)
}

// unqueue removes the feeds f that where selects from the queue, and marks the digests that wait for them.
func unqueue(ctx context.Context, c conn, where string, args ...any) error {
	var ids []digest.FeedID
	err := c.All(ctx, &ids, `UPDATE feed_times AS t SET poll_at = NULL FROM feeds f WHERE f.id = t.feed_id
		AND t.poll_at IS NOT NULL AND `+where+` RETURNING feed_id`, args...)
	if err == nil {
		_, err = tellWaiting(ctx, c, ids)
	}
	return err
}

// A FeedInfo is a feed with its number of subscribers. These are digests that are active or pause until a time.
type FeedInfo struct {
	digest.Feed
	Subscribers int
	NextDueAt   time.Time // next midnight at which a subscriber needs a poll; zero: none
	News        digest.News
}

// FeedLabels returns the names and public addresses of feeds, by key. It omits feeds that do not exist.
func (s Editions) FeedLabels(ctx context.Context, ids []digest.FeedID) ([]digest.FeedLabel, error) {
	labels := make([]digest.FeedLabel, 0, len(ids))
	for part := range slices.Chunk(slices.Sorted(slices.Values(ids)), db.StatementRows) {
		err := s.read().All(ctx, &labels,
			`SELECT f.id AS feed_id, f.title, CASE WHEN f.site_url = '' THEN f.url
				ELSE f.site_url END AS site_url, f.url, f.host, f.domain, f.me, f.language
			FROM feeds f WHERE f.id`+s.d.OneOf+` ORDER BY f.id`, part)
		if err != nil {
			return nil, failed("reading feeds", err)
		}
	}
	for i := range labels {
		if digest.IsHidden(labels[i].SiteURL) {
			labels[i].SiteURL = digest.Site(labels[i].SiteURL)
		}
		labels[i].SiteURL, labels[i].URL = digest.PublicAddress(labels[i].SiteURL), digest.PublicAddress(labels[i].URL)
	}
	return labels, nil
}

func (s *database) labelsByFeed(ctx context.Context, ids []digest.FeedID) (map[digest.FeedID]digest.FeedLabel, error) {
	labels, err := Editions{s}.FeedLabels(ctx, ids)
	byFeed := make(map[digest.FeedID]digest.FeedLabel, len(labels))
	for _, l := range labels {
		byFeed[l.FeedID] = l
	}
	return byFeed, err
}

// sameRecord reports whether two feeds are equal except for their times.
func sameRecord(a, b digest.Feed) bool { return a.ID == b.ID && feedRecord.Same(&a, &b) }

// saveFeeds writes the times of polled feeds and the records that changed, and ends the leases.
func saveFeeds(ctx context.Context, c conn, polls []*polled) error {
	var records, times values
	for _, p := range polls {
		f := p.Feed
		if !sameRecord(p.Was, f) || p.listedAt != p.stored.ListedAt {
			records.Row(append([]any{f.ID, p.listedAt}, feedRecord.Cells(&f)...)...)
		}
		times.Row(f.ID, from(f.PollAt), c.askable(f, 0), from(f.LastAttemptAt), f.LastOKAt, from(f.NotBefore),
			from(f.FreshUntil), p.unchanged)
	}
	if err := c.RunRows(ctx, &records, `WITH v (id, listed_at, `+feedRecord.Each("$")+`) AS (VALUES {rows})
		UPDATE feeds SET listed_at = v.listed_at, `+feedRecord.Each("$ = v.$")+` FROM v
		WHERE feeds.id = v.id`); err != nil {
		return err
	}
	// The claim recorded its own time as the attempt; the poll knows the time of its last request.
	return c.RunRows(ctx, &times,
		`WITH v (feed_id, poll_at, askable_at, last_attempt_at, last_ok_at, not_before, fresh_until,
			unchanged) AS (VALUES {rows})
		UPDATE feed_times SET poll_at = NULLIF(v.poll_at, 0), askable_at = v.askable_at, lease_until = 0,
		lease_token = '',
			last_attempt_at = CASE WHEN v.last_attempt_at > feed_times.last_attempt_at THEN v.last_attempt_at
			ELSE feed_times.last_attempt_at END,
			last_ok_at = v.last_ok_at, not_before = v.not_before, fresh_until = v.fresh_until, unchanged = v.unchanged
		FROM v WHERE feed_times.feed_id = v.feed_id`)
}
