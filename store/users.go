package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"digest"
	"digest/calendar"
	"digest/store/db"
)

const dailyName = "Daily Digest"

const userColumns = `u.id, u.email, u.time_zone, u.created_at, u.operator, u.language, u.direction, u.shortcuts,
	u.player, u.theme, u.type_size, u.member_only,
	EXISTS (SELECT 1 FROM newsletter_roles o WHERE o.user_id = u.id) AS publisher`

func emailKey(email string) string { return digest.EmailKey(email) }

// mailDomain returns the domain of an address, the name of its lane.
func mailDomain(email string) string { return laneName(email[strings.LastIndexByte(email, '@')+1:]) }

func noUser() error { return notFound("there is no such reader; see: digest user list") }

// AddUser adds a confirmed user with one daily digest, due at the next midnight of the zone. It returns
// digest.Conflict if the address exists, in any case, and digest.Invalid for an unknown zone.
func (s Readers) AddUser(ctx context.Context, email, zone string, now time.Time) (digest.User, digest.Digest, error) {
	u, d, err := newUser(&s.Policy, email, zone, now)
	if err != nil {
		return digest.User{}, digest.Digest{}, err
	}
	err = s.write(ctx, func(c conn) error { return insertUser(ctx, c, &u, &d, now) })
	if db.IsUnique(err) {
		err = db.Conflict("%s is already a reader", u.Email)
	}
	if err != nil {
		return digest.User{}, digest.Digest{}, fmt.Errorf("adding the reader: %w", err)
	}
	return u, d, nil
}

// newUser returns a new user with their daily digest, not stored yet. It returns digest.Invalid for an unknown zone.
func newUser(p *Policy, email, zone string, now time.Time) (digest.User, digest.Digest, error) {
	loc, err := calendar.Zone(zone)
	if err != nil {
		return digest.User{}, digest.Digest{}, err
	}
	u := digest.User{Email: digest.NormalEmail(email), TimeZone: zone, CreatedAt: at(now).Time(),
		Pages: digest.UsualPages()}
	d := digest.Digest{
		Name:      dailyName,
		TimeZone:  zone,
		NextDueAt: calendar.Next(now, loc, digest.Daily).UTC(),
		Cadence:   digest.Daily,
		State:     digest.DigestActive,
		Mailed:    true,
		Look:      digest.Look{Layout: digest.Excerpts, Images: cmp.Or(p.Images, digest.NoImages)},

		Arrangement: digest.Arrangement{Grouping: digest.ByFolders, WebImages: digest.ProxiedImages},
	}
	return u, d, nil
}

// insertUser stores a user and their digest, and sets both keys.
func insertUser(ctx context.Context, c conn, u *digest.User, d *digest.Digest, now time.Time) error {
	err := c.Get(ctx, &u.ID,
		`INSERT INTO users (email, email_key, mail_domain, time_zone, created_at, member_only, language)
		VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`, u.Email, emailKey(u.Email), mailDomain(u.Email), u.TimeZone,
		now, u.MemberOnly, u.Language)
	if err != nil {
		return err
	}
	d.UserID = u.ID
	if err := answerLetters(ctx, c, u.ID); err != nil { // requests from before the account existed
		return err
	}
	return insertDigest(ctx, c, d, now)
}

// insertDigest stores a digest of a user and sets its key.
func insertDigest(ctx context.Context, c conn, d *digest.Digest, now time.Time) error {
	var between time.Time
	if d.State == digest.DigestActive {
		loc, err := calendar.Zone(d.TimeZone)
		if err != nil {
			return err
		}
		between = calendar.Between(now, loc, d.Cadence)
	}
	return c.Get(ctx, &d.ID,
		`INSERT INTO digests (user_id, newsletter_id, name, next_due_at, next_poll_at, cadence, deliver_at, state,
			mailed, layout, images, threaded, date_subject, budget)
		VALUES (?, NULLIF(CAST(? AS BIGINT), 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
		d.UserID, d.NewsletterID, d.Name, d.NextDueAt, between, d.Cadence, d.DeliverAt, d.State,
		d.Mailed, d.Layout, d.Images, d.Threaded, d.DateSubject, d.Budget)
}

// User returns a user by their key, or digest.NotFound.
func (s Readers) User(ctx context.Context, id digest.UserID) (digest.User, error) {
	return readUser(ctx, s.read(), id)
}

func readUser(ctx context.Context, c conn, id digest.UserID) (digest.User, error) {
	return readOne[digest.User](ctx, c, "reading the user", noUser(), `SELECT `+
		userColumns+` FROM users u WHERE u.id = ?`, id)
}

// UserByEmail returns the user with an address, in any case, or digest.NotFound.
func (s Readers) UserByEmail(ctx context.Context, email string) (digest.User, error) {
	none := notFound("there is no reader %s; see: digest user list", digest.NormalEmail(email))
	return readOne[digest.User](ctx, s.read(), "finding the user", none, `SELECT `+
		userColumns+` FROM users u WHERE u.email_key = ?`, emailKey(email))
}

// Users returns all users, ordered by key.
func (s Readers) Users(ctx context.Context) iter.Seq2[UserInfo, error] {
	return pages(func(last *UserInfo) ([]UserInfo, error) {
		var after digest.UserID
		if last != nil {
			after = last.ID
		}
		return s.usersAfter(ctx, after)
	})
}

func (s *database) usersAfter(ctx context.Context, after digest.UserID) ([]UserInfo, error) {
	type row struct {
		digestRow
		User          digest.User
		Subscriptions int
	}
	rows, err := readRows[row](ctx, s.read(), "listing the users",
		`SELECT `+digestColumns+`, u.id AS "user.id", u.email AS "user.email",
		u.time_zone AS "user.time_zone", u.created_at AS "user.created_at", u.operator AS "user.operator",
		u.language AS "user.language", u.direction AS "user.direction", u.shortcuts AS "user.shortcuts",
		u.player AS "user.player", u.theme AS "user.theme", u.type_size AS "user.type_size",
		u.member_only AS "user.member_only",
		(SELECT count(*) FROM subscriptions s WHERE s.digest_id = d.id AND s.paused = 0) AS subscriptions
		FROM users u JOIN digests d ON d.user_id = u.id WHERE d.newsletter_id IS NULL AND u.id > ?
		ORDER BY u.id LIMIT ?`, after, pageRows)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	part := `u.id BETWEEN ? AND ?`
	first, last := rows[0].UserID, rows[len(rows)-1].UserID
	stays, err := readRows[digest.Stay](ctx, s.read(), "listing the stays", selectStays+`WHERE `+
		part+` ORDER BY s.user_id, s.from_date`, first, last)
	if err != nil {
		return nil, err
	}
	staying := make(map[digest.UserID][]digest.Stay)
	for _, st := range stays {
		staying[st.UserID] = append(staying[st.UserID], st)
	}
	suppressions, err := readRows[digest.Suppression](ctx, s.read(), "listing the suppressed addresses",
		`SELECT `+suppressionColumns+`
		FROM users u JOIN suppressions s ON s.email_key = u.email_key WHERE `+part, first, last)
	if err != nil {
		return nil, err
	}
	suppressed := make(map[string]*digest.Suppression, len(suppressions))
	for i, sup := range suppressions {
		suppressed[emailKey(sup.Email)] = &suppressions[i]
	}
	return each(rows, func(r row) UserInfo {
		return UserInfo{r.User, r.Digest, r.Subscriptions, suppressed[emailKey(r.User.Email)], staying[r.UserID]}
	}), nil
}

// A ZoneInfo is a time zone with the number of its readers and some of their addresses.
type ZoneInfo struct {
	TimeZone string
	Readers  int
	Examples []string // email addresses
}

// Zones returns the time zones of readers, ordered by name, each with the addresses of its first readers, at most
// most.
func (s Readers) Zones(ctx context.Context, most int) (zones []ZoneInfo, err error) {
	rows, err := readRows[struct {
		TimeZone, Email string
		Readers         int
	}](ctx, s.read(), "listing the time zones",
		`SELECT x.time_zone, x.email, x.readers FROM (SELECT u.id, u.time_zone, u.email,
			count(*) OVER (PARTITION BY u.time_zone) AS readers, row_number() OVER (PARTITION BY u.time_zone
			ORDER BY u.id) AS place
			FROM users u) x WHERE x.place <= ? ORDER BY x.time_zone, x.id`, most)
	for _, r := range rows {
		if n := len(zones); n == 0 || zones[n-1].TimeZone != r.TimeZone {
			zones = append(zones, ZoneInfo{TimeZone: r.TimeZone, Readers: r.Readers})
		}
		last := &zones[len(zones)-1]
		last.Examples = append(last.Examples, r.Email)
	}
	return zones, err
}

// RemoveUser deletes a user with all their data, in one transaction. Feeds and posts are shared and stay. A
// suppression of the address stays, because the mailbox is the same if someone subscribes it again. Newsletters of
// which the user was a member keep the address, so that no import adds it again. RemoveUser returns digest.Conflict
// if the user owns a newsletter.
func (s Readers) RemoveUser(ctx context.Context, user digest.UserID, now time.Time) error {
	return s.change(ctx, "removing the user", func(c conn) error {
		if err := c.UntilCommit(ctx, s.d.LockAlone); err != nil {
			return err
		}
		if err := leaveNewsletters(ctx, c, user, now); err != nil {
			return err
		}
		if err := forgetAsksOf(ctx, c, user); err != nil {
			return err
		}
		if err := removeDigests(ctx, c, `user_id = ?`, user); err != nil {
			return err
		}
		err := c.ExecEach(ctx, []string{
			`DELETE FROM saved_posts WHERE user_id = ?`,
			`DELETE FROM trips WHERE user_id = ?`,
			`DELETE FROM sessions WHERE user_id = ?`,
			`DELETE FROM sign_in_tokens WHERE user_id = ?`,
			`DELETE FROM sign_ups WHERE email_key = (SELECT email_key FROM users WHERE id = ?)`,
			`DELETE FROM letter_requests WHERE email_key = (SELECT email_key FROM users WHERE id = ?)`,
			`DELETE FROM address_changes WHERE user_id = ?`,
			`DELETE FROM passkeys WHERE user_id = ?`,
			`DELETE FROM passkey_challenges WHERE user_id = ?`,
			`DELETE FROM newsletter_tokens WHERE user_id = ?`,
			`DELETE FROM newsletter_roles WHERE user_id = ?`,
			`DELETE FROM reader_tokens WHERE user_id = ?`,
			`DELETE FROM join_requests WHERE email_key = (SELECT email_key FROM users WHERE id = ?)`,
			`DELETE FROM membership_events WHERE email_key = (SELECT email_key FROM users WHERE id = ?)`,
		}, user)
		if err == nil {
			err = forgetSealed(ctx, c)
		}
		if err != nil {
			return err
		}
		return c.RunOne(ctx, noUser(), `DELETE FROM users WHERE id = ?`, user)
	})
}

// removeDigests deletes digests with all their data. Posts stay.
func removeDigests(ctx context.Context, c conn, where string, arg any) error {
	these := `IN (SELECT id FROM digests WHERE ` + where + `)`
	if err := c.Run(ctx, `UPDATE digests SET state = 'left' WHERE `+where, arg); err != nil {
		return err
	}
	if err := dropIdle(ctx, c, `f.id IN (SELECT s.feed_id FROM subscriptions s WHERE s.digest_id `+
		these+`)`, arg); err != nil {
		return err
	}
	if _, err := recall(ctx, c, these, arg); err != nil {
		return err
	}
	sent := ` WHERE edition_id IN (SELECT id FROM editions WHERE digest_id ` + these + `)`
	for _, table := range []string{"carried_posts", "bounces", "mail_claims"} {
		if err := c.Run(ctx, `DELETE FROM `+table+sent, arg); err != nil {
			return err
		}
	}
	for _, table := range []string{"digest_posts", "notices", "editions", "subscriptions", "former_subscriptions",
		"filters",
		"filtered_posts", "account_quotas", "waiting_digests", "memberships", "imports", "link_changes"} {
		if err := c.Run(ctx, `DELETE FROM `+table+` WHERE digest_id `+these, arg); err != nil {
			return err
		}
	}
	return c.Run(ctx, `DELETE FROM digests WHERE `+where, arg)
}

// A UserInfo is a user in a list of users.
type UserInfo struct {
	digest.User
	Digest        digest.Digest // their own daily digest
	Subscriptions int
	Suppressed    *digest.Suppression // why the address gets no email; nil if it does
	Stays         []digest.Stay       // planned or present, ordered by date
}
