package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"digest"
)

// A ListImport is the latest list of feeds that a digest has imported with a report.
type ListImport struct {
	ImportedAt time.Time
	Report     string // as it was given to ImportList
	FirstPolls int    // feeds of it that had never been read

	// Subscriptions are those to such feeds that there still are, paused ones too. A feed that was
	// left since, or has become part of another, has none.
	Subscriptions []SubscriptionInfo
	Gone          []digest.Feed // those of them that answered that they are gone for good: nobody is subscribed to such
}

// importLife is how long it is kept what became of a list.
const importLife = 30 * 24 * time.Hour

// ImportList is Import, and notes in the same transaction what a report says of its result, in place of
// that of an earlier list.
func (s *Store) ImportList(ctx context.Context, id digest.DigestID, items []ImportItem, most int, now time.Time,
	report func(ImportResult) string) (ImportResult, error) {
	return s.importing(ctx, id, items, most, now, func(c conn, result ImportResult) error {
		return c.run(ctx, `INSERT INTO imports (digest_id, imported_at, report, first_polls) VALUES (?, ?, ?, ?)
			ON CONFLICT (digest_id) DO UPDATE SET imported_at = excluded.imported_at, report = excluded.report, first_polls = excluded.first_polls`,
			id, at(now), report(result), joinKeys(result.FirstPolls))
	})
}

// joinKeys writes keys as parseKeys reads them.
func joinKeys[K ~int64](ids []K) string {
	return strings.Join(each(ids, func(id K) string { return strconv.FormatInt(int64(id), 10) }), ",")
}

// ListImport gives the latest list that a digest has imported; digest.NotFound if there is none.
func (s *Store) ListImport(ctx context.Context, id digest.DigestID) (l ListImport, err error) {
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
		l = ListImport{ImportedAt: row.ImportedAt.time(), Report: row.Report, FirstPolls: len(ids)}
		l.Subscriptions, err = s.AllSubscriptions(ctx, id)
		l.Subscriptions = slices.DeleteFunc(l.Subscriptions,
			func(sub SubscriptionInfo) bool { return !slices.Contains(ids, sub.Feed.ID) })
		if err != nil {
			return err
		}
		l.Gone, err = readRows[digest.Feed](ctx, s.read(), "", `SELECT `+feedColumns+` FROM `+
			timedFeeds+` WHERE f.state = 'gone' AND f.id`+s.d.oneOf+` ORDER BY f.id`, keys(s.d, ids))
		return err
	})
	return l, err
}
