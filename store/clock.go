package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/calendar"
)

// PutRight corrects instants that lie further in the future than a correct clock could have set them. A fast clock or
// a command with --now leaves such instants. The Policy corrects the instants of feeds. Package calendar corrects the
// instants of schedules. PutRight returns the corrections and stores them for the operator; see ClockNote.
//
// It writes only if something is wrong, so it may run at every start and every hour. If now itself is not believable,
// it changes nothing.
func (s *Store) PutRight(ctx context.Context, now time.Time) (digest.ClockNote, error) {
	note := digest.ClockNote{At: at(now).time()}
	if err := s.Policy.check(); err != nil || !calendar.Believable(now) {
		return note, failed("looking for wrong instants", err)
	}
	for _, part := range []struct {
		n    *int
		what string
		put  func(context.Context, time.Time) (int, error)
	}{
		{&note.Others, "times that lie too far ahead", s.putColumnsRight},
		{&note.Others, "stays", s.putStaysRight},
		{&note.Hosts, "hosts", s.putHostsRight},
		{&note.Digests, "digests", s.putDigestsRight},
		{&note.Feeds, "feeds", s.putFeedsRight}, // after the digests: it needs to know which midnights have passed
		{&note.Editions, "editions", s.putMailRight},
	} {
		n, err := part.put(ctx, now)
		*part.n += n
		if err != nil {
			return note, fmt.Errorf("correcting %s: %w", part.what, err)
		}
	}
	if !note.Any() {
		return note, nil
	}
	return note, s.noteClock(ctx, note)
}

const clockKey = "clock note"

func (s *Store) noteClock(ctx context.Context, note digest.ClockNote) error {
	value, err := json.Marshal(note)
	if err != nil {
		return fmt.Errorf("storing the corrections: %w", err)
	}
	return s.change(ctx, "noting what was put right", func(c conn) error { return c.setSetting(ctx, clockKey, value) })
}

// ClockNote returns the last corrections of PutRight. At is zero if it never corrected anything.
func (s *Store) ClockNote(ctx context.Context) (note digest.ClockNote, err error) {
	value, err := s.read().setting(ctx, clockKey)
	if err != nil || value == nil {
		return note, failed("reading what was put right", err)
	}
	if err := json.Unmarshal(value, &note); err != nil {
		return note, fmt.Errorf("reading the corrections: %w", err)
	}
	return note, nil
}

// A bound is the furthest that the instants of a column may lie in the future.
type bound struct {
	table, column string
	most          time.Duration
	where         string // condition for the rows to check; empty: all
	wait          string // SQL for the corrected distance from now, in seconds; empty: most
}

const oneDay = 24 * time.Hour

// bounds returns the bounds of columns that depend on no others. Package web sets how long links and sessions work.
func bounds() []bound {
	return []bound{
		{table: "sign_in_tokens", column: "expires_at", most: oneDay},
		{table: "sessions", column: "expires_at", most: 91 * oneDay},
		{table: "sign_ups", column: "expires_at", most: oneDay},
		{table: "invitations", column: "expires_at", most: 14 * oneDay},
		{table: "operator_links", column: "expires_at", most: oneDay},
		{table: "address_changes", column: "expires_at", most: oneDay},
		{table: "address_changes", column: "created_at"},
		{table: "passkey_challenges", column: "expires_at", most: 5 * time.Minute},
		{table: "letter_requests", column: "requested_at"},
		{table: "letter_requests", column: "sent_at"},
		{table: "refusals", column: "not_before", most: 7 * oneDay},
		{table: "robots", column: "fetched_at"},
		{table: "bounces", column: "at"},
		{table: "digests", column: "paused_until", most: 400 * oneDay, where: `state = 'paused' AND paused_until > 0`},
		{table: "digests", column: "paused_at", where: `paused_at > 0`},
		{table: "digests", column: "paused_to", where: `paused_at > 0`},
		{table: "hub_hosts", column: "quiet_until", most: digest.HubSilence},
	}
}

// LongestLife returns how long the links or sessions of a table may work; 0: no bound.
func LongestLife(table string) time.Duration {
	for _, b := range bounds() {
		if b.table == table && b.column == "expires_at" {
			return b.most
		}
	}
	return 0
}

// hostBounds returns the bounds of hosts, which are locked during and shortly after a poll, and of paced domains. The
// corrected wait is the shortest possible, because a midnight may have passed.
func hostBounds() []bound {
	return []bound{
		{table: "hosts", column: "lease_until", most: leaseMost, where: `token <> ''`},
		{table: "hosts", column: "lease_until", most: leaseMost, where: `token = ''`, wait: `0`},
		{table: "domains", column: "free_at", most: time.Hour, wait: `pace`},
		{table: "domains", column: "limited_at"},
	}
}

func mailBounds() []bound {
	return []bound{
		{table: "mail_claims", column: "lease_until", most: leaseMost},
		{table: "mail_claims", column: "at"},
	}
}

// leaseMost is the longest lease: a feed and its host.
const leaseMost = 15 * time.Minute

func (s *Store) putColumnsRight(ctx context.Context, now time.Time) (int, error) {
	return s.putBoundsRight(ctx, now, bounds())
}

func (s *Store) putHostsRight(ctx context.Context, now time.Time) (int, error) {
	return s.putBoundsRight(ctx, now, hostBounds())
}

func (s *Store) putBoundsRight(ctx context.Context, now time.Time, bounds []bound) (total int, err error) {
	for _, b := range bounds {
		most := at(now).plus(b.most)
		where := b.column + ` > ?`
		if b.where != "" {
			where += ` AND ` + b.where
		}
		wrong, err := s.read().number(ctx, `SELECT count(*) FROM (SELECT 1 FROM `+b.table+` WHERE `+where+` LIMIT 1) x`,
			most.plus(digest.ClockSlack))
		if err != nil || wrong == 0 {
			if err != nil {
				return total, err
			}
			continue
		}
		wait := b.wait
		if wait == "" {
			wait = fmt.Sprint(seconds(b.most))
		}
		err = s.change(ctx, "", func(c conn) error {
			n, err := c.exec(ctx, `UPDATE `+b.table+` SET `+b.column+` = CAST(? AS BIGINT) + `+wait+` WHERE `+
				where, at(now), most.plus(digest.ClockSlack))
			total += n
			return err
		})
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// putFeedsRight corrects feeds with instants beyond the limits of the Policy, and the instants of their posts.
func (s *Store) putFeedsRight(ctx context.Context, now time.Time) (int, error) {
	const far = 7 * oneDay // the smallest limit of the policy for not_before and poll_at; Honest decides
	late := at(now).plus(digest.ClockSlack)
	var ids []digest.FeedID
	err := s.read().all(ctx, &ids,
		`SELECT f.id FROM `+timedFeeds+` WHERE t.last_attempt_at > ? OR t.last_ok_at > ? OR f.parsed_at > ?
			OR f.pinged_at > ?
		OR f.gone_at > ? OR f.moved_since > ? OR f.moved_at > ? OR f.first_error_at > ? OR f.failing_since > ?
		OR f.listed_at > ?
		OR t.lease_until > ? OR t.fresh_until > ? OR t.not_before > ? OR f.head_retest_at > ?
		OR t.poll_at > ? ORDER BY f.id`,
		late, late, late, late, late, late, late, late, late, late,
		late.plus(leaseMost), late.plus(oneDay), late.plus(far), late.plus(90*oneDay), late.plus(far))
	if err != nil {
		return 0, err
	}
	return changeInParts(ctx, s, "", ids, func(c conn, part []digest.FeedID) (int, error) {
		return putFeedsRight(ctx, c, part, now)
	})
}

func putFeedsRight(ctx context.Context, c conn, ids []digest.FeedID, now time.Time) (changed int, err error) {
	var feeds []digest.Feed
	if err := c.all(ctx, &feeds, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE f.id IN (`+
		list(ids)+`) ORDER BY f.id`+c.d.lockRows("f, t")); err != nil {
		return 0, err
	}
	var wanted []digest.FeedID
	err = c.all(ctx, &wanted, `SELECT DISTINCT s.feed_id FROM subscriptions s JOIN digests d ON d.id = s.digest_id
		WHERE s.feed_id IN (`+list(ids)+`) AND s.paused = 0 AND (`+
		unplanned+` AND d.next_due_at <= ? OR d.next_poll_at > 0 AND d.next_poll_at <= ?)`,
		at(now), at(now))
	if err != nil {
		return 0, err
	}
	for _, was := range feeds {
		f := c.policy.Honest(was, slices.Contains(wanted, was.ID), now)
		n, err := c.exec(ctx, `UPDATE feeds SET parsed_at = ?, newest_at = ?, pinged_at = ?,
			first_error_at = ?, failing_since = ?, gone_at = ?, moved_since = ?, moved_at = ?,
			head_retest_at = ?, listed_at = CASE WHEN listed_at > ? THEN ? ELSE listed_at END
			WHERE id = ? AND (listed_at > ? OR `+fmt.Sprint(bit(f != was))+` = 1)`,
			at(f.ParsedAt), at(f.NewestAt), at(f.PingedAt),
			at(f.FirstErrorAt), at(f.FailingSince), at(f.GoneAt), at(f.MovedSince), at(f.MovedAt), at(f.HeadRetestAt),
			at(now), at(now), f.ID, at(now).plus(digest.ClockSlack))
		if err == nil {
			err = c.run(ctx, `UPDATE feed_times SET last_attempt_at = ?, last_ok_at = ?, lease_until = ?,
				fresh_until = ?,
				not_before = ?, poll_at = NULLIF(CAST(? AS BIGINT), 0) WHERE feed_id = ?`,
				at(f.LastAttemptAt), at(f.LastOKAt), at(f.LeaseUntil), at(f.FreshUntil), at(f.NotBefore), at(f.PollAt),
				f.ID)
		}
		if err != nil {
			return 0, err
		}
		changed += n
	}
	if err := refreshAskable(ctx, c, `f.id`+c.d.oneOf, keys(c.d, ids)); err != nil {
		return 0, err
	}
	if _, err := tellWaiting(ctx, c, ids); err != nil {
		return 0, err
	}
	return changed, putPostsRight(ctx, c, ids, now)
}

// longestBack bounds how far back posts are moved. If the difference is larger, now itself is probably wrong, and
// prune would delete the posts as too old.
const longestBack = 400 * oneDay

// putPostsRight sets instants of posts that lie after now to now.
func putPostsRight(ctx context.Context, c conn, feeds []digest.FeedID, now time.Time) error {
	for _, column := range []string{"seen_at", "listed_at", "shown_at"} {
		err := c.run(ctx, `UPDATE posts SET `+column+` = ? WHERE feed_id IN (`+list(feeds)+`) AND `+column+` > ? AND `+
			column+` < ?`,
			at(now), at(now).plus(digest.ClockSlack), at(now).plus(longestBack))
		if err != nil {
			return err
		}
	}
	return nil
}

// putStaysRight moves readers back whose trip a fast clock began, and reschedules time zone changes that are too late.
func (s *Store) putStaysRight(ctx context.Context, now time.Time) (int, error) {
	var ids []digest.UserID
	if err := s.read().all(ctx, &ids, `SELECT DISTINCT user_id FROM trips ORDER BY user_id`); err != nil {
		return 0, err
	}
	return changeInParts(ctx, s, "", ids, func(c conn, part []digest.UserID) (moved int, err error) {
		for _, id := range part {
			wrong, err := strayed(ctx, c, id, now)
			if err == nil && wrong {
				moved++
				err = travel(ctx, c, id, now)
			}
			if err != nil {
				return 0, err
			}
		}
		return moved, nil
	})
}

// strayed reports whether a reader is on a trip that has not begun, or whether their next time zone change is too
// late.
func strayed(ctx context.Context, c conn, user digest.UserID, now time.Time) (bool, error) {
	var t traveller
	var travelAt time.Time
	found, err := c.find(ctx, &travelAt, `SELECT travel_at FROM users WHERE id = ?`, user)
	if err == nil && found {
		t, err = readTraveller(ctx, c, user)
	}
	if err != nil || !found {
		return false, err
	}
	w, err := calendar.Where(t.Home, t.stays, now.Add(digest.ClockSlack))
	if err != nil { // the time zone no longer exists; digest doctor reports it
		return false, nil
	}
	ahead := func(st digest.Stay) bool { return st.Begun && st.ID != w.Begun && !slices.Contains(w.Over, st.ID) }
	return slices.ContainsFunc(t.stays, ahead) || !w.Next.IsZero() && travelAt.After(w.Next.Add(time.Second)), nil
}
