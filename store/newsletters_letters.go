package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

const letterColumns = `l.newsletter_id, l.local_date, l.subject, l.note, l.skipped, l.approved_at`

// NewsletterLetter returns the publisher's decisions about the issue of a date. Without decisions only the keys are
// set.
func (s Newsletters) NewsletterLetter(ctx context.Context, id digest.NewsletterID,
	date digest.Date) (digest.NewsletterLetter, error) {
	l, err := readLetter(ctx, s.read(), id, date)
	return l, failed("reading what was decided of a letter", err)
}

// LettersLeft returns the issues of a newsletter that were sent, newest first. They are public.
func (s Newsletters) LettersLeft(ctx context.Context, n digest.Newsletter, now time.Time, limit int) ([]digest.Edition,
	error) {
	const waiting = 2 // issues that may wait for approval together: today's, and tomorrow's farther east
	all, err := Editions(s).LatestEditions(ctx, n.ArchiveID, now, limit+waiting)
	left := slices.DeleteFunc(all, func(e digest.Edition) bool { return e.SendAt.After(now) })
	return left[:min(len(left), limit)], err
}

// LetterDelivery returns an edition of a newsletter's archive with its publisher's decisions.
func (s Newsletters) LetterDelivery(ctx context.Context, n digest.Newsletter, e digest.Edition) (digest.Delivery,
	error) {
	archive, err := Readers(s).Digest(ctx, n.ArchiveID)
	if err != nil {
		return digest.Delivery{}, err
	}
	d := archive.Delivery(e)
	d.Newsletter, d.Language = &n, n.Language
	d.Letter, err = s.NewsletterLetter(ctx, n.ID, e.LocalDate)
	return d, err
}

// NextLetter returns the archive of a newsletter and the publisher's decisions about the issue of its next midnight.
func (s Newsletters) NextLetter(ctx context.Context, n digest.Newsletter) (archive digest.Digest,
	l digest.NewsletterLetter,
	err error) {
	if archive, err = Readers(s).Digest(ctx, n.ArchiveID); err != nil {
		return archive, l, err
	}
	zone, err := calendar.Zone(archive.TimeZone)
	if err == nil {
		l, err = s.NewsletterLetter(ctx, n.ID, digest.DateOf(archive.NextDueAt.In(zone)))
	}
	return archive, l, err
}

// LettersWaiting returns the dates whose issues wait for approval, earliest first.
func (s Newsletters) LettersWaiting(ctx context.Context, n digest.Newsletter, now time.Time) ([]digest.Date, error) {
	if n.ApproveWithin == 0 {
		return nil, nil
	}
	today := digest.DateOf(now)
	return readRows[digest.Date](ctx, s.read(), "finding the letters that wait",
		`SELECT DISTINCT e.local_date FROM digests d
		JOIN editions e ON e.digest_id = d.id AND e.local_date IN (?, ?, ?)
		LEFT JOIN newsletter_letters l ON l.newsletter_id = d.newsletter_id AND l.local_date = e.local_date
		WHERE d.newsletter_id = ? AND e.attempt = 0 AND e.send_at > ? AND e.state IN ('ready', 'unmailed')
		AND COALESCE(l.approved_at, 0) = 0
		ORDER BY e.local_date`, today.Plus(-1), today, today.Plus(1), n.ID, now)
}

// LettersDecided returns the publisher's decisions about up to most issues from a date on, ordered by date.
func (s Newsletters) LettersDecided(ctx context.Context, id digest.NewsletterID, from digest.Date,
	most int) ([]digest.NewsletterLetter, error) {
	return readRows[digest.NewsletterLetter](ctx, s.read(), "reading what was decided of letters",
		`SELECT `+letterColumns+` FROM newsletter_letters l
		WHERE l.newsletter_id = ? AND l.local_date >= ? ORDER BY l.local_date LIMIT ?`, id, from, most)
}

// LetterWaits reports whether a mailer still has to send the issue of a date to a member.
func (s Newsletters) LetterWaits(ctx context.Context, id digest.NewsletterID, date digest.Date) (bool, error) {
	n, err := s.read().Number(ctx, `SELECT count(*) FROM (SELECT 1 FROM digests d JOIN editions e ON e.digest_id = d.id
		WHERE d.newsletter_id = ? AND e.local_date = ? AND e.state IN ('ready', 'leased') LIMIT 1) x`,
		id, date)
	return n > 0, failed("looking for the letter of a date", err)
}

func readLetter(ctx context.Context, c conn, id digest.NewsletterID, date digest.Date) (digest.NewsletterLetter,
	error) {
	l := digest.NewsletterLetter{NewsletterID: id, LocalDate: date}
	_, err := c.Find(ctx, &l, `SELECT `+
		letterColumns+` FROM newsletter_letters l WHERE l.newsletter_id = ? AND l.local_date = ?`, id, date)
	return l, err
}

// SetNewsletterLetter stores the subject and the note of an issue, and whether it is skipped. This affects members
// whose date has not begun, and emails that are not composed yet.
func (s Newsletters) SetNewsletterLetter(ctx context.Context, l digest.NewsletterLetter) error {
	if err := l.Check(); err != nil {
		return err
	}
	l = l.Tidy()
	return s.run(ctx, "changing a letter",
		`INSERT INTO newsletter_letters (newsletter_id, local_date, subject, note, skipped) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (newsletter_id, local_date) DO UPDATE SET subject = excluded.subject, note = excluded.note,
		skipped = excluded.skipped`,
		l.NewsletterID, l.LocalDate, l.Subject, l.Note, l.Skipped)
}

// ApproveNewsletterLetter approves the issue of a date. The emails that wait for approval are sent at their members'
// hour, or now if it has passed. Emails created later are sent at their members' hour. It returns how many were
// waiting.
func (s Newsletters) ApproveNewsletterLetter(ctx context.Context, id digest.NewsletterID, date digest.Date,
	now time.Time) (int, error) {
	return changed(ctx, s.database, "approving a letter", func(c conn) (int, error) {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err != nil {
			return 0, err
		}
		if err := c.Run(ctx, `INSERT INTO newsletter_letters (newsletter_id, local_date, approved_at) VALUES (?, ?, ?)
			ON CONFLICT (newsletter_id, local_date) DO UPDATE SET approved_at = excluded.approved_at`, id,
			date, now); err != nil {
			return 0, err
		}
		leave := fmt.Sprintf(`CASE WHEN e.send_at - %[1]d > %[2]d THEN e.send_at - %[1]d ELSE %[2]d END`,
			db.Seconds(n.ApproveWithin), at(now))
		waits := fmt.Sprintf(` WHERE e.local_date = ? AND e.digest_id IN (SELECT d.id FROM digests d
			WHERE d.newsletter_id = ?) AND e.attempt = 0 AND e.send_at > %d`, at(now))
		waited, err := c.Exec(ctx, `UPDATE editions AS e SET next_at = `+leave+`, date = `+leave+`, send_at = `+
			leave+waits+` AND e.state = 'ready'`, date, id)
		if err != nil {
			return 0, err
		}
		return waited, c.Run(ctx, `UPDATE editions AS e SET send_at = `+leave+waits+` AND e.state = 'unmailed'`,
			date, id)
	})
}

// PullPost removes a post from the issues of a newsletter that were not sent. The post moves to the next midnight,
// whose issue omits it unless UnpullPost allows it again. PullPost deletes issues that have no other content.
func (s Newsletters) PullPost(ctx context.Context, id digest.NewsletterID, post digest.PostID, now time.Time) error {
	return s.change(ctx, "pulling a post", func(c conn) error {
		err := c.Run(ctx, `INSERT INTO newsletter_pulled_posts (newsletter_id, post_id, pulled_at) VALUES (?, ?, ?)
			ON CONFLICT DO NOTHING`, id, post, now)
		if err != nil {
			return err
		}
		today := digest.DateOf(now)
		const waits = `FROM digests d JOIN editions e ON e.digest_id = d.id AND e.local_date IN (?, ?, ?)
			WHERE d.newsletter_id = ? AND e.attempt = 0 AND e.send_at > ? AND e.state IN ('ready', 'unmailed')`
		waiting := []any{today.Plus(-1).String(), today.String(), today.Plus(1).String(), id, now}
		moved, err := c.Exec(ctx,
			`WITH w AS (SELECT e.digest_id, e.due_at, d.next_due_at `+waits+`) UPDATE digest_posts
				SET visible_at = w.next_due_at
			FROM w WHERE digest_posts.digest_id = w.digest_id AND digest_posts.visible_at = w.due_at
			AND digest_posts.post_id = ?`, append(waiting, post)...)
		if err != nil || moved == 0 {
			return err
		}
		if err := c.Run(ctx, `UPDATE posts SET shown_at = ? WHERE id = ?`, now, post); err != nil {
			return err
		}
		var empty []digest.DigestID
		err = c.All(ctx, &empty, `DELETE FROM editions WHERE id IN (SELECT e.id `+waits+`)
			AND NOT EXISTS (SELECT 1 FROM digest_posts dp WHERE dp.digest_id = editions.digest_id
			AND dp.visible_at = editions.due_at)
			AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = editions.digest_id
			AND n.visible_at = editions.due_at)
			AND NOT EXISTS (SELECT 1 FROM carried_posts y WHERE y.edition_id = editions.id) RETURNING digest_id`,
			waiting...)
		if err != nil || len(empty) == 0 {
			return err
		}
		return c.Run(ctx, `UPDATE digests SET edition_count = edition_count - 1 WHERE id`+c.d.OneOf, empty)
	})
}

// UnsentPosts returns the posts of a newsletter that some members have not got: the posts of its next issue, and of
// archive editions whose send time has not come.
func (s Newsletters) UnsentPosts(ctx context.Context, n digest.Newsletter, now time.Time) ([]digest.PostRef, error) {
	refs, err := Editions(s).WaitingPosts(ctx, n.ArchiveID)
	if err != nil {
		return nil, err
	}
	made, err := s.editionsWhere(ctx, `e.digest_id = ? AND e.local_date >= ? AND e.due_at <= ? AND e.send_at > ?`,
		n.ArchiveID, digest.DateOf(now).Plus(-1), now, now)
	if err != nil || len(made) == 0 {
		return refs, err
	}
	posts, err := Editions(s).EditionPosts(ctx,
		each(made, func(e digest.Edition) digest.Delivery { return digest.Delivery{Edition: e} }))
	for _, e := range made {
		refs = append(refs, posts[e.ID]...)
	}
	return uniqueRefs(refs), err
}

// UnpullPost allows a pulled post in the issues that are created from now on.
func (s Newsletters) UnpullPost(ctx context.Context, id digest.NewsletterID, post digest.PostID) error {
	return s.run(ctx, "putting a post back",
		`DELETE FROM newsletter_pulled_posts WHERE newsletter_id = ? AND post_id = ?`, id, post)
}

// PulledPosts returns the posts that are pulled from a newsletter, latest first.
func (s Newsletters) PulledPosts(ctx context.Context, id digest.NewsletterID) ([]digest.PostID, error) {
	return readRows[digest.PostID](ctx, s.read(), "listing pulled posts",
		`SELECT x.post_id FROM newsletter_pulled_posts x
		WHERE x.newsletter_id = ? ORDER BY x.pulled_at DESC, x.post_id DESC`, id)
}

// followPublisher applies the publisher's decisions about an issue before it is created. It returns how long the
// issue waits for approval. If the issue is withheld, its posts move to the next midnight.
func (g releaseBatch) followPublisher(ctx context.Context, c conn, times groupTimes, where string,
	args []any) (wait time.Duration, err error) {
	if g.NewsletterID == 0 {
		return 0, nil
	}
	n, err := readNewsletter(ctx, c, `n.id = ?`, g.NewsletterID)
	if err != nil {
		return 0, err
	}
	letter, err := readLetter(ctx, c, n.ID, times.date)
	if err != nil {
		return 0, err
	}
	if n.Withholds(letter) {
		return 0, g.moveOn(ctx, c, times, where, args)
	}
	return n.Waits(letter), c.Run(ctx, `DELETE FROM digest_posts WHERE visible_at = ? AND digest_id`+c.d.OneOf+`
		AND post_id IN (SELECT x.post_id FROM newsletter_pulled_posts x WHERE x.newsletter_id = ?)`, g.DueAt,
		g.ids, n.ID)
}

// holdLetters stops the issues of a newsletter that are not sent yet, even those that a mailer holds, unless their
// final dot is committed. They expire, and the issue after the hold carries their posts, unless the hold ends before.
func holdLetters(ctx context.Context, c conn, id digest.NewsletterID) error {
	const members = `IN (SELECT d.id FROM digests d WHERE d.newsletter_id = ?)`
	taken, err := recall(ctx, c, members, id)
	if err == nil && len(taken) > 0 {
		err = c.Run(ctx, `UPDATE editions SET state = 'ready', attempt = attempt - 1 WHERE id`+
			c.d.OneOf, taken)
	}
	if err != nil {
		return err
	}
	return c.Run(ctx, `UPDATE editions SET next_at = expires_at WHERE state = 'ready' AND digest_id `+members, id)
}

// freeLetters undoes holdLetters for the issues that have not expired.
func freeLetters(ctx context.Context, c conn, id digest.NewsletterID, now time.Time) error {
	return c.Run(ctx, fmt.Sprintf(
		`UPDATE editions AS e SET next_at = CASE WHEN e.send_at > %[1]d THEN e.send_at ELSE %[1]d END
		WHERE e.state = 'ready' AND e.next_at = e.expires_at AND e.expires_at > %[1]d
		AND e.digest_id IN (SELECT d.id FROM digests d WHERE d.newsletter_id = ?)`, at(now)), id)
}

// withLetters adds to claimed editions their newsletters and the publisher's decisions. It runs no query if none of
// them is a newsletter's.
func withLetters(ctx context.Context, c conn, claimed []claimedDelivery) error {
	newsletters := make(map[digest.NewsletterID]*digest.Newsletter)
	letters := make(map[digest.NewsletterLetter]digest.NewsletterLetter) // keyed by date, with only the keys set
	for i, e := range claimed {
		if e.NewsletterID == 0 {
			continue
		}
		n := newsletters[e.NewsletterID]
		if n == nil {
			read, err := readNewsletter(ctx, c, `n.id = ?`, e.NewsletterID)
			if err != nil {
				return err
			}
			n = &read
			newsletters[e.NewsletterID] = n
		}
		key := digest.NewsletterLetter{NewsletterID: n.ID, LocalDate: e.LocalDate}
		letter, known := letters[key]
		if !known {
			var err error
			if letter, err = readLetter(ctx, c, n.ID, e.LocalDate); err != nil {
				return err
			}
			letters[key] = letter
		}
		claimed[i].Newsletter, claimed[i].Letter = n, letter
		claimed[i].Language = cmp.Or(e.Language, n.Language)
	}
	return nil
}

// A claimedDelivery is a delivery with the key of its newsletter, 0 if it has none.
type claimedDelivery struct {
	digest.Delivery
	NewsletterID digest.NewsletterID
}

func withoutPulled(ctx context.Context, c conn, id digest.DigestID, refs []digest.PostRef) ([]digest.PostRef, error) {
	var pulled []digest.PostID
	err := c.All(ctx, &pulled,
		`SELECT x.post_id FROM digests d JOIN newsletter_pulled_posts x ON x.newsletter_id = d.newsletter_id
			WHERE d.id = ?`, id)
	return slices.DeleteFunc(refs, func(r digest.PostRef) bool { return slices.Contains(pulled, r.PostID) }), err
}
