package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"digest"
	"digest/internal/allowance"
	"digest/newsletter"
	"digest/store/db"
)

// The kinds of membership_events.
const (
	eventJoined   = "joined"
	eventLeft     = "left"
	eventBack     = "back"
	eventImported = "imported"
	eventAsked    = "asked"
)

const memberColumns = `m.digest_id, m.user_id, m.newsletter_id, u.email, u.time_zone, d.state, d.cadence, m.own_days,
	m.joined_at, m.left_at, m.form, m.address, m.asked_at, m.confirmed_at AS at`

const fromMembers = ` FROM memberships m JOIN digests d ON d.id = m.digest_id JOIN users u ON u.id = m.user_id `

// A Joining describes how a person joins a newsletter.
type Joining struct {
	Email    string
	TimeZone string // for new users; others keep theirs
	digest.Proof

	// Asked reports that the owner of the address has just requested this. Otherwise people who left or are suppressed
	// do not join again.
	Asked bool

	// Only for imported lists.
	JoinedAt time.Time      // on the earlier list; zero: now
	Cadence  digest.Cadence // the person's own choice; 0, or more frequent: the newsletter's
	Paused   bool
}

// Join makes a person a member of a newsletter. Their next issue contains what Subscribe adds for a new subscription.
// If the person is already a member, Join changes nothing and created is false. It returns digest.Conflict if the
// newsletter is closed or full. Without j.Asked it also returns digest.Conflict if the address is suppressed, or if a
// publisher adds too many spellings of one mailbox.
func (s Members) Join(ctx context.Context, id digest.NewsletterID, j Joining, now time.Time) (m digest.Member,
	created bool, err error) {
	err = s.changeAlone(ctx, "joining the newsletter", func(c conn) error {
		m, created, err = join(ctx, c, id, j, now)
		if err == nil && created && !j.Asked {
			err = addToMailbox(ctx, c, id, j.Email, now)
		}
		return err
	})
	return m, created, err
}

// addToMailbox records that a publisher has added a person. It returns digest.Conflict if the mailbox was added under
// too many spellings.
func addToMailbox(ctx context.Context, c conn, id digest.NewsletterID, email string, now time.Time) error {
	r := LetterRequest{Kind: allowance.ToAdd(int64(id)), Email: email}
	next, err := nextToMailbox(ctx, c, r.Kind, email, now)
	if err == nil && next.After(now) {
		err = digest.Refuse(digest.Conflict, "%s was added several times today; try again tomorrow",
			digest.NormalEmail(email))
	}
	if err != nil {
		return err
	}
	return r.note(ctx, c, now)
}

func join(ctx context.Context, c conn, id digest.NewsletterID, j Joining, now time.Time) (m digest.Member, created bool,
	err error) {
	n, err := readNewsletter(ctx, c, `n.id = ?`, id)
	if err == nil {
		err = canJoin(n)
	}
	if err == nil {
		err = allowed(ctx, c, n, j)
	}
	if err != nil {
		return m, false, err
	}
	room, err := roomIn(ctx, c, n)
	if err != nil {
		return m, false, err
	}
	return joinWithin(ctx, c, n, j, room, now)
}

func errFull(n digest.Newsletter) error {
	return digest.Refuse(digest.Conflict, "%s is full; try again later", n.Name)
}

// roomIn returns how many more members a newsletter may have.
func roomIn(ctx context.Context, c conn, n digest.Newsletter) (int, error) {
	if n.MemberLimit == 0 {
		return math.MaxInt, nil
	}
	has, err := countMembers(ctx, c, n.ID)
	return max(0, n.MemberLimit-has), err
}

// joinWithin is join for an open newsletter with room for a number of members.
func joinWithin(ctx context.Context, c conn, n digest.Newsletter, j Joining, room int, now time.Time) (m digest.Member,
	created bool, err error) {
	id := n.ID
	j.Form = digest.OneLine(digest.WithoutTurns(j.Form)) // pages, exports and terminals display it
	if room == 0 {
		if _, err := findUser(ctx, c, j.Email); isNone(err) {
			return m, false, errFull(n)
		}
	}
	u, err := memberUser(ctx, c, j, now)
	if err != nil {
		return m, false, err
	}
	was, err := readMember(ctx, c, `m.newsletter_id = ? AND m.user_id = ?`, id, u.ID)
	switch {
	case err == nil && was.State != digest.DigestLeft:
		return was, false, nil
	case room == 0 && (err == nil || digest.KindOf(err) == digest.NotFound):
		return m, false, errFull(n)
	case err == nil:
		created, err = true, comeBack(ctx, c, was, j, now)
	case digest.KindOf(err) == digest.NotFound:
		created, err = true, addMember(ctx, c, n, u, j, now)
	}
	if err != nil {
		return m, false, err
	}
	m, err = readMember(ctx, c, `m.newsletter_id = ? AND m.user_id = ?`, id, u.ID)
	return m, created, err
}

// canJoin returns an error if the newsletter is closed to new members.
func canJoin(n digest.Newsletter) error {
	if n.State != digest.NewsletterActive && n.State != digest.NewsletterHeld {
		return digest.Refuse(digest.Conflict, "%s is not open to new members", n.Name)
	}
	return nil
}

// allowed returns an error if the address is suppressed for the newsletter. If j.Asked, it deletes the suppression.
func allowed(ctx context.Context, c conn, n digest.Newsletter, j Joining) error {
	if j.Asked {
		return c.Run(ctx, `DELETE FROM newsletter_suppressions WHERE newsletter_id = ? AND email_key = ?`, n.ID,
			emailKey(j.Email))
	}
	var one int
	found, err := c.Find(ctx, &one, `SELECT 1 FROM newsletter_suppressions WHERE newsletter_id = ? AND email_key = ?`,
		n.ID, emailKey(j.Email))
	if err == nil && found {
		err = digest.Refuse(digest.Conflict, "%s can’t be sent to %s; only that person can subscribe again", n.Name,
			digest.NormalEmail(j.Email))
	}
	return err
}

// memberUser finds the user of an address, or adds one whose own digest is not started.
func memberUser(ctx context.Context, c conn, j Joining, now time.Time) (digest.User, error) {
	u, err := findUser(ctx, c, j.Email)
	if !isNone(err) {
		return u, err
	}
	u, d, err := newUser(c.policy, j.Email, j.TimeZone, now)
	if err != nil {
		return u, err
	}
	u.MemberOnly, d.State = true, digest.DigestLeft
	if err := insertUser(ctx, c, &u, &d, now); err != nil {
		return u, db.IfUnique(err, digest.Refuse(digest.Conflict,
			"another request added this address at the same moment; try again"))
	}
	return u, nil
}

// addMember adds a digest with the feeds of the newsletter to a user.
func addMember(ctx context.Context, c conn, n digest.Newsletter, u digest.User, j Joining, now time.Time) error {
	d, err := newsletterDigest(n, u, now)
	if err != nil {
		return err
	}
	if err := insertDigest(ctx, c, &d, now); err != nil {
		return err
	}
	if err := c.Run(ctx, `INSERT INTO memberships (digest_id, newsletter_id, user_id, joined_at, form,
		address, asked_at, confirmed_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, d.ID, n.ID, u.ID, cmp.Or(min(at(j.JoinedAt), at(now)), at(now)), j.Form,
		j.Address, j.AskedAt, j.At); err != nil {
		return err
	}
	kind := eventJoined
	if !j.Asked {
		kind = eventImported
	}
	if err := noteMember(ctx, c, n.ID, u.Email, kind, j.Form, now); err != nil {
		return err
	}
	return followFeeds(ctx, c, n, d.ID, now)
}

func followFeeds(ctx context.Context, c conn, n digest.Newsletter, id digest.DigestID, now time.Time) error {
	var subs []digest.Subscription
	err := c.All(ctx, &subs, `SELECT s.digest_id, s.feed_id, s.title, s.folder, s.display, s.extras FROM subscriptions s
		WHERE s.digest_id = ? AND s.paused = 0 ORDER BY s.feed_id`, n.ArchiveID)
	for _, sub := range subs {
		if err != nil {
			return err
		}
		sub.DigestID = id
		_, err = subscribe(ctx, c, sub, at(now))
	}
	return err
}

// comeBack makes a former member a member again. Their digest gets the newsletter's current feeds.
func comeBack(ctx context.Context, c conn, was digest.Member, j Joining, now time.Time) error {
	if err := c.Run(ctx, `UPDATE memberships SET joined_at = ?, form = ?, address = ?, asked_at = ?, confirmed_at = ?
		WHERE digest_id = ?`,
		now, j.Form, j.Address, j.AskedAt, j.At, was.DigestID); err != nil {
		return err
	}
	d, err := readDigest(ctx, c, `d.id = ?`, was.DigestID)
	if err != nil {
		return err
	}
	return setDigestState(ctx, c, d, digest.DigestActive, now)
}

// noteLeft records that a member left, and suppresses the address so that no list adds it again. It ignores digests
// that are not a member's.
func noteLeft(ctx context.Context, c conn, d digestRow, now time.Time) error {
	m, err := readMember(ctx, c, `m.digest_id = ?`, d.ID)
	if d.NewsletterID == 0 || digest.KindOf(err) == digest.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if err := c.Run(ctx, `UPDATE memberships SET left_at = ? WHERE digest_id = ?`, now, d.ID); err != nil {
		return err
	}
	if err := suppressMember(ctx, c, d.NewsletterID, m.Email, eventLeft, now); err != nil {
		return err
	}
	return noteMember(ctx, c, d.NewsletterID, m.Email, eventLeft, "", now)
}

// leaveNewsletters suppresses the address of a removed user in their newsletters, without the time of leaving. It
// returns digest.Conflict if the user owns a newsletter.
func leaveNewsletters(ctx context.Context, c conn, user digest.UserID, now time.Time) error {
	if err := removeFinished(ctx, c, user); err != nil {
		return err
	}
	var owned string
	found, err := c.Find(ctx, &owned,
		`SELECT n.name FROM newsletter_roles r JOIN newsletters n ON n.id = r.newsletter_id
		WHERE r.user_id = ? AND r.role = 'owner' ORDER BY n.slug LIMIT 1`, user)
	if err == nil && found {
		err = digest.Refuse(digest.Conflict,
			"this account owns the newsletter %s; end or transfer the newsletter first", owned)
	}
	if err != nil {
		return err
	}
	if err := c.Run(ctx, `INSERT INTO newsletter_suppressions (newsletter_id, email_key, email, reason, at)
		SELECT m.newsletter_id, u.email_key, u.email, 'left', 0 FROM memberships m JOIN users u ON u.id = m.user_id
		WHERE m.user_id = ? ORDER BY m.newsletter_id ON CONFLICT DO NOTHING`, user); err != nil {
		return err
	}
	var of []digest.NewsletterID
	if err := c.All(ctx, &of,
		`SELECT m.newsletter_id FROM memberships m JOIN digests d ON d.id = m.digest_id WHERE m.user_id = ?
			AND d.state <> 'left'`, user); err != nil {
		return err
	}
	left := make(map[digest.NewsletterID]newsletter.Day, len(of))
	for _, id := range of {
		left[id] = newsletter.Day{Left: 1}
	}
	return countDay(ctx, c, at(now), left)
}

// suppressMember adds a suppression of an address in a newsletter. An earlier reason remains.
func suppressMember(ctx context.Context, c conn, id digest.NewsletterID, email, reason string, now time.Time) error {
	return c.Run(ctx, `INSERT INTO newsletter_suppressions (newsletter_id, email_key, email, reason, at)
		VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (newsletter_id, email_key) DO NOTHING`, id, emailKey(email), digest.NormalEmail(email), reason,
		now)
}

// noteBack records that a member has returned, and subscribes their digest to the newsletter's current feeds.
func noteBack(ctx context.Context, c conn, d digestRow, now time.Time) error {
	m, err := readMember(ctx, c, `m.digest_id = ?`, d.ID)
	if d.NewsletterID == 0 || digest.KindOf(err) == digest.NotFound {
		return nil
	}
	if err != nil {
		return err
	}
	n, err := readNewsletter(ctx, c, `n.id = ?`, d.NewsletterID)
	if err != nil {
		return err
	}
	if n.State == digest.NewsletterEnded {
		return digest.Refuse(digest.Conflict, "%s has ended", n.Name)
	}
	if err := c.Run(ctx, `UPDATE memberships SET left_at = 0 WHERE digest_id = ?`, d.ID); err != nil {
		return err
	}
	if err := c.Run(ctx, `DELETE FROM newsletter_suppressions WHERE newsletter_id = ? AND email_key = ?`, n.ID,
		emailKey(m.Email)); err != nil {
		return err
	}
	if err := noteMember(ctx, c, n.ID, m.Email, eventBack, "", now); err != nil {
		return err
	}
	if err := endSubscriptions(ctx, c,
		`s.digest_id = ? AND NOT EXISTS (SELECT 1 FROM subscriptions a WHERE a.digest_id = ?
			AND a.feed_id = s.feed_id)`, d.ID, n.ArchiveID); err != nil {
		return err
	}
	return followFeeds(ctx, c, n, d.ID, now)
}

func noteMember(ctx context.Context, c conn, id digest.NewsletterID, email, kind, detail string, now time.Time) error {
	if err := c.Run(ctx, `INSERT INTO membership_events (newsletter_id, email_key, at, kind, detail)
		VALUES (?, ?, ?, ?, ?)`,
		id, emailKey(email), now, kind, digest.OneLine(detail)); err != nil {
		return err
	}
	return countMember(ctx, c, now, id, kind)
}

func readMember(ctx context.Context, c conn, where string, args ...any) (digest.Member, error) {
	return readOne[digest.Member](ctx, c, "reading a member", notFound("there is no such member"), `SELECT `+
		memberColumns+fromMembers+`WHERE `+where, args...)
}

// Member returns a current or former member of a newsletter by address, or digest.NotFound.
func (s Members) Member(ctx context.Context, id digest.NewsletterID, email string) (digest.Member, error) {
	return readMember(ctx, s.read(), `m.newsletter_id = ? AND u.email_key = ?`, id, emailKey(email))
}

// MemberByDigest returns a member of a newsletter by their digest, or digest.NotFound.
func (s Members) MemberByDigest(ctx context.Context, id digest.NewsletterID, of digest.DigestID) (digest.Member,
	error) {
	return readMember(ctx, s.read(), `m.newsletter_id = ? AND m.digest_id = ?`, id, of)
}

// Memberships returns a user's current and former memberships, by name.
func (s Members) Memberships(ctx context.Context, user digest.UserID) ([]digest.Member, error) {
	return readRows[digest.Member](ctx, s.read(), "listing memberships", `SELECT `+
		memberColumns+fromMembers+`WHERE m.user_id = ? ORDER BY d.name, d.id`, user)
}

// A MemberQuery selects members of a newsletter.
type MemberQuery struct {
	Part  string             // of the address, ignoring case; empty: any
	State digest.DigestState // empty: any
	After digest.DigestID    // only members whose digests have greater keys
}

// Members yields the members of a newsletter, by the keys of their digests.
func (s Members) Members(ctx context.Context, id digest.NewsletterID, q MemberQuery) iter.Seq2[digest.Member, error] {
	return pages(func(last *digest.Member) ([]digest.Member, error) {
		after := q.After
		if last != nil {
			after = last.DigestID
		}
		where, args := `m.newsletter_id = ? AND m.digest_id > ?`, []any{id, after}
		if q.Part != "" {
			where += ` AND u.email_key LIKE ? ESCAPE '!'`
			args = append(args, within(q.Part))
		}
		if q.State != "" {
			where += ` AND d.state = ?`
			args = append(args, string(q.State))
		}
		return readRows[digest.Member](ctx, s.read(), "listing the members", `SELECT `+
			memberColumns+fromMembers+`WHERE `+where+fmt.Sprint(` ORDER BY m.digest_id LIMIT `, pageRows), args...)
	})
}

// within returns a LIKE pattern for texts that contain part, with the escape character !.
func within(part string) string { return "%" + literally(part) + "%" }

// literally escapes a text for LIKE and lowercases it.
func literally(text string) string {
	return strings.NewReplacer("!", "!!", "%", "!%", "_", "!_").Replace(strings.ToLower(text))
}

// NewsletterSuppressions yields the suppressed addresses of a newsletter, by address.
func (s Members) NewsletterSuppressions(ctx context.Context, id digest.NewsletterID) iter.Seq2[
	digest.NewsletterSuppression, error] {
	return pages(func(last *digest.NewsletterSuppression) ([]digest.NewsletterSuppression, error) {
		after := ""
		if last != nil {
			after = emailKey(last.Email)
		}
		return readRows[digest.NewsletterSuppression](ctx, s.read(), "listing the suppressed addresses",
			fmt.Sprint(`SELECT x.email, x.reason, x.at
			FROM newsletter_suppressions x WHERE x.newsletter_id = ? AND x.email_key > ? ORDER BY x.email_key LIMIT `,
				pageRows), id, after)
	})
}

// SuppressInNewsletter suppresses the addresses of an imported list, with its reasons. Members among them leave.
func (s Members) SuppressInNewsletter(ctx context.Context, id digest.NewsletterID, all []digest.NewsletterSuppression,
	now time.Time) (int, error) {
	return changeInParts(ctx, s.database, "suppressing addresses", slices.Clone(all),
		func(c conn, part []digest.NewsletterSuppression) (int, error) {
			for _, x := range part {
				when := x.At
				if when.IsZero() {
					when = now
				}
				if err := suppressMember(ctx, c, id, x.Email, digest.OneLine(x.Reason), when); err != nil {
					return 0, err
				}
				m, err := readMember(ctx, c, `m.newsletter_id = ? AND u.email_key = ? AND d.state <> 'left'`, id,
					emailKey(x.Email))
				if digest.KindOf(err) == digest.NotFound {
					continue
				}
				if err == nil {
					err = eachDigest(ctx, c, []digest.DigestID{m.DigestID},
						func(d digestRow) error { return setDigestState(ctx, c, d, digest.DigestLeft, now) })
				}
				if err != nil {
					return 0, err
				}
			}
			return len(part), nil
		})
}
