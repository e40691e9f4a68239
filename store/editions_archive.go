package store

import (
	"context"
	"fmt"
	"time"

	"digest"
)

// What a reader may see of their archive: editions whose midnight is over. A
// process whose clock is ahead may have made one that still lies before them.

// LatestEditions gives a digest's editions that are out at now, newest first,
// limit at most.
func (s *Store) LatestEditions(ctx context.Context, id digest.DigestID, now time.Time, limit int) ([]digest.Edition, error) {
	return s.someEditions(ctx, `e.digest_id = ? AND e.due_at <= ? ORDER BY e.local_date DESC LIMIT ?`, id, at(now), limit)
}

// EditionOn gives a digest's edition of a date; digest.NotFound unless it is out at now.
func (s *Store) EditionOn(ctx context.Context, id digest.DigestID, date digest.Date, now time.Time) (digest.Edition, error) {
	found, err := s.someEditions(ctx, `e.digest_id = ? AND e.local_date = ? AND e.due_at <= ?`, id, date.String(), at(now))
	if err == nil && len(found) == 0 {
		err = notFound("there is no edition of that day")
	}
	if err != nil {
		return digest.Edition{}, err
	}
	return found[0], nil
}

// EditionsIn gives a digest's editions of one month that are out at now, newest first.
func (s *Store) EditionsIn(ctx context.Context, id digest.DigestID, year int, month time.Month, now time.Time) ([]digest.Edition, error) {
	first := digest.Date{Year: year, Month: month, Day: 1}.String()
	return s.someEditions(ctx, `e.digest_id = ? AND e.local_date >= ? AND e.local_date <= ? AND e.due_at <= ? ORDER BY e.local_date DESC`,
		id, first, first[:len(first)-2]+"31", at(now))
}

func (s *Store) someEditions(ctx context.Context, where string, args ...any) ([]digest.Edition, error) {
	var rows []editionRow
	if err := s.read().all(ctx, &rows, `SELECT `+editionColumns+` FROM editions e WHERE `+where, args...); err != nil {
		return nil, fmt.Errorf("reading the archive: %w", err)
	}
	editions := make([]digest.Edition, len(rows))
	for i, r := range rows {
		editions[i] = r.edition()
	}
	return editions, nil
}

// Neighbours gives the dates of the editions before and after one, of those
// that are out at now; zero where there is none.
func (s *Store) Neighbours(ctx context.Context, id digest.DigestID, date digest.Date, now time.Time) (earlier, later digest.Date, err error) {
	for _, side := range []struct {
		date  *digest.Date
		query string
	}{
		{&earlier, `SELECT e.local_date FROM editions e WHERE e.digest_id = ? AND e.local_date < ? AND e.due_at <= ? ORDER BY e.local_date DESC LIMIT 1`},
		{&later, `SELECT e.local_date FROM editions e WHERE e.digest_id = ? AND e.local_date > ? AND e.due_at <= ? ORDER BY e.local_date LIMIT 1`},
	} {
		var found string
		err := s.read().get(ctx, &found, side.query, id, date.String(), at(now))
		if isNone(err) {
			continue
		}
		if err == nil {
			*side.date, err = digest.ParseDate(found)
		}
		if err != nil {
			return digest.Date{}, digest.Date{}, fmt.Errorf("reading the archive: %w", err)
		}
	}
	return earlier, later, nil
}

// A Month is how many editions came in one.
type Month struct {
	Year     int
	Month    time.Month
	Editions int
}

// Months gives the months in which a digest had editions that are out at now, newest first.
func (s *Store) Months(ctx context.Context, id digest.DigestID, now time.Time) ([]Month, error) {
	var rows []struct {
		Month    string `db:"month"` // YYYY-MM
		Editions int    `db:"editions"`
	}
	err := s.read().all(ctx, &rows, `SELECT substr(e.local_date, 1, 7) AS month, count(*) AS editions FROM editions e
		WHERE e.digest_id = ? AND e.due_at <= ? GROUP BY substr(e.local_date, 1, 7) ORDER BY month DESC`, id, at(now))
	if err != nil {
		return nil, fmt.Errorf("reading the months of the archive: %w", err)
	}
	months := make([]Month, len(rows))
	for i, r := range rows {
		t, err := time.Parse("2006-01", r.Month)
		if err != nil {
			return nil, fmt.Errorf("reading the months of the archive: %w", err)
		}
		months[i] = Month{Year: t.Year(), Month: t.Month(), Editions: r.Editions}
	}
	return months, nil
}
