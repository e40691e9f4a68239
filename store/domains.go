package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"digest"
)

// keepDomains is how long a domain is remembered that limits us no more.
const keepDomains = 30 * 24 * time.Hour

// paces are the paces of some registrable domains; package poller says how its
// answers change them.
type paces map[string]digest.DomainPace

// readPaces gives the paces of domains m; where says of which.
func readPaces(ctx context.Context, c conn, where string, args ...any) (paces, error) {
	var rows []struct {
		Domain string
		digest.DomainPace
	}
	if err := c.all(ctx, &rows, `SELECT m.domain, m.limited_at, m.limited_feed, m.pace, m.free_at FROM domains m WHERE `+where, args...); err != nil {
		return nil, err
	}
	found := make(paces, len(rows))
	for _, d := range rows {
		found[d.Domain] = d.DomainPace
	}
	return found, nil
}

// pacedDomains gives the domains that are paced: few, at most times none.
func pacedDomains(ctx context.Context, c conn) (paces, error) {
	return readPaces(ctx, c, `m.pace > 0`)
}

// has reports whether a domain is paced.
func (p paces) has(domain string) bool {
	_, ok := p[domain]
	return ok
}

// notYetFree lists the domains of which nothing may be asked now.
func (p paces) notYetFree(now instant) (domains []string) {
	for _, domain := range slices.Sorted(maps.Keys(p)) {
		if p[domain].FreeAt.After(now.time()) {
			domains = append(domains, domain)
		}
	}
	return domains
}

func (q *claiming) paces(ctx context.Context) (paces, error) {
	if !q.Pace {
		return nil, nil
	}
	return pacedDomains(ctx, q.c)
}

// lockDomains locks the paced domains of candidates, in their order, and leaves out
// the candidates for whose domain another worker was first.
func (q *claiming) lockDomains(ctx context.Context, found []askRow, paced paces) ([]askRow, error) {
	var domains []string
	for _, f := range found {
		if paced.has(f.Domain) {
			domains = append(domains, f.Domain)
		}
	}
	slices.Sort(domains)
	claimedElsewhere := make(map[string]bool)
	for _, domain := range domains {
		now, err := readPaces(ctx, q.c, `m.domain = ?`+q.c.d.forUpdate, domain)
		if err != nil {
			return nil, err
		}
		paced[domain] = now[domain]
		claimedElsewhere[domain] = now[domain].FreeAt.After(q.now.time())
	}
	return slices.DeleteFunc(found, func(f askRow) bool { return claimedElsewhere[f.Domain] }), nil
}

// delayDomains writes that a domain of which a feed was leased is free again after
// its pace.
func (q *claiming) delayDomains(ctx context.Context, won []askRow, paced paces) error {
	for _, f := range won {
		d, ok := paced[f.Domain]
		if !ok || d.Pace == 0 {
			continue
		}
		if _, err := q.c.exec(ctx, `UPDATE domains SET free_at = ? WHERE domain = ?`, q.attempt.plus(d.Pace), f.Domain); err != nil {
			return err
		}
	}
	return nil
}

// pace lets the polls slow their domains down, or let them go again.
func (r *recording) pace(ctx context.Context) error {
	paced, err := pacedDomains(ctx, r.c)
	if err != nil {
		return err
	}
	changed := make(map[string]bool)
	for _, p := range r.polls {
		domain := clean(p.Feed.Domain)
		if domain != "" && r.c.policy.PaceDomain(paced[domain], p.Feed, r.now.time()) != paced[domain] {
			changed[domain] = true
		}
	}
	if len(changed) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(changed))
	var v values
	for _, domain := range names {
		v.row(domain)
	}
	// Whoever comes second waits here, and then sees what the first has written.
	if err := r.c.runRows(ctx, &v, `INSERT INTO domains (domain) VALUES {rows} ON CONFLICT (domain) DO NOTHING`); err != nil {
		return err
	}
	paced, err = readPaces(ctx, r.c, `m.domain IN (`+r.c.d.names+`) ORDER BY m.domain`+r.c.d.lockRows("m"), array(names))
	if err != nil {
		return err
	}
	for _, p := range r.polls {
		if domain := clean(p.Feed.Domain); changed[domain] {
			paced[domain] = r.c.policy.PaceDomain(paced[domain], p.Feed, r.now.time())
		}
	}
	return savePaces(ctx, r.c, paced)
}

func savePaces(ctx context.Context, c conn, domains paces) error {
	var v values
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		d := domains[domain]
		v.row(domain, at(d.LimitedAt), d.LimitedFeed, seconds(d.Pace), at(d.FreeAt))
	}
	return c.runRows(ctx, &v, `WITH v (domain, limited_at, limited_feed, pace, free_at) AS (VALUES {rows})
		UPDATE domains SET limited_at = v.limited_at, limited_feed = v.limited_feed, pace = v.pace, free_at = v.free_at
		FROM v WHERE domains.domain = v.domain`)
}

// pruneDomains forgets domains that have not limited us for long.
func (s *Store) pruneDomains(ctx context.Context, now time.Time) error {
	return s.run(ctx, "", `DELETE FROM domains WHERE limited_at < ? AND free_at <= ?`, at(now).plus(-keepDomains), at(now))
}
