package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"digest"
	"digest/store/db"
)

// keepDomains is how long a domain is stored after it last limited us.
const keepDomains = 30 * 24 * time.Hour

// paces maps the names of domains and IP addresses to their paces. Package poller decides how responses change them.
type paces map[string]digest.DomainPace

const paceColumns = `m.limited_at, m.limits, m.since, m.good, m.pace, m.free_at`

// readPaces returns the paces of the domains m that where selects.
func readPaces(ctx context.Context, c conn, where string, args ...any) (paces, error) {
	var rows []struct {
		Domain string
		digest.DomainPace
	}
	if err := c.All(ctx, &rows, `SELECT m.domain, `+paceColumns+` FROM domains m WHERE `+where, args...); err != nil {
		return nil, err
	}
	found := make(paces, len(rows))
	for _, d := range rows {
		found[d.Domain] = d.DomainPace
	}
	return found, nil
}

// pacedDomains returns the domains and addresses that are paced, usually an empty map.
func pacedDomains(ctx context.Context, c conn) (paces, error) {
	return readPaces(ctx, c, `m.pace > 0`)
}

// pacers returns the names by which a feed may be paced: its domain and its address.
func pacers(domain, address string) []string {
	names := []string{domain, address}
	return slices.Compact(slices.DeleteFunc(names, func(name string) bool { return name == "" }))
}

// of returns the names by which a feed is paced.
func (p paces) of(domain, address string) []string {
	return slices.DeleteFunc(pacers(domain, address), func(name string) bool { return p[name].Pace == 0 })
}

// has reports whether a feed is paced.
func (p paces) has(f askRow) bool { return len(p) > 0 && len(p.of(f.Domain, f.Address)) > 0 }

func (p paces) freeAt(domain, address string) instant {
	return max(at(p[domain].FreeAt), at(p[address].FreeAt))
}

// notYetFree lists the domains and addresses that no feed may be polled at now.
func (p paces) notYetFree(now instant) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(p)) {
		if p[name].FreeAt.After(now.Time()) {
			names = append(names, name)
		}
	}
	return names
}

// lockDomains locks the paces of the candidates, in the order of names. It removes the candidates whose domain or
// address another worker has locked first.
func (q *claiming) lockDomains(ctx context.Context, found []askRow, paced paces) ([]askRow, error) {
	var names []string
	for _, f := range found {
		names = append(names, paced.of(f.Domain, f.Address)...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		now, err := readPaces(ctx, q.c, `m.domain = ?`+q.c.d.ForUpdate, name)
		if err != nil {
			return nil, err
		}
		paced[name] = now[name]
	}
	return slices.DeleteFunc(found, func(f askRow) bool { return paced.freeAt(f.Domain, f.Address) > q.now }), nil
}

// delayDomains stores when the domain and the address of a leased feed may be polled again.
func (q *claiming) delayDomains(ctx context.Context, won []askRow, paced paces) error {
	for _, f := range won {
		for _, name := range paced.of(f.Domain, f.Address) {
			free := q.attempt.Plus(paced[name].Pace)
			if err := q.c.Run(ctx, `UPDATE domains SET free_at = ? WHERE domain = ?`, free, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// pace changes the paces of domains and addresses by the results of their polls.
func (r *recording) pace(ctx context.Context) error {
	known, err := readPaces(ctx, r.c, `m.pace > 0 OR m.limits > 0`)
	if err != nil {
		return err
	}
	changed := make(map[string]bool)
	for _, p := range r.polls {
		for _, name := range pacers(db.Clean(p.Feed.Domain), p.Feed.Address) {
			if r.c.policy.PaceDomain(known[name], p.Feed, r.now.Time()) != known[name] {
				changed[name] = true
			}
		}
	}
	if len(changed) == 0 {
		return nil
	}
	names := slices.Sorted(maps.Keys(changed))
	var v values
	for _, name := range names {
		v.Row(name)
	}
	// A second worker waits here and then reads what the first has written.
	if err := r.c.RunRows(ctx, &v,
		`INSERT INTO domains (domain) VALUES {rows} ON CONFLICT (domain) DO NOTHING`); err != nil {
		return err
	}
	paced, err := readPaces(ctx, r.c, `m.domain IN (`+r.c.d.Names+`) ORDER BY m.domain`+r.c.d.LockRows("m"),
		names)
	if err != nil {
		return err
	}
	refusing := make(map[string]map[string]bool)
	for _, p := range r.polls {
		if err := r.paceBy(ctx, p.Feed, paced, refusing); err != nil {
			return err
		}
	}
	return savePaces(ctx, r.c, paced)
}

// paceBy changes the locked paces by the poll of a feed. refusing holds the domains of this recording that refuse
// polls, by address. A paced domain does not slow its address further.
func (r *recording) paceBy(ctx context.Context, f digest.Feed, paced paces, refusing map[string]map[string]bool) error {
	domain := db.Clean(f.Domain)
	for _, name := range pacers(domain, f.Address) {
		was, ok := paced[name]
		if !ok {
			continue
		}
		is := r.c.policy.PaceDomain(was, f, r.now.Time())
		if name != domain && is.LimitedAt.Equal(r.now.Time()) && is != was {
			if refusing[name] == nil {
				refusing[name] = make(map[string]bool)
			}
			refusing[name][domain] = true
			switch {
			case paced[domain].Pace > 0 && was.Pace > 0:
				is = was
			case was.Pace == 0 && is.Pace > 0:
				isPlatform, err := r.isPlatform(ctx, name, refusing[name])
				if err != nil {
					return err
				}
				if !isPlatform {
					is.Pace, is.FreeAt = 0, was.FreeAt
				}
			}
		}
		paced[name] = is
	}
	return nil
}

// isPlatform reports whether to pace an address, by its hosts and the domains there that refuse polls. refusing holds
// the refusing domains of this recording.
func (r *recording) isPlatform(ctx context.Context, address string, refusing map[string]bool) (bool, error) {
	hosts, err := r.c.Number(ctx, `SELECT count(DISTINCT host) FROM feeds WHERE address = ? AND address <> ''`, address)
	if err != nil {
		return false, err
	}
	var before []string
	err = r.c.All(ctx, &before, `SELECT DISTINCT f.domain FROM feeds f JOIN feed_times t ON t.feed_id = f.id
		WHERE f.address = ? AND f.address <> '' AND f.last_status IN (429, 503) AND t.last_attempt_at >= ?`,
		address, r.now.Plus(-time.Hour))
	domains := len(refusing)
	for _, domain := range before {
		if !refusing[domain] {
			domains++
		}
	}
	return r.c.policy.IsPlatform(hosts, domains), err
}

func savePaces(ctx context.Context, c conn, domains paces) error {
	var v values
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		d := domains[domain]
		v.Row(domain, d.LimitedAt, d.Limits, d.Since, d.Good, d.Pace, d.FreeAt)
	}
	return c.RunRows(ctx, &v, `WITH v (domain, limited_at, limits, since, good, pace, free_at) AS (VALUES {rows})
		UPDATE domains
		SET limited_at = v.limited_at, limits = v.limits, since = v.since, good = v.good, pace = v.pace,
			free_at = v.free_at
		FROM v WHERE domains.domain = v.domain`)
}

// pruneDomains deletes domains and addresses that have not limited us for a long time.
func (s *database) pruneDomains(ctx context.Context, now time.Time) error {
	return s.run(ctx, "", `DELETE FROM domains WHERE limited_at < ? AND free_at <= ?`, at(now).Plus(-keepDomains),
		now)
}
