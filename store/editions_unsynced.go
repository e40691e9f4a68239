package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// MarkEditionsUnsynced is MarkEditions without waiting for the disk, if all marks say sent; otherwise it waits. The
// commit survives the end of this process. It may be lost if the database server or the machine crashes, together with
// all such commits since the last synced one. Marks may be written again.
func (s Editions) MarkEditionsUnsynced(ctx context.Context, now time.Time, token string, marks []digest.Mark,
	dots []digest.Dot) (won []digest.EditionID, err error) {
	if slices.ContainsFunc(marks, saysMore) || len(dots) == 0 || len(marks)+len(dots) > db.StatementRows {
		return s.MarkEditions(ctx, now, token, marks, dots)
	}
	query, v := unsynced(at(now), marks, dots, s.d)
	var changed []digest.EditionID
	err = db.WriteUnsynced(ctx, s.db, func(c db.Tx) error {
		changed = nil
		return c.AllRows(ctx, &changed, &v, query, token)
	})
	if err != nil {
		return nil, failed("marking editions", err)
	}
	for _, d := range dots {
		if slices.Contains(changed, d.ID) {
			won = append(won, d.ID)
		}
	}
	slices.Sort(won)
	return won, nil
}

// saysMore reports whether a mark contains more than that the edition was sent.
func saysMore(m digest.Mark) bool {
	return m.State != digest.EditionSent || m.Bounce != nil || m.Uncounted
}

// unsynced returns the single statement of MarkEditionsUnsynced. It saves round trips, because each connection of a
// mailer waits for it before each dot. It changes one table by its key, because it is planned on each call. It only
// marks the claim as sent; MarkEditions marks the edition.
func unsynced(now instant, marks []digest.Mark, dots []digest.Dot, d *dialect) (query string, v values) {
	for _, m := range marks {
		v.Row(m.ID, digest.EditionSent, m.Reply, m.Error, "", 0, "")
	}
	for _, dot := range dots {
		v.Row(dot.ID, digest.EditionDotting, "", "", dot.MessageID, dot.Date, dot.Recipient)
	}
	query = `WITH v (id, state, reply, error, message_id, date, recipient) AS (VALUES {rows})
		UPDATE mail_claims AS mc SET state = v.state, at = ` + fmt.Sprint(now) + `, reply = v.reply, error = v.error,
			message_id = CASE WHEN v.state = 'sent' THEN mc.message_id ELSE v.message_id END,
			date = CASE WHEN v.state = 'sent' THEN mc.date ELSE v.date END,
			recipient = CASE WHEN v.state = 'sent' THEN mc.recipient ELSE v.recipient END
		FROM v WHERE mc.edition_id = v.id AND mc.lease_token = ? AND (mc.state = 'leased' OR v.state = 'sent'
		AND mc.state = 'dotting')`
	if d.Unsynced != "" {
		query += ` AND ` + d.Unsynced
	}
	return query + ` RETURNING edition_id`, v
}
