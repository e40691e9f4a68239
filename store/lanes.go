package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// laneRow is a lane as it is stored. One that is well and has no limits of its
// own has no row.
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
	FreeMS      int64   `db:"free_ms"`
}

const laneColumns = `l.name, l.connections, l.messages, l.per, l.width, l.pause, l.until_at,
	l.failures, l.alarm, l.reason, l.changed_at, l.free_ms`

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

// Lane gives a lane by its name, empty for the route. Most have nothing to be
// said of them: then it is the Lane of that name, and no more.
func (s *Store) Lane(ctx context.Context, name string) (digest.Lane, error) {
	l, err := readLane(ctx, s.read(), name, "")
	if err != nil {
		return digest.Lane{}, fmt.Errorf("reading the lane %q: %w", name, err)
	}
	return l.lane(), nil
}

func readLane(ctx context.Context, c conn, name, lock string) (laneRow, error) {
	var r laneRow
	err := c.get(ctx, &r, `SELECT `+laneColumns+` FROM lanes l WHERE l.name = ?`+lock, name)
	if isNone(err) {
		return laneRow{Name: name}, nil
	}
	return r, err
}

// Lanes gives the lanes that have limits of their own, or trouble: the route
// first, then the domains by name.
func (s *Store) Lanes(ctx context.Context) ([]digest.Lane, error) {
	var rows []laneRow
	if err := s.read().all(ctx, &rows, `SELECT `+laneColumns+` FROM lanes l ORDER BY l.name`); err != nil {
		return nil, fmt.Errorf("reading the lanes: %w", err)
	}
	return keys(rows, laneRow.lane), nil
}

// ChangeLane hands a lane to change and stores what it makes of it, in one
// transaction that keeps others away from the lane: nobody's news of it is lost.
// Its name stays, and ChangedAt becomes now. change may be called again.
func (s *Store) ChangeLane(ctx context.Context, now time.Time, name string, change func(digest.Lane) digest.Lane) (digest.Lane, error) {
	var l digest.Lane
	err := s.write(ctx, func(c conn) error {
		r, err := lockLane(ctx, c, name)
		if err != nil {
			return err
		}
		l = change(r.lane())
		l.Name, l.ChangedAt = name, at(now).time()
		return r.store(ctx, c, l)
	})
	if err != nil {
		return digest.Lane{}, fmt.Errorf("changing the lane %q: %w", name, err)
	}
	return l, nil
}

// SetLimits sets the operator's limits for a lane; zero ends the rule.
func (s *Store) SetLimits(ctx context.Context, now time.Time, name string, l digest.Limits) error {
	if l.Connections < 0 || l.Messages < 0 || (l.Messages > 0) != (l.Per >= time.Second) {
		return invalid("limits are so many messages at once, and so many in a time of whole seconds such as 100/m")
	}
	_, err := s.ChangeLane(ctx, now, name, func(lane digest.Lane) digest.Lane {
		lane.Limits = l
		return lane
	})
	return err
}

// lockLane makes sure that a lane has a row, and locks it.
func lockLane(ctx context.Context, c conn, name string) (laneRow, error) {
	if _, err := c.exec(ctx, `INSERT INTO lanes (name) VALUES (?) ON CONFLICT (name) DO NOTHING`, name); err != nil {
		return laneRow{}, err
	}
	return readLane(ctx, c, name, c.d.forUpdate)
}

// store writes a lane into its row, or deletes the row of one that needs none.
func (r laneRow) store(ctx context.Context, c conn, l digest.Lane) error {
	_, err := c.exec(ctx, `UPDATE lanes SET connections = ?, messages = ?, per = ?, width = ?, pause = ?, until_at = ?,
		failures = ?, alarm = ?, reason = ?, changed_at = ? WHERE name = ?`,
		l.Connections, l.Messages, int64(l.Per/time.Second), l.Width, seconds(l.Pause), from(l.Until),
		l.Failures, bit(l.Alarm), l.Reason, at(l.ChangedAt), r.Name)
	return err
}
