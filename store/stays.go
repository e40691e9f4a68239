package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
)

// mostStays is how many stays a reader plans at most.
const mostStays = 20

type stayRow struct {
	ID       int64         `db:"id"`
	UserID   digest.UserID `db:"user_id"`
	From     string        `db:"from_date"`
	To       string        `db:"to_date"`
	TimeZone string        `db:"time_zone"`
	Begun    bool          `db:"begun"`
	Home     string        `db:"home_zone"`
}

func (r stayRow) stay() digest.Stay {
	from, _ := digest.ParseDate(r.From) // we wrote them
	to, _ := digest.ParseDate(r.To)
	st := digest.Stay{ID: r.ID, UserID: r.UserID, From: from, To: to, TimeZone: r.TimeZone, Begun: r.Begun}
	if r.Begun {
		st.Home = r.Home
	}
	return st
}

// AddStay plans a stay; one whose first day has begun begins at once.
// digest.Invalid for a zone that does not exist, for days that are over or
// another stay's, and where there are too many.
func (s *Store) AddStay(ctx context.Context, st digest.Stay, now time.Time) (digest.Stay, error) {
	if _, err := zoneOf(st.TimeZone); err != nil {
		return digest.Stay{}, err
	}
	if st.From.IsZero() || st.To.IsZero() || st.To.Before(st.From) {
		return digest.Stay{}, invalid("a stay has a first day and a last, such as 2026-10-03 and 2026-10-17")
	}
	if st.To.Year > 9999 || st.From.Year < 1970 { // dates are stored with four digits
		return digest.Stay{}, invalid("a stay is in a year such as 2026")
	}
	err := s.alone(ctx, func(c conn) error {
		t, err := readTraveller(ctx, c, st.UserID)
		if err != nil {
			return err
		}
		if err := t.admits(st, now); err != nil {
			return err
		}
		if err := c.get(ctx, &st.ID, `INSERT INTO stays (user_id, from_date, to_date, time_zone) VALUES (?, ?, ?, ?) RETURNING id`,
			st.UserID, st.From.String(), st.To.String(), st.TimeZone); err != nil {
			return err
		}
		if err := travel(ctx, c, st.UserID, now); err != nil {
			return err
		}
		t, err = readTraveller(ctx, c, st.UserID)
		for _, has := range t.stays {
			if has.ID == st.ID {
				st = has
			}
		}
		return err
	})
	if err != nil {
		return digest.Stay{}, fmt.Errorf("planning a stay: %w", err)
	}
	return st, nil
}

// Stays lists the stays that a reader has planned or begun, in their order.
func (s *Store) Stays(ctx context.Context, user digest.UserID) ([]digest.Stay, error) {
	stays, err := readStays(ctx, s.read(), user)
	if err != nil {
		return nil, fmt.Errorf("listing the stays: %w", err)
	}
	return stays, nil
}

// RemoveStay takes a stay back; one that has begun ends, and its reader is at
// home again. digest.NotFound if there is none.
func (s *Store) RemoveStay(ctx context.Context, user digest.UserID, id int64, now time.Time) error {
	err := s.alone(ctx, func(c conn) error {
		n, err := c.exec(ctx, `DELETE FROM stays WHERE user_id = ? AND id = ?`, user, id)
		if err != nil {
			return err
		}
		if n == 0 {
			return notFound("there is no such stay")
		}
		return travel(ctx, c, user, now)
	})
	if err != nil {
		return fmt.Errorf("removing a stay: %w", err)
	}
	return nil
}

// travelled is how many readers BeginStays moves in one transaction.
const travelled = 200

// BeginStays moves the readers whose stays begin or end to where they are by now,
// as SetTimeZone does, and says how many those were.
func (s *Store) BeginStays(ctx context.Context, now time.Time) (int, error) {
	var ids []digest.UserID
	const moves = `u.travel_at > 0 AND u.travel_at <= ?`
	err := s.read().all(ctx, &ids, `SELECT u.id FROM users u WHERE `+moves+` ORDER BY u.id`, at(now))
	if err != nil {
		return 0, fmt.Errorf("looking for stays that begin or end: %w", err)
	}
	n := 0
	for part := range slices.Chunk(ids, travelled) {
		var still []digest.UserID // another process may have moved or removed them
		err := s.alone(ctx, func(c conn) error {
			still = nil
			if err := c.all(ctx, &still, `SELECT u.id FROM users u WHERE u.id IN (`+list(part)+`) AND `+moves+` ORDER BY u.id`, at(now)); err != nil {
				return err
			}
			for _, id := range still {
				if err := travel(ctx, c, id, now); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, fmt.Errorf("beginning and ending stays: %w", err)
		}
		n += len(still)
	}
	return n, nil
}

// NextStay gives the earliest instant at which BeginStays moves somebody; false:
// no stay is planned. It may lie in the past.
func (s *Store) NextStay(ctx context.Context) (time.Time, bool, error) {
	return s.earliest(ctx, "the next stay", `SELECT MIN(u.travel_at) FROM users u WHERE u.travel_at > 0`)
}

// A traveller is a reader with their stays.
type traveller struct {
	zone  string // where they are
	home  string
	stays []digest.Stay
}

func readTraveller(ctx context.Context, c conn, user digest.UserID) (traveller, error) {
	var row struct {
		TimeZone string `db:"time_zone"`
		HomeZone string `db:"home_zone"`
	}
	err := c.get(ctx, &row, `SELECT time_zone, home_zone FROM users WHERE id = ?`, user)
	if isNone(err) {
		return traveller{}, notFound("there is no such user; see: digest user list")
	}
	if err != nil {
		return traveller{}, err
	}
	t := traveller{zone: row.TimeZone, home: row.HomeZone}
	if t.home == "" {
		t.home = t.zone
	}
	t.stays, err = readStays(ctx, c, user)
	return t, err
}

const selectStays = `SELECT s.id, s.user_id, s.from_date, s.to_date, s.time_zone, s.begun, u.home_zone
	FROM stays s JOIN users u ON u.id = s.user_id `

func readStays(ctx context.Context, c conn, user digest.UserID) ([]digest.Stay, error) {
	var rows []stayRow
	err := c.all(ctx, &rows, selectStays+`WHERE s.user_id = ? ORDER BY s.from_date`, user)
	return keys(rows, stayRow.stay), err
}

// allStays lists the stays of all readers.
func (s *Store) allStays(ctx context.Context) (map[digest.UserID][]digest.Stay, error) {
	var rows []stayRow
	err := s.read().all(ctx, &rows, selectStays+`ORDER BY s.user_id, s.from_date`)
	stays := make(map[digest.UserID][]digest.Stay)
	for _, r := range rows {
		stays[r.UserID] = append(stays[r.UserID], r.stay())
	}
	return stays, err
}

// admits refuses a stay that does not go with the others, or is over.
func (t traveller) admits(st digest.Stay, now time.Time) error {
	if len(t.stays) >= mostStays {
		return invalid("%d stays at most can be planned; remove one first", mostStays)
	}
	for _, has := range t.stays {
		if !st.To.Before(has.From) && !has.To.Before(st.From) {
			return invalid("the stay in %s from %s to %s is on some of these days already; remove it first, or take other days", has.TimeZone, has.From, has.To)
		}
	}
	home, err := switchAt(st.TimeZone, t.home, st.To.Plus(1))
	if err == nil && !home.After(now) {
		return invalid("these days are over; a stay ends in the future")
	}
	return err
}

// travel moves a reader to where they are at now, removes the stays that are
// over, and notes when they move next.
func travel(ctx context.Context, c conn, user digest.UserID, now time.Time) error {
	t, err := readTraveller(ctx, c, user)
	if err != nil {
		return err
	}
	legs, err := itinerary(t.home, t.stays)
	if err != nil {
		return err
	}
	i := current(legs, now)
	here, home := legs[i], ""
	var over, begun []int64
	for n, st := range t.stays {
		switch {
		case n == here.stay:
			begun, home = append(begun, st.ID), t.home
		case slices.ContainsFunc(legs[:i], func(l leg) bool { return l.stay == n }):
			over = append(over, st.ID)
		}
	}
	var next instant
	if i+1 < len(legs) {
		next = from(legs[i+1].at)
	}
	if _, err := c.exec(ctx, `UPDATE users SET home_zone = ?, travel_at = ? WHERE id = ?`, home, next, user); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `DELETE FROM stays WHERE id IN (`+list(over)+`)`); err != nil {
		return err
	}
	if _, err := c.exec(ctx, `UPDATE stays SET begun = 1 WHERE id IN (`+list(begun)+`)`); err != nil {
		return err
	}
	return setZone(ctx, c, user, t.zone, here.zone, now)
}
