package store

import (
	"context"
	"strings"
	"time"

	"digest"
)

// longestHostRule is the longest interval a rule may name. Who wants a host
// asked even less can unsubscribe from it.
const longestHostRule = 366 * 24 * time.Hour

// SetHostRule makes a rule for a host and all below it, in place of the one it
// had, and gives the number of feeds that it now holds for: those below a host
// with a rule of its own keep that one. Feeds that are in the queue before the
// rule lets them be asked leave it, to be asked at a later midnight.
func (s *Store) SetHostRule(ctx context.Context, r HostRule, now time.Time) (feeds int, err error) {
	if r.Interval < time.Second || r.Interval > longestHostRule {
		return 0, invalid("a feed is asked at most every %v and at least once in %d days; an example: 48h",
			time.Second, longestHostRule/(24*time.Hour))
	}
	err = s.changeAlone(ctx, "setting a rule for "+r.Host, func(c conn) error {
		_, err := c.exec(ctx, `INSERT INTO host_rules (host, every, created_at) VALUES (?, ?, ?)
			ON CONFLICT (host) DO UPDATE SET every = excluded.every`, r.Host, seconds(r.Interval), at(now))
		if err != nil {
			return err
		}
		if err := applyRules(ctx, c, r.Host); err != nil {
			return err
		}
		return c.get(ctx, &feeds, `SELECT count(*) FROM feeds f WHERE f.merged_into = 0 AND `+atOrBelow+`
			AND NOT EXISTS (SELECT 1 FROM host_rules r WHERE r.host <> ? AND r.host LIKE ? ESCAPE '\'
				AND (f.host = r.host OR f.host LIKE '%.' || REPLACE(r.host, '_', '\_') ESCAPE '\'))`,
			r.Host, below(r.Host), r.Host, below(r.Host))
	})
	return feeds, err
}

// HostRules gives all rules by their hosts.
func (s *Store) HostRules(ctx context.Context) ([]HostRule, error) {
	return readRows[HostRule](ctx, s.read(), "reading the rules for hosts", `SELECT host, every AS interval FROM host_rules ORDER BY host`)
}

// DropHostRule ends the rule for a host; digest.NotFound if there is none.
func (s *Store) DropHostRule(ctx context.Context, host string) error {
	return s.changeAlone(ctx, "dropping the rule for "+host, func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM host_rules WHERE host = ?`, host)
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

// ruleFor is the interval that the rules name for the feed f: of the rules for
// its host and those above, the nearest; 0 if there is none.
const ruleFor = `COALESCE((SELECT r.every FROM host_rules r
	WHERE f.host = r.host OR f.host LIKE '%.' || REPLACE(r.host, '_', '\_') ESCAPE '\'
	ORDER BY LENGTH(r.host) DESC LIMIT 1), 0)`

// applyRules brings the feeds of a host, and of all below it, up to the rules.
// Those that are queued before their rule lets them be asked leave the queue.
// Those that wait in it for something else stay: whoever queued them, such as a
// ping or a new reader, does not do so again (I3).
func applyRules(ctx context.Context, c conn, host string) error {
	if _, err := c.exec(ctx, `UPDATE feeds AS f SET host_interval = `+ruleFor+` WHERE `+atOrBelow, host, below(host)); err != nil {
		return err
	}
	if err := refreshAskable(ctx, c, atOrBelow, host, below(host)); err != nil {
		return err
	}
	return unqueue(ctx, c, atOrBelow+`
		AND f.host_interval > 0 AND t.last_attempt_at > 0 AND t.poll_at < t.last_attempt_at + f.host_interval`, host, below(host))
}

// followRules gives feeds the interval that the operator's rules name for their
// hosts, which are new to them.
func followRules(ctx context.Context, c conn, ids []digest.FeedID) error {
	if len(ids) == 0 {
		return nil
	}
	if _, err := c.exec(ctx, `UPDATE feeds AS f SET host_interval = `+ruleFor+` WHERE f.id`+c.d.oneOf, keys(c.d, ids)); err != nil {
		return err
	}
	return refreshAskable(ctx, c, `f.id`+c.d.oneOf, keys(c.d, ids))
}

// A HostRule is what the operator has decided for a host and all below it.
type HostRule struct {
	Host     string        // lower case, without port
	Interval time.Duration // between two polls of one feed, at least
}
