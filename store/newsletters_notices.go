package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// The members of a newsletter get no notices about its feeds. Its publishers get them by email, once for each trouble
// of a feed. If the feed answers before the email is sent, they get none.

// publishedFeeds joins newsletters n with the subscriptions s of their archives.
const publishedFeeds = `newsletters n JOIN subscriptions s ON s.digest_id = n.archive_id`

const goesOn = `n.state IN ('active', 'held')`

// saveForPublishers stores the notices for publishers whose kind means that a feed brings no posts any longer.
func (n *notices) saveForPublishers(ctx context.Context, c conn) error {
	return c.RunRows(ctx, &n.values, `INSERT INTO newsletter_notices (newsletter_id, feed_id, kind, title, url)
		WITH v (feed_id, kind, title, url, from_at, to_at) AS (VALUES {rows})
		SELECT n.id, v.feed_id, v.kind, CASE WHEN s.title <> '' THEN s.title ELSE v.title END, v.url
		FROM v CROSS JOIN `+publishedFeeds+` WHERE s.feed_id = v.feed_id AND `+goesOn+`
		AND v.kind IN ('gone', 'dead', 'blocked', 'declined')
		ORDER BY n.id, v.feed_id ON CONFLICT (newsletter_id, feed_id, kind) DO NOTHING`)
}

// saveSickForPublishers is saveSick for publishers. It stores another illness only if they got the last notice at or
// before by.
func saveSickForPublishers(ctx context.Context, c conn, sick *values, by instant) error {
	return c.RunRows(ctx, sick,
		`INSERT INTO newsletter_notices (newsletter_id, feed_id, kind, title, url, from_at, illness)
		WITH v (feed_id, title, url, from_at, illness, notified_at) AS (VALUES {rows})
		SELECT n.id, v.feed_id, 'sick', CASE WHEN s.title <> '' THEN s.title ELSE v.title END, v.url, v.from_at,
		v.illness
		FROM v CROSS JOIN `+publishedFeeds+` WHERE s.feed_id = v.feed_id AND `+goesOn+`
		ORDER BY n.id, v.feed_id ON CONFLICT (newsletter_id, feed_id, kind) DO UPDATE
		SET from_at = excluded.from_at, illness = excluded.illness,
			url = excluded.url, notified_at = 0 WHERE newsletter_notices.from_at <> excluded.from_at
			AND newsletter_notices.notified_at > 0 AND newsletter_notices.notified_at <= `+fmt.Sprint(by))
}

func (r *recording) tellPublishersOfMove(ctx context.Context, p *polled) error {
	return r.c.Run(ctx, `INSERT INTO newsletter_notices (newsletter_id, feed_id, kind, title, url, moved_to)
		SELECT n.id, s.feed_id, CAST(? AS TEXT), CASE WHEN s.title <> '' THEN s.title ELSE CAST(? AS TEXT) END,
		CAST(? AS TEXT), CAST(? AS TEXT)
		FROM `+publishedFeeds+` WHERE s.feed_id = ? AND `+goesOn+` ORDER BY n.id
		ON CONFLICT (newsletter_id, feed_id, kind) DO UPDATE SET url = excluded.url, moved_to = excluded.moved_to,
		notified_at = 0`,
		digest.NoticeMoved, cmp.Or(p.Was.Title, p.Feed.Title), p.stored.URL, p.Feed.URL, p.Feed.ID)
}

// A PublisherNews holds the notices about a newsletter's feeds that its publishers have not got.
type PublisherNews struct {
	Newsletter digest.Newsletter
	TimeZone   string   // of its owner
	To         []string // addresses of its owner and its editors
	Notices    []digest.Notice
}

// PublisherNews returns the notices that publishers have not got, grouped by newsletter.
func (s Newsletters) PublisherNews(ctx context.Context) (all []PublisherNews, err error) {
	rows, err := readRows[struct {
		NewsletterID digest.NewsletterID
		digest.Notice
	}](ctx, s.read(), "looking for news of newsletters' feeds",
		`SELECT x.newsletter_id, x.feed_id, x.kind, x.title, x.url, x.moved_to, x.illness, x.from_at AS "from"
		FROM newsletter_notices x JOIN newsletters n ON n.id = x.newsletter_id WHERE x.notified_at = 0 AND `+
			goesOn+` ORDER BY x.newsletter_id, x.feed_id, x.kind`)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if last := len(all) - 1; last >= 0 && all[last].Newsletter.ID == row.NewsletterID {
			all[last].Notices = append(all[last].Notices, row.Notice)
			continue
		}
		news := PublisherNews{Notices: []digest.Notice{row.Notice}}
		if news.Newsletter, err = s.Newsletter(ctx, row.NewsletterID); err != nil {
			return nil, err
		}
		who, err := s.Publishers(ctx, row.NewsletterID)
		if err != nil {
			return nil, err
		}
		for _, p := range who {
			news.To = append(news.To, p.Email)
		}
		archive, err := Readers(s).Digest(ctx, news.Newsletter.ArchiveID)
		if err != nil {
			return nil, err
		}
		news.TimeZone = archive.TimeZone
		all = append(all, news)
	}
	return all, nil
}

// MarkTold records that publishers got the notices.
func (s Newsletters) MarkTold(ctx context.Context, news PublisherNews, now time.Time) error {
	return s.change(ctx, "noting what publishers were told", func(c conn) error {
		for part := range slices.Chunk(news.Notices, db.StatementRows) {
			var v values
			for _, n := range part {
				v.Row(n.FeedID, n.Kind)
			}
			if err := c.RunRows(ctx, &v,
				`WITH v (feed_id, kind) AS (VALUES {rows}) UPDATE newsletter_notices SET notified_at = ? FROM v
				WHERE newsletter_notices.newsletter_id = ? AND newsletter_notices.feed_id = v.feed_id
				AND newsletter_notices.kind = v.kind`, now, news.Newsletter.ID); err != nil {
				return err
			}
		}
		return nil
	})
}
