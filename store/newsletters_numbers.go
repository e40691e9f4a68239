package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
	"digest/newsletter"
)

// ownersToday returns the current date in the time zone of each newsletter's owner.
func ownersToday(ctx context.Context, c conn, ids []digest.NewsletterID,
	now instant) (map[digest.NewsletterID]digest.Date, error) {
	var rows []struct {
		ID       digest.NewsletterID
		TimeZone string
	}
	if err := c.All(ctx, &rows, `SELECT n.id, COALESCE(u.time_zone, 'UTC') AS time_zone FROM newsletters n
		LEFT JOIN digests d ON d.id = n.archive_id LEFT JOIN users u ON u.id = d.user_id WHERE n.id`+
		c.d.OneOf, ids); err != nil {
		return nil, err
	}
	days := make(map[digest.NewsletterID]digest.Date, len(rows))
	for _, r := range rows {
		zone, err := calendar.Zone(r.TimeZone)
		if err != nil {
			return nil, err
		}
		days[r.ID] = digest.DateOf(now.Time().In(zone))
	}
	return days, nil
}

// NewsletterNumbers returns the counts of a newsletter's latest n days, from the day of its creation at the earliest.
// The earliest day is first, no day is absent, and each has the number of members.
func (s Newsletters) NewsletterNumbers(ctx context.Context, letter digest.Newsletter, now time.Time,
	n int) (all []newsletter.Day, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) error {
		archive, err := s.Readers.Digest(ctx, letter.ArchiveID)
		if err != nil {
			return err
		}
		zone, err := calendar.Zone(archive.TimeZone)
		if err != nil {
			return err
		}
		today, from := digest.DateOf(now.In(zone)), digest.DateOf(letter.CreatedAt.In(zone))
		if first := today.Plus(1 - n); from.Before(first) {
			from = first
		}
		members, err := s.Newsletters.CountMembers(ctx, letter.ID)
		if err != nil {
			return err
		}
		counted, err := s.Newsletters.NewsletterDays(ctx, letter.ID, from)
		all = newsletter.Days(counted, from, today, int64(members))
		return err
	})
	return all, err
}
