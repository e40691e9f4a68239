package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/store/db"
)

// An edition begins in the state ready. While a mailer holds it, its row in mail_claims says more than the state
// leased of the edition: the state of the claim (editionState) and its dot. Every change of that row checks the
// token of the claim, so a worker whose lease has ended changes nothing. Transactions lock claims before their
// editions.
//
//	ready -> leased -> dotting -> sent, failed, expired, or ready again
//	leased, lease over -> ready
//	dotting, no mark for doubtAfter -> ready and in doubt; the second time sent_unconfirmed
//	ready, too late to be sent -> expired
//	expired, failed, sent_unconfirmed: the digest's next edition carries its posts (editions_carried.go)
//	ready, leased, reader left -> failed
//	sealed, ready, leased, address suppressed or mail off -> unmailed
//	expired, carried by none, mail off -> unmailed
//
// Only an operator makes an edition in another state ready again: sent, sent_unconfirmed, failed, expired or
// unmailed (ResendEdition). Lanes decide which editions may be claimed (lanes.go). Claims are in editions_claim.go,
// and bounces in bounces.go.

// doubtAfter is how long an edition may have a dot but no mark before it is in doubt: ten minutes for the reply (RFC
// 5321 §4.5.3.2.6), and five more.
const doubtAfter = 15 * time.Minute

// MarkEditions stores the results of editions that are claimed under token. It ignores other editions. An edition in
// doubt becomes ready again and is resent with the same Message-ID and Date. If it is in doubt a second time, it
// becomes sent_unconfirmed and is never sent again.
//
// In the same transaction MarkEditions commits the dots of editions that are still leased under token, and returns
// these editions. The caller must not send the others. Their lease has expired, or they were recalled because their
// reader left, has a suppressed address or gets no email.
func (s Editions) MarkEditions(ctx context.Context, now time.Time, token string, marks []digest.Mark,
	dots []digest.Dot) (won []digest.EditionID, err error) {
	if len(marks)+len(dots) == 0 {
		return nil, nil
	}
	ids := append(each(marks, func(m digest.Mark) digest.EditionID { return m.ID }),
		each(dots, func(d digest.Dot) digest.EditionID { return d.ID })...)
	err = s.write(ctx, func(c conn) error {
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

// beginDots changes leased editions with a dot to dotting, and returns them.
func beginDots(ctx context.Context, c conn, now instant, mine map[digest.EditionID]claimedEdition,
	dots []digest.Dot) (won []digest.EditionID, err error) {
	var v values
	for _, d := range dots {
		if e, ok := mine[d.ID]; ok && e.State == digest.EditionLeased {
			won = append(won, d.ID)
			v.Row(d.ID, d.MessageID, d.Date, d.Recipient, d.Lead)
		}
	}
	return won, c.RunRows(ctx, &v, `WITH v (id, message_id, date, recipient, lead) AS (VALUES {rows})
			UPDATE mail_claims SET state = 'dotting', at = `+fmt.Sprint(now)+`, message_id = v.message_id,
			date = v.date, recipient = v.recipient, lead_post_id = v.lead
			FROM v WHERE mail_claims.edition_id = v.id`)
}

// A claimedEdition is an edition that a worker has claimed and that has no mark yet.
type claimedEdition struct {
	ID           digest.EditionID `db:"edition_id"`
	State        digest.EditionState
	NewsletterID digest.NewsletterID // 0: not an issue of a newsletter
	At           instant             // start of the state; zero if leased
	WasInDoubt   bool

	// From its dot, if it has one.
	MessageID string
	Date      instant
	Recipient string
	Lead      digest.PostID `db:"lead_post_id"`

	Reply, Error string // from the server that accepted it, otherwise from earlier attempts
}

// claimedColumns reads a claimedEdition from claims mc, editions e and digests d.
const claimedColumns = `mc.edition_id, mc.state, COALESCE(d.newsletter_id, 0) AS newsletter_id, mc.at,
	mc.message_id, mc.date, mc.recipient, mc.lead_post_id, e.was_in_doubt,
	CASE WHEN mc.state = 'sent' THEN mc.reply ELSE e.reply END AS reply, CASE WHEN mc.state = 'sent' THEN mc.error
	ELSE e.error END AS error`

// lockClaimed locks the given editions that are claimed under token. The updates that follow only use keys.
func lockClaimed(ctx context.Context, c conn, token string,
	ids []digest.EditionID) (map[digest.EditionID]claimedEdition, error) {
	mine := make(map[digest.EditionID]claimedEdition, len(ids))
	var rows []claimedEdition
	err := c.All(ctx, &rows,
		`SELECT `+claimedColumns+` FROM mail_claims mc JOIN editions e ON e.id = mc.edition_id
			JOIN digests d ON d.id = e.digest_id
		WHERE mc.edition_id`+c.d.OneOf+` AND mc.lease_token = ? ORDER BY mc.edition_id`+c.d.LockRows("mc"),
		ids, token)
	if err != nil {
		return nil, err
	}
	for _, e := range rows {
		mine[e.ID] = e
	}
	return mine, nil
}

// saveMarks stores the marks of locked editions and ends their claims.
func saveMarks(ctx context.Context, c conn, now instant, mine map[digest.EditionID]claimedEdition,
	marks []digest.Mark) error {
	var v values
	var over []digest.EditionID
	done, states := counters{}, make(map[digest.EditionID]digest.EditionState)
	for _, m := range marks {
		if e, ok := mine[m.ID]; ok {
			state := markRow(&v, m, e, now)
			states[m.ID] = state
			done.add(CounterMail+mailWord(state), Counter{N: 1})
			over = append(over, m.ID)
		}
	}
	if err := endClaims(ctx, c, over, &v); err != nil {
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
	if err := countDay(ctx, c, now, lettersOf(mine, states)); err != nil {
		return err
	}
	return count(ctx, c, now, done)
}

// endClaims writes results, rows of markRow, into editions and deletes their claims.
func endClaims(ctx context.Context, c conn, ids []digest.EditionID, rows *values) error {
	if len(ids) == 0 {
		return nil
	}
	if err := c.Run(ctx, `DELETE FROM mail_claims WHERE edition_id`+c.d.OneOf, ids); err != nil {
		return err
	}
	return c.RunRows(ctx, rows,
		`WITH v (id, state, undelivered, was_in_doubt, reply, error, next_at, sent_at, uncounted,
			message_id, date, recipient, lead) AS (VALUES {rows})
			UPDATE editions SET state = v.state, undelivered = v.undelivered, was_in_doubt = v.was_in_doubt,
			reply = v.reply, error = v.error,
			sent_at = v.sent_at, attempt = attempt - v.uncounted,
			next_at = CASE WHEN v.next_at > 0 THEN v.next_at ELSE editions.next_at END,
			message_id = CASE WHEN v.message_id = '' THEN editions.message_id ELSE v.message_id END,
			date = CASE WHEN v.date > 0 THEN v.date ELSE editions.date END,
			recipient = CASE WHEN v.recipient = '' THEN editions.recipient ELSE v.recipient END,
			lead_post_id = CASE WHEN editions.lead_post_id = 0 THEN v.lead ELSE editions.lead_post_id END
			FROM v WHERE editions.id = v.id`)
}

func mailWord(s digest.EditionState) string {
	if s == digest.EditionReady {
		return mailRetried
	}
	return string(s)
}

// markRow adds a mark to v, for endClaims, and returns the new state of the edition.
func markRow(v *values, m digest.Mark, e claimedEdition, now instant) digest.EditionState {
	state, wasInDoubt, sent := m.State, e.WasInDoubt, instant(0)
	switch {
	case state == digest.EditionSent && e.State == digest.EditionSent:
		sent = e.At // the claim already recorded when
	case state == digest.EditionSent:
		sent = now
	case state == digest.EditionInDoubt && wasInDoubt:
		state = digest.EditionUnconfirmed
	case state == digest.EditionInDoubt:
		state, wasInDoubt = digest.EditionReady, true
	}
	v.Row(m.ID, state, isUndelivered(state, m.Bounce), wasInDoubt, m.Reply, m.Error, m.NextAt,
		sent, m.Uncounted, e.MessageID, e.Date, e.Recipient, e.Lead)
	return state
}

// RenewLeases extends the leases under token of editions that are not being sent yet.
func (s Editions) RenewLeases(ctx context.Context, now time.Time, token string, lease time.Duration) error {
	return s.run(ctx, "renewing leases",
		`UPDATE mail_claims SET lease_until = ? WHERE state = 'leased' AND lease_token = ?`, at(now).Plus(lease), token)
}

// RecoverEditions takes over from workers that died. It makes an edition ready again when its lease is over. A
// final dot that has had no mark for 15 minutes is in doubt: the first time the edition becomes ready again, the
// second time sent_unconfirmed. RecoverEditions returns how many became either. It marks ready editions as expired
// if it is too late to send them.
//
// If the transport is idempotent, for example because it writes a file under a fixed name, nothing is in doubt. An
// edition with a final dot and no mark then becomes ready as soon as its lease is over.
func (s Editions) RecoverEditions(ctx context.Context, now time.Time, idempotent bool) (inDoubt, unconfirmed int,
	err error) {
	err = s.change(ctx, "recovering editions", func(c conn) error {
		if err := giveBack(ctx, c, `mc.lease_until <= ?`, now); err != nil {
			return err
		}
		if err := recoverSent(ctx, c, at(now)); err != nil {
			return err
		}
		if inDoubt, unconfirmed, err = recoverDotting(ctx, c, at(now), idempotent); err != nil {
			return err
		}
		return expire(ctx, c, at(now))
	})
	return inDoubt, unconfirmed, err
}

// recoverSent copies accepted editions from their claims to the editions, after a worker died in between.
func recoverSent(ctx context.Context, c conn, now instant) error {
	_, _, err := recoverClaims(ctx, c, now, `mc.state = 'sent' AND mc.lease_until <= ?`, now,
		func(e claimedEdition) digest.Mark {
			return digest.Mark{ID: e.ID, State: digest.EditionSent, Reply: e.Reply, Error: e.Error}
		})
	return err
}

// recoverDotting ends dots without a mark. The edition becomes in doubt, or ready if a second attempt is harmless.
func recoverDotting(ctx context.Context, c conn, now instant, idempotent bool) (inDoubt, unconfirmed int, err error) {
	if idempotent {
		_, _, err := recoverClaims(ctx, c, now, `mc.state = 'dotting' AND mc.lease_until <= ?`, now,
			func(e claimedEdition) digest.Mark {
				return digest.Mark{ID: e.ID, State: digest.EditionReady, Reply: e.Reply, Error: e.Error,
					NextAt: now.Time()}
			})
		return 0, 0, err
	}
	return recoverClaims(ctx, c, now, `mc.state = 'dotting' AND mc.at <= ?`, now.Plus(-doubtAfter),
		func(e claimedEdition) digest.Mark {
			return digest.Mark{ID: e.ID, State: digest.EditionInDoubt, Reply: e.Reply, Error: e.Error,
				NextAt: now.Time()}
		})
}

// recoverClaims ends the claims for which where holds with the marks that mark returns, and counts the claims of
// editions that were never in doubt before, and of those that were.
func recoverClaims(ctx context.Context, c conn, now instant, where string, than instant,
	mark func(claimedEdition) digest.Mark) (first, again int, err error) {
	var rows []claimedEdition
	if err := c.All(ctx, &rows,
		`SELECT `+claimedColumns+` FROM mail_claims mc JOIN editions e ON e.id = mc.edition_id
			JOIN digests d ON d.id = e.digest_id
		WHERE `+where+` ORDER BY mc.edition_id`+c.d.LockRows("mc"), than); err != nil {
		return 0, 0, err
	}
	mine := make(map[digest.EditionID]claimedEdition, len(rows))
	for _, e := range rows {
		mine[e.ID] = e
		again += db.Bit(e.WasInDoubt)
	}
	return len(rows) - again, again, saveMarks(ctx, c, now, mine, each(rows, mark))
}

// giveBack returns claimed editions that are not being sent to the queue, and undoes the attempt. Attempts count
// rejections by servers, and the end of a process is not one.
func giveBack(ctx context.Context, c conn, where string, args ...any) error {
	var ids []digest.EditionID
	err := c.All(ctx, &ids, `DELETE FROM mail_claims AS mc WHERE mc.state = 'leased' AND `+
		where+` RETURNING edition_id`, args...)
	if err != nil || len(ids) == 0 {
		return err
	}
	return c.Run(ctx, `UPDATE editions SET state = 'ready', attempt = attempt - 1 WHERE id`+c.d.OneOf, ids)
}

// recall ends the claims of digests' editions (= ?, or IN (…)) whose dots have not begun, and returns these editions
// for the caller to end. It locks ready editions, so that no worker claims one before the transaction ends. The second
// pass finds claims that the first had to wait for.
func recall(ctx context.Context, c conn, digests string, arg any) (taken []digest.EditionID, err error) {
	for range 2 {
		var ids []digest.EditionID
		if err := c.All(ctx, &ids, `DELETE FROM mail_claims WHERE state = 'leased' AND edition_id IN (
			SELECT e.id FROM editions e WHERE e.digest_id `+digests+` AND e.state = 'leased') RETURNING edition_id`,
			arg); err != nil {
			return nil, err
		}
		taken = append(taken, ids...)
		if c.d.ForUpdate == "" { // no concurrent writers
			break
		}
		if err := c.All(ctx, &ids, `SELECT e.id FROM editions e WHERE e.digest_id `+digests+` AND e.state = 'ready'`+
			c.d.LockRows("e"), arg); err != nil {
			return nil, err
		}
	}
	return taken, nil
}

// expire ends ready editions whose time to be sent has passed. The digest's next edition carries their posts. If the
// mailbox was still full, expire also records a soft bounce.
func expire(ctx context.Context, c conn, now instant) error {
	const late = `state = 'ready' AND expires_at <= ?`
	var full []struct {
		ID    digest.EditionID
		Reply string
	}
	// "452 4.2.2 …": mailbox full (RFC 3463 §3.3).
	if err := c.All(ctx, &full, `SELECT id, reply FROM editions WHERE `+late+` AND reply LIKE '___ _.2.2 %'`,
		now); err != nil {
		return err
	}
	n, err := c.Exec(ctx, `UPDATE editions SET state = 'expired', undelivered = 1, error = CASE
		WHEN error = '' THEN ? ELSE error END WHERE `+late, tooLate, now)
	if err != nil {
		return err
	}
	for _, e := range full {
		b := digest.Bounce{Edition: e.ID, Kind: digest.SoftBounce, Status: strings.Fields(e.Reply)[1],
			Evidence: e.Reply}
		if _, err := recordBounce(ctx, c, now, b); err != nil && digest.KindOf(err) != digest.NotFound {
			return err
		}
	}
	return countMail(ctx, c, now, digest.EditionExpired, n)
}
