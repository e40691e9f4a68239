package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
)

// An edition is sealed in the state ready, and every change of what a mailer
// holds is guarded by the token of its claim, so that a worker whose lease has
// ended changes nothing:
//
//	ready -> leased -> dotting -> sent, failed, expired, or ready again
//	leased, lease over -> ready
//	dotting, no mark for doubtAfter -> ready and in doubt; the second time sent_unconfirmed
//	ready, too late to be sent -> expired; the digest's next edition carries its posts (editions_carried.go)
//	ready, leased, reader left -> failed
//	sealed, ready, leased, address suppressed or mail off -> unmailed
//	expired, carried by none, mail off -> unmailed
//
// Else nothing leads out of sent, sent_unconfirmed, failed, expired and unmailed.
// What may be claimed is a matter of lanes (lanes.go), claiming itself is in
// editions_claim.go, and what comes back of an edition in bounces.go.

// doubtAfter is how long after its final dot an edition without a mark is in
// doubt: ten minutes to wait for the reply (RFC 5321 §4.5.3.2.6), and some more.
const doubtAfter = 15 * time.Minute

// MarkEditions records what became of editions held under token; of others nothing
// changes. One in doubt becomes ready again, to be sent once more with the same
// Message-ID and Date; in doubt twice, it is sent_unconfirmed and never sent again.
//
// In the same transaction it commits the promises that come before final dots,
// for editions that are still leased under token, and gives those. The others must
// not be sent: their lease is over, or their reader left, has a suppressed address
// or no mail, which ends them here.
func (s *Store) MarkEditions(ctx context.Context, now time.Time, token string, marks []digest.Mark, dots []digest.Dot) (won []digest.EditionID, err error) {
	return s.markEditions(ctx, s.write, now, token, marks, dots)
}

func (s *Store) markEditions(ctx context.Context, write func(context.Context, func(conn) error) error, now time.Time, token string, marks []digest.Mark, dots []digest.Dot) (won []digest.EditionID, err error) {
	if len(marks)+len(dots) == 0 {
		return nil, nil
	}
	ids := append(each(marks, func(m digest.Mark) digest.EditionID { return m.ID }),
		each(dots, func(d digest.Dot) digest.EditionID { return d.ID })...)
	err = write(ctx, func(c conn) error {
		if err := lockForBounces(ctx, c, marks); err != nil {
			return err
		}
		mine, err := lockClaimed(ctx, c, token, ids)
		if err != nil {
			return err
		}
		if err := saveMarks(ctx, c, at(now), mine, marks); err != nil {
			return err
		}
		won, err = beginDots(ctx, c, at(now), mine, dots)
		return err
	})
	if err != nil {
		return nil, failed("marking editions", err)
	}
	slices.Sort(won)
	return won, nil
}

func beginDots(ctx context.Context, c conn, now instant, mine map[digest.EditionID]claimedEdition, dots []digest.Dot) (won []digest.EditionID, err error) {
	var left, unmailed []digest.EditionID
	var v values
	for _, d := range dots {
		switch e, ok := mine[d.ID]; {
		case !ok || e.State != digest.EditionLeased:
		case e.DigestState == digest.DigestLeft:
			left = append(left, d.ID)
		case e.Unmailed:
			unmailed = append(unmailed, d.ID)
		default:
			won = append(won, d.ID)
			v.row(d.ID, d.MessageID, at(d.Date), d.Recipient)
		}
	}
	if err := endUnwanted(ctx, c, now, left, unmailed); err != nil {
		return nil, err
	}
	return won, c.runRows(ctx, &v, `WITH v (id, message_id, date, recipient) AS (VALUES {rows})
			UPDATE editions SET state = 'dotting', dot_at = `+fmt.Sprint(now)+`, message_id = v.message_id,
			date = CASE WHEN v.date > 0 THEN v.date ELSE editions.date END, recipient = v.recipient
			FROM v WHERE editions.id = v.id`)
}

// A claimedEdition is one that a worker has claimed and not marked yet.
type claimedEdition struct {
	ID          digest.EditionID
	State       digest.EditionState
	WasInDoubt  bool
	DigestState digest.DigestState
	Unmailed    bool
}

// lockClaimed locks those of the given editions that are leased under token. What is
// changed then is looked up by key alone.
func lockClaimed(ctx context.Context, c conn, token string, ids []digest.EditionID) (map[digest.EditionID]claimedEdition, error) {
	mine := make(map[digest.EditionID]claimedEdition, len(ids))
	for part := range slices.Chunk(ids, statementRows) {
		var rows []claimedEdition
		err := c.all(ctx, &rows, `SELECT e.id, e.state, e.was_in_doubt,
			(SELECT d.state FROM digests d WHERE d.id = e.digest_id) AS digest_state,
			CASE WHEN `+unmailedError+` IS NULL THEN 0 ELSE 1 END AS unmailed
			FROM editions e
			WHERE e.id IN (`+list(part)+`) AND e.state IN ('leased', 'dotting') AND e.lease_token = ?
			ORDER BY e.id`+c.d.lockRows("e"), token)
		if err != nil {
			return nil, err
		}
		for _, e := range rows {
			mine[e.ID] = e
		}
	}
	return mine, nil
}

func saveMarks(ctx context.Context, c conn, now instant, mine map[digest.EditionID]claimedEdition, marks []digest.Mark) error {
	var v values
	done := counters{}
	for _, m := range marks {
		if e, ok := mine[m.ID]; ok {
			state := markRow(&v, m, e.WasInDoubt, now)
			done.add(CounterMail+mailWord(state), Counter{N: 1})
		}
	}
	err := c.runRows(ctx, &v, `WITH v (id, state, was_in_doubt, reply, error, next_at, sent_at, uncounted) AS (VALUES {rows})
			UPDATE editions SET state = v.state, was_in_doubt = v.was_in_doubt, reply = v.reply, error = v.error,
			sent_at = v.sent_at, attempt = attempt - v.uncounted,
			next_at = CASE WHEN v.next_at > 0 THEN v.next_at ELSE editions.next_at END,
			lease_token = '', lease_until = 0 FROM v WHERE editions.id = v.id`)
	if err != nil {
		return err
	}
	for _, m := range marks {
		if _, ok := mine[m.ID]; !ok || m.Bounce == nil {
			continue
		}
		b := *m.Bounce
		b.Edition = m.ID
		if _, err := recordBounce(ctx, c, now, b); err != nil {
			return err
		}
	}
	return count(ctx, c, now, done)
}

// mailWord names what became of a mail, for its counter.
func mailWord(s digest.EditionState) string {
	if s == digest.EditionReady {
		return mailRetried
	}
	return string(s)
}

// markRow adds a mark as it is stored, and gives the state that it leads to.
func markRow(v *values, m digest.Mark, wasInDoubt bool, now instant) digest.EditionState {
	state, sent := m.State, instant(0)
	switch {
	case state == digest.EditionSent:
		sent = now
	case state == digest.EditionInDoubt && wasInDoubt:
		state = digest.EditionUnconfirmed
	case state == digest.EditionInDoubt:
		state, wasInDoubt = digest.EditionReady, true
	}
	v.row(m.ID, string(state), bit(wasInDoubt), m.Reply, m.Error, at(m.NextAt), sent, bit(m.Uncounted))
	return state
}

// RenewLeases prolongs what is leased under token and not begun to be sent.
func (s *Store) RenewLeases(ctx context.Context, now time.Time, token string, lease time.Duration) error {
	return s.run(ctx, "renewing leases", `UPDATE editions SET lease_until = ? WHERE state = 'leased' AND lease_token = ?`, at(now).plus(lease), token)
}

// RecoverEditions ends what died: a lease that is over makes its edition ready again. A
// final dot without a mark for 15 minutes leaves it in doubt: ready again the
// first time, sent_unconfirmed the second. It gives how many became either.
// What waits and is too late to be sent becomes expired.
//
// Where a transport may do the same thing twice without harm, such as a file under
// a fixed name, there is no doubt: a final dot without a mark makes the edition
// ready as soon as its lease is over.
func (s *Store) RecoverEditions(ctx context.Context, now time.Time, idempotent bool) (inDoubt int, err error) {
	recoverDotting := doubt
	if idempotent {
		recoverDotting = recoverIdempotent
	}
	return changed(ctx, s, "recovering editions", func(c conn) (int, error) {
		if err := recoverLeased(ctx, c, at(now)); err != nil {
			return 0, err
		}
		n, err := recoverDotting(ctx, c, at(now))
		if err != nil {
			return 0, err
		}
		return n, expire(ctx, c, at(now))
	})
}

// doubt ends final dots without a mark where nobody knows what became of them.
func doubt(ctx context.Context, c conn, now instant) (int, error) {
	var states []digest.EditionState
	err := c.all(ctx, &states, `UPDATE editions SET
			state = CASE WHEN was_in_doubt = 1 THEN 'sent_unconfirmed' ELSE 'ready' END,
			was_in_doubt = 1, next_at = ?, lease_token = '', lease_until = 0
			WHERE state = 'dotting' AND dot_at <= ? RETURNING state`, now, now.plus(-doubtAfter))
	if err != nil {
		return 0, err
	}
	done := counters{}
	for _, state := range states {
		done.add(CounterMail+mailWord(state), Counter{N: 1})
	}
	return len(states), count(ctx, c, now, done)
}

// recoverIdempotent ends final dots without a mark where sending again does no harm.
func recoverIdempotent(ctx context.Context, c conn, now instant) (inDoubt int, err error) {
	return 0, c.run(ctx, `UPDATE editions SET state = 'ready', next_at = ?, lease_token = '', lease_until = 0
			WHERE state = 'dotting' AND lease_until <= ?`, now, now)
}

// recoverLeased takes back what was not begun to be sent, with its attempt: that a
// process died says nothing of the edition, whose schedule is for refusals.
func recoverLeased(ctx context.Context, c conn, now instant) error {
	return c.run(ctx, `UPDATE editions SET state = 'ready', attempt = attempt - 1, lease_token = '', lease_until = 0
		WHERE state = 'leased' AND lease_until <= ?`, now)
}

// expire ends what waits and is too late to be sent: the digest's next edition
// carries its posts. Where the mailbox was full to the end, that is a soft bounce.
func expire(ctx context.Context, c conn, now instant) error {
	const late = `state = 'ready' AND expires_at <= ?`
	var full []struct {
		ID    digest.EditionID
		Reply string
	}
	// "452 4.2.2 …": RFC 3463 §3.3, mailbox full.
	if err := c.all(ctx, &full, `SELECT id, reply FROM editions WHERE `+late+` AND reply LIKE '___ _.2.2 %'`, now); err != nil {
		return err
	}
	n, err := c.exec(ctx, `UPDATE editions SET state = 'expired', error = CASE WHEN error = '' THEN ? ELSE error END WHERE `+late, tooLate, now)
	if err != nil {
		return err
	}
	for _, e := range full {
		b := digest.Bounce{Edition: e.ID, Kind: digest.SoftBounce, Status: strings.Fields(e.Reply)[1], Evidence: e.Reply}
		if _, err := recordBounce(ctx, c, now, b); err != nil && digest.KindOf(err) != digest.NotFound {
			return err
		}
	}
	return countMail(ctx, c, now, digest.EditionExpired, n)
}
