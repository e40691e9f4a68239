package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"digest"
)

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

// RecoverEditions ends what died: a lease that is over makes its edition ready again. A
// final dot without a mark for 15 minutes leaves it in doubt: ready again the
// first time, sent_unconfirmed the second. It gives how many became either.
// What waits and is too late to be sent becomes expired.
func (s *Store) RecoverEditions(ctx context.Context, now time.Time) (inDoubt int, err error) {
	err = s.write(ctx, func(c conn) error {
		if err := reapLeased(ctx, c, at(now)); err != nil {
			return err
		}
		var states []digest.EditionState
		err := c.all(ctx, &states, `UPDATE editions SET
			state = CASE WHEN was_in_doubt = 1 THEN 'sent_unconfirmed' ELSE 'ready' END,
			was_in_doubt = 1, next_at = ?, lease_token = '', lease_until = 0
			WHERE state = 'dotting' AND dot_at <= ? RETURNING state`, at(now), at(now).plus(-doubtAfter))
		if err != nil {
			return err
		}
		inDoubt = len(states)
		done := tallies{}
		for _, state := range states {
			done.add(CounterMail+mailWord(state), Counter{N: 1})
		}
		if err := tally(ctx, c, at(now), done); err != nil {
			return err
		}
		return expire(ctx, c, at(now))
	})
	if err != nil {
		return 0, fmt.Errorf("reaping editions: %w", err)
	}
	return inDoubt, nil
}

// RecoverIdempotentEditions is RecoverEditions for a transport that may do the same thing twice
// without harm, such as a file under a fixed name: there is no doubt, and a
// final dot without a mark makes the edition ready as soon as its lease is over.
func (s *Store) RecoverIdempotentEditions(ctx context.Context, now time.Time) error {
	err := s.write(ctx, func(c conn) error {
		if err := reapLeased(ctx, c, at(now)); err != nil {
			return err
		}
		_, err := c.exec(ctx, `UPDATE editions SET state = 'ready', next_at = ?, lease_token = '', lease_until = 0
			WHERE state = 'dotting' AND lease_until <= ?`, at(now), at(now))
		if err != nil {
			return err
		}
		return expire(ctx, c, at(now))
	})
	if err != nil {
		return fmt.Errorf("reaping editions: %w", err)
	}
	return nil
}

// reapLeased takes back what was not begun to be sent, with its attempt: that a
// process died says nothing of the edition, whose schedule is for refusals.
func reapLeased(ctx context.Context, c conn, now instant) error {
	_, err := c.exec(ctx, `UPDATE editions SET state = 'ready', attempt = attempt - 1, lease_token = '', lease_until = 0
		WHERE state = 'leased' AND lease_until <= ?`, now)
	return err
}

// expire ends what waits and is too late to be sent: the digest's next edition
// carries its posts. Where the mailbox was full to the end, that is a soft bounce.
func expire(ctx context.Context, c conn, now instant) error {
	const late = `state = 'ready' AND expires_at <= ?`
	var full []struct {
		ID    digest.EditionID `db:"id"`
		Reply string           `db:"reply"`
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
		if _, err := bounced(ctx, c, now, b); err != nil && digest.KindOf(err) != digest.NotFound {
			return err
		}
	}
	return tallyMail(ctx, c, now, digest.EditionExpired, n)
}
