package store

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/calendar"
)

// AddStay plans a trip, which begins now if its first day has begun. It returns digest.Invalid for an unknown zone,
// for past days, for days of another trip, or if there are too many trips.
func (s Readers) AddStay(ctx context.Context, st digest.Stay, now time.Time) (digest.Stay, error) {
	if err := calendar.CheckStay(st); err != nil {
		return digest.Stay{}, err
	}
	err := s.changeAlone(ctx, "planning a stay", func(c conn) error {
		t, err := readTraveller(ctx, c, st.UserID)
		if err != nil {
			return err
		}
		if err := calendar.AdmitStay(t.Home, t.stays, st, now); err != nil {
			return err
		}
		if err := c.Get(ctx, &st.ID,
			`INSERT INTO trips (user_id, from_date, to_date, time_zone) VALUES (?, ?, ?, ?) RETURNING id`,
			st.UserID, st.From, st.To, st.TimeZone); err != nil {
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
		return digest.Stay{}, err
	}
	return st, nil
}

// Stays returns the planned and present trips of a reader, ordered by date.
func (s Readers) Stays(ctx context.Context, user digest.UserID) ([]digest.Stay, error) {
	stays, err := readStays(ctx, s.read(), user)
	return stays, failed("listing the stays", err)
}

// RemoveStay removes a trip. If it has begun, its reader returns to their home zone. It returns digest.NotFound if
// there is no such trip.
func (s Readers) RemoveStay(ctx context.Context, user digest.UserID, id int64, now time.Time) error {
	return s.changeAlone(ctx, "removing a stay", func(c conn) error {
		if err := c.RunOne(ctx, notFound("there is no such stay"), `DELETE FROM trips WHERE user_id = ? AND id = ?`,
			user, id); err != nil {
			return err
		}
		return travel(ctx, c, user, now)
	})
}

// BeginStays moves the readers whose trips begin or end to their present zone, as SetTimeZone does, and returns how
// many.
func (s Editions) BeginStays(ctx context.Context, now time.Time) (int, error) {
	var ids []digest.UserID
	const moves = `u.travel_at > 0 AND u.travel_at <= ?`
	err := s.read().All(ctx, &ids, `SELECT u.id FROM users u WHERE `+moves+` ORDER BY u.id`, now)
	if err != nil {
		return 0, fmt.Errorf("looking for stays that begin or end: %w", err)
	}
	return changeInParts(ctx, s.database, "beginning and ending stays", ids,
		func(c conn, part []digest.UserID) (int, error) {
			var still []digest.UserID // another process may have moved or removed them
			if err := c.All(ctx, &still, `SELECT u.id FROM users u WHERE u.id IN (`+list(part)+`) AND `+
				moves+` ORDER BY u.id`, now); err != nil {
				return 0, err
			}
			for _, id := range still {
				if err := travel(ctx, c, id, now); err != nil {
					return 0, err
				}
			}
			return len(still), nil
		})
}

// NextStay returns the earliest time at which BeginStays moves a reader, which may be past, or false if no trip is
// planned.
func (s Editions) NextStay(ctx context.Context) (time.Time, bool, error) {
	return s.earliest(ctx, "the next stay", `SELECT MIN(u.travel_at) FROM users u WHERE u.travel_at > 0`)
}

type traveller struct {
	Zone  string // present zone
	Home  string
	stays []digest.Stay
}

func readTraveller(ctx context.Context, c conn, user digest.UserID) (traveller, error) {
	t, err := readOne[traveller](ctx, c, "", noUser(), `SELECT time_zone AS zone,
		CASE WHEN home_zone = '' THEN time_zone ELSE home_zone END AS home FROM users WHERE id = ?`, user)
	if err != nil {
		return t, err
	}
	t.stays, err = readStays(ctx, c, user)
	return t, err
}

const selectStays = `SELECT s.id, s.user_id, s.from_date AS "from", s.to_date AS "to", s.time_zone, s.begun,
	CASE WHEN s.begun = 1 THEN u.home_zone ELSE '' END AS home FROM trips s JOIN users u ON u.id = s.user_id `

func readStays(ctx context.Context, c conn, user digest.UserID) ([]digest.Stay, error) {
	return readRows[digest.Stay](ctx, c, "", selectStays+`WHERE s.user_id = ? ORDER BY s.from_date`, user)
}

// travel moves a reader to their present zone, deletes past trips, and stores when the reader moves next.
func travel(ctx context.Context, c conn, user digest.UserID, now time.Time) error {
	t, err := readTraveller(ctx, c, user)
	if err != nil {
		return err
	}
	w, err := calendar.Where(t.Home, t.stays, now)
	if err != nil {
		return err
	}
	if err := c.Run(ctx, `UPDATE users SET home_zone = ?, travel_at = ? WHERE id = ?`, w.Home, from(w.Next),
		user); err != nil {
		return err
	}
	if err := c.Run(ctx, `DELETE FROM trips WHERE id IN (`+list(w.Over)+`)`); err != nil {
		return err
	}
	if err := c.Run(ctx, `UPDATE trips SET begun = 1 WHERE id = ?`, w.Begun); err != nil {
		return err
	}
	zone, err := calendar.Zone(w.Zone)
	if err != nil {
		return err
	}
	return setZone(ctx, c, user, t.Zone, zone, now)
}
