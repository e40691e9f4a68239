package store

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"digest"
)

// MarkEditionsUnsynced is MarkEditions without waiting for the disk, as long as
// all marks say that an edition was sent: others wait. The end of this process
// undoes nothing of it; that of the database server, or of the machine, may, with
// all such commits since the last one that waited. Marks may be written again.
func (s *Store) MarkEditionsUnsynced(ctx context.Context, now time.Time, token string, marks []digest.Mark, dots []digest.Dot) (won []digest.EditionID, err error) {
	switch {
	case slices.ContainsFunc(marks, saysMore) || len(dots) == 0 || len(marks)+len(dots) > statementRows:
		return s.MarkEditions(ctx, now, token, marks, dots)
	case s.d.unsynced == "":
		return s.markEditions(ctx, s.writeUnsynced, now, token, marks, dots)
	}
	query, args := unsyncedQuery(at(now), token, marks, dots, s.d)
	err = retried(func() error {
		won = nil
		return conn{s.w, s.d, &s.Policy}.all(ctx, &won, query, args...)
	})
	if err != nil {
		return nil, failed("marking editions", err)
	}
	if len(won) < len(dots) { // to end those that are not to be sent
		lost := slices.DeleteFunc(slices.Clone(dots), func(d digest.Dot) bool { return slices.Contains(won, d.ID) })
		more, err := s.MarkEditions(ctx, now, token, nil, lost)
		if err != nil {
			return nil, err
		}
		won = append(won, more...)
	}
	slices.Sort(won)
	return won, nil
}

// saysMore reports whether a mark says more than that its edition was sent.
func saysMore(m digest.Mark) bool {
	return m.State != digest.EditionSent || m.Bounce != nil || m.Uncounted
}

// unsyncedQuery is all that MarkEditionsUnsynced does in one statement, and so
// in one round trip: each connection of a mailer waits for it before each dot.
func unsyncedQuery(now instant, token string, marks []digest.Mark, dots []digest.Dot, d *dialect) (query string, args []any) {
	var v values
	query = `WITH `
	if len(marks) > 0 {
		for _, m := range marks {
			v.row(m.ID, m.Reply, m.Error)
		}
		query += `m (id, reply, error) AS (VALUES ` + v.String() + `),
			sent AS (UPDATE editions SET state = 'sent', reply = m.reply, error = m.error, sent_at = ` + fmt.Sprint(now) + `, lease_token = '', lease_until = 0
				FROM m WHERE editions.id = m.id AND editions.state IN ('leased', 'dotting') AND editions.lease_token = ? RETURNING editions.id),
			counted AS (INSERT INTO tallies (hour, kind, slot, n, requests, bytes)
				SELECT ` + fmt.Sprintf("%d, '%s', %d", now-now%3600, CounterMail+string(digest.EditionSent), rand.IntN(d.slots)) + `, count(*), 0, 0
				FROM sent HAVING count(*) > 0` + addToCounter + `), `
		args = append(v.args, token)
	}
	v = values{}
	for _, dot := range dots {
		v.row(dot.ID, dot.MessageID, at(dot.Date), dot.Recipient)
	}
	query += `v (id, message_id, date, recipient) AS (VALUES ` + v.String() + `),
		begun AS (UPDATE editions e SET state = 'dotting', dot_at = ` + fmt.Sprint(now) + `, message_id = v.message_id,
			date = CASE WHEN v.date > 0 THEN v.date ELSE e.date END, recipient = v.recipient
			FROM v WHERE e.id = v.id AND e.state = 'leased' AND e.lease_token = ?
			AND (SELECT d.state FROM digests d WHERE d.id = e.digest_id) <> 'left' AND ` + unmailedError + ` IS NULL RETURNING e.id)
		SELECT id FROM begun WHERE ` + d.unsynced
	return query, append(append(args, v.args...), token)
}
