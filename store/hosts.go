package store

import (
	"context"
	"strings"
	"time"

	"digest"
	"digest/store/db"
)

// longestHostRule is the longest interval of a rule. The operator can block a host to stop all polls.
const longestHostRule = 366 * 24 * time.Hour

// SetHostRule sets a rule for a host and all hosts below it, in place of an earlier one by the same side. It returns
// the number of affected feeds.
//
// An interval applies to feeds without a closer rule by that side. If the operator and the owner of a host both have
// rules, the longer interval applies. Feeds queued too early for it leave the queue until a later midnight. A block
// applies to all feeds: polls in flight are discarded, and the readers get a notice.
func (s Operator) SetHostRule(ctx context.Context, r digest.HostRule, now time.Time) (feeds int, err error) {
	if r.Blocked {
		r.Interval = 0
	} else if r.Interval < time.Second || r.Interval > longestHostRule {
		return 0, db.Invalid("a feed is asked at most every %v and at least once in %d days; an example: 48h",
			time.Second, longestHostRule/(24*time.Hour))
	}
	err = s.changeAlone(ctx, "setting a rule for "+r.Host, func(c conn) error {
		err := c.Run(ctx, `INSERT INTO host_rules (host, by_owner, blocked, interval, created_at)
			VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (host, by_owner) DO UPDATE SET blocked = excluded.blocked, interval = excluded.interval,
				created_at = CASE WHEN host_rules.blocked = excluded.blocked AND host_rules.interval = excluded.interval
					THEN host_rules.created_at ELSE excluded.created_at END`,
			r.Host, r.ByOwner, r.Blocked, r.Interval, now)
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

// concernedBy counts the feeds that a rule affects.
func concernedBy(ctx context.Context, c conn, r digest.HostRule) (int, error) {
	concerned := `SELECT count(*) FROM feeds f WHERE f.merged_into = 0 AND ` + atOrBelow
	if r.Blocked {
		return c.Number(ctx, concerned, r.Host, below(r.Host))
	}
	return c.Number(ctx, concerned+` AND NOT EXISTS (SELECT 1 FROM host_rules r WHERE r.by_owner = ? AND r.blocked = 0
			AND r.host <> ? AND r.host LIKE ? ESCAPE '\' AND `+ofRule+`)`,
		r.Host, below(r.Host), r.ByOwner, r.Host, below(r.Host))
}

// HostRules returns all rules, by host, the operator's first.
func (s Operator) HostRules(ctx context.Context) ([]digest.HostRule, error) {
	return readRows[digest.HostRule](ctx, s.read(), "reading the rules for hosts",
		`SELECT host, by_owner, blocked, interval, created_at FROM host_rules ORDER BY host, by_owner`)
}

// HostBlocks returns the rules that block hosts. It runs before requests, so it reads only these.
func (s Operator) HostBlocks(ctx context.Context) ([]digest.HostRule, error) {
	return readRows[digest.HostRule](ctx, s.read(), "reading which hosts are blocked",
		`SELECT host, by_owner, blocked, created_at FROM host_rules WHERE blocked = 1`)
}

// DropHostRule deletes the rule of the operator, or of the owner, for a host. It returns digest.NotFound if there is
// no such rule.
func (s Operator) DropHostRule(ctx context.Context, host string, byOwner bool) error {
	return s.changeAlone(ctx, "dropping the rule for "+host, func(c conn) error {
		none := notFound("there is no rule for %s; see: digest hosts", host)
		if err := c.RunOne(ctx, none, `DELETE FROM host_rules WHERE host = ? AND by_owner = ?`, host,
			byOwner); err != nil {
			return err
		}
		return applyRules(ctx, c, host)
	})
}

// atOrBelow holds for feeds f of a host and all hosts below it. Its arguments are the host and below(host).
const atOrBelow = `(f.host = ? OR f.host LIKE ? ESCAPE '\')`

// below returns a LIKE pattern for all hosts below a host.
func below(host string) string {
	return "%." + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(host)
}

// ofRule holds for feeds f on the host of a rule r or below it.
const ofRule = `(f.host = r.host OR f.host LIKE '%.' || REPLACE(r.host, '_', '\_') ESCAPE '\')`

// ruleFor is the interval for the feed f: the longer of the operator's and the owners' rule, each for the nearest host.
// It is 0 without a rule.
const ruleFor = `COALESCE((SELECT MAX(r.interval) FROM host_rules r WHERE ` + ofRule + `
	AND NOT EXISTS (SELECT 1 FROM host_rules n WHERE n.by_owner = r.by_owner AND n.blocked = 0
	AND LENGTH(n.host) > LENGTH(r.host)
		AND (f.host = n.host OR f.host LIKE '%.' || REPLACE(n.host, '_', '\_') ESCAPE '\'))), 0)`

// stateByRules is the state of a feed f by the rules, if it is neither dead nor gone.
const stateByRules = `COALESCE((SELECT CASE WHEN MAX(r.by_owner) = 1 THEN 'declined' ELSE 'blocked' END
	FROM host_rules r
	WHERE r.blocked = 1 AND ` +
	ofRule + ` HAVING count(*) > 0), CASE WHEN f.state = 'trial' THEN 'trial' ELSE 'active' END)`

// applyRules updates the feeds of a host and all hosts below it after a change of the rules. Feeds queued earlier than
// their rule allows leave the queue. Feeds queued for another reason remain, because a ping or a new reader does not
// queue them again (I3).
func applyRules(ctx context.Context, c conn, host string) error {
	if err := obeyRules(ctx, c, atOrBelow, host, below(host)); err != nil {
		return err
	}
	return unqueue(ctx, c, atOrBelow+`
		AND f.host_interval > 0 AND t.last_attempt_at > 0 AND t.poll_at < t.last_attempt_at + f.host_interval`, host,
		below(host))
}

// followRules applies the rules to new feeds.
func followRules(ctx context.Context, c conn, ids []digest.FeedID) error {
	if len(ids) == 0 {
		return nil
	}
	return obeyRules(ctx, c, `f.id`+c.d.OneOf, ids)
}

// obeyRules sets the intervals and states of feeds by the rules.
func obeyRules(ctx context.Context, c conn, where string, args ...any) error {
	if err := c.Run(ctx, `UPDATE feeds AS f SET host_interval = `+ruleFor+` WHERE `+where, args...); err != nil {
		return err
	}
	var changed []digest.Feed
	err := c.All(ctx, &changed, `UPDATE feeds AS f SET state = `+stateByRules+` WHERE `+where+`
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

// tellBlocks ends the polls of blocked feeds and adds notices for their readers. If a block has ended, it deletes
// notices that are not released yet.
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
	// A late worker finds that its lease has expired.
	err := c.Run(ctx, `UPDATE feed_times SET poll_at = NULL, lease_token = '', lease_until = 0 WHERE feed_id`+
		c.d.OneOf, ended)
	if err != nil {
		return err
	}
	_, err = tellWaiting(ctx, c, ended)
	return err
}
