package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// An edition on its way is in one of these states, and every change is guarded
// by the token of the claim, so that a worker whose lease has ended changes
// nothing:
//
//	ready -> leased -> dotting -> sent, failed, or ready again
//	leased, lease over -> ready
//	dotting, no mark for doubtAfter -> ready and in doubt; the second time sent_unconfirmed

// doubtAfter is how long after its final dot an edition without a mark is in
// doubt: ten minutes to wait for the reply (RFC 5321 §4.5.3.2.6), and some more.
const doubtAfter = 15 * time.Minute

type editionRow struct {
	ID         digest.EditionID    `db:"id"`
	DigestID   digest.DigestID     `db:"digest_id"`
	LocalDate  string              `db:"local_date"`
	DueAt      instant             `db:"due_at"`
	SendAt     instant             `db:"send_at"`
	Number     int                 `db:"number"`
	State      digest.EditionState `db:"state"`
	Attempt    int                 `db:"attempt"`
	MessageID  string              `db:"message_id"`
	Date       instant             `db:"date"`
	NextAt     instant             `db:"next_at"`
	ExpiresAt  instant             `db:"expires_at"`
	DotAt      instant             `db:"dot_at"`
	SentAt     instant             `db:"sent_at"`
	Reply      string              `db:"reply"`
	Error      string              `db:"error"`
	WasInDoubt bool                `db:"was_in_doubt"`

	PrevDueAt      instant `db:"prev_due_at"`
	PrevReleasedAt instant `db:"prev_released_at"`
}

const editionColumns = `e.id, e.digest_id, e.local_date, e.due_at, e.send_at, e.number, e.state, e.attempt, e.message_id,
	e.date, e.next_at, e.expires_at, e.dot_at, e.sent_at, e.reply, e.error, e.was_in_doubt,
	e.prev_due_at, e.prev_released_at`

func (r editionRow) edition() digest.Edition {
	date, _ := digest.ParseDate(r.LocalDate) // we wrote it
	return digest.Edition{
		ID:        r.ID,
		DigestID:  r.DigestID,
		LocalDate: date,
		DueAt:     r.DueAt.time(),
		SendAt:    r.SendAt.time(),
		Number:    r.Number,
		State:     r.State,
		Attempt:   r.Attempt,
		MessageID: r.MessageID,
		Date:      r.Date.time(),
		NextAt:    r.NextAt.time(),
		ExpiresAt: r.ExpiresAt.time(),
		DotAt:     r.DotAt.time(),
		SentAt:    r.SentAt.time(),
		Reply:     r.Reply,
		Error:     r.Error,

		PrevDueAt:      r.PrevDueAt.time(),
		PrevReleasedAt: r.PrevReleasedAt.time(),
	}
}

// ClaimEditions leases at most c.Most editions whose time has come, counts the
// attempt, and gives them in the order of NextAt. Of any number of callers no
// two get the same. Editions that are too late become expired on the way, and
// those of readers who left, failed. A paused digest's are still sent: they
// were released before.
func (s *Store) ClaimEditions(ctx context.Context, now time.Time, q digest.Claim) ([]digest.Delivery, error) {
	n, lease, token := q.Most, q.Lease, q.Token
	var claimed []digest.Delivery
	for {
		met := 0
		err := s.write(ctx, func(c conn) (err error) {
			claimed, met, err = claimEditions(ctx, c, at(now), n, at(now).plus(lease), token)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("claiming editions: %w", err)
		}
		if len(claimed) > 0 || met == 0 {
			return claimed, nil
		}
		// All that were met were too late: there may be more behind them.
	}
}

func claimEditions(ctx context.Context, c conn, now instant, n int, until instant, token string) (claimed []digest.Delivery, met int, err error) {
	var found []struct {
		ID        digest.EditionID   `db:"id"`
		ExpiresAt instant            `db:"expires_at"`
		State     digest.DigestState `db:"state"`
	}
	if err := c.hold(ctx, c.d.inOrder); err != nil {
		return nil, 0, err
	}
	err = c.all(ctx, &found, `SELECT e.id, e.expires_at, (SELECT d.state FROM digests d WHERE d.id = e.digest_id) AS state FROM editions e
		WHERE e.state = 'ready' AND e.next_at <= ? ORDER BY e.next_at, e.id LIMIT ?`+c.d.skipRows("e"), now, n)
	if err != nil {
		return nil, 0, err
	}
	var live, late, left []digest.EditionID
	for _, e := range found {
		switch {
		case e.State == digest.DigestLeft:
			left = append(left, e.ID)
		case e.ExpiresAt <= now:
			late = append(late, e.ID)
		default:
			live = append(live, e.ID)
		}
	}
	if err := drop(ctx, c, left, digest.EditionFailed, unsubscribed); err != nil {
		return nil, 0, err
	}
	if err := drop(ctx, c, late, digest.EditionExpired, "not delivered in time"); err != nil {
		return nil, 0, err
	}
	claimed, err = leaseEditions(ctx, c, live, until, token)
	return claimed, len(found), err
}

// drop ends editions that are not to be sent. An error they had already tells more.
func drop(ctx context.Context, c conn, ids []digest.EditionID, state digest.EditionState, why string) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := c.exec(ctx, `UPDATE editions SET state = ?, error = CASE WHEN error = '' THEN ? ELSE error END,
		lease_token = '', lease_until = 0 WHERE id IN (`+list(ids)+`)`, state, why)
	return err
}

func leaseEditions(ctx context.Context, c conn, ids []digest.EditionID, until instant, token string) ([]digest.Delivery, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if _, err := c.exec(ctx, `UPDATE editions SET state = 'leased', attempt = attempt + 1, lease_token = ?, lease_until = ?
		WHERE id IN (`+list(ids)+`) AND state = 'ready'`, token, until); err != nil {
		return nil, err
	}
	var rows []struct {
		editionRow
		UserID     digest.UserID `db:"user_id"`
		Email      string        `db:"email"`
		TimeZone   string        `db:"time_zone"`
		DigestName string        `db:"digest_name"`
		Domain     string        `db:"domain"`
		Layout     digest.Layout `db:"layout"`
		Images     digest.Images `db:"images"`
		Threaded   bool          `db:"threaded"`
	}
	err := c.all(ctx, &rows, `SELECT `+editionColumns+`, d.user_id, u.email, u.time_zone, d.name AS digest_name,
		e.domain, d.layout, d.images, d.threaded
		FROM editions e JOIN digests d ON d.id = e.digest_id JOIN users u ON u.id = d.user_id
		WHERE e.id IN (`+list(ids)+`) AND e.state = 'leased' AND e.lease_token = ?`, token)
	if err != nil {
		return nil, err
	}
	claimed := make([]digest.Delivery, len(rows))
	for i, r := range rows {
		claimed[i] = digest.Delivery{
			Edition:    r.edition(),
			UserID:     r.UserID,
			Email:      r.Email,
			TimeZone:   r.TimeZone,
			DigestName: r.DigestName,
			Token:      token,
			WasInDoubt: r.WasInDoubt,
			Domain:     r.Domain,
			Look:       digest.Look{Layout: r.Layout, Images: r.Images, Threaded: r.Threaded},
		}
	}
	slices.SortFunc(claimed, func(a, b digest.Delivery) int {
		return cmp.Or(a.NextAt.Compare(b.NextAt), cmp.Compare(a.ID, b.ID))
	})
	return claimed, nil
}

// BeginDot commits the promise that comes before the final dot, for editions
// that are still leased under token, and gives those. The others must not be
// sent: their lease is over, or their reader left, which fails them here.
func (s *Store) BeginDot(ctx context.Context, now time.Time, token string, dots []digest.Dot) (won []digest.EditionID, err error) {
	return s.Turn(ctx, now, token, nil, dots)
}

// Turn is Finish and then BeginDot in one transaction: what became of the
// connections' last messages, and the promises for their next.
func (s *Store) Turn(ctx context.Context, now time.Time, token string, marks []digest.Mark, dots []digest.Dot) (won []digest.EditionID, err error) {
	if len(marks)+len(dots) == 0 {
		return nil, nil
	}
	ids := append(keys(marks, func(m digest.Mark) digest.EditionID { return m.ID }),
		keys(dots, func(d digest.Dot) digest.EditionID { return d.ID })...)
	err = s.write(ctx, func(c conn) error {
		mine, err := held(ctx, c, token, ids)
		if err != nil {
			return err
		}
		if err := finish(ctx, c, at(now), mine, marks); err != nil {
			return err
		}
		won, err = beginDot(ctx, c, at(now), mine, dots)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("committing to send: %w", err)
	}
	slices.Sort(won)
	return won, nil
}

func beginDot(ctx context.Context, c conn, now instant, mine map[digest.EditionID]heldEdition, dots []digest.Dot) (won []digest.EditionID, err error) {
	var left []digest.EditionID
	var v values
	for _, d := range dots {
		switch e, ok := mine[d.ID]; {
		case !ok || e.State != digest.EditionLeased:
		case e.DigestState == digest.DigestLeft:
			left = append(left, d.ID)
		default:
			won = append(won, d.ID)
			v.row(d.ID, d.MessageID, at(d.Date))
		}
	}
	if err := drop(ctx, c, left, digest.EditionFailed, unsubscribed); err != nil {
		return nil, err
	}
	return won, v.chunks(func(part *values) error {
		_, err := c.exec(ctx, `WITH v (id, message_id, date) AS (VALUES `+part.String()+`)
			UPDATE editions SET state = 'dotting', dot_at = `+fmt.Sprint(now)+`, message_id = v.message_id,
			date = CASE WHEN v.date > 0 THEN v.date ELSE editions.date END
			FROM v WHERE editions.id = v.id`, part.args...)
		return err
	})
}

// A heldEdition is one that a worker has claimed and not marked yet.
type heldEdition struct {
	ID          digest.EditionID    `db:"id"`
	State       digest.EditionState `db:"state"`
	WasInDoubt  bool                `db:"was_in_doubt"`
	DigestState digest.DigestState  `db:"digest_state"`
}

// held locks those of the given editions that are held under token. What is
// changed then is looked up by key alone.
func held(ctx context.Context, c conn, token string, ids []digest.EditionID) (map[digest.EditionID]heldEdition, error) {
	mine := make(map[digest.EditionID]heldEdition, len(ids))
	for part := range slices.Chunk(ids, statementRows) {
		var rows []heldEdition
		err := c.all(ctx, &rows, `SELECT e.id, e.state, e.was_in_doubt,
			(SELECT d.state FROM digests d WHERE d.id = e.digest_id) AS digest_state FROM editions e
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

// keys gives the keys of a list.
func keys[T any, K any](all []T, key func(T) K) []K {
	ids := make([]K, len(all))
	for i, x := range all {
		ids[i] = key(x)
	}
	return ids
}

// Finish records what became of editions held under token; of others nothing
// changes. One in doubt becomes ready again, to be sent once more with the same
// Message-ID and Date; in doubt twice, it is sent_unconfirmed and never sent again.
func (s *Store) Finish(ctx context.Context, now time.Time, token string, marks []digest.Mark) error {
	if len(marks) == 0 {
		return nil
	}
	err := s.write(ctx, func(c conn) error {
		mine, err := held(ctx, c, token, keys(marks, func(m digest.Mark) digest.EditionID { return m.ID }))
		if err != nil {
			return err
		}
		return finish(ctx, c, at(now), mine, marks)
	})
	if err != nil {
		return fmt.Errorf("marking editions: %w", err)
	}
	return nil
}

func finish(ctx context.Context, c conn, now instant, mine map[digest.EditionID]heldEdition, marks []digest.Mark) error {
	var v values
	for _, m := range marks {
		if e, ok := mine[m.ID]; ok {
			markRow(&v, m, e.WasInDoubt, now)
		}
	}
	return v.chunks(func(part *values) error {
		_, err := c.exec(ctx, `WITH v (id, state, was_in_doubt, reply, error, next_at, sent_at, uncounted) AS (VALUES `+part.String()+`)
			UPDATE editions SET state = v.state, was_in_doubt = v.was_in_doubt, reply = v.reply, error = v.error,
			sent_at = v.sent_at, attempt = attempt - v.uncounted,
			next_at = CASE WHEN v.next_at > 0 THEN v.next_at ELSE editions.next_at END,
			lease_token = '', lease_until = 0 FROM v WHERE editions.id = v.id`, part.args...)
		return err
	})
}

// markRow adds a mark as it is stored.
func markRow(v *values, m digest.Mark, wasInDoubt bool, now instant) {
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
}

// ReleaseEditions gives back what is leased under token and not begun to be
// sent, with its attempt.
func (s *Store) ReleaseEditions(ctx context.Context, token string) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `UPDATE editions SET state = 'ready', attempt = attempt - 1, lease_token = '', lease_until = 0
			WHERE state = 'leased' AND lease_token = ?`, token)
		return err
	})
	if err != nil {
		return fmt.Errorf("giving editions back: %w", err)
	}
	return nil
}

// RenewLeases prolongs what is leased under token and not begun to be sent.
func (s *Store) RenewLeases(ctx context.Context, now time.Time, token string, lease time.Duration) error {
	err := s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `UPDATE editions SET lease_until = ? WHERE state = 'leased' AND lease_token = ?`, at(now).plus(lease), token)
		return err
	})
	if err != nil {
		return fmt.Errorf("renewing leases: %w", err)
	}
	return nil
}

// Reap ends what died: a lease that is over makes its edition ready again. A
// final dot without a mark for 15 minutes leaves it in doubt: ready again the
// first time, sent_unconfirmed the second. It gives how many became either.
func (s *Store) Reap(ctx context.Context, now time.Time) (inDoubt int, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := reapLeased(ctx, c, at(now)); err != nil {
			return err
		}
		inDoubt, err = c.exec(ctx, `UPDATE editions SET
			state = CASE WHEN was_in_doubt = 1 THEN 'sent_unconfirmed' ELSE 'ready' END,
			was_in_doubt = 1, next_at = ?, lease_token = '', lease_until = 0
			WHERE state = 'dotting' AND dot_at <= ?`, at(now), at(now).plus(-doubtAfter))
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("reaping editions: %w", err)
	}
	return inDoubt, nil
}

// ReapIdempotent is Reap for a transport that may do the same thing twice
// without harm, such as a file under a fixed name: there is no doubt, and a
// final dot without a mark makes the edition ready as soon as its lease is over.
func (s *Store) ReapIdempotent(ctx context.Context, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := reapLeased(ctx, c, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `UPDATE editions SET state = 'ready', next_at = ?, lease_token = '', lease_until = 0
			WHERE state = 'dotting' AND lease_until <= ?`, at(now), at(now))
		return err
	})
	if err != nil {
		return fmt.Errorf("reaping editions: %w", err)
	}
	return nil
}

func reapLeased(ctx context.Context, c conn, now instant) error {
	_, err := c.exec(ctx, `UPDATE editions SET state = 'ready', lease_token = '', lease_until = 0
		WHERE state = 'leased' AND lease_until <= ?`, now)
	return err
}
