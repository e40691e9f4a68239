package store

import (
	"context"
	"time"

	"digest"
)

// repliesKnown is how many days a reply stays known, so that a copy of it does not count again.
const repliesKnown = 7

// CountReply counts a reply to a newsletter's email, and reports whether it did. The newsletter must count replies,
// and message, a token for the reply, must be new. A day counts at most as many replies as the newsletter has
// members, because anyone with an issue knows the reply address. CountReply returns digest.NotFound if the newsletter
// does not exist.
func (s *Store) CountReply(ctx context.Context, id digest.NewsletterID, message string, now time.Time) (bool, error) {
	return changed(ctx, s, "counting an answer", func(c conn) (bool, error) {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil || !n.CountReplies {
			return false, err
		}
		days, err := ownersToday(ctx, c, []digest.NewsletterID{id}, at(now))
		if err != nil {
			return false, err
		}
		today := days[id]
		if err := c.run(ctx, `DELETE FROM newsletter_replies WHERE newsletter_id = ? AND day < ?`, id,
			today.Plus(-repliesKnown).String()); err != nil {
			return false, err
		}
		members, err := countMembers(ctx, c, id)
		if err != nil {
			return false, err
		}
		added, err := c.exec(ctx, `INSERT INTO newsletter_replies (newsletter_id, message, day) SELECT ?, ?, ?
			WHERE (SELECT count(*) FROM newsletter_replies WHERE newsletter_id = ? AND day = ?) < ?
			ON CONFLICT DO NOTHING`, id, message, today.String(), id, today.String(), members)
		if err != nil || added == 0 {
			return false, err
		}
		return true, countDay(ctx, c, at(now), map[digest.NewsletterID]digest.NewsletterDay{id: {Replied: 1}})
	})
}
