package store

import (
	"context"
	"time"

	"digest"
	"digest/newsletter"
)

// clickedSince is how long after a post's first click its count is stored.
const clickedSince = 400 * 24 * time.Hour

// CountClick counts a click on the link to a post, if the newsletter counts clicks and the post is still stored. At
// the first click of a post it deletes the newsletter's counts older than clickedSince.
func (s Newsletters) CountClick(ctx context.Context, click newsletter.Click, now time.Time) error {
	return s.change(ctx, "counting a click", func(c conn) error {
		n, err := c.Exec(ctx, `UPDATE newsletter_clicks SET clicks = clicks + 1 WHERE newsletter_id = ? AND post_id = ?
			AND newsletter_id IN (SELECT n.id FROM newsletters n WHERE n.count_clicks = 1)`, click.Newsletter,
			click.Post)
		if err != nil || n > 0 {
			return err
		}
		today, err := ownersToday(ctx, c, []digest.NewsletterID{click.Newsletter}, at(now))
		if err != nil {
			return err
		}
		since := today[click.Newsletter]
		n, err = c.Exec(ctx, `INSERT INTO newsletter_clicks (newsletter_id, post_id, title, url, since, clicks)
			SELECT n.id, p.id, p.title, p.url, ?, 1 FROM newsletters n CROSS JOIN posts p WHERE n.id = ?
			AND n.count_clicks = 1 AND p.id = ?
			ON CONFLICT (newsletter_id, post_id) DO UPDATE SET clicks = newsletter_clicks.clicks + 1`, since,
			click.Newsletter, click.Post)
		if err != nil || n == 0 {
			return err
		}
		return c.Run(ctx, `DELETE FROM newsletter_clicks WHERE newsletter_id = ? AND since < ?`, click.Newsletter,
			since.Plus(-int(clickedSince/(24*time.Hour))))
	})
}

// ClickCounts returns the click counts of up to most posts of a newsletter, newest posts first.
func (s Newsletters) ClickCounts(ctx context.Context, id digest.NewsletterID, most int) ([]newsletter.ClickCount,
	error) {
	return readRows[newsletter.ClickCount](ctx, s.read(), "reading what was clicked",
		`SELECT k.post_id AS post, k.title, k.url, k.since, k.clicks
		FROM newsletter_clicks k WHERE k.newsletter_id = ? ORDER BY k.since DESC, k.post_id DESC LIMIT ?`, id, most)
}
