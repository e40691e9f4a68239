package store

import (
	"context"
	"time"

	"digest"
)

// A JoinCount counts the results of an imported list.
type JoinCount struct {
	Joined     int // new members
	Already    int // already members, unchanged
	Suppressed int // suppressed in the newsletter
	NoRoom     int // rejected because the newsletter was full
}

// JoinAll makes the people of a list members of a newsletter, with the proof of their consent. It uses several
// transactions; a repeated call after an interruption does the rest. It skips suppressed addresses, even with Asked.
// It returns digest.Conflict if the newsletter is closed.
func (s Members) JoinAll(ctx context.Context, id digest.NewsletterID, all []Joining, now time.Time) (sum JoinCount,
	err error) {
	_, err = changeInParts(ctx, s.database, "joining the newsletter", all, func(c conn, part []Joining) (int, error) {
		n, err := joinPart(ctx, c, id, part, now)
		if err == nil {
			sum.Joined += n.Joined
			sum.Already += n.Already
			sum.Suppressed += n.Suppressed
			sum.NoRoom += n.NoRoom
		}
		return len(part), err
	})
	return sum, err
}

func joinPart(ctx context.Context, c conn, id digest.NewsletterID, part []Joining, now time.Time) (sum JoinCount,
	err error) {
	n, err := readNewsletter(ctx, c, `n.id = ?`, id)
	if err == nil {
		err = canJoin(n)
	}
	if err != nil {
		return sum, err
	}
	suppressed, err := keysOf(ctx, c, part,
		`SELECT x.email_key FROM newsletter_suppressions x WHERE x.newsletter_id = ? AND x.email_key IN (`+
			c.d.Names+`)`, id)
	if err != nil {
		return sum, err
	}
	room, err := roomIn(ctx, c, n)
	if err != nil {
		return sum, err
	}
	for _, j := range part {
		if suppressed[emailKey(j.Email)] {
			sum.Suppressed++
			continue
		}
		j.Asked = false
		m, created, err := joinWithin(ctx, c, n, j, room, now)
		if room == 0 && digest.KindOf(err) == digest.Conflict {
			sum.NoRoom++
			continue
		}
		if err == nil && created {
			err = settleIn(ctx, c, m, j, now)
		}
		if err != nil {
			return sum, err
		}
		if created {
			sum.Joined++
			room--
		} else {
			sum.Already++
		}
	}
	return sum, nil
}

// settleIn sets the days and the pause that a new member chose on the earlier list.
func settleIn(ctx context.Context, c conn, m digest.Member, j Joining, now time.Time) error {
	return eachDigest(ctx, c, []digest.DigestID{m.DigestID}, func(d digestRow) error {
		if j.Cadence != 0 && j.Cadence != d.Cadence && j.Cadence.AsCalmAs(d.Cadence) {
			if err := noteOwnCadence(ctx, c, d, true); err != nil {
				return err
			}
			if err := setCadence(ctx, c, d, j.Cadence, now); err != nil || !j.Paused {
				return err
			}
			var err error
			if d, err = readDigest(ctx, c, `d.id = ?`, d.ID); err != nil {
				return err
			}
		}
		if !j.Paused {
			return nil
		}
		return setDigestState(ctx, c, d, digest.DigestPaused, now)
	})
}

// keysOf returns the email keys of people that a query finds. The last argument of the query is the list of keys.
func keysOf(ctx context.Context, c conn, all []Joining, query string, args ...any) (map[string]bool, error) {
	var keys []string
	err := c.All(ctx, &keys, query,
		append(args, each(all, func(j Joining) string { return emailKey(j.Email) }))...)
	found := make(map[string]bool, len(keys))
	for _, key := range keys {
		found[key] = true
	}
	return found, err
}
