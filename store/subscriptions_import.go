package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// importStep is how many lines of a list one statement looks up.
const importStep = 500

// Import subscribes a digest to the feeds of a list, in one transaction, until it has most subscriptions. Feeds that
// were never read are queued for now; the others bring recent posts as after Subscribe. A line that repeats an
// address, or has a paused subscription, counts in Already. A paused subscription stays paused.
func (s Subscriptions) Import(ctx context.Context, id digest.DigestID, items []ImportItem, most int,
	now time.Time) (ImportResult, error) {
	return s.importing(ctx, id, items, most, now, func(conn, ImportResult) error { return nil })
}

// importing is Import, and calls note with the result before the transaction ends.
func (s *database) importing(ctx context.Context, id digest.DigestID, items []ImportItem, most int, now time.Time,
	note func(conn, ImportResult) error) (ImportResult, error) {
	return changed(ctx, s, "importing", func(c conn) (result ImportResult, err error) {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return result, err
		}
		wanted, err := result.choose(ctx, c, id, items, most)
		if err != nil {
			return result, err
		}
		feeds := make(map[string]digest.FeedID, len(wanted))
		for part := range slices.Chunk(wanted, importStep) {
			first, err := ensureAll(ctx, c, part, at(now), feeds)
			if err != nil {
				return result, err
			}
			result.FirstPolls = append(result.FirstPolls, first...)
		}
		slices.Sort(result.FirstPolls)
		result.FirstPolls = slices.Compact(result.FirstPolls)
		err = result.subscribe(ctx, c, id, wanted, feeds, at(now))
		for _, it := range wanted {
			if err == nil && it.Sealed != "" {
				err = setSealed(ctx, c, feeds[db.Clean(it.URL)], it.Sealed)
			}
		}
		if err == nil {
			err = note(c, result)
		}
		return result, err
	})
}

// subscribe subscribes a digest to the lines of a list, paused if a line says so.
func (r *ImportResult) subscribe(ctx context.Context, c conn, id digest.DigestID, wanted []ImportItem,
	feeds map[string]digest.FeedID, now instant) error {
	paused, err := pausedFeeds(ctx, c, id)
	if err != nil {
		return err
	}
	var aside []digest.FeedID
	for _, it := range wanted {
		sub := digest.Subscription{DigestID: id, FeedID: feeds[db.Clean(it.URL)], Title: it.Title, Folder: it.Folder}
		created := false
		switch {
		case paused[sub.FeedID]:
		case it.Paused:
			created, err = addPaused(ctx, c, sub, now)
			aside = append(aside, sub.FeedID)
		default:
			created, err = subscribe(ctx, c, sub, now)
		}
		if err != nil {
			return err
		}
		if created {
			r.Added++
		} else {
			r.Already++
		}
	}
	return dropIdle(ctx, c, `f.id`+c.d.OneOf, aside)
}

// choose counts the lines that a digest has already, sets aside the lines over the limit, and returns the rest. It
// locks the digest, so that the later of two concurrent imports sees the subscriptions of the earlier one.
func (r *ImportResult) choose(ctx context.Context, c conn, id digest.DigestID, items []ImportItem,
	most int) ([]ImportItem, error) {
	var locked []digest.DigestID
	if err := c.All(ctx, &locked, `SELECT id FROM digests WHERE id = ?`+c.d.ForUpdate, id); err != nil {
		return nil, err
	}
	var urls []string
	if err := c.All(ctx, &urls,
		`SELECT f.url FROM feeds f WHERE f.id IN (SELECT s.feed_id FROM subscriptions s WHERE s.digest_id = ?)`,
		id); err != nil {
		return nil, err
	}
	known := make(map[string]bool, len(urls)+len(items))
	for _, url := range urls {
		known[url] = true
	}
	room := most - len(urls)
	var wanted []ImportItem
	for _, it := range items {
		switch url := db.Clean(it.URL); {
		case known[url]:
			r.Already++
		case room <= 0:
			r.Left = append(r.Left, it)
		default:
			known[url] = true
			room--
			wanted = append(wanted, it)
		}
	}
	return wanted, nil
}

// ensureAll adds the unknown feeds of a list and queues the feeds that were never read, whose keys it returns. It
// sets the key of every feed in feeds.
func ensureAll(ctx context.Context, c conn, items []ImportItem, now instant, feeds map[string]digest.FeedID) (
	[]digest.FeedID, error) {
	var rows, urls values
	for _, it := range items {
		rows.Row(it.URL, it.Host, it.Domain)
		urls.Row(it.URL)
	}
	var added []digest.FeedID
	if err := c.AllRows(ctx, &added, &rows, `INSERT INTO feeds (url, host, domain)
		WITH v (url, host, domain) AS (VALUES {rows})
		SELECT v.url, v.host, v.domain FROM v WHERE v.url NOT IN (SELECT a.url FROM former_addresses a)
		ON CONFLICT (url) DO NOTHING RETURNING id`); err != nil {
		return nil, err
	}
	if err := addTimes(ctx, c, added, 0); err != nil {
		return nil, err
	}
	if err := followRules(ctx, c, added); err != nil {
		return nil, err
	}
	var found []listedFeed
	if err := c.AllRows(ctx, &found, &urls, `WITH v (url) AS (VALUES {rows})
		SELECT f.id, f.url, f.parsed_at, f.move_undone, f.errors, 0 AS moved FROM v JOIN feeds f ON f.url = v.url
		UNION ALL SELECT f.id, a.url, f.parsed_at, 0, 0, 1 FROM v JOIN former_addresses a ON a.url = v.url
		JOIN feeds f ON f.id = a.feed_id
		ORDER BY moved`); err != nil {
		return nil, err
	}
	first := firstPolls(found, feeds)
	return first, queue(ctx, c, first, now)
}

// A listedFeed is a feed at an address of a list, or one that has moved from there.
type listedFeed struct {
	ID         digest.FeedID
	URL        string
	ParsedAt   instant
	MoveUndone bool
	Errors     int
	Moved      bool
}

// firstPolls sets in feeds, for each address, the feed that a new reader gets, and returns the feeds that were never
// read. In found, the moved feeds are last.
func firstPolls(found []listedFeed, feeds map[string]digest.FeedID) (first []digest.FeedID) {
	givesWay := make(map[string]bool)
	for _, f := range found {
		if _, ok := feeds[f.URL]; !ok || givesWay[f.URL] {
			feeds[f.URL] = f.ID
			givesWay[f.URL] = digest.Feed{Move: digest.Move{MoveUndone: f.MoveUndone},
				Failures: digest.Failures{Errors: f.Errors}}.GivesWay()
		}
	}
	for _, f := range found {
		if f.ParsedAt == 0 && feeds[f.URL] == f.ID {
			first = append(first, f.ID)
		}
	}
	return first
}

// An ImportItem is one line of a subscription list.
type ImportItem struct {
	URL    string // in the normal form of feed.NormalURL
	Host   string
	Domain string // registrable domain of the host
	Title  string // the reader's own title; "" for the feed's
	Folder string

	Paused bool   // the subscription begins paused
	Sealed string // of a private feed, as in digest.Feed
}

// An ImportResult counts the lines of an import.
type ImportResult struct {
	Added   int // new subscriptions
	Already int // existed before

	Left []ImportItem // over the limit

	// FirstPolls are the feeds of the list that were never read. They are queued.
	FirstPolls []digest.FeedID
}
