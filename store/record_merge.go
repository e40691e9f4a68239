package store

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"digest"
)

// A holder is the feed at an address to which another feed has moved.
type holder struct {
	ID       digest.FeedID
	URL      string
	ParsedAt instant
	LastOKAt instant
	digest.QuotaUse
	moves bool // it moves too, in this batch
}

// move merges feeds that have moved permanently into the feeds at their new addresses, so that all posts of a feed
// were read at its address (I9). If no feed has the new address, the moved feed takes it, provided that it stays
// within its site or that all its posts were read there.
func (r *recording) move(ctx context.Context) error {
	holders, err := r.holders(ctx)
	if err != nil {
		return err
	}
	for _, p := range r.polls {
		if err := r.sendBack(ctx, p); err != nil {
			return err
		}
		if p.Feed.URL == p.stored.URL {
			continue
		}
		h, occupied := holders[p.Feed.URL]
		changes := !occupied
		if changes {
			if changes, err = r.mayChangeAddress(ctx, p); err != nil {
				return err
			}
		}
		switch {
		case changes:
			holders[p.Feed.URL] = holder{moves: true}
			if err := r.changeAddress(ctx, p); err != nil {
				return err
			}
		case h.moves, p.Feed.Errors > 0: // another feed has the address now, and nothing was read there
			p.moveLater()
		case !p.Arrival.Read:
			p.moveLater()
			p.Feed.ValidatorsDoubted = true // so that the next poll reads the whole document
		default:
			address := p.Feed.URL
			if holders[address], err = r.settle(ctx, p.Feed); err != nil {
				return err
			}
			if !occupied {
				err = r.inherit(ctx, p, holders[address].ID)
			}
			if err == nil {
				err = r.merge(ctx, p, holders[address])
			}
			if err != nil {
				return err
			}
		}
	}
	return r.noteFormer(ctx)
}

// mayChangeAddress reports whether a feed may take a new address that no other feed has: it stays within its site, or
// none of its posts was read elsewhere.
func (r *recording) mayChangeAddress(ctx context.Context, p *polled) (bool, error) {
	if !p.Arrival.Abroad || p.Feed.Errors > 0 {
		return true, nil
	}
	n, err := r.c.Number(ctx,
		`SELECT count(*) FROM (SELECT 1 FROM posts WHERE feed_id = ? AND read_address <> ? LIMIT 1) p`, p.Feed.ID,
		p.Feed.URL)
	return n == 0, err
}

// changeAddress records where the posts of a feed with a new address were read, and where its readers subscribed.
// Another spelling of an address is the same address.
func (r *recording) changeAddress(ctx context.Context, p *polled) error {
	if p.Arrival.Rename || p.Feed.Errors > 0 {
		return nil
	}
	for _, step := range []func(context.Context, *polled) error{r.noteSubscribed, r.tellMove, r.noteAddresses} {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// holders returns the feeds at the addresses to which others move, locked as Record locks its own.
func (r *recording) holders(ctx context.Context) (map[string]holder, error) {
	var addresses []string
	moving := make(map[digest.FeedID]bool)
	for _, p := range r.polls {
		if p.Feed.URL != p.stored.URL {
			addresses = append(addresses, p.Feed.URL)
			moving[p.Feed.ID] = true
		}
	}
	holders := make(map[string]holder)
	if len(addresses) == 0 {
		return holders, nil
	}
	var rows []holder
	err := r.c.All(ctx, &rows,
		`SELECT f.id, f.url, f.parsed_at, t.last_ok_at, f.quota_day, f.quota_bytes, f.posts_waiting FROM `+timedFeeds+`
		WHERE f.url IN (`+r.c.d.Names+`) ORDER BY f.id`+r.c.d.LockRows("f, t"), addresses)
	for _, h := range rows {
		h.moves = moving[h.ID]
		holders[h.URL] = h
	}
	return holders, err
}

// moveLater keeps a feed at its address until its next poll reports the move again. The feed at the new address has
// only just arrived there, or is moving itself.
func (p *polled) moveLater() {
	if p.Feed.Errors == 0 {
		p.Feed.MovedTo, p.Feed.MovedSince = p.Feed.URL, p.stored.MovedSince.Time()
	}
	p.Feed.MovedFrom, p.Feed.MovedAt = p.Was.MovedFrom, p.Was.MovedAt
	p.Feed.URL, p.Feed.Host = p.stored.URL, p.stored.Host
}

// inherit gives a feed that was created for a move the record, the document and the number of the moved feed. Sites
// know a feed by this number.
func (r *recording) inherit(ctx context.Context, p *polled, heir digest.FeedID) error {
	h := &polled{Polled: Polled{Feed: p.Feed}, stored: p.stored, listedAt: r.now}
	h.Feed.ID, h.Feed.MovedFrom, h.Feed.MovedAt = heir, "", time.Time{}
	r.heirs = append(r.heirs, h)
	if err := r.c.Run(ctx, `UPDATE feeds SET number = ? WHERE id = ?`, cmp.Or(p.Feed.Number, p.Feed.ID),
		heir); err != nil {
		return err
	}
	return r.c.Run(ctx, `UPDATE bodies SET feed_id = ? WHERE feed_id = ?`, heir, p.Feed.ID)
}

// merge merges a feed into the one at its new address. Both are one document, which this poll has read and which is
// not polled again within the gap (I5). The merged feed keeps its posts for the editions that show them, and its
// waiting posts are delivered (I3).
func (r *recording) merge(ctx context.Context, p *polled, into holder) error {
	if err := r.share(ctx, p, into); err != nil {
		return err
	}
	if err := r.dropTwins(ctx, p.Feed.ID, into); err != nil {
		return err
	}
	if err := r.noteSubscribed(ctx, p); err != nil {
		return err
	}
	if err := r.tellMove(ctx, p); err != nil {
		return err
	}
	from, to := p.Feed.ID, into.ID
	for _, s := range []struct {
		statement string
		args      []any
	}{
		// Of two subscriptions the one to the remaining feed stays, unless it is paused and the other is not. It gets
		// the addresses of both.
		{`INSERT INTO subscriptions (digest_id, feed_id, title, folder, display, most, extras, leads, roll_up, trial_until,
			trial_ends, trial_asked, created_at, paused, paused_for, paused_until, address)
			SELECT s.digest_id, CAST(? AS BIGINT), s.title, s.folder, s.display, s.most, s.extras, s.leads,
			s.roll_up, s.trial_until, s.trial_ends, s.trial_asked, s.created_at, s.paused, s.paused_for,
			s.paused_until, ` + plainly(`replace(s.address, ?, '`+ownAddress+`')`) + `
			FROM subscriptions s WHERE s.feed_id = ? ORDER BY s.digest_id ON CONFLICT (digest_id, feed_id) DO UPDATE
			SET leads = CASE WHEN excluded.leads = 1 THEN 1 ELSE subscriptions.leads END,
				address = ` + plainly(bothAddresses) + `, paused = CASE WHEN ` + awake + ` THEN 0
				ELSE subscriptions.paused END,
				paused_for = CASE WHEN ` + awake + ` THEN 0 ELSE subscriptions.paused_for END,
				paused_until = CASE WHEN ` + awake + ` THEN 0 ELSE subscriptions.paused_until END,
				title = CASE WHEN ` + awake + ` THEN excluded.title ELSE subscriptions.title END,
				folder = CASE WHEN ` + awake + ` THEN excluded.folder ELSE subscriptions.folder END,
				display = CASE WHEN ` + awake + ` THEN excluded.display ELSE subscriptions.display END,
				most = CASE WHEN ` + awake + ` THEN excluded.most ELSE subscriptions.most END,
				roll_up = CASE WHEN ` + awake + ` THEN excluded.roll_up ELSE subscriptions.roll_up END,
				trial_until = CASE WHEN ` + awake + ` THEN excluded.trial_until ELSE subscriptions.trial_until END,
				trial_ends = CASE WHEN ` + awake + ` THEN excluded.trial_ends ELSE subscriptions.trial_ends END,
				trial_asked = CASE WHEN ` + awake + ` THEN excluded.trial_asked ELSE subscriptions.trial_asked END,
				extras = CASE WHEN ` + awake + ` THEN excluded.extras ELSE subscriptions.extras END,
				created_at = CASE WHEN ` + awake + ` THEN excluded.created_at ELSE subscriptions.created_at END`,
			[]any{to, listed(into.URL), listed(into.URL), from}},
		{keepFormer(`s.feed_id = ?`), []any{from}},
		{`DELETE FROM subscriptions WHERE feed_id = ?`, []any{from}},
		{`UPDATE former_addresses SET feed_id = ? WHERE feed_id = ?`, []any{to, from}},
		{`INSERT INTO former_addresses (url, feed_id, since) VALUES (?, ?, ?) ON CONFLICT (url) DO UPDATE
			SET feed_id = excluded.feed_id, since = excluded.since`,
			[]any{p.stored.URL, to, r.now}},
		{`UPDATE feeds SET merged_into = ? WHERE id = ? OR merged_into = ?`, []any{to, from, from}},
		// The document at the new address belongs to the other record.
		{`DELETE FROM bodies WHERE feed_id = ?`, []any{from}},
		{`INSERT INTO polls (feed_id, at, outcome, status, requests, bytes, millis, note, unchanged)
			SELECT CAST(? AS BIGINT), p.at, p.outcome, p.status, p.requests, p.bytes, p.millis, p.note, p.unchanged
			FROM polls p
			WHERE p.feed_id = ? ORDER BY p.at ON CONFLICT (feed_id, at) DO NOTHING`, []any{to, from}},
		{`DELETE FROM polls WHERE feed_id = ?`, []any{from}},
		// The feed answers there, so it is active again.
		{`UPDATE feeds SET state = 'active', errors = 0, first_error_at = 0, failing_since = 0, gone_at = 0
			WHERE id = ?`, []any{to}},
		{`UPDATE feed_times SET last_attempt_at = CASE WHEN last_attempt_at < ? THEN ? ELSE last_attempt_at END,
			poll_at = CASE WHEN lease_token = '' THEN NULL ELSE poll_at END WHERE feed_id = ?`,
			[]any{r.now, r.now, to}},
	} {
		if err := r.c.Run(ctx, s.statement, s.args...); err != nil {
			return fmt.Errorf("merging a feed that moved: %w", err)
		}
	}
	if err := moveFilters(ctx, r.c, from, to); err != nil {
		return fmt.Errorf("merging the filters of a feed that moved: %w", err)
	}
	p.end(into.URL, r.now.Time())
	r.mergedInto = append(r.mergedInto, to)
	return dropWaitingNotices(ctx, r.c, []digest.FeedID{from, to}, `'sick', 'dead'`)
}

// awake is true if the remaining subscription is paused and the merged one (excluded) is not.
const awake = `subscriptions.paused = 1 AND excluded.paused = 0`

// bothAddresses lists the addresses of two subscriptions that are merged.
const bothAddresses = `CASE WHEN subscriptions.address = '' OR excluded.address = ''
	OR replace(subscriptions.address || excluded.address, '` + ownAddress + `', '')
		<> subscriptions.address || excluded.address
	THEN '` + ownAddress + `' ELSE '' END || replace(subscriptions.address || excluded.address, '` +
	ownAddress + `', '')`

func (r *recording) moved() []digest.FeedID {
	var ids []digest.FeedID
	for _, p := range r.polls {
		if p.Feed.URL != p.stored.URL {
			ids = append(ids, p.Feed.ID)
		}
	}
	return ids
}

// end sets the record of a merged feed. Its address gets a fragment, which no address in normal form has, so that
// another feed can have the old address.
func (p *polled) end(address string, now time.Time) {
	p.Feed.MovedFrom, p.Feed.MovedAt = p.stored.URL, now
	p.Feed.URL, p.Feed.Host = fmt.Sprintf("%s#%d", p.stored.URL, p.Feed.ID), p.stored.Host
	p.Feed.State, p.Feed.PollAt, p.Feed.PostsWaiting = digest.FeedGone, time.Time{}, 0
	p.Feed.LastError = "moved to " + address + ", where another feed is already; both are one now"
	p.Feed.MovedTo, p.Feed.MovedSince = address, p.stored.MovedSince.Time()
}

// share stores the posts that were just read at the new address as posts of the feed there, as a poll of it would. No
// other post of the moved feed appears under that feed (I9). Its readers get them as new posts.
func (r *recording) share(ctx context.Context, p *polled, into holder) error {
	target := &polled{Polled: Polled{Feed: digest.Feed{ID: into.ID, QuotaUse: into.QuotaUse}, Posts: p.Arrival.Posts,
		Windowed: p.Windowed}, first: into.ParsedAt == 0, storedFor: p.Feed.ID}
	target.Listed = each(target.Posts, func(post digest.Post) string { return post.Identity })
	if !target.first {
		target.readBefore = into.LastOKAt
	}
	s := recording{c: r.c, now: r.now, accounts: r.accounts}
	s.addPoll(target)
	if err := s.match(ctx); err != nil {
		return err
	}
	s.known = nil // stored posts do not change
	if err := steps(ctx, s.judge, s.admit, s.insert, s.hide); err != nil {
		return err
	}
	if err := r.noteUse(ctx, target); err != nil {
		return err
	}
	ids := each(s.fresh, func(p *incoming) digest.PostID { return p.id })
	if err := r.dropShared(ctx, p.Feed.ID, into.URL, ids); err != nil {
		return err
	}
	if err := r.bringGenuine(ctx, p, into); err != nil || into.ParsedAt != 0 {
		return err
	}
	if err := r.c.Run(ctx, `UPDATE feeds SET parsed_at = ?, listed_at = ? WHERE id = ?`, r.now, r.now,
		into.ID); err != nil {
		return err
	}
	return r.c.Run(ctx, `UPDATE feed_times SET last_ok_at = ? WHERE feed_id = ?`, r.now, into.ID)
}

// dropShared deletes the hidden rows of share for digests that have the post from the moved feed: read at that
// address, or identical. It names the midnights for which the posts wait, so that it need not search all posts of
// these digests.
func (r *recording) dropShared(ctx context.Context, from digest.FeedID, address string, ids []digest.PostID) error {
	if len(ids) == 0 {
		return nil
	}
	return r.c.Run(ctx, `DELETE FROM digest_posts WHERE (digest_id, visible_at, post_id) IN (
		SELECT s.digest_id, d.next_due_at, q.id FROM subscriptions s JOIN digests d ON d.id = s.digest_id
		CROSS JOIN posts q
			JOIN posts p ON p.feed_id = s.feed_id AND p.identity = q.identity
		WHERE s.feed_id = ? AND s.paused = 0 AND q.id IN (`+list(ids)+`) AND (p.read_address = ?
			OR p.url = q.url AND p.title = q.title AND p.summary = q.summary AND p.content = q.content))`, from,
		address)
}

// bringGenuine adds posts at the new address for the readers of a moving feed who had another post with the same
// identity. Its title and text must differ, and it must not be much older than the move: then the feed had used an
// identity of the feed at the new address. With the same title it is an edit. Otherwise readers would get each post
// twice if a site moves and changes its footer.
func (r *recording) bringGenuine(ctx context.Context, p *polled, into holder) error {
	var changed []digest.PostID
	for _, k := range r.known {
		if k.poll == p {
			changed = append(changed, k.id)
		}
	}
	if len(changed) == 0 || p.stored.MovedSince == 0 {
		return nil
	}
	var ids []digest.PostID
	err := r.c.All(ctx, &ids, `SELECT q.id FROM posts p JOIN posts q ON q.feed_id = ? AND q.identity = p.identity
		WHERE p.id IN (`+list(changed)+`) AND p.read_address <> ? AND p.title <> q.title
		AND p.content_hash <> q.content_hash
		AND p.seen_at >= ? ORDER BY q.id`, into.ID, into.URL, p.stored.MovedSince.Plus(-Recent))
	if err != nil || len(ids) == 0 {
		return err
	}
	n, err := r.c.Exec(ctx, `INSERT INTO digest_posts (digest_id, visible_at, post_id) SELECT s.digest_id,
		d.next_due_at, q.id
		FROM subscriptions s JOIN digests d ON d.id = s.digest_id CROSS JOIN posts q
		WHERE s.feed_id = ? AND s.paused = 0 AND (q.extra = 0 OR (q.extra & s.extras) <> 0) AND `+gathers+`
		AND q.id IN (`+list(ids)+`)
		AND NOT EXISTS (SELECT 1 FROM subscriptions b WHERE b.digest_id = s.digest_id AND b.feed_id = ?
		AND b.paused = 0)
		ORDER BY s.digest_id, q.id`, p.Feed.ID, into.ID)
	r.hidden += n
	if err != nil {
		return err
	}
	return showNow(ctx, r.c, ids, r.now)
}

// dropTwins deletes the waiting posts of a feed for readers who have had the same post from the other feed, wait for
// it, or have it filtered. It examines only recent editions, because the feeds are one document only since the move
// was first seen.
func (r *recording) dropTwins(ctx context.Context, from digest.FeedID, into holder) error {
	return r.c.Run(ctx, `DELETE FROM digest_posts WHERE (digest_id, visible_at, post_id) IN (
		SELECT w.digest_id, w.visible_at, w.post_id
		FROM subscriptions a JOIN subscriptions b ON b.digest_id = a.digest_id AND b.feed_id = ?
		JOIN digests d ON d.id = a.digest_id
		JOIN digest_posts w ON w.digest_id = d.id AND w.visible_at = d.next_due_at
		JOIN posts p ON p.id = w.post_id AND p.feed_id = a.feed_id
		JOIN posts q ON q.feed_id = b.feed_id AND q.identity = p.identity
		WHERE a.feed_id = ? AND a.paused = 0 AND b.paused = 0
		AND (p.read_address = ? OR p.title = q.title OR p.content_hash = q.content_hash) AND (
			EXISTS (SELECT 1 FROM digest_posts h WHERE h.digest_id = d.id AND h.visible_at >= ? AND h.post_id = q.id)
			OR EXISTS (SELECT 1 FROM filtered_posts h WHERE h.digest_id = d.id AND h.due_at >= ?
			AND h.post_id = q.id)))`,
		into.ID, from, into.URL, r.now.Plus(-shownGrace), r.now.Plus(-shownGrace))
}

// noteFormer stores the addresses that feeds move away from.
func (r *recording) noteFormer(ctx context.Context) error {
	var v values
	for _, p := range r.polls {
		if p.Feed.URL != p.stored.URL && p.Feed.State != digest.FeedGone {
			v.Row(p.stored.URL, p.Feed.ID, r.now)
		}
	}
	return r.c.RunRows(ctx, &v, `INSERT INTO former_addresses (url, feed_id, since) VALUES {rows}
			ON CONFLICT (url) DO UPDATE SET feed_id = excluded.feed_id, since = excluded.since`)
}

// dropMirrored deletes the new posts of a feed that redirects to another feed, for readers of both. They get them
// from the other feed (I4), as long as it works.
func (r *recording) dropMirrored(ctx context.Context) error {
	for _, p := range r.polls {
		// merge handles a permanent move.
		if p.ReadAt == "" || p.ReadAt == p.stored.URL || p.Feed.URL != p.stored.URL {
			continue
		}
		var ids []digest.PostID
		for _, f := range r.fresh {
			if f.poll == p {
				ids = append(ids, f.id)
			}
		}
		if len(ids) == 0 {
			continue
		}
		n, err := r.c.Exec(ctx, `DELETE FROM digest_posts WHERE post_id IN (`+list(ids)+`)
			AND visible_at = (SELECT d.next_due_at FROM digests d WHERE d.id = digest_posts.digest_id)
			AND digest_id IN (SELECT s.digest_id FROM subscriptions s JOIN feeds f ON f.id = s.feed_id
				WHERE s.paused = 0 AND f.url = ? AND f.id <> ? AND f.state = 'active' AND f.errors = 0
				AND f.parsed_at > 0)`, p.ReadAt, p.Feed.ID)
		if err != nil {
			return err
		}
		r.hidden -= n
	}
	return nil
}
