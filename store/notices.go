package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// tellGaps tells the readers of feeds that posts may be missing, where nothing
// of a document was known, under no identity. A gap that is not believed does
// not make its feed busy either.
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

// tellOverQuota tells the readers of feeds that posts of them wait.
func (r *recording) tellOverQuota(ctx context.Context) error {
	var n notices
	for _, p := range r.polls {
		if p.tellsWaiting {
			n.add(p.Feed, digest.NoticeWaiting, digest.Gap{})
		}
	}
	return n.save(ctx, r.c)
}

// notBusy undoes BusyInterval and the extra poll queued for it. A feed that
// must not be asked at all hours may be queued for the last of them before a
// midnight, and keeps its place.
func (p *polled) notBusy() {
	p.Feed.BusyInterval = p.Was.BusyInterval
	if p.Feed.BusyInterval == 0 && !p.again && p.Feed.SkipHours == 0 && p.Feed.SkipDays == 0 {
		p.Feed.PollAt = time.Time{}
	}
}

// notices are what is to be told to the readers of feeds, whoever they are.
type notices struct{ values }

func (n *notices) add(f digest.Feed, kind digest.NoticeKind, gap digest.Gap) {
	n.row(f.ID, string(kind), f.Title, f.URL, at(gap.From), from(gap.To))
}

// isTold holds for digests d whose readers are told of their feeds. The feeds of a newsletter are its
// publisher's matter, and no letter comes for such news.
const isTold = `d.newsletter_id IS NULL`

// save makes the notices wait for their readers. Those who pause are told when
// they come back, but of no gap unless their pause has an end: else they get
// nothing of that time. A gap begins
// for nobody before they subscribed, and two gaps of a day are told as one.
func (n *notices) save(ctx context.Context, c conn) error {
	if err := n.saveForPublishers(ctx, c); err != nil {
		return err
	}
	return c.runRows(ctx, &n.values,
		`INSERT INTO notices (digest_id, visible_at, feed_id, kind, title, url, from_at, to_at)
			WITH v (feed_id, kind, title, url, from_at, to_at) AS (VALUES {rows})
			SELECT s.digest_id, d.next_due_at, v.feed_id, v.kind, CASE WHEN s.title <> '' THEN s.title ELSE v.title END, v.url,
				CASE WHEN v.from_at > 0 AND s.created_at > v.from_at THEN s.created_at ELSE v.from_at END, v.to_at
			FROM v CROSS JOIN subscriptions s CROSS JOIN digests d
			WHERE s.feed_id = v.feed_id AND s.paused = 0 AND d.id = s.digest_id AND `+isTold+`
			AND (`+gathers+` AND (v.to_at = 0 OR s.created_at < v.to_at) OR d.state = 'paused' AND v.to_at = 0)
			ORDER BY s.digest_id, v.feed_id
			ON CONFLICT (digest_id, visible_at, feed_id, kind) DO UPDATE SET
				from_at = CASE WHEN excluded.from_at < notices.from_at THEN excluded.from_at ELSE notices.from_at END,
				to_at = CASE WHEN excluded.to_at > notices.to_at THEN excluded.to_at ELSE notices.to_at END`)
}

// noticeColumns are those of a digest.Notice.
const noticeColumns = `n.digest_id, n.feed_id, n.kind, n.title, n.url, n.moved_to, n.illness, n.from_at AS "from", n.to_at AS "to"`

// tellMove tells the readers of a feed that it has moved to another site, while
// they are still its readers: from where they subscribed, if that is one address. Who
// subscribed at the new one is back there.
func (r *recording) tellMove(ctx context.Context, p *polled) error {
	if !p.Arrival.Abroad {
		return nil
	}
	if err := r.tellPublishersOfMove(ctx, p); err != nil {
		return err
	}
	return r.c.run(ctx, `INSERT INTO notices (digest_id, visible_at, feed_id, kind, title, url, moved_to)
		SELECT s.digest_id, d.next_due_at, s.feed_id, CAST(? AS TEXT), CASE WHEN s.title <> '' THEN s.title ELSE CAST(? AS TEXT) END,
			CASE WHEN s.address LIKE '%' || `+aLine+` || `+aLine+` || '%' THEN CAST(? AS TEXT) ELSE replace(s.address, `+aLine+`, '') END, CAST(? AS TEXT)
		FROM subscriptions s JOIN digests d ON d.id = s.digest_id WHERE s.feed_id = ? AND s.paused = 0 AND `+isTold+` AND (`+gathers+` OR d.state = 'paused')
		AND replace(s.address, ?, '') = s.address
		ORDER BY s.digest_id ON CONFLICT (digest_id, visible_at, feed_id, kind) DO UPDATE SET moved_to = excluded.moved_to`,
		string(digest.NoticeMoved), cmp.Or(p.Was.Title, p.Feed.Title), p.stored.URL, p.Feed.URL, p.Feed.ID,
		listed(p.Feed.URL))
}

// A noticeRow is a notice of a part.
type noticeRow struct {
	digest.Notice
	EditionID digest.EditionID
	Carried   carriage
	VisibleAt instant
}

// noticesOf reads what parts tell, in the order of feeds. Of a feed one notice
// of a kind is enough: the own one, or else the first that is carried.
func (s *Store) noticesOf(ctx context.Context, parts []part, told map[digest.EditionID][]digest.Notice) error {
	if len(parts) == 0 {
		return nil
	}
	v := partRows(parts)
	var rows []noticeRow
	err := s.read().allRows(ctx, &rows, &v, `WITH v (edition_id, digest_id, due_at, carried) AS (VALUES {rows})
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
func (s *Store) changesIn(ctx context.Context, rows []noticeRow) (map[int64]digest.LinkChange, error) {
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
		linkChangeColumns+` FROM link_changes x WHERE x.id`+s.d.oneOf, keys(s.d, ids))
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

// repeats reports whether a notice of one edition says what the one before said.
// Two gaps of a feed are two.
func (r noticeRow) repeats(before noticeRow) bool {
	return r.EditionID == before.EditionID && r.FeedID == before.FeedID && r.Kind == before.Kind &&
		r.Kind != digest.NoticeGap
}

// Notices gives what editions tell of feeds, by the edition's key, in the order
// of feeds; editions that tell nothing are left out. What an edition carries it
// tells too.
func (s *Store) Notices(ctx context.Context, editions []digest.Delivery) (map[digest.EditionID][]digest.Notice, error) {
	told := make(map[digest.EditionID][]digest.Notice)
	for some := range slices.Chunk(editions, statementRows) {
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

// WaitingNotices gives what the digest's next midnight would tell as things stand.
func (s *Store) WaitingNotices(ctx context.Context, id digest.DigestID) ([]digest.Notice, error) {
	told := make(map[digest.EditionID][]digest.Notice, 1)
	parts, err := s.waitingParts(ctx, id)
	if err == nil {
		err = s.noticesOf(ctx, parts, told)
	}
	return told[0], failed("reading the waiting notices", err)
}
