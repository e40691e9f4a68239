package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"digest"
)

// A registrable domain whose feeds limit us one after the other is asked
// slowly, never blocked: two different feeds limited within pairWithin give it
// the pace firstPace, and each further pair doubles it; once none has been for
// pairWithin, each poll that goes well halves it, and below firstPace it ends.
const (
	pairWithin  = 10 * time.Minute
	firstPace   = time.Minute
	slowestPace = time.Hour

	// keepDomains is how long a domain is remembered that limits us no more.
	keepDomains = 30 * 24 * time.Hour
)

type domainRow struct {
	Domain      string        `db:"domain"`
	LimitedAt   instant       `db:"limited_at"`
	LimitedFeed digest.FeedID `db:"limited_feed"` // 0: the last limited one made a pair
	Pace        int64         `db:"pace"`         // seconds
	FreeAt      instant       `db:"free_at"`
}

const domainColumns = `m.domain, m.limited_at, m.limited_feed, m.pace, m.free_at`

// paces are the paced domains.
type paces map[string]domainRow

// pacedDomains gives the domains that are paced: few, at most times none.
func pacedDomains(ctx context.Context, c conn) (paces, error) {
	var rows []domainRow
	if err := c.all(ctx, &rows, `SELECT `+domainColumns+` FROM domains m WHERE m.pace > 0`); err != nil {
		return nil, err
	}
	paced := make(paces, len(rows))
	for _, d := range rows {
		paced[d.Domain] = d
	}
	return paced, nil
}

// resting lists the domains of which nothing may be asked now.
func (p paces) resting(now instant) *values {
	var v values
	for _, domain := range slices.Sorted(maps.Keys(p)) {
		if p[domain].FreeAt > now {
			v.row(domain)
		}
	}
	return &v
}

func (q claiming) paces(ctx context.Context) (paces, error) {
	if !q.Pace {
		return nil, nil
	}
	return pacedDomains(ctx, q.c)
}

// free locks the paced domains of candidates, in their order, and leaves out
// the candidates for whose domain another worker was first.
func (q claiming) free(ctx context.Context, found []candidate, paced paces) ([]candidate, error) {
	var domains []string
	for _, f := range found {
		if _, ok := paced[f.Domain]; ok {
			domains = append(domains, f.Domain)
		}
	}
	slices.Sort(domains)
	taken := make(map[string]bool)
	for _, domain := range domains {
		var d domainRow
		err := q.c.get(ctx, &d, `SELECT `+domainColumns+` FROM domains m WHERE m.domain = ?`+q.c.d.forUpdate, domain)
		if err != nil && !isNone(err) {
			return nil, err
		}
		taken[domain] = d.FreeAt > q.now
		paced[domain] = d
	}
	return slices.DeleteFunc(found, func(f candidate) bool { return taken[f.Domain] }), nil
}

// rest lets the paced domains of what was won rest for their pace.
func (q claiming) rest(ctx context.Context, won []candidate, paced paces) error {
	for _, f := range won {
		d, ok := paced[f.Domain]
		if !ok || d.Pace == 0 {
			continue
		}
		if _, err := q.c.exec(ctx, `UPDATE domains SET free_at = ? WHERE domain = ?`, q.attempt+instant(d.Pace), f.Domain); err != nil {
			return err
		}
	}
	return nil
}

// limited reports whether the site wants fewer requests: 429, or a 503 that
// named a time. The latter is no error of the feed, as its record shows.
func (p *polled) limited() bool {
	return p.Feed.LastStatus == 429 || p.Feed.LastStatus == 503 && p.Feed.Errors > 0 && p.Feed.FirstErrorAt.IsZero()
}

// pace lets the polls slow their domains down, or let them go again.
func (r *recording) pace(ctx context.Context) error {
	paced, err := pacedDomains(ctx, r.c)
	if err != nil {
		return err
	}
	touched := make(map[string]*domainRow)
	var fresh values
	for _, p := range r.polls {
		domain := clean(p.Feed.Domain)
		_, known := paced[domain]
		switch limited := p.limited(); {
		case domain == "" || !limited && (!known || p.Feed.Errors > 0) || touched[domain] != nil:
		default:
			touched[domain] = &domainRow{Domain: domain}
		}
	}
	if len(touched) == 0 {
		return nil
	}
	for _, domain := range slices.Sorted(maps.Keys(touched)) {
		fresh.row(domain)
	}
	// Whoever comes second waits here, and then sees what the first has written.
	if _, err := r.c.exec(ctx, `INSERT INTO domains (domain) VALUES `+fresh.String()+` ON CONFLICT (domain) DO NOTHING`, fresh.args...); err != nil {
		return err
	}
	var rows []domainRow
	if err := r.c.all(ctx, &rows, `SELECT `+domainColumns+` FROM domains m WHERE m.domain IN (VALUES `+fresh.String()+`)
		ORDER BY m.domain`+r.c.d.lockRows("m"), fresh.args...); err != nil {
		return err
	}
	for _, row := range rows {
		*touched[row.Domain] = row
	}
	for _, p := range r.polls {
		if d := touched[clean(p.Feed.Domain)]; d != nil {
			d.step(p, r.now)
		}
	}
	return r.savePaces(ctx, touched)
}

// step takes one poll into account. What was asked before the domain was last
// slowed down says nothing of the pace that it has now.
func (d *domainRow) step(p *polled, now instant) {
	if d.Pace > 0 && d.LimitedFeed == 0 && from(p.Feed.LastAttemptAt) <= d.LimitedAt {
		return
	}
	const first, slowest = int64(firstPace / time.Second), int64(slowestPace / time.Second)
	switch paired := d.LimitedFeed != 0 && d.LimitedFeed != p.Feed.ID && d.LimitedAt >= now.plus(-pairWithin); {
	case p.limited() && paired:
		d.Pace = min(max(2*d.Pace, first), slowest)
		d.LimitedAt, d.LimitedFeed = now, 0
		d.FreeAt = max(d.FreeAt, now+instant(d.Pace))
	case p.limited():
		d.LimitedAt, d.LimitedFeed = now, p.Feed.ID
	case p.Feed.Errors == 0 && d.Pace > 0 && now >= d.LimitedAt.plus(pairWithin):
		if d.Pace /= 2; d.Pace < first {
			d.Pace = 0
		}
		d.FreeAt = min(d.FreeAt, now+instant(d.Pace))
	}
}

func (r *recording) savePaces(ctx context.Context, domains map[string]*domainRow) error {
	var v values
	for _, domain := range slices.Sorted(maps.Keys(domains)) {
		d := domains[domain]
		v.row(d.Domain, d.LimitedAt, d.LimitedFeed, d.Pace, d.FreeAt)
	}
	return v.chunks(func(part *values) error {
		_, err := r.c.exec(ctx, `WITH v (domain, limited_at, limited_feed, pace, free_at) AS (VALUES `+part.String()+`)
			UPDATE domains SET limited_at = v.limited_at, limited_feed = v.limited_feed, pace = v.pace, free_at = v.free_at
			FROM v WHERE domains.domain = v.domain`, part.args...)
		return err
	})
}

// pruneDomains forgets domains that have not limited us for long.
func (s *Store) pruneDomains(ctx context.Context, now time.Time) error {
	return s.write(ctx, func(c conn) error {
		_, err := c.exec(ctx, `DELETE FROM domains WHERE limited_at < ? AND free_at <= ?`, at(now).plus(-keepDomains), at(now))
		return err
	})
}

// followRules gives feeds the interval that the operator's rules name for their
// hosts, which are new to them.
func followRules(ctx context.Context, c conn, ids []digest.FeedID) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := c.exec(ctx, `UPDATE feeds AS f SET host_interval = `+ruleFor+` WHERE f.id IN (`+list(ids)+`)`)
	return err
}
