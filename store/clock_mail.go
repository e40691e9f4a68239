package store

import (
	"context"
	"time"

	"digest"
	"digest/calendar"
)

// putMailRight reschedules editions that a wrong clock scheduled too late, and ends claims that last too long. For
// issues of newsletters it respects approval and holds. It also reschedules issues without email, because the web
// shows an issue from its send_at on.
func (s *Store) putMailRight(ctx context.Context, now time.Time) (int, error) {
	changed, err := s.putBoundsRight(ctx, now, mailBounds())
	if err != nil {
		return changed, err
	}
	late := at(now).plus(calendar.LongestRetry) // calendar.Mailing changes no earlier edition
	lateIssue := late.plus(digest.MaxApproval)
	var ids []digest.EditionID
	err = s.read().all(ctx, &ids, `SELECT e.id FROM editions e JOIN digests d ON d.id = e.digest_id
			LEFT JOIN newsletters n ON n.id = d.newsletter_id WHERE e.state = 'ready' AND e.next_at > ?
			AND (n.id IS NULL OR e.send_at > ? OR n.state = 'active' AND e.next_at > ?)
		UNION ALL SELECT e.id FROM digests d JOIN editions e ON e.digest_id = d.id
			WHERE d.newsletter_id IS NOT NULL AND e.local_date >= ? AND e.state = 'unmailed'
			AND e.send_at > ? ORDER BY 1`,
		late, lateIssue, lateIssue, calendar.Earliest(now).String(), lateIssue)
	if err != nil {
		return changed, err
	}
	n, err := changeInParts(ctx, s, "", ids, func(c conn, part []digest.EditionID) (int, error) {
		return putEditionsRight(ctx, c, part, at(now).time())
	})
	return changed + n, err
}

// A lateMail is an edition with all that decides when it is sent.
type lateMail struct {
	ID        digest.EditionID
	LocalDate digest.Date
	DueAt     time.Time
	NextDueAt time.Time
	DeliverAt int64
	TimeZone  string
	NextAt    time.Time
	ExpiresAt time.Time
	wantedEdition
}

func (e lateMail) mailing() calendar.Mailing {
	n, issue := e.issue()
	return calendar.Mailing{
		Date: e.LocalDate, DueAt: e.DueAt, Hour: span(e.DeliverAt), NextDueAt: e.NextDueAt,
		Issue: n.State != "", Wait: n.Waits(issue), Locked: n.State != "" && n.State != digest.NewsletterActive,
		SendAt: e.SendAt.time(), NextAt: e.NextAt, ExpiresAt: e.ExpiresAt,
	}
}

// putEditionsRight locks the editions before it reads what decides, because a person may just have changed it.
func putEditionsRight(ctx context.Context, c conn, ids []digest.EditionID, now time.Time) (changed int, err error) {
	err = c.all(ctx, &ids, `SELECT e.id FROM editions e WHERE e.id IN (`+list(ids)+`)
		AND e.state IN ('ready', 'unmailed')
		ORDER BY e.id`+c.d.lockRows("e"))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	var found []lateMail
	err = c.all(ctx, &found, `SELECT e.id, e.local_date, e.due_at, d.next_due_at, d.deliver_at, u.time_zone,
			e.next_at, e.expires_at, `+wantedColumns+`
		FROM `+wantedEditions+` JOIN users u ON u.id = d.user_id WHERE e.id IN (`+list(ids)+`) ORDER BY e.id`)
	if err != nil {
		return 0, err
	}
	for _, e := range found {
		zone, err := calendar.Zone(e.TimeZone)
		if err != nil {
			continue // digest doctor reports the zone
		}
		m, wrong := e.mailing().Honest(now, zone)
		if !wrong {
			continue
		}
		if err := c.run(ctx, `UPDATE editions SET send_at = ?, next_at = ?, expires_at = ?,
			date = CASE WHEN attempt = 0 THEN ? ELSE date END WHERE id = ?`,
			at(m.SendAt), at(m.NextAt), at(m.ExpiresAt), max(at(m.SendAt), at(now)), e.ID); err != nil {
			return changed, err
		}
		changed++
	}
	return changed, nil
}
