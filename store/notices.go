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

// tellGaps stores notices that posts of a feed may be missing, if none of the posts in its document was known.
// Otherwise there is no gap, so the feed does not become busy either.
func (r *recording) tellGaps(ctx context.Context) error {
	found := make(map[*polled]bool)
	for _, p := range r.fresh {
		found[p.poll] = true
	}
	var n notices
	for _, p := range r.polls {
		switch {
		case p.Gap == nil:
		case p.first || p.overlaps || !found[p]:
			p.notBusy()
		default:
			n.add(p.Feed, digest.NoticeGap, *p.Gap)
		}
	}
	return n.save(ctx, r.c)
}

// tellOverQuota stores notices that posts of feeds wait because of a quota.
func (r *recording) tellOverQuota(ctx context.Context) error {
	var n notices
	for _, p := range r.polls {
		if p.tellsWaiting {
			n.add(p.Feed, digest.NoticeWaiting, digest.Gap{})
		}
	}
	return n.save(ctx, r.c)
}

// notBusy resets BusyInterval and the extra poll that was queued for it. A feed with SkipHours or SkipDays stays
// queued, because this may be its last poll before a midnight.
func (p *polled) notBusy() {
	p.Feed.BusyInterval = p.Was.BusyInterval
	if p.Feed.BusyInterval == 0 && !p.again && p.Feed.SkipHours == 0 && p.Feed.SkipDays == 0 {
		p.Feed.PollAt = time.Time{}
	}
}

// notices holds notices about feeds, for all their readers.
type notices struct{ values }

func (n *notices) add(f digest.Feed, kind digest.NoticeKind, gap digest.Gap) {
	n.Row(f.ID, kind, f.Title, f.URL, gap.From, from(gap.To))
}

// isTold selects the digests d whose readers get notices about their feeds. For a newsletter, only its publishers get
// them, by email.
const isTold = `d.newsletter_id IS NULL`

// save stores the notices for the readers' next editions. Paused readers get them after the pause. A pause without an
// end brings none of its posts later, so its reader gets no notice of a gap. A gap starts no earlier than the
// subscription, and two gaps before one midnight become one.
func (n *notices) save(ctx context.Context, c conn) error {
	if err := n.saveForPublishers(ctx, c); err != nil {
		return err
	}
	return c.RunRows(ctx, &n.values,
		`INSERT INTO notices (digest_id, visible_at, feed_id, kind, title, url, from_at, to_at)
			WITH v (feed_id, kind, title, url, from_at, to_at) AS (VALUES {rows})
			SELECT s.digest_id, d.next_due_at, v.feed_id, v.kind, CASE WHEN s.title <> '' THEN s.title
			ELSE v.title END, v.url,
				CASE WHEN v.from_at > 0 AND s.created_at > v.from_at THEN s.created_at ELSE v.from_at END, v.to_at
			FROM v CROSS JOIN subscriptions s CROSS JOIN digests d
			WHERE s.feed_id = v.feed_id AND s.paused = 0 AND d.id = s.digest_id AND `+isTold+`
			AND (`+gathers+` AND (v.to_at = 0 OR s.created_at < v.to_at) OR d.state = 'paused' AND v.to_at = 0)
			ORDER BY s.digest_id, v.feed_id
			ON CONFLICT (digest_id, visible_at, feed_id, kind) DO UPDATE SET
				from_at = CASE WHEN excluded.from_at < notices.from_at THEN excluded.from_at ELSE notices.from_at END,
				to_at = CASE WHEN excluded.to_at > notices.to_at THEN excluded.to_at ELSE notices.to_at END`)
}

const noticeColumns = `n.digest_id, n.feed_id, n.kind, n.title, n.url, n.moved_to, n.illness, n.from_at AS "from",
	n.to_at AS "to"`

// tellMove stores notices that a feed has moved to another site. A notice names the address at which the reader
// subscribed, if it is only one. Readers who subscribed at the new address get no notice.
func (r *recording) tellMove(ctx context.Context, p *polled) error {
	if !p.Arrival.Abroad {
		return nil
	}
	if err := r.tellPublishersOfMove(ctx, p); err != nil {
		return err
	}
	return r.c.Run(ctx, `INSERT INTO notices (digest_id, visible_at, feed_id, kind, title, url, moved_to)
		SELECT s.digest_id, d.next_due_at, s.feed_id, CAST(? AS TEXT), CASE WHEN s.title <> '' THEN s.title
		ELSE CAST(? AS TEXT) END,
			CASE WHEN s.address LIKE '%' || `+aLine+` || `+aLine+` || '%' THEN CAST(? AS TEXT)
			ELSE replace(s.address, `+aLine+`, '') END, CAST(? AS TEXT)
		FROM subscriptions s JOIN digests d ON d.id = s.digest_id WHERE s.feed_id = ? AND s.paused = 0 AND `+isTold+`
		AND (`+gathers+` OR d.state = 'paused')
		AND replace(s.address, ?, '') = s.address
		ORDER BY s.digest_id ON CONFLICT (digest_id, visible_at, feed_id, kind) DO UPDATE
		SET moved_to = excluded.moved_to`,
		digest.NoticeMoved, cmp.Or(p.Was.Title, p.Feed.Title), p.stored.URL, p.Feed.URL, p.Feed.ID,
		listed(p.Feed.URL))
}

type noticeRow struct {
	digest.Notice
	EditionID digest.EditionID
	Carried   carriage
	VisibleAt instant
}

// noticesOf reads the notices of parts into told, ordered by feed. Of each kind and feed it keeps one notice: the
// edition's own, otherwise the first that the edition carries.
func (s *database) noticesOf(ctx context.Context, parts []part, told map[digest.EditionID][]digest.Notice) error {
	if len(parts) == 0 {
		return nil
	}
	v := partRows(parts)
	var rows []noticeRow
	err := s.read().AllRows(ctx, &rows, &v, `WITH v (edition_id, digest_id, due_at, carried) AS (VALUES {rows})
		SELECT v.edition_id, v.carried, n.visible_at,
			`+noticeColumns+` FROM v CROSS JOIN notices n
		WHERE n.digest_id = v.digest_id AND n.visible_at = v.due_at`)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b noticeRow) int {
		return cmp.Or(cmp.Compare(a.EditionID, b.EditionID), cmp.Compare(a.FeedID, b.FeedID),
			cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Carried, b.Carried), cmp.Compare(a.VisibleAt, b.VisibleAt))
	})
	changes, err := s.changesIn(ctx, rows)
	for i, r := range rows {
		if i > 0 && r.repeats(rows[i-1]) {
			continue
		}
		if x, ok := changes[-int64(r.FeedID)]; ok {
			r.FeedID, r.Change = 0, &x
		}
		told[r.EditionID] = append(told[r.EditionID], r.Notice)
	}
	for _, p := range parts {
		if p.Carried == partListed {
			told[p.EditionID] = append(told[p.EditionID], p.notice())
		}
	}
	return err
}

// changesIn returns the changes by links that notices report, by their keys.
func (s *database) changesIn(ctx context.Context, rows []noticeRow) (map[int64]digest.LinkChange, error) {
	var ids []int64
	for _, r := range rows {
		if r.Kind == digest.NoticeChanged {
			ids = append(ids, -int64(r.FeedID))
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	found, err := readRows[digest.LinkChange](ctx, s.read(), "", `SELECT `+
		linkChangeColumns+` FROM link_changes x WHERE x.id`+s.d.OneOf, ids)
	changes := make(map[int64]digest.LinkChange, len(found))
	for _, x := range found {
		changes[x.ID] = x
	}
	return changes, err
}

// notice returns the notice that an earlier edition did not reach its reader.
func (p part) notice() digest.Notice {
	return digest.Notice{
		DigestID: p.DigestID, Kind: digest.NoticeUndelivered, Edition: p.FromID, LocalDate: p.LocalDate,
		Unconfirmed: p.State == digest.EditionUnconfirmed,
	}
}

// repeats reports whether r has the same feed and kind as the notice before it in an edition. Gaps never repeat.
func (r noticeRow) repeats(before noticeRow) bool {
	return r.EditionID == before.EditionID && r.FeedID == before.FeedID && r.Kind == before.Kind &&
		r.Kind != digest.NoticeGap
}

// Notices returns the notices of editions by the edition's key, ordered by feed, with the notices that an edition
// carries. Editions without notices are absent.
func (s Editions) Notices(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.Notice,
	error) {
	told := make(map[digest.EditionID][]digest.Notice)
	for some := range slices.Chunk(editions, db.StatementRows) {
		parts, err := s.partsOf(ctx, some)
		if err == nil {
			err = s.noticesOf(ctx, parts, told)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the editions' notices: %w", err)
		}
	}
	return told, nil
}

// WaitingNotices returns the notices that the digest's next edition would have now.
func (s Editions) WaitingNotices(ctx context.Context, id digest.DigestID) ([]digest.Notice, error) {
	told := make(map[digest.EditionID][]digest.Notice, 1)
	parts, err := s.waitingParts(ctx, id)
	if err == nil {
		err = s.noticesOf(ctx, parts, told)
	}
	return told[0], failed("reading the waiting notices", err)
}
