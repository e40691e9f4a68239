package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// mostSiblings is the maximum number of siblings in a GoneCase.
const mostSiblings = 20

// A GoneCase is a feed that answered 410, with other feeds of its host and port that have readers. They show whether
// the feed is gone or the host is broken. The siblings are sorted: first those that did not answer 410, then by their
// latest success. At most mostSiblings are included.
type GoneCase struct {
	Feed     digest.Feed
	Siblings []digest.Feed
}

// saidGone holds for feeds f whose last response was 410 and that are neither gone nor in flight.
const saidGone = `f.gone_at > 0 AND f.state = 'active' AND f.last_status = 410 AND t.lease_until <= ?`

// SaidGone returns the feeds that answered 410 and are not marked as gone yet.
func (s Feeds) SaidGone(ctx context.Context, now time.Time) ([]GoneCase, error) {
	var rows []digest.Feed
	if err := s.read().All(ctx, &rows, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE `+saidGone+` ORDER BY f.id`,
		now); err != nil {
		return nil, fmt.Errorf("looking for feeds that are gone: %w", err)
	}
	if len(rows) == 0 {
		return nil, nil
	}
	hosts := make(map[string]bool)
	for _, r := range rows {
		hosts[r.Host] = true
	}
	sites := make(map[string][]digest.Feed)
	for part := range slices.Chunk(slices.Sorted(maps.Keys(hosts)), db.StatementRows) {
		if err := s.siblings(ctx, part, sites); err != nil {
			return nil, fmt.Errorf("looking for the feeds beside one that is gone: %w", err)
		}
	}
	cases := make([]GoneCase, len(rows))
	for i, r := range rows {
		cases[i].Feed = r
		for _, f := range sites[site(r.URL)] {
			if f.ID != r.ID && len(cases[i].Siblings) < mostSiblings {
				cases[i].Siblings = append(cases[i].Siblings, f)
			}
		}
	}
	return cases, nil
}

// siblings adds the feeds of hosts to their sites, in the order of GoneCase.
func (s *database) siblings(ctx context.Context, hosts []string, sites map[string][]digest.Feed) error {
	var rows []digest.Feed
	err := s.read().All(ctx, &rows, `SELECT `+feedColumns+` FROM `+timedFeeds+`
		WHERE f.host IN (`+s.d.Names+`) AND f.merged_into = 0 AND `+wanted, hosts)
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b digest.Feed) int {
		return cmp.Or(cmp.Compare(db.Bit(!a.GoneAt.IsZero()), db.Bit(!b.GoneAt.IsZero())),
			b.LastOKAt.Compare(a.LastOKAt),
			cmp.Compare(a.ID, b.ID))
	})
	for _, r := range rows {
		sites[site(r.URL)] = append(sites[site(r.URL)], r)
	}
	return nil
}

// site returns the host and port of a normalized address.
func site(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Hostname()) + " " + port
}

// Retire marks feeds that answer 410 as gone. It ends all subscriptions to them, and the next edition of each reader
// has a notice. Hidden posts are still released (I3). It skips feeds that have answered otherwise since, or are in
// flight. It returns the number of digests that lost a subscription.
func (s Feeds) Retire(ctx context.Context, now time.Time, ids []digest.FeedID) (digests int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	return changed(ctx, s.database, "retiring feeds that are gone", func(c conn) (int, error) {
		if err := c.UntilCommit(ctx, s.d.LockShared); err != nil {
			return 0, err
		}
		return retire(ctx, c, at(now), ids)
	})
}

func retire(ctx context.Context, c conn, now instant, ids []digest.FeedID) (digests int, err error) {
	var rows []digest.Feed
	err = c.All(ctx, &rows, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE f.id IN (`+list(ids)+`) AND `+saidGone+`
		ORDER BY f.id`+c.d.LockRows("f, t"), now)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	var n notices
	for _, r := range rows {
		n.add(r, digest.NoticeGone, digest.Gap{})
	}
	gone := list(each(rows, func(r digest.Feed) digest.FeedID { return r.ID }))
	// Readers with a paused subscription also get the notice.
	if err := c.Run(ctx, `UPDATE subscriptions SET paused = 0, paused_for = 0 WHERE feed_id IN (`+
		gone+`) AND paused = 1`); err != nil {
		return 0, err
	}
	if err := n.save(ctx, c); err != nil {
		return 0, err
	}
	if err := c.Get(ctx, &digests, `SELECT count(DISTINCT digest_id) FROM subscriptions WHERE feed_id IN (`+
		gone+`)`); err != nil {
		return 0, err
	}
	if _, err := tellWaiting(ctx, c, each(rows, func(r digest.Feed) digest.FeedID { return r.ID })); err != nil {
		return 0, err
	}
	if err := endSubscriptions(ctx, c, `s.feed_id IN (`+gone+`)`); err != nil {
		return 0, err
	}
	return digests, c.ExecEach(ctx, []string{
		// Without subscriptions, no query finds the editions with these posts: see frozen.
		`UPDATE posts SET frozen = 1 WHERE feed_id IN (` + gone + `) AND frozen = 0 AND shown_at > 0`,
		// A late worker finds that its lease has expired.
		`UPDATE feed_times SET poll_at = NULL, lease_token = '', lease_until = 0 WHERE feed_id IN (` + gone + `)`,
		`UPDATE feeds SET state = 'gone' WHERE id IN (` + gone + `)`,
	})
}

// FeedDue returns the next midnight, not before from, of the digests that need the feed; zero: none. If the feeds of a
// midnight are already queued but it is not released, FeedDue uses the midnight after it, because a new poll serves
// that one.
func (s Feeds) FeedDue(ctx context.Context, id digest.FeedID, from time.Time) (time.Time, error) {
	var rows []struct {
		NextDueAt time.Time
		Cadence   digest.Cadence
		PlannedAt time.Time // for this midnight; zero: not planned
		TimeZone  string
	}
	// Digests with the same midnight have equivalent time zones, so any user serves.
	err := s.read().All(ctx, &rows, `SELECT x.next_due_at, x.cadence, x.planned_at, u.time_zone FROM (
			SELECT `+askedAt+` AS next_due_at, d.cadence, MAX(CASE WHEN d.planned_due_at = `+askedAt+` THEN d.planned_at
			ELSE 0 END) AS planned_at,
				MIN(d.user_id) AS user_id FROM subscriptions s JOIN digests d ON d.id = s.digest_id
				WHERE s.feed_id = ? AND s.paused = 0 AND `+gathers+`
			GROUP BY `+askedAt+`, d.cadence, d.planned_due_at) x
		JOIN users u ON u.id = x.user_id`, id)
	if err != nil {
		return time.Time{}, fmt.Errorf("finding a feed's next midnight: %w", err)
	}
	var due time.Time
	for _, r := range rows {
		loc, err := calendar.Zone(r.TimeZone)
		if err != nil {
			return time.Time{}, fmt.Errorf("finding a feed's next midnight: %w", err)
		}
		due = first(due, calendar.Upcoming(r.NextDueAt, r.PlannedAt, from, loc, calendar.Gathering(r.Cadence)).UTC())
	}
	return due, nil
}
