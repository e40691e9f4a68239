package store

import (
	"cmp"
	"context"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

// newsletterSettings has the columns that a publisher sets.
var newsletterSettings = db.ColumnsOf[digest.Newsletter](`slug, name, description, site_url, address_line, from_name,
	reply_to, header_text, footer_text, subject_pattern, paper, ink, accent, layout, images, threaded, cadence,
	deliver_at, approve_within, count_clicks, return_urls`)

var newsletterColumns = newsletterSettings.Each("n.$") + `, n.id, n.wanted_name, n.wanted_from_name, n.logo_file,
	n.logo_width, n.logo_height, n.logo_clear, n.member_limit, n.state, n.held_reason, n.held_at, n.archive_id,
	n.created_at, ` + signedAddress + ` AS own_address, ` + ownersLanguage + ` AS language`

const ownersLanguage = `COALESCE((SELECT u.language FROM newsletter_roles o JOIN users u ON u.id = o.user_id
	WHERE o.newsletter_id = n.id AND o.role = 'owner' LIMIT 1), '')`

func noNewsletter() error {
	return notFound("there is no such newsletter; see: digest newsletter list")
}

// AddNewsletter adds a newsletter with the state of n, makes the user its owner, and adds the digest that is its
// archive. It returns digest.Invalid if a check of n fails, and digest.Conflict if another newsletter has its slug.
func (s Newsletters) AddNewsletter(ctx context.Context, n digest.Newsletter, owner digest.UserID,
	now time.Time) (digest.Newsletter, error) {
	if err := cmp.Or(n.Check(), n.CheckNames(digest.Newsletter{})); err != nil {
		return digest.Newsletter{}, err
	}
	added, err := changed(ctx, s.database, "", func(c conn) (digest.Newsletter, error) {
		id, err := insertNewsletter(ctx, c, n.Tidy(), now)
		if err == nil {
			err = addArchive(ctx, c, id, owner, now)
		}
		if err == nil {
			err = setRole(ctx, c, id, owner, digest.RoleOwner, now)
		}
		if err != nil {
			return digest.Newsletter{}, err
		}
		return readNewsletter(ctx, c, `n.id = ?`, id)
	})
	return added, failed("adding the newsletter",
		db.IfUnique(err, digest.Refuse(digest.Conflict, "the web address %s is taken; choose another one", n.Slug)))
}

func insertNewsletter(ctx context.Context, c conn, n digest.Newsletter, now time.Time) (id digest.NewsletterID,
	err error) {
	err = c.Get(ctx, &id, `INSERT INTO newsletters (member_limit, state, created_at, `+newsletterSettings.Each("$")+`)
		VALUES (?, ?, ?, `+newsletterSettings.Each("?")+`) RETURNING id`,
		append([]any{n.MemberLimit, n.State, now}, newsletterSettings.Cells(&n)...)...)
	return id, err
}

func addArchive(ctx context.Context, c conn, id digest.NewsletterID, owner digest.UserID, now time.Time) error {
	u, err := readUser(ctx, c, owner)
	if err != nil {
		return err
	}
	n, err := readNewsletter(ctx, c, `n.id = ?`, id)
	if err != nil {
		return err
	}
	d, err := newsletterDigest(n, u, now)
	if err != nil {
		return err
	}
	d.Mailed = false
	if err := insertDigest(ctx, c, &d, now); err != nil {
		return err
	}
	return c.Run(ctx, `UPDATE newsletters SET archive_id = ? WHERE id = ?`, d.ID, id)
}

// newsletterDigest returns a new digest of a newsletter for a user, not stored yet.
func newsletterDigest(n digest.Newsletter, u digest.User, now time.Time) (digest.Digest, error) {
	loc, err := calendar.Zone(u.TimeZone)
	return digest.Digest{
		UserID:       u.ID,
		NewsletterID: n.ID,
		Name:         n.Name,
		TimeZone:     u.TimeZone,
		NextDueAt:    calendar.Next(now, loc, n.Cadence).UTC(),
		DeliverAt:    n.DeliverAt,
		Cadence:      n.Cadence,
		State:        digest.DigestActive,
		Mailed:       true,
		Look:         n.Look,
	}, err
}

// Newsletter returns a newsletter by its key, or digest.NotFound.
func (s Newsletters) Newsletter(ctx context.Context, id digest.NewsletterID) (digest.Newsletter, error) {
	return readNewsletter(ctx, s.read(), `n.id = ?`, id)
}

// NewsletterBySlug returns a newsletter by its slug, or digest.NotFound.
func (s Newsletters) NewsletterBySlug(ctx context.Context, slug string) (digest.Newsletter, error) {
	return readNewsletter(ctx, s.read(), `n.slug = ?`, slug)
}

func readNewsletter(ctx context.Context, c conn, where string, args ...any) (digest.Newsletter, error) {
	return readOne[digest.Newsletter](ctx, c, "reading the newsletter", noNewsletter(), `SELECT `+
		newsletterColumns+` FROM newsletters n WHERE `+where, args...)
}

// A NewsletterInfo is a row in a list of newsletters.
type NewsletterInfo struct {
	digest.Newsletter
	Owner   string      // email address
	Members int         // without members who left
	Role    digest.Role // of the user who lists them; RoleNone in Newsletters
}

var newsletterInfo = `SELECT ` + newsletterColumns + `,
	COALESCE((SELECT u.email FROM newsletter_roles o JOIN users u ON u.id = o.user_id WHERE o.newsletter_id = n.id
	AND o.role = 'owner' LIMIT 1), '') AS owner,
	(SELECT count(*) FROM memberships m JOIN digests d ON d.id = m.digest_id WHERE m.newsletter_id = n.id
	AND d.state <> 'left') AS members, `

// Newsletters returns all newsletters, ordered by slug.
func (s Newsletters) Newsletters(ctx context.Context) ([]NewsletterInfo, error) {
	return readRows[NewsletterInfo](ctx, s.read(), "listing the newsletters",
		newsletterInfo+`'' AS role FROM newsletters n ORDER BY n.slug`)
}

// NewslettersOf returns the newsletters in which a user has a role, ordered by slug.
func (s Newsletters) NewslettersOf(ctx context.Context, user digest.UserID) ([]NewsletterInfo, error) {
	return readRows[NewsletterInfo](ctx, s.read(), "listing the newsletters",
		newsletterInfo+`r.role FROM newsletter_roles r
		JOIN newsletters n ON n.id = r.newsletter_id WHERE r.user_id = ? ORDER BY n.slug`, user)
}

// CountPending counts the newsletters that wait for approval, or whose new names do.
func (s Newsletters) CountPending(ctx context.Context) (int, error) {
	n, err := s.read().Number(ctx,
		`SELECT count(*) FROM newsletters WHERE state = 'pending' OR wanted_name <> '' OR wanted_from_name <> ''`)
	return n, failed("counting the newsletters that wait", err)
}

// CountMembers counts the members of a newsletter, without members who left.
func (s Newsletters) CountMembers(ctx context.Context, id digest.NewsletterID) (int, error) {
	n, err := countMembers(ctx, s.read(), id)
	return n, failed("counting the members", err)
}

func countMembers(ctx context.Context, c conn, id digest.NewsletterID) (int, error) {
	n, err := c.Number(ctx, `SELECT count(*) FROM memberships m JOIN digests d ON d.id = m.digest_id
		WHERE m.newsletter_id = ? AND d.state <> 'left'`, id)
	return int(n), err
}

// SetMemberLimit sets how many members a newsletter may have; 0 means no limit. A limit below the present number
// removes no member.
func (s Newsletters) SetMemberLimit(ctx context.Context, id digest.NewsletterID, most int) error {
	if most < 0 {
		return db.Invalid("a newsletter may have 0 members or more; 0 is as many as come")
	}
	return s.runOne(ctx, "limiting the newsletter", noNewsletter(), `UPDATE newsletters SET member_limit = ?
		WHERE id = ?`, most, id)
}

// SetNewsletter stores the settings and the look of a newsletter. The digests of its members follow, but a member's
// own choice of days stays if it is as calm. It returns digest.Invalid if a check of n fails, and digest.Conflict if
// another newsletter has the slug.
func (s Newsletters) SetNewsletter(ctx context.Context, n digest.Newsletter, now time.Time) error {
	if err := n.Check(); err != nil {
		return err
	}
	n = n.Tidy()
	err := s.change(ctx, "", func(c conn) error {
		was, err := readNewsletter(ctx, c, `n.id = ?`, n.ID)
		if err == nil {
			err = n.CheckNames(was)
		}
		if err != nil {
			return err
		}
		err = c.RunOne(ctx, noNewsletter(), `UPDATE newsletters SET `+newsletterSettings.Each("$ = ?")+`,
			wanted_name = ?, wanted_from_name = ? WHERE id = ?`,
			append(newsletterSettings.Cells(&n), n.WantedName, n.WantedFromName, n.ID)...)
		if err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE digests SET name = ?, layout = ?, images = ?, threaded = ?, deliver_at = ?
			WHERE newsletter_id = ?`,
			n.Name, n.Layout, n.Images, n.Threaded, n.DeliverAt, n.ID)
	})
	if err != nil {
		return failed("changing the newsletter",
			db.IfUnique(err, digest.Refuse(digest.Conflict, "the web address %s is taken; choose another one", n.Slug)))
	}
	return s.followCadence(ctx, n.ID, n.Cadence, now)
}

// DecideNames approves or refuses the names that wait in seen. It returns digest.Conflict if the publisher has
// changed them since.
func (s Newsletters) DecideNames(ctx context.Context, seen digest.Newsletter, approve bool) error {
	n := seen
	if n.WantedName, n.WantedFromName = "", ""; approve {
		n = seen.Wanted()
	}
	return s.change(ctx, "deciding about the newsletter's names", func(c conn) error {
		if err := c.RunOne(ctx, digest.Refuse(digest.Conflict,
			"someone else changed this; reload the page and check it"),
			`UPDATE newsletters SET name = ?, from_name = ?, wanted_name = '', wanted_from_name = '' WHERE id = ?
				AND wanted_name = ? AND wanted_from_name = ?`,
			n.Name, n.FromName, n.ID, seen.WantedName, seen.WantedFromName); err != nil {
			return err
		}
		return c.Run(ctx, `UPDATE digests SET name = ? WHERE newsletter_id = ?`, n.Name, n.ID)
	})
}

// followCadence sets the cadence of a newsletter's digests. A member's own choice stays if it is as calm.
func (s *database) followCadence(ctx context.Context, id digest.NewsletterID, cadence digest.Cadence,
	now time.Time) error {
	ids, err := readRows[digest.DigestID](ctx, s.read(), "finding the members",
		`SELECT d.id FROM digests d WHERE d.newsletter_id = ? AND d.cadence <> ? ORDER BY d.id`, id, cadence)
	if err != nil {
		return err
	}
	_, err = changeInParts(ctx, s, "changing the members' days", ids,
		func(c conn, part []digest.DigestID) (int, error) {
			return len(part), eachDigest(ctx, c, part, func(d digestRow) error {
				own, err := c.Number(ctx, `SELECT count(*) FROM memberships m WHERE m.digest_id = ? AND m.own_days = 1`,
					d.ID)
				if err != nil || own > 0 && d.Cadence.AsCalmAs(cadence) {
					return err
				}
				if err := noteOwnCadence(ctx, c, d, false); err != nil {
					return err
				}
				return setCadence(ctx, c, d, cadence, now)
			})
		})
	return err
}

// chooseCadence records whether a member's cadence is their own choice, that is, differs from the newsletter's. It
// does nothing if d is not a newsletter's digest. It returns digest.Invalid if the newsletter's cadence is calmer.
func chooseCadence(ctx context.Context, c conn, d digestRow, cadence digest.Cadence) error {
	if d.NewsletterID == 0 {
		return nil
	}
	n, err := readNewsletter(ctx, c, `n.id = ?`, d.NewsletterID)
	if err != nil {
		return err
	}
	if !cadence.AsCalmAs(n.Cadence) {
		return db.Invalid("%s comes %s; choose no more days than that", n.Name, n.Cadence)
	}
	return noteOwnCadence(ctx, c, d, cadence != n.Cadence)
}

func noteOwnCadence(ctx context.Context, c conn, d digestRow, own bool) error {
	return c.Run(ctx, `UPDATE memberships SET own_days = ? WHERE digest_id = ?`, own, d.ID)
}

// eachDigest calls f with each digest, ordered by key, and stops at the first error.
func eachDigest(ctx context.Context, c conn, ids []digest.DigestID, f func(digestRow) error) error {
	var rows []digestRow
	if err := c.All(ctx, &rows, selectDigest+`WHERE d.id`+c.d.OneOf+` ORDER BY d.id`, ids); err != nil {
		return err
	}
	for _, d := range rows {
		if err := f(d); err != nil {
			return err
		}
	}
	return nil
}

// SetNewsletterState makes a newsletter pending, active, held for a reason, or ended. When it ends, all members leave
// it. While a newsletter is held, no issue is sent, and its posts wait for the first issue after the hold.
func (s Newsletters) SetNewsletterState(ctx context.Context, id digest.NewsletterID, state digest.NewsletterState,
	reason string, now time.Time) error {
	err := s.change(ctx, "setting the newsletter's state",
		func(c conn) error { return setNewsletterState(ctx, c, id, state, reason, now) })
	if err != nil || state != digest.NewsletterEnded {
		return err
	}
	ids, err := readRows[digest.DigestID](ctx, s.read(), "finding the members",
		`SELECT d.id FROM digests d WHERE d.newsletter_id = ? AND d.state <> 'left' ORDER BY d.id`, id)
	if err != nil {
		return err
	}
	_, err = changeInParts(ctx, s.database, "ending the newsletter", ids,
		func(c conn, part []digest.DigestID) (int, error) {
			return len(part), eachDigest(ctx, c, part,
				func(d digestRow) error { return setDigestState(ctx, c, d, digest.DigestLeft, now) })
		})
	return err
}

// ChangeNewsletterState makes a newsletter active or held, if its state and its reason are still those in seen. It
// returns digest.Conflict if someone else has changed them.
func (s Newsletters) ChangeNewsletterState(ctx context.Context, seen digest.Newsletter, state digest.NewsletterState,
	reason string, now time.Time) error {
	return s.change(ctx, "setting the newsletter's state", func(c conn) error {
		if err := c.RunOne(ctx, digest.Refuse(digest.Conflict,
			"someone else changed this; reload the page and check it"),
			`UPDATE newsletters SET held_at = held_at WHERE id = ? AND state = ? AND held_reason = ?`, seen.ID,
			seen.State, seen.HeldReason); err != nil {
			return err
		}
		return setNewsletterState(ctx, c, seen.ID, state, reason, now)
	})
}

// setNewsletterState is SetNewsletterState in a transaction. It does not end the memberships.
func setNewsletterState(ctx context.Context, c conn, id digest.NewsletterID, state digest.NewsletterState,
	reason string, now time.Time) error {
	held, countedFrom := instant(0), ""
	switch state {
	case digest.NewsletterActive:
		today, err := ownersToday(ctx, c, []digest.NewsletterID{id}, at(now))
		if err != nil {
			return err
		}
		countedFrom = today[id].Plus(1).String()
		reason = ""
	case digest.NewsletterPending, digest.NewsletterEnded:
		reason = ""
	case digest.NewsletterHeld:
		held = at(now)
	default:
		return db.Invalid("a newsletter is pending, active, held or ended, not %q", state)
	}
	if err := c.RunOne(ctx, noNewsletter(),
		`UPDATE newsletters SET counted_from = CASE WHEN state = 'held' AND held_reason <> ?
			AND ? <> '' THEN ? ELSE counted_from END,
		state = ?, held_reason = ?, held_at = ? WHERE id = ?`, digest.HeldByPublisher, countedFrom, countedFrom,
		state, digest.OneLine(reason), held, id); err != nil {
		return err
	}
	switch state {
	case digest.NewsletterHeld:
		return holdLetters(ctx, c, id)
	case digest.NewsletterActive:
		return freeLetters(ctx, c, id, now)
	}
	return nil
}

// RemoveNewsletter deletes a newsletter that has ended, with its archive and its members' digests. The members'
// accounts stay. It returns digest.Conflict if the newsletter has not ended.
func (s Newsletters) RemoveNewsletter(ctx context.Context, id digest.NewsletterID) error {
	return s.changeAlone(ctx, "removing the newsletter", func(c conn) error {
		n, err := readNewsletter(ctx, c, `n.id = ?`, id)
		if err == nil && n.State != digest.NewsletterEnded {
			err = digest.Refuse(digest.Conflict, "%s is still active; end it first", n.Name)
		}
		if err != nil {
			return err
		}
		return removeNewsletter(ctx, c, id)
	})
}

// RefuseNewsletter deletes a newsletter that waits for approval. It returns digest.Conflict if it does not wait.
func (s Newsletters) RefuseNewsletter(ctx context.Context, id digest.NewsletterID) error {
	return s.changeAlone(ctx, "removing the newsletter", func(c conn) error {
		if err := c.RunOne(ctx, digest.Refuse(digest.Conflict,
			"someone else changed this; reload the page and check it"),
			`UPDATE newsletters SET state = 'ended' WHERE id = ? AND state = 'pending'`, id); err != nil {
			return err
		}
		return removeNewsletter(ctx, c, id)
	})
}

// removeNewsletter deletes a newsletter in any state.
func removeNewsletter(ctx context.Context, c conn, id digest.NewsletterID) error {
	if err := removeDigests(ctx, c, `newsletter_id = ?`, id); err != nil {
		return err
	}
	for _, table := range []string{"newsletter_roles", "membership_events", "newsletter_suppressions", "join_requests",
		"newsletter_letters", "newsletter_pulled_posts", "newsletter_domains", "newsletter_days", "newsletter_clicks",
		"newsletter_notices", "newsletter_tokens", "confirmation_requests", "newsletter_logos"} {
		if err := c.Run(ctx, `DELETE FROM `+table+` WHERE newsletter_id = ?`, id); err != nil {
			return err
		}
	}
	if err := c.Run(ctx, `DELETE FROM newsletters WHERE id = ?`, id); err != nil {
		return err
	}
	return forgetSealed(ctx, c)
}

// removeFinished deletes the newsletters of an owner that have ended or were never approved. Its caller removes the
// owner.
func removeFinished(ctx context.Context, c conn, owner digest.UserID) error {
	var ids []digest.NewsletterID
	if err := c.All(ctx, &ids, `SELECT n.id FROM newsletter_roles r JOIN newsletters n ON n.id = r.newsletter_id
		WHERE r.user_id = ? AND r.role = 'owner' AND n.state IN ('ended', 'pending') ORDER BY n.id`,
		owner); err != nil {
		return err
	}
	for _, id := range ids {
		if err := removeNewsletter(ctx, c, id); err != nil {
			return err
		}
	}
	return nil
}
