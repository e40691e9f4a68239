package store

import (
	"context"
	"time"

	"digest"
)

const editionColumns = `e.id, e.digest_id, e.local_date, e.due_at, e.send_at, e.number, ` + editionState + ` AS state, e.attempt, e.message_id,
	e.date, e.next_at, e.expires_at, e.sent_at, e.reply, e.error,
	e.prev_due_at, e.prev_released_at, e.bound_from, e.bound_to, e.resent`

// editionState is the state of an edition e: what a mailer holds says more than leased.
const editionState = `CASE WHEN e.state = 'leased' THEN COALESCE((SELECT mc.state FROM mail_claims mc WHERE mc.edition_id = e.id), e.state) ELSE e.state END`

// Editions lists a digest's editions, newest first, limit at most.
func (s *Store) Editions(ctx context.Context, id digest.DigestID, limit int) ([]digest.Edition, error) {
	return s.editionsWhere(ctx, `e.digest_id = ? ORDER BY e.local_date DESC LIMIT ?`, id, limit)
}

// Edition gives an edition by its key; digest.NotFound if there is none.
func (s *Store) Edition(ctx context.Context, id digest.EditionID) (digest.Edition, error) {
	return readOne[digest.Edition](ctx, s.read(), "reading the edition", notFound("there is no such edition"),
		`SELECT `+editionColumns+` FROM editions e WHERE e.id = ?`, id)
}

// What a reader may see of their archive: editions whose midnight is over. A
// process whose clock is ahead may have made one that still lies before them.

// LatestEditions gives a digest's editions that are out at now, newest first,
// limit at most.
func (s *Store) LatestEditions(ctx context.Context, id digest.DigestID, now time.Time, limit int) ([]digest.Edition,
	error) {
	return s.editionsWhere(ctx, `e.digest_id = ? AND e.due_at <= ? ORDER BY e.local_date DESC LIMIT ?`, id, at(now),
		limit)
}

// EditionOn gives a digest's edition of a date; digest.NotFound unless it is out at now.
func (s *Store) EditionOn(ctx context.Context, id digest.DigestID, date digest.Date, now time.Time) (digest.Edition,
	error) {
	return readOne[digest.Edition](ctx, s.read(), "reading the edition", notFound("there is no edition of that day"),
		`SELECT `+editionColumns+`
		FROM editions e WHERE e.digest_id = ? AND e.local_date = ? AND e.due_at <= ?`, id, date.String(), at(now))
}

// EditionsIn gives a digest's editions of one month that are out at now, newest first.
func (s *Store) EditionsIn(ctx context.Context, id digest.DigestID, year int, month time.Month,
	now time.Time) ([]digest.Edition, error) {
	first := digest.Date{Year: year, Month: month, Day: 1}.String()
	return s.editionsWhere(ctx,
		`e.digest_id = ? AND e.local_date >= ? AND e.local_date <= ? AND e.due_at <= ? ORDER BY e.local_date DESC`,
		id, first, first[:len(first)-2]+"31", at(now))
}

func (s *Store) editionsWhere(ctx context.Context, where string, args ...any) ([]digest.Edition, error) {
	return readRows[digest.Edition](ctx, s.read(), "reading editions", `SELECT `+
		editionColumns+` FROM editions e WHERE `+where, args...)
}

// Beside is what the page of an edition leads to.
type Beside struct {
	Earlier, Later digest.Date // of the editions before and after it; zero: none
	Held           int         // posts that were held back of it
	HeldSince      int         // posts that were held back at midnights after it
}

// Beside gives what lies beside an edition, of what has come at now.
func (s *Store) Beside(ctx context.Context, e digest.Edition, now time.Time) (b Beside, err error) {
	err = s.read().get(ctx, &b, `SELECT
		(SELECT e.local_date FROM editions e JOIN digests d ON d.id = e.digest_id WHERE e.digest_id = ? AND e.local_date < ? AND `+cameAt+` <= ? ORDER BY e.local_date DESC LIMIT 1) AS earlier,
		(SELECT e.local_date FROM editions e JOIN digests d ON d.id = e.digest_id WHERE e.digest_id = ? AND e.local_date > ? AND `+cameAt+` <= ? ORDER BY e.local_date LIMIT 1) AS later,
		(SELECT count(*) FROM filtered_posts WHERE digest_id = ? AND due_at = ?) AS held,
		(SELECT count(*) FROM filtered_posts WHERE digest_id = ? AND due_at > ?) AS held_since`,
		e.DigestID, e.LocalDate.String(), at(now), e.DigestID, e.LocalDate.String(), at(now), e.DigestID, at(e.DueAt),
		e.DigestID, at(e.DueAt))
	return b, failed("reading what lies beside an edition", err)
}

// A Month is how many editions came in one.
type Month struct {
	Year     int
	Month    time.Month
	Editions int
}

// Months gives the months in which a digest had editions that are out at now, newest first.
func (s *Store) Months(ctx context.Context, id digest.DigestID, now time.Time) ([]Month, error) {
	return readRows[Month](ctx, s.read(), "reading the months of the archive",
		`SELECT CAST(substr(x.month, 1, 4) AS INTEGER) AS year,
		CAST(substr(x.month, 6) AS INTEGER) AS month, x.editions
		FROM (SELECT substr(e.local_date, 1, 7) AS month, count(*) AS editions FROM editions e
			WHERE e.digest_id = ? AND e.due_at <= ? GROUP BY substr(e.local_date, 1, 7)) x ORDER BY x.month DESC`, id,
		at(now))
}
