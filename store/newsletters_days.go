package store

import (
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"digest"
	"digest/newsletter"
)

// A transaction that sends a newsletter's email, or changes its members, also counts this, on the current day in its
// owner's time zone (digest.NewsletterDay).

// countDay adds to the daily counts of newsletters. Like count, it belongs at the end of a transaction, because its
// row stays locked until the commit. It runs no statement if of is empty.
func countDay(ctx context.Context, c conn, now instant, of map[digest.NewsletterID]newsletter.Day) error {
	if len(of) == 0 {
		return nil
	}
	var v values
	slot, ids := rand.IntN(c.d.Slots), slices.Sorted(maps.Keys(of))
	today, err := ownersToday(ctx, c, ids, now)
	if err != nil {
		return err
	}
	for _, id := range ids {
		d := of[id]
		v.Row(id, today[id], slot, d.Joined, d.Left, d.Sent, d.Bounced, d.Complained)
	}
	return c.RunRows(ctx, &v,
		`INSERT INTO newsletter_days (newsletter_id, day, slot, joined, gone, sent, bounced, complained)
			VALUES {rows}
		ON CONFLICT (newsletter_id, day, slot) DO UPDATE SET joined = newsletter_days.joined + excluded.joined,
		gone = newsletter_days.gone + excluded.gone, sent = newsletter_days.sent + excluded.sent, bounced = newsletter_days.bounced + excluded.bounced,
			complained = newsletter_days.complained + excluded.complained`)
}

// countMember counts that a person has joined or left a newsletter. A person who only got a request has not joined.
func countMember(ctx context.Context, c conn, now time.Time, id digest.NewsletterID, kind string) error {
	d := newsletter.Day{Joined: 1}
	switch kind {
	case eventAsked:
		return nil
	case eventLeft:
		d = newsletter.Day{Left: 1}
	}
	return countDay(ctx, c, at(now), map[digest.NewsletterID]newsletter.Day{id: d})
}

const daySums = `CAST(SUM(x.joined) AS BIGINT) AS joined, CAST(SUM(x.gone) AS BIGINT) AS "left",
	` + letterSums

// NewsletterDays returns the counts of a newsletter from a day on, earliest first. Days without counts are absent.
func (s Newsletters) NewsletterDays(ctx context.Context, id digest.NewsletterID,
	since digest.Date) ([]newsletter.Day,
	error) {
	return readRows[newsletter.Day](ctx, s.read(), "reading the days of a newsletter",
		`SELECT x.day, `+daySums+` FROM newsletter_days x
		WHERE x.newsletter_id = ? AND x.day >= ? GROUP BY x.day ORDER BY x.day`, id, since)
}

// LetterCounts returns the email counts of all newsletters from a day on.
func (s Newsletters) LetterCounts(ctx context.Context,
	since digest.Date) (map[digest.NewsletterID]newsletter.LetterCounts,
	error) {
	rows, err := readRows[troubledRow](ctx, s.read(), "counting letters",
		`SELECT x.newsletter_id, `+letterSums+` FROM newsletter_days x
		WHERE x.day >= ? GROUP BY x.newsletter_id`, since)
	counts := make(map[digest.NewsletterID]newsletter.LetterCounts, len(rows))
	for _, r := range rows {
		counts[r.NewsletterID] = r.LetterCounts
	}
	return counts, err
}

type troubledRow struct {
	NewsletterID digest.NewsletterID
	newsletter.LetterCounts
}

const letterSums = `CAST(SUM(x.sent) AS BIGINT) AS sent, CAST(SUM(x.bounced) AS BIGINT) AS bounced,
	CAST(SUM(x.complained) AS BIGINT) AS complained`

// A HeldNewsletter is a newsletter that HoldTroubled has held.
type HeldNewsletter struct {
	digest.Newsletter
	Owner string // email address
}

// HoldTroubled holds the active newsletters with too many bounces or complaints (digest.LetterCounts), and returns
// them. It counts the last digest.CountedDays, but only from the day after a newsletter's last release.
func (s Newsletters) HoldTroubled(ctx context.Context, now time.Time) (held []HeldNewsletter, err error) {
	since := digest.DateOf(now.UTC()).Plus(1 - newsletter.CountedDays).String()
	troubled, err := readRows[troubledRow](ctx, s.read(), "looking for newsletters in trouble",
		`SELECT x.newsletter_id, `+letterSums+`
		FROM newsletter_days x JOIN newsletters n ON n.id = x.newsletter_id WHERE n.state = 'active' AND x.day >= ?
		AND x.day >= n.counted_from
		AND x.newsletter_id IN (SELECT y.newsletter_id FROM newsletter_days y WHERE y.day >= ?
		AND (y.bounced > 0 OR y.complained > 0))
		GROUP BY x.newsletter_id ORDER BY x.newsletter_id`, since, since)
	for _, t := range troubled {
		reason := t.HoldReason()
		if reason == "" {
			continue
		}
		h, err := s.holdTroubled(ctx, t.NewsletterID, reason, now)
		if err != nil {
			return held, err
		}
		if h.ID != 0 {
			held = append(held, h)
		}
	}
	return held, err
}

// holdTroubled holds a newsletter. It returns the zero value if the newsletter is not active any longer.
func (s *database) holdTroubled(ctx context.Context, id digest.NewsletterID, reason string,
	now time.Time) (HeldNewsletter,
	error) {
	return changed(ctx, s, "holding a newsletter", func(c conn) (h HeldNewsletter, err error) {
		if h.Newsletter, err = readNewsletter(ctx, c, `n.id = ?`, id); err != nil ||
			h.State != digest.NewsletterActive {
			return HeldNewsletter{}, err
		}
		if err := setNewsletterState(ctx, c, id, digest.NewsletterHeld, reason, now); err != nil {
			return HeldNewsletter{}, err
		}
		h.State, h.HeldReason = digest.NewsletterHeld, reason
		_, err = c.Find(ctx, &h.Owner,
			`SELECT u.email FROM newsletter_roles r JOIN users u ON u.id = r.user_id WHERE r.newsletter_id = ?
				AND r.role = 'owner'`, id)
		return h, err
	})
}

// lettersOf counts the sent editions among states by their newsletters.
func lettersOf(mine map[digest.EditionID]claimedEdition,
	states map[digest.EditionID]digest.EditionState) map[digest.NewsletterID]newsletter.Day {
	of := make(map[digest.NewsletterID]newsletter.Day)
	for id, state := range states {
		n := mine[id].NewsletterID
		if n == 0 || state != digest.EditionSent && state != digest.EditionUnconfirmed {
			continue
		}
		d := of[n]
		d.Sent++
		of[n] = d
	}
	return of
}

// countReturn counts a hard bounce or a complaint for a newsletter. It ignores other kinds, and id 0.
func countReturn(ctx context.Context, c conn, now instant, id digest.NewsletterID, kind digest.BounceKind) error {
	var d newsletter.Day
	switch kind {
	case digest.HardBounce:
		d.Bounced = 1
	case digest.Complaint:
		d.Complained = 1
	}
	if id == 0 || d == (newsletter.Day{}) {
		return nil
	}
	return countDay(ctx, c, now, map[digest.NewsletterID]newsletter.Day{id: d})
}
