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

// ClaimEditions leases at most q.Most editions that are due, counts the attempt of each, and returns them in the
// order of NextAt. No two callers get the same edition.
//
// It respects the lanes. While the route may carry nothing, it returns nothing. From a domain it returns as many as
// the lane of the domain may carry, and fills up with editions further back in the queue. A limit of connections
// counts the editions of all workers from the claim to the mark. A rate counts claims, so an edition that its
// worker returns unsent has used it. The limits in q hold for lanes without their own.
//
// ClaimEditions ends editions that it must not return. It marks them as failed if the reader left, as expired if it
// is too late, and as unmailed if the address is suppressed or the digest has no mail. It returns editions of
// paused digests, which were released before the pause. It postpones an issue that its newsletter may not send
// (digest.Newsletter.MaySend), whatever its next_at.
func (s Editions) ClaimEditions(ctx context.Context, now time.Time, q digest.Claim) ([]digest.Delivery, error) {
	for {
		cl := editionClaim{Claim: q, now: now}
		var claimed []digest.Delivery
		err := s.write(ctx, func(c conn) (err error) {
			cl = editionClaim{Claim: q, now: now, c: c}
			claimed, err = cl.claim(ctx)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("claiming editions: %w", err)
		}
		if len(claimed) > 0 || !cl.more {
			return claimed, nil
		}
	}
}

// claimRounds bounds how often one transaction of ClaimEditions looks at the queue.
const claimRounds = 50

type editionClaim struct {
	digest.Claim
	c      conn
	now    time.Time
	lanes  *capacities
	closed []string          // domains that may not carry more
	after  digest.QueuePlace // the place in the queue up to which everything was checked
	won    []digest.EditionID
	more   bool // the queue may hold more although nothing was claimed
}

func (q *editionClaim) claim(ctx context.Context) ([]digest.Delivery, error) {
	if err := q.c.UntilCommit(ctx, q.c.d.InOrder); err != nil {
		return nil, err
	}
	if err := q.readLanes(ctx); err != nil {
		return nil, err
	}
	route := q.lanes.of("")
	if q.closed = q.lanes.closed(); len(q.closed) == 0 && !q.lanes.limited() {
		q.after = q.After
	}
	for round := 0; route.room > 0 && len(q.won) < q.Most; round++ {
		if q.more = round == claimRounds; q.more {
			break
		}
		limit := min(q.Most-len(q.won), route.room)
		progress, met, err := q.round(ctx, limit)
		if err != nil {
			return nil, err
		}
		if met < limit || !progress {
			break
		}
	}
	if err := q.storeRates(ctx); err != nil {
		return nil, err
	}
	return q.deliveries(ctx)
}

// readLanes reads the lanes. If limits apply to all workers together, it locks out other claimers.
func (q *editionClaim) readLanes(ctx context.Context) (err error) {
	q.lanes, err = readCapacities(ctx, q.c, q.now, q.Claim)
	if err != nil || q.c.d.LockClaim == "" || !q.lanes.limited() {
		return err
	}
	if err := q.c.UntilCommit(ctx, q.c.d.LockClaim); err != nil {
		return err
	}
	q.lanes, err = readCapacities(ctx, q.c, q.now, q.Claim) // again, because the last claimer may have changed them
	return err
}

type queuedEdition struct {
	ID        digest.EditionID
	Domain    string
	NextAt    instant
	ExpiresAt instant
	wantedEdition
}

// A wantedEdition holds what decides whether an edition is sent.
type wantedEdition struct {
	State    digest.DigestState // of the digest
	Unmailed string             // the reason; empty: mailed
	SendAt   instant

	// For issues of newsletters.
	NewsletterState digest.NewsletterState // empty: an edition of the reader's own digest
	ApproveWithin   int64                  // seconds
	ApprovedAt      instant
}

const (
	wantedColumns = `d.state, COALESCE(` + unmailedDigest + `, '') AS unmailed, e.send_at,
		COALESCE(n.state, '') AS newsletter_state, COALESCE(n.approve_within, 0) AS approve_within,
		COALESCE(l.approved_at, 0) AS approved_at`
	wantedEditions = `editions e JOIN digests d ON d.id = e.digest_id LEFT JOIN newsletters n ON n.id = d.newsletter_id
		LEFT JOIN newsletter_letters l ON l.newsletter_id = d.newsletter_id AND l.local_date = e.local_date`
)

// isLocked reports whether the edition is an issue that its newsletter may not send at now.
func (e wantedEdition) isLocked(now time.Time) bool {
	n := digest.Newsletter{State: e.NewsletterState, ApproveWithin: db.Span(e.ApproveWithin)}
	issue := digest.NewsletterLetter{ApprovedAt: e.ApprovedAt.Time()}
	return e.NewsletterState != "" && !n.MaySend(issue, e.SendAt.Time(), now)
}

// query returns a statement that reads the first editions of the queue, at most limit.
func (q *editionClaim) query(limit int) (string, []any) {
	where, args := `e.state = 'ready' AND e.next_at <= ?`, []any{q.now}
	if q.after.ID != 0 { // the queue may begin with many dead rows
		where += ` AND (e.next_at, e.id) > (?, ?)`
		args = append(args, q.after.NextAt, q.after.ID)
	}
	if len(q.closed) > 0 {
		where += ` AND e.domain NOT IN (` + q.c.d.Names + `)`
		args = append(args, q.closed)
	}
	return `SELECT e.id, e.domain, e.next_at, e.expires_at FROM editions e WHERE ` +
		where + ` ORDER BY e.next_at, e.id LIMIT ?` + q.c.d.SkipRows("e"), append(args, limit)
}

// round checks the first editions of the queue, at most limit, and leases those that may be sent. Without progress,
// another round would find the same ones.
func (q *editionClaim) round(ctx context.Context, limit int) (progress bool, met int, err error) {
	query, args := q.query(limit)
	var found []queuedEdition
	if err := q.c.All(ctx, &found, query, args...); err != nil || len(found) == 0 {
		return false, 0, err
	}
	if err := q.ask(ctx, found); err != nil {
		return false, 0, err
	}
	live, ended, err := q.end(ctx, found)
	if err != nil {
		return false, 0, err
	}
	if err := q.preferUnrefused(ctx, live); err != nil {
		return false, 0, err
	}
	ids, full := q.admit(live)
	q.closed = append(q.closed, full...)
	if err := q.lease(ctx, ids); err != nil {
		return false, 0, err
	}
	q.won = append(q.won, ids...)
	last := found[len(found)-1]
	q.after = digest.QueuePlace{NextAt: last.NextAt.Time(), ID: last.ID}
	return len(ids)+len(full)+ended > 0, len(found), err
}

// ask reads whether the locked editions are still wanted. The statement that locks them cannot: on PostgreSQL it sees
// the state before it began, and another transaction may have suppressed the address since.
func (q *editionClaim) ask(ctx context.Context, found []queuedEdition) error {
	var rows []struct {
		ID digest.EditionID
		wantedEdition
	}
	ids := each(found, func(e queuedEdition) digest.EditionID { return e.ID })
	err := q.c.All(ctx, &rows, `SELECT e.id, `+wantedColumns+` FROM `+wantedEditions+` WHERE e.id`+q.c.d.OneOf,
		ids)
	byID := make(map[digest.EditionID]wantedEdition, len(rows))
	for _, r := range rows {
		byID[r.ID] = r.wantedEdition
	}
	for i, e := range found {
		found[i].wantedEdition = byID[e.ID]
	}
	return err
}

func (q *editionClaim) lease(ctx context.Context, ids []digest.EditionID) error {
	if len(ids) == 0 {
		return nil
	}
	if err := q.c.Run(ctx, `UPDATE editions SET state = 'leased', attempt = attempt + 1 WHERE id`+q.c.d.OneOf,
		ids); err != nil {
		return err
	}
	return q.c.Run(ctx, `INSERT INTO mail_claims (edition_id, domain, lease_token, lease_until)
		SELECT e.id, e.domain, ?, ? FROM editions e WHERE e.id`+q.c.d.OneOf, q.Token, at(q.now).Plus(q.Lease),
		ids)
}

// end ends editions that must never be sent, postpones those that must not be sent yet, and returns the others.
func (q *editionClaim) end(ctx context.Context, found []queuedEdition) (live []queuedEdition, ended int, err error) {
	var left, late, unmailed, locked []digest.EditionID
	for _, e := range found {
		switch {
		case e.State == digest.DigestLeft:
			left = append(left, e.ID)
		case e.Unmailed != "":
			unmailed = append(unmailed, e.ID)
		case e.ExpiresAt <= at(q.now):
			late = append(late, e.ID)
		case e.isLocked(q.now):
			locked = append(locked, e.ID)
		default:
			live = append(live, e)
		}
	}
	err = endUnwanted(ctx, q.c, at(q.now), left, unmailed)
	if err == nil {
		err = endEditions(ctx, q.c, at(q.now), late, digest.EditionExpired, tooLate)
	}
	if err == nil {
		err = putOff(ctx, q.c, at(q.now), locked)
	}
	return live, len(found) - len(live), err
}

// putOff delays locked issues until they are due, or until they expire if they are already due. Releasing or approving
// the newsletter schedules them again.
func putOff(ctx context.Context, c conn, now instant, ids []digest.EditionID) error {
	if len(ids) == 0 {
		return nil
	}
	return c.Run(ctx, `UPDATE editions SET next_at = CASE WHEN send_at > ? THEN send_at ELSE expires_at END WHERE id`+
		c.d.OneOf, now, ids)
}

// preferUnrefused sorts the editions for domains under alarm. Such a domain gets a few probes to find out whether it
// rejects everybody. Editions of readers whom it rejected now, or with the previous edition, come last. The others are
// scattered, because readers who are rejected individually may be neighbors.
func (q *editionClaim) preferUnrefused(ctx context.Context, live []queuedEdition) error {
	var probes []digest.EditionID
	for _, e := range live {
		if q.lanes.rows[e.Domain].Alarm {
			probes = append(probes, e.ID)
		}
	}
	if len(probes) == 0 {
		return nil
	}
	var refused []digest.EditionID
	err := q.c.All(ctx, &refused,
		`SELECT e.id FROM editions e WHERE e.id`+q.c.d.OneOf+` AND (e.reply LIKE '5%' OR 'failed' =
		(SELECT p.state FROM editions p WHERE p.digest_id = e.digest_id AND p.local_date < e.local_date
		ORDER BY p.local_date DESC LIMIT 1))`,
		probes)
	scattered := func(e queuedEdition) uint64 {
		if !slices.Contains(probes, e.ID) {
			return 0
		}
		return uint64(e.ID) * 0x9E3779B97F4A7C15 // 2^64 divided by the golden ratio
	}
	slices.SortStableFunc(live, func(a, b queuedEdition) int {
		return cmp.Or(db.Bit(slices.Contains(refused, a.ID))-db.Bit(slices.Contains(refused, b.ID)),
			cmp.Compare(scattered(a), scattered(b)))
	})
	return err
}

// admit returns the editions that their lanes may carry and the lanes that are full.
func (q *editionClaim) admit(live []queuedEdition) (ids []digest.EditionID, full []string) {
	route := q.lanes.of("")
	for _, e := range live {
		w := route
		if e.Domain != "" {
			w = q.lanes.of(e.Domain)
		}
		switch {
		case w.room > 0:
			ids = append(ids, e.ID)
			w.use()
			if w != route {
				route.use()
			}
		case !slices.Contains(full, e.Domain):
			full = append(full, e.Domain)
		}
	}
	return ids, full
}

// storeRates stores how much of their rates the lanes have used.
func (q *editionClaim) storeRates(ctx context.Context) error {
	var v values
	for name, w := range q.lanes.known {
		if w.moved {
			v.Row(name, w.free)
		}
	}
	return q.c.RunRows(ctx, &v, `INSERT INTO lanes (name, free_us) VALUES {rows}
			ON CONFLICT (name) DO UPDATE SET free_us = excluded.free_us`)
}

func (q *editionClaim) deliveries(ctx context.Context) ([]digest.Delivery, error) {
	if len(q.won) == 0 {
		return nil, nil
	}
	var rows []claimedDelivery
	err := q.c.All(ctx, &rows, `SELECT `+editionColumns+`, d.user_id, u.email, u.time_zone,
		u.language, d.name AS digest_name, d.folder_order, d.link_round,
		e.was_in_doubt, e.domain, d.layout, d.images, d.threaded, d.date_subject, d.budget,
		d.grouping,
		COALESCE(d.newsletter_id, 0) AS newsletter_id
		FROM editions e JOIN digests d ON d.id = e.digest_id JOIN users u ON u.id = d.user_id
		WHERE e.id`+q.c.d.OneOf, q.won)
	if err == nil {
		err = withLetters(ctx, q.c, rows)
	}
	if err != nil {
		return nil, err
	}
	claimed := each(rows, func(e claimedDelivery) digest.Delivery { return e.Delivery })
	slow := q.lanes.of("").slow()
	for i := range claimed {
		claimed[i].Token = q.Token
		claimed[i].Slow = slow || q.lanes.of(claimed[i].Domain).slow()
	}
	slices.SortFunc(claimed, func(a, b digest.Delivery) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ID, b.ID))
	})
	return claimed, nil
}

func endUnwanted(ctx context.Context, c conn, now instant, left, unmailed []digest.EditionID) error {
	if err := endEditions(ctx, c, now, left, digest.EditionFailed, unsubscribed); err != nil {
		return err
	}
	return endUnmailed(ctx, c, unmailed)
}

// tooLate is the error of an edition that no server accepted in time.
const tooLate = "not delivered in time"

// endEditions ends editions that must not be sent. It keeps an error that they already have.
func endEditions(ctx context.Context, c conn, now instant, ids []digest.EditionID, state digest.EditionState,
	why string) error {
	if len(ids) == 0 {
		return nil
	}
	err := c.Run(ctx, `UPDATE editions SET state = ?, undelivered = ?, error = CASE WHEN error = '' THEN ?
		ELSE error END
		WHERE id`+c.d.OneOf, state, state == digest.EditionExpired, why, ids)
	if err != nil {
		return err
	}
	return countMail(ctx, c, now, state, len(ids))
}

// GiveBackEditions returns editions to the queue that were leased under token but not sent yet, and undoes the
// attempt.
func (s Editions) GiveBackEditions(ctx context.Context, token string) error {
	return s.change(ctx, "giving editions back",
		func(c conn) error { return giveBack(ctx, c, `mc.lease_token = ?`, token) })
}
