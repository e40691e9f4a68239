package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
)

// A ListImport is the latest feed list that was imported into a digest with a report.
type ListImport struct {
	ImportedAt time.Time
	Report     string // from the call of ImportList
	FirstPolls int    // feeds that had never been polled

	// Subscriptions are the remaining subscriptions to these feeds, including paused ones. Feeds that the reader has
	// unsubscribed from, or that were merged into others, have none.
	Subscriptions []SubscriptionInfo
	Gone          []digest.Feed // those that answered 410 and have no subscriptions any more
}

// importLife is how long the report of an import is stored.
const importLife = 30 * 24 * time.Hour

// ImportList is Import. In the same transaction it stores what report returns, in place of an earlier report.
func (s Subscriptions) ImportList(ctx context.Context, id digest.DigestID, items []ImportItem, most int, now time.Time,
	report func(ImportResult) string) (ImportResult, error) {
	return s.importing(ctx, id, items, most, now, func(c conn, result ImportResult) error {
		return c.Run(ctx, `INSERT INTO imports (digest_id, imported_at, report, first_polls) VALUES (?, ?, ?, ?)
			ON CONFLICT (digest_id) DO UPDATE SET imported_at = excluded.imported_at, report = excluded.report,
			first_polls = excluded.first_polls`,
			id, now, report(result), joinKeys(result.FirstPolls))
	})
}

// joinKeys formats keys for parseKeys.
func joinKeys[K ~int64](ids []K) string {
	return strings.Join(each(ids, func(id K) string { return strconv.FormatInt(int64(id), 10) }), ",")
}

// ListImport returns the latest imported list of a digest, or digest.NotFound.
func (s Subscriptions) ListImport(ctx context.Context, id digest.DigestID) (l ListImport, err error) {
	err = s.atOneInstant(ctx, "reading what became of a list", func(s *Store) error {
		row, err := readOne[struct {
			ImportedAt instant
			Report     string
			FirstPolls string
		}](ctx, s.read(), "", notFound("no list was imported"),
			`SELECT imported_at, report, first_polls FROM imports WHERE digest_id = ?`, id)
		if err != nil {
			return err
		}
		ids, err := parseKeys[digest.FeedID](row.FirstPolls)
		if err != nil {
			return err
		}
		l = ListImport{ImportedAt: row.ImportedAt.Time(), Report: row.Report, FirstPolls: len(ids)}
		l.Subscriptions, err = s.Subscriptions.AllSubscriptions(ctx, id)
		l.Subscriptions = slices.DeleteFunc(l.Subscriptions,
			func(sub SubscriptionInfo) bool { return !slices.Contains(ids, sub.Feed.ID) })
		if err != nil {
			return err
		}
		l.Gone, err = readRows[digest.Feed](ctx, s.read(), "", `SELECT `+feedColumns+` FROM `+
			timedFeeds+` WHERE f.state = 'gone' AND f.id`+s.d.OneOf+` ORDER BY f.id`, ids)
		return err
	})
	return l, err
}
