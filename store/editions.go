package store

import (
	"context"
	"time"

	"digest"
)

const editionColumns = `e.id, e.digest_id, e.local_date, e.due_at, e.send_at, e.number,
	` + editionState + ` AS state, e.attempt, e.message_id,
	e.date, e.next_at, e.expires_at, e.sent_at, e.reply, e.error,
	e.prev_due_at, e.prev_released_at, e.bound_from, e.bound_to, e.resent, e.lead_post_id`

// editionState is the state of an edition e. For a leased edition, the state of its mail claim is more precise.
const editionState = `CASE WHEN e.state = 'leased' THEN COALESCE((SELECT mc.state FROM mail_claims mc
	WHERE mc.edition_id = e.id), e.state) ELSE e.state END`

// Editions returns a digest's editions, newest first, at most limit.
func (s Editions) Editions(ctx context.Context, id digest.DigestID, limit int) ([]digest.Edition, error) {
	return s.editionsWhere(ctx, `e.digest_id = ? ORDER BY e.local_date DESC LIMIT ?`, id, limit)
}

// Edition returns an edition by its key, or digest.NotFound.
func (s Editions) Edition(ctx context.Context, id digest.EditionID) (digest.Edition, error) {
	return readOne[digest.Edition](ctx, s.read(), "reading the edition", notFound("there is no such edition"),
		`SELECT `+editionColumns+` FROM editions e WHERE e.id = ?`, id)
}

// LatestEditions returns a digest's editions whose midnight has passed at now, newest first, at most limit. A process
// whose clock is fast may have released an edition before its midnight.
func (s Editions) LatestEditions(ctx context.Context, id digest.DigestID, now time.Time, limit int) ([]digest.Edition,
	error) {
	return s.editionsWhere(ctx, `e.digest_id = ? AND e.due_at <= ? ORDER BY e.local_date DESC LIMIT ?`, id, now,
		limit)
}

// EditionOn returns a digest's edition of a date. It returns digest.NotFound if the digest has no edition of that
// date, or if its midnight is after now.
func (s Editions) EditionOn(ctx context.Context, id digest.DigestID, date digest.Date, now time.Time) (digest.Edition,
	error) {
	return readOne[digest.Edition](ctx, s.read(), "reading the edition", notFound("there is no edition of that day"),
		`SELECT `+editionColumns+`
		FROM editions e WHERE e.digest_id = ? AND e.local_date = ? AND e.due_at <= ?`, id, date, now)
}

// EditionsIn returns a digest's editions of one month whose midnight has passed at now, newest first.
func (s Editions) EditionsIn(ctx context.Context, id digest.DigestID, year int, month time.Month,
	now time.Time) ([]digest.Edition, error) {
	first := digest.Date{Year: year, Month: month, Day: 1}.String()
	return s.editionsWhere(ctx,
		`e.digest_id = ? AND e.local_date >= ? AND e.local_date <= ? AND e.due_at <= ? ORDER BY e.local_date DESC`,
		id, first, first[:len(first)-2]+"31", now)
}

func (s *database) editionsWhere(ctx context.Context, where string, args ...any) ([]digest.Edition, error) {
	return readRows[digest.Edition](ctx, s.read(), "reading editions", `SELECT `+
		editionColumns+` FROM editions e WHERE `+where, args...)
}

// A Beside holds the data for the links on the page of an edition.
type Beside struct {
	Earlier, Later digest.Date // dates of the previous and next edition; zero: none
	Held           int         // filtered posts of this edition
	HeldSince      int         // filtered posts of later midnights
}

// Beside returns the neighbors of an edition that its reader can see at now.
func (s Editions) Beside(ctx context.Context, e digest.Edition, now time.Time) (b Beside, err error) {
	err = s.read().Get(ctx, &b, `SELECT
		(SELECT e.local_date FROM editions e JOIN digests d ON d.id = e.digest_id WHERE e.digest_id = ?
		AND e.local_date < ? AND `+cameAt+` <= ? ORDER BY e.local_date DESC LIMIT 1) AS earlier,
		(SELECT e.local_date FROM editions e JOIN digests d ON d.id = e.digest_id WHERE e.digest_id = ?
		AND e.local_date > ? AND `+cameAt+` <= ? ORDER BY e.local_date LIMIT 1) AS later,
		(SELECT count(*) FROM filtered_posts WHERE digest_id = ? AND due_at = ?) AS held,
		(SELECT count(*) FROM filtered_posts WHERE digest_id = ? AND due_at > ?) AS held_since`,
		e.DigestID, e.LocalDate, now, e.DigestID, e.LocalDate, now, e.DigestID, e.DueAt,
		e.DigestID, e.DueAt)
	return b, failed("reading what lies beside an edition", err)
}

// A Month is a month with its number of editions.
type Month struct {
	Year     int
	Month    time.Month
	Editions int
}

// Months returns the months in which a digest has editions whose midnight has passed at now, newest first.
func (s Editions) Months(ctx context.Context, id digest.DigestID, now time.Time) ([]Month, error) {
	return readRows[Month](ctx, s.read(), "reading the months of the archive",
		`SELECT CAST(substr(x.month, 1, 4) AS INTEGER) AS year,
		CAST(substr(x.month, 6) AS INTEGER) AS month, x.editions
		FROM (SELECT substr(e.local_date, 1, 7) AS month, count(*) AS editions FROM editions e
			WHERE e.digest_id = ? AND e.due_at <= ? GROUP BY substr(e.local_date, 1, 7)) x ORDER BY x.month DESC`, id,
		now)
}
