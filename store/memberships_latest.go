package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
)

// sendLatest releases a new member's first edition now, with the posts of the newsletter's latest published issue. The
// edition has the member's current date. The next edition follows at their next midnight, without these posts (I4).
// sendLatest does nothing if no issue was published, or if the member already has an edition of that date.
func sendLatest(ctx context.Context, c conn, n digest.Newsletter, id digest.DigestID, now time.Time) error {
	d, err := readDigest(ctx, c, `d.id = ?`, id)
	if err != nil || d.State != digest.DigestActive {
		return err
	}
	loc, err := calendar.Zone(d.TimeZone)
	if err != nil {
		return err
	}
	date := digest.DateOf(now.In(loc))
	had, err := c.Number(ctx, `SELECT count(*) FROM editions WHERE digest_id = ? AND local_date >= ?`, id,
		date)
	if err != nil || had > 0 {
		return err
	}
	posts, err := latestPosts(ctx, c, n, now)
	if err != nil || len(posts) == 0 {
		return err
	}
	due := at(calendar.Begins(date, loc))
	if err := c.Run(ctx, `DELETE FROM digest_posts WHERE digest_id = ? AND visible_at = ? AND post_id`+c.d.OneOf, id,
		d.NextDueAt, posts); err != nil {
		return err
	}
	if err := c.Run(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id)
		SELECT d.id, CAST(? AS BIGINT), p.id FROM digests d CROSS JOIN posts p WHERE d.id = ? AND p.id`+c.d.OneOf+`
		AND NOT EXISTS (SELECT 1 FROM digest_posts x WHERE x.digest_id = d.id AND x.post_id = p.id) ORDER BY p.id`, due,
		id, posts); err != nil {
		return err
	}
	if err := c.Run(ctx, `UPDATE digests SET prev_due_at = last_due_at, prev_released_at = released_at,
		last_due_at = ?, released_at = ?,
		edition_count = edition_count + 1 WHERE id = ?`, due, now, id); err != nil {
		return err
	}
	_, expires := calendar.Sending(date, 0, d.NextDueAt, at(now).Time(), loc)
	return c.Run(ctx, `INSERT INTO editions (digest_id, local_date, due_at, send_at, date, next_at,
		expires_at, number, domain, state, error)
		SELECT d.id, ?, d.last_due_at, d.released_at, d.released_at, d.released_at, ?, d.edition_count, u.mail_domain,
			CASE WHEN COALESCE(`+unmailedDigest+`, '') = '' THEN 'ready' ELSE 'unmailed' END,
			COALESCE(`+unmailedDigest+`, '')
		FROM digests d JOIN users u ON u.id = d.user_id WHERE d.id = ?`, date, expires, id)
}

// latestPosts returns the posts of a newsletter's latest published issue, without withdrawn ones.
func latestPosts(ctx context.Context, c conn, n digest.Newsletter, now time.Time) (posts []digest.PostID, err error) {
	err = c.All(ctx, &posts, `SELECT dp.post_id FROM digest_posts dp WHERE dp.digest_id = ? AND dp.visible_at =
			(SELECT e.due_at FROM editions e WHERE e.digest_id = ? AND e.send_at <= ? ORDER BY e.due_at DESC LIMIT 1)
		AND dp.post_id NOT IN (SELECT x.post_id FROM newsletter_pulled_posts x WHERE x.newsletter_id = ?)
		ORDER BY dp.post_id`,
		n.ArchiveID, n.ArchiveID, now, n.ID)
	return posts, err
}
