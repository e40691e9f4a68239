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
)

// mostSiblings is how many siblings a GoneCase names at most.
const mostSiblings = 20

// A GoneCase is a feed that says 410, and other feeds of its host and port that
// are asked for somebody: what is needed to judge whether it is gone, or the
// host broken. Of many siblings those that tell most come first, and the rest
// is left out: the ones that do not say 410, and of these the last to answer well.
type GoneCase struct {
	Feed     digest.Feed
	Siblings []digest.Feed
}

// saidGone holds for feeds f whose last answer was 410, and of which it is not
// decided yet what that means. One in flight is about to answer again.
const saidGone = `f.gone_at > 0 AND f.state = 'active' AND f.last_status = 410 AND t.lease_until <= ?`

// SaidGone gives the feeds that say 410 and of which it is not decided yet
// whether they are gone.
func (s *Store) SaidGone(ctx context.Context, now time.Time) ([]GoneCase, error) {
	var rows []digest.Feed
	if err := s.read().all(ctx, &rows, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE `+saidGone+` ORDER BY f.id`,
		at(now)); err != nil {
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
	for part := range slices.Chunk(slices.Sorted(maps.Keys(hosts)), statementRows) {
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

// siblings adds the feeds of hosts to those of their sites, those that tell most first.
func (s *Store) siblings(ctx context.Context, hosts []string, sites map[string][]digest.Feed) error {
	var rows []digest.Feed
	err := s.read().all(ctx, &rows, `SELECT `+feedColumns+` FROM `+timedFeeds+`
		WHERE f.host IN (`+s.d.names+`) AND f.merged_into = 0 AND `+wanted, array(hosts))
	if err != nil {
		return err
	}
	slices.SortFunc(rows, func(a, b digest.Feed) int {
		return cmp.Or(cmp.Compare(bit(!a.GoneAt.IsZero()), bit(!b.GoneAt.IsZero())), b.LastOKAt.Compare(a.LastOKAt),
			cmp.Compare(a.ID, b.ID))
	})
	for _, r := range rows {
		sites[site(r.URL)] = append(sites[site(r.URL)], r)
	}
	return nil
}

// site is the host and port of an address in normal form.
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

// Retire makes feeds gone that say 410: nobody is subscribed to them any more,
// and who was is told in their next edition. What waits of their posts still
// goes out (I3). A feed that has answered otherwise since, or is in flight, is
// left alone. It gives the number of digests that lost a subscription.
func (s *Store) Retire(ctx context.Context, now time.Time, ids []digest.FeedID) (digests int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	return changed(ctx, s, "retiring feeds that are gone", func(c conn) (int, error) {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
			return 0, err
		}
		return retire(ctx, c, at(now), ids)
	})
}

func retire(ctx context.Context, c conn, now instant, ids []digest.FeedID) (digests int, err error) {
	var rows []digest.Feed
	err = c.all(ctx, &rows, `SELECT `+feedColumns+` FROM `+timedFeeds+` WHERE f.id IN (`+list(ids)+`) AND `+saidGone+`
		ORDER BY f.id`+c.d.lockRows("f, t"), now)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	var n notices
	for _, r := range rows {
		n.add(r, digest.NoticeGone, digest.Gap{})
	}
	gone := list(each(rows, func(r digest.Feed) digest.FeedID { return r.ID }))
	// Whoever has paused it loses it too, and is told as well.
	if _, err := c.exec(ctx, `UPDATE subscriptions SET paused = 0, paused_for = 0 WHERE feed_id IN (`+
		gone+`) AND paused = 1`); err != nil {
		return 0, err
	}
	if err := n.save(ctx, c); err != nil {
		return 0, err
	}
	if err := c.get(ctx, &digests, `SELECT count(DISTINCT digest_id) FROM subscriptions WHERE feed_id IN (`+
		gone+`)`); err != nil {
		return 0, err
	}
	if _, err := tellWaiting(ctx, c, each(rows, func(r digest.Feed) digest.FeedID { return r.ID })); err != nil {
		return 0, err
	}
	if err := endSubscriptions(ctx, c, `s.feed_id IN (`+gone+`)`); err != nil {
		return 0, err
	}
	return digests, c.execEach(ctx, []string{
		// Without the subscription nothing leads from the feed to the editions that hold its posts: see frozen.
		`UPDATE posts SET frozen = 1 WHERE feed_id IN (` + gone + `) AND frozen = 0 AND shown_at > 0`,
		// A worker that comes back from the dead finds that its lease is over.
		`UPDATE feed_times SET poll_at = NULL, lease_token = '', lease_until = 0 WHERE feed_id IN (` + gone + `)`,
		`UPDATE feeds SET state = 'gone' WHERE id IN (` + gone + `)`,
	})
}

// FeedDue gives the next midnight, not before from, of the digests for which a
// feed is asked; zero: there are none. A midnight whose feeds have been queued, and that is still to be
// released, counts with the one after it: who polls now polls for that one.
func (s *Store) FeedDue(ctx context.Context, id digest.FeedID, from time.Time) (time.Time, error) {
	var rows []struct {
		NextDueAt time.Time
		Cadence   digest.Cadence
		PlannedAt time.Time // for this midnight; 0: not yet
		TimeZone  string
	}
	// Digests with one midnight are of zones that are alike: any user will do.
	err := s.read().all(ctx, &rows, `SELECT x.next_due_at, x.cadence, x.planned_at, u.time_zone FROM (
			SELECT `+askedAt+` AS next_due_at, d.cadence, MAX(CASE WHEN d.planned_due_at = `+askedAt+` THEN d.planned_at ELSE 0 END) AS planned_at,
				MIN(d.user_id) AS user_id FROM subscriptions s JOIN digests d ON d.id = s.digest_id WHERE s.feed_id = ? AND s.paused = 0 AND `+gathers+`
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
