package store

import (
	"context"
	"time"

	"digest"
)

// repliesKnown is for how many days an answer is recognised that comes again.
const repliesKnown = 7

// CountReply counts that an answer to a newsletter's letter came, and reports whether it did: the newsletter
// has to count them, message, a token for the answer, is new, and no more are counted in a day than it has members,
// since whoever has one of its letters knows where to write. digest.NotFound: there is no such newsletter.
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
			WHERE (SELECT count(*) FROM newsletter_replies WHERE newsletter_id = ? AND day = ?) < ? ON CONFLICT DO NOTHING`, id, message, today.String(), id, today.String(), members)
		if err != nil || added == 0 {
			return false, err
		}
		return true, countDay(ctx, c, at(now), map[digest.NewsletterID]digest.NewsletterDay{id: {Replied: 1}})
	})
}
