package store

import (
	"context"
	"time"

	"digest"
)

// A LinkNews holds the changes that one email reports to a reader.
type LinkNews struct {
	User    digest.User
	Changes []LinkChangeView // earliest first
}

const (
	linkNewsEvery = 24 * time.Hour     // between two emails to one reader
	linkNewsRetry = 15 * time.Minute   // between two attempts to send one
	linkNewsWorth = 3 * 24 * time.Hour // from a change to the last attempt
)

// NextLinkNews returns all changes that an email should report to one reader now, or false if no reader has any. It
// returns them again only after linkNewsRetry, so that two workers do not send the same email, and never after
// LinkNewsTold. It drops changes that somebody has undone or overwritten.
func (s Editions) NextLinkNews(ctx context.Context, now time.Time) (news LinkNews, found bool, err error) {
	err = s.changeUnder(ctx, s.d.LockAccounts, "looking for changes made by links", func(c conn) error {
		news = LinkNews{}
		var user digest.UserID
		const due = `x.notify_by = 'email' AND x.notified_at = 0 AND x.undone_at = 0 AND x.changed_at > ?`
		found, err = c.Find(ctx, &user,
			`SELECT d.user_id FROM link_changes x JOIN digests d ON d.id = x.digest_id WHERE `+due+` AND x.email_at <= ?
			AND NOT EXISTS (SELECT 1 FROM link_changes y JOIN digests e ON e.id = y.digest_id
			WHERE e.user_id = d.user_id AND y.notified_at > ?)
			ORDER BY x.email_at, x.id LIMIT 1`, now.Add(-linkNewsWorth), now, now.Add(-linkNewsEvery))
		if err != nil || !found {
			return err
		}
		if news.User, err = readUser(ctx, c, user); err != nil {
			return err
		}
		var changes []digest.LinkChange
		if err := c.All(ctx, &changes,
			`SELECT `+linkChangeColumns+` FROM link_changes x JOIN digests d ON d.id = x.digest_id
			WHERE `+due+` AND d.user_id = ? ORDER BY x.changed_at, x.id`, now.Add(-linkNewsWorth),
			user); err != nil {
			return err
		}
		for _, x := range changes {
			v, _, err := linkChange(ctx, c, x.DigestID, x.ID, now)
			if err != nil {
				return err
			}
			tell := v.Standing == LinkOpen
			if tell {
				news.Changes = append(news.Changes, v)
			}
			if err := c.Run(ctx, `UPDATE link_changes SET email_at = ?, notify_by = ? WHERE id = ?`,
				at(now).Plus(linkNewsRetry), map[bool]string{true: toldByEmail, false: toldByNobody}[tell],
				x.ID); err != nil {
				return err
			}
		}
		return nil
	})
	return news, found, err
}

// LinkNewsTold records that the email was sent, or that it never can be.
func (s Editions) LinkNewsTold(ctx context.Context, news LinkNews, now time.Time) error {
	ids := each(news.Changes, func(v LinkChangeView) int64 { return v.ID })
	return s.run(ctx, "noting what a reader was told", `UPDATE link_changes SET notified_at = ? WHERE id`+
		s.d.OneOf, now, ids)
}
