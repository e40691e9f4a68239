package store

import (
	"context"
	"strings"
	"time"

	"digest"
)

// longestHostRule is the longest interval a rule may name. Who wants a host
// asked even less can block it.
const longestHostRule = 366 * 24 * time.Hour

// SetHostRule makes a rule for a host and all below it, in place of the one it
// had from the same side, and gives the number of feeds that it concerns. An interval
// holds for those with no nearer rule from that side; of the operator's and the owner's
// the longer one counts. Feeds that are in the queue before it lets them be asked
// leave the queue, to be asked at a later midnight. A block holds for all of them: what is in
// flight is not stored, and their readers are told.
func (s *Store) SetHostRule(ctx context.Context, r digest.HostRule, now time.Time) (feeds int, err error) {
	if r.Blocked {
		r.Interval = 0
	} else if r.Interval < time.Second || r.Interval > longestHostRule {
		return 0, invalid("a feed is asked at most every %v and at least once in %d days; an example: 48h",
			time.Second, longestHostRule/(24*time.Hour))
	}
	err = s.changeAlone(ctx, "setting a rule for "+r.Host, func(c conn) error {
		_, err := c.exec(ctx, `INSERT INTO host_rules (host, by_owner, blocked, interval, created_at) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (host, by_owner) DO UPDATE SET blocked = excluded.blocked, interval = excluded.interval,
				created_at = CASE WHEN host_rules.blocked = excluded.blocked AND host_rules.interval = excluded.interval
					THEN host_rules.created_at ELSE excluded.created_at END`,
			r.Host, bit(r.ByOwner), bit(r.Blocked), seconds(r.Interval), at(now))
		if err != nil {
			return err
		}
		if err := applyRules(ctx, c, r.Host); err != nil {
			return err
		}
		feeds, err = concernedBy(ctx, c, r)
		return err
	})
	return feeds, err
}

// concernedBy counts the feeds for which a rule holds.
func concernedBy(ctx context.Context, c conn, r digest.HostRule) (int, error) {
	concerned := `SELECT count(*) FROM feeds f WHERE f.merged_into = 0 AND ` + atOrBelow
	if r.Blocked {
		return c.number(ctx, concerned, r.Host, below(r.Host))
	}
	return c.number(ctx, concerned+` AND NOT EXISTS (SELECT 1 FROM host_rules r WHERE r.by_owner = ? AND r.blocked = 0
			AND r.host <> ? AND r.host LIKE ? ESCAPE '\' AND `+ofRule+`)`,
		r.Host, below(r.Host), bit(r.ByOwner), r.Host, below(r.Host))
}

// HostRules gives all rules by their hosts, the operator's first.
func (s *Store) HostRules(ctx context.Context) ([]digest.HostRule, error) {
	return readRows[digest.HostRule](ctx, s.read(), "reading the rules for hosts",
		`SELECT host, by_owner, blocked, interval, created_at FROM host_rules ORDER BY host, by_owner`)
}

// HostBlocks gives the rules that block hosts. It is asked before requests, so that it reads nothing else.
func (s *Store) HostBlocks(ctx context.Context) ([]digest.HostRule, error) {
	return readRows[digest.HostRule](ctx, s.read(), "reading which hosts are blocked",
		`SELECT host, by_owner, blocked, created_at FROM host_rules WHERE blocked = 1`)
}

// DropHostRule ends the rule for a host that is the operator's, or its owner's;
// digest.NotFound if there is none.
func (s *Store) DropHostRule(ctx context.Context, host string, byOwner bool) error {
	return s.changeAlone(ctx, "dropping the rule for "+host, func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM host_rules WHERE host = ? AND by_owner = ?`, host, bit(byOwner))
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("there is no rule for %s; see: digest hosts", host)
		}
		return applyRules(ctx, c, host)
	})
}

// atOrBelow holds for feeds f of a host and of all below it; its arguments are
// the host and below(host).
const atOrBelow = `(f.host = ? OR f.host LIKE ? ESCAPE '\')`

// below matches the hosts below one.
func below(host string) string {
	return "%." + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(host)
}

// ofRule holds for feeds f for whose hosts there is a rule r, or for hosts above them.
const ofRule = `(f.host = r.host OR f.host LIKE '%.' || REPLACE(r.host, '_', '\_') ESCAPE '\')`

// ruleFor is the interval for the feed f: the longer of the operator's and the owners' rule, each for the nearest host.
// It is 0 without a rule.
const ruleFor = `COALESCE((SELECT MAX(r.interval) FROM host_rules r WHERE ` + ofRule + `
	AND NOT EXISTS (SELECT 1 FROM host_rules n WHERE n.by_owner = r.by_owner AND n.blocked = 0 AND LENGTH(n.host) > LENGTH(r.host)
		AND (f.host = n.host OR f.host LIKE '%.' || REPLACE(n.host, '_', '\_') ESCAPE '\'))), 0)`

// stateByRules is the state of a feed f that is neither dead nor gone, as the rules say.
const stateByRules = `COALESCE((SELECT CASE WHEN MAX(r.by_owner) = 1 THEN 'declined' ELSE 'blocked' END FROM host_rules r
	WHERE r.blocked = 1 AND ` +
	ofRule + ` HAVING count(*) > 0), CASE WHEN f.state = 'trial' THEN 'trial' ELSE 'active' END)`

// applyRules brings the feeds of a host, and of all below it, up to the rules.
// Those that are queued before their rule lets them be asked leave the queue.
// Those that wait in it for something else stay: whoever queued them, such as a
// ping or a new reader, does not do so again (I3).
func applyRules(ctx context.Context, c conn, host string) error {
	if err := obeyRules(ctx, c, atOrBelow, host, below(host)); err != nil {
		return err
	}
	return unqueue(ctx, c, atOrBelow+`
		AND f.host_interval > 0 AND t.last_attempt_at > 0 AND t.poll_at < t.last_attempt_at + f.host_interval`, host,
		below(host))
}

// followRules brings feeds up to the rules for their hosts, which are new to them.
func followRules(ctx context.Context, c conn, ids []digest.FeedID) error {
	if len(ids) == 0 {
		return nil
	}
	return obeyRules(ctx, c, `f.id`+c.d.oneOf, keys(c.d, ids))
}

// obeyRules gives feeds the intervals and the states that the rules name.
func obeyRules(ctx context.Context, c conn, where string, args ...any) error {
	if _, err := c.exec(ctx, `UPDATE feeds AS f SET host_interval = `+ruleFor+` WHERE `+where, args...); err != nil {
		return err
	}
	var changed []digest.Feed
	err := c.all(ctx, &changed, `UPDATE feeds AS f SET state = `+stateByRules+` WHERE `+where+`
		AND f.merged_into = 0 AND f.state IN ('active', 'trial', 'blocked', 'declined') AND f.state <> `+
		stateByRules+` RETURNING id, url, title, state`, args...)
	if err != nil {
		return err
	}
	if err := tellBlocks(ctx, c, changed); err != nil {
		return err
	}
	return refreshAskable(ctx, c, where, args...)
}

// tellBlocks ends what is under way at feeds that are blocked, and tells their readers; where a block has ended,
// those who were not told of it yet are not told.
func tellBlocks(ctx context.Context, c conn, changed []digest.Feed) error {
	var n notices
	var ended []digest.FeedID
	ids := each(changed, func(f digest.Feed) digest.FeedID { return f.ID })
	if len(ids) == 0 {
		return nil
	}
	for _, f := range changed {
		switch f.State {
		case digest.FeedDeclined:
			n.add(f, digest.NoticeDeclined, digest.Gap{})
		case digest.FeedBlocked:
			n.add(f, digest.NoticeBlocked, digest.Gap{})
		default:
			continue
		}
		ended = append(ended, f.ID)
	}
	if err := dropWaitingNotices(ctx, c, ids, `'blocked', 'declined'`); err != nil {
		return err
	}
	if err := n.save(ctx, c); err != nil || len(ended) == 0 {
		return err
	}
	// A worker that comes back with a poll finds that its lease is over.
	err := c.run(ctx, `UPDATE feed_times SET poll_at = NULL, lease_token = '', lease_until = 0 WHERE feed_id`+
		c.d.oneOf, keys(c.d, ended))
	if err != nil {
		return err
	}
	_, err = tellWaiting(ctx, c, ended)
	return err
}
