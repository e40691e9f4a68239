package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"digest"
)

// laneRow is a lane as it is stored. One that is well, has no limits of its own
// and has used up no rate has no row.
type laneRow struct {
	Name        string  `db:"name"`
	Connections int     `db:"connections"`
	Messages    int     `db:"messages"`
	Per         int64   `db:"per"`
	Width       int     `db:"width"`
	Pause       int64   `db:"pause"`
	UntilAt     instant `db:"until_at"`
	Failures    int     `db:"failures"`
	Alarm       bool    `db:"alarm"`
	Reason      string  `db:"reason"`
	ChangedAt   instant `db:"changed_at"`
	FreeUS      int64   `db:"free_us"` // see way
}

const laneColumns = `l.name, l.connections, l.messages, l.per, l.width, l.pause, l.until_at,
	l.failures, l.alarm, l.reason, l.changed_at, l.free_us`

func (r laneRow) lane() digest.Lane {
	return digest.Lane{
		Name:      r.Name,
		Limits:    digest.Limits{Connections: r.Connections, Rate: digest.Rate{Messages: r.Messages, Per: span(r.Per)}},
		Width:     r.Width,
		Pause:     span(r.Pause),
		Until:     r.UntilAt.time(),
		Failures:  r.Failures,
		Alarm:     r.Alarm,
		Reason:    r.Reason,
		ChangedAt: r.ChangedAt.time(),
	}
}

// unremarkable holds for lanes l of which nothing is to be said but how much of
// a rate they have used up.
const unremarkable = `l.connections = 0 AND l.messages = 0 AND l.width = 0 AND l.pause = 0 AND l.until_at = 0
	AND l.failures = 0 AND l.alarm = 0 AND l.reason = ''`

// laneName is the name of the lane of a domain as people write it.
func laneName(domain string) string {
	domain = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(domain), "."))
	if ascii, err := idna.Lookup.ToASCII(domain); err == nil {
		return ascii
	}
	return domain
}

// Lane gives a lane by its name, empty for the route. Most have nothing to be
// said of them: then it is the Lane of that name, and no more.
func (s *Store) Lane(ctx context.Context, name string) (digest.Lane, error) {
	r := laneRow{Name: laneName(name)}
	err := s.read().get(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`, r.Name)
	if err != nil && !isNone(err) {
		return digest.Lane{}, fmt.Errorf("reading the lane %q: %w", name, err)
	}
	return r.lane(), nil
}

// Lanes gives the lanes that have limits of their own, or trouble: the route
// first, then the domains by name.
func (s *Store) Lanes(ctx context.Context) ([]digest.Lane, error) {
	var rows []laneRow
	if err := s.read().all(ctx, &rows, `SELECT `+laneColumns+` FROM lanes l WHERE NOT (`+unremarkable+`) ORDER BY l.name`); err != nil {
		return nil, fmt.Errorf("reading the lanes: %w", err)
	}
	return keys(rows, laneRow.lane), nil
}

// ChangeLane hands a lane to change and stores what it makes of it, in one
// transaction in which nobody else can change it. Its name stays, and ChangedAt
// becomes now. change may be called more than once.
func (s *Store) ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (digest.Lane, error) {
	var l digest.Lane
	name = laneName(name)
	err := s.write(ctx, func(c conn) error {
		r, err := lockLane(ctx, c, name)
		if err != nil {
			return err
		}
		was := r.lane()
		if !was.Rests(now) && was.Until.After(now) { // a wrong clock's
			was.Until = time.Time{}
		}
		l = change(was)
		l.Name, l.ChangedAt = name, was.ChangedAt
		if l == was && !was.ChangedAt.IsZero() {
			return nil
		}
		l.ChangedAt = at(now).time()
		return storeLane(ctx, c, now, l)
	})
	if err != nil {
		return digest.Lane{}, fmt.Errorf("changing the lane %q: %w", name, err)
	}
	return l, nil
}

// SetLimits sets the operator's limits for a lane; zero ends the rule. What
// trouble the lane has stays as it is.
func (s *Store) SetLimits(ctx context.Context, now time.Time, name string, l digest.Limits) error {
	if strings.ContainsAny(name, "@/ ") {
		return invalid("limits are set for a domain such as example.org, not for %q", name)
	}
	if l.Connections < 0 || l.Messages < 0 || (l.Messages > 0) != (l.Per > 0) || l.Per%time.Second != 0 {
		return invalid("limits are so many messages at once, and a rate such as 100/m")
	}
	_, err := s.ChangeLane(ctx, now, name, func(lane digest.Lane) digest.Lane {
		lane.Limits = l
		return lane
	})
	return err
}

// lockLane makes sure that a lane has a row, and locks it.
func lockLane(ctx context.Context, c conn, name string) (laneRow, error) {
	var r laneRow
	if _, err := c.exec(ctx, `INSERT INTO lanes (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET name = excluded.name`, name); err != nil {
		return r, err
	}
	err := c.get(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`, name)
	return r, err
}

// storeLane writes a lane into its row, and deletes the row if it needs none.
func storeLane(ctx context.Context, c conn, now time.Time, l digest.Lane) error {
	if _, err := c.exec(ctx, `UPDATE lanes SET connections = ?, messages = ?, per = ?, width = ?, pause = ?, until_at = ?,
		failures = ?, alarm = ?, reason = ?, changed_at = ? WHERE name = ?`,
		l.Connections, l.Messages, int64(l.Per/time.Second), l.Width, seconds(l.Pause), from(l.Until),
		l.Failures, bit(l.Alarm), l.Reason, at(l.ChangedAt), l.Name); err != nil {
		return err
	}
	return forgetLanes(ctx, c, now, `l.name = ?`, l.Name)
}

// forgetLanes deletes the rows of those lanes that need none.
func forgetLanes(ctx context.Context, c conn, now time.Time, which string, args ...any) error {
	_, err := c.exec(ctx, `DELETE FROM lanes AS l WHERE `+which+` AND `+unremarkable+` AND l.free_us <= ?`,
		append(args, now.UnixMicro())...)
	return err
}
