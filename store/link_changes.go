package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"digest"
	"digest/store/db"
)

// Everyone who has an email can use its links. The store records each change that a link makes without a sign-in.
// It tells the reader of the email, with a notice in the next edition or, if no edition is due soon, with an email.
// If the change is reverted before that, the store deletes the record.

// A LinkUse is a link in an email that changes something.
type LinkUse struct {
	DigestID  digest.DigestID // whose email had it
	EmailDate digest.Date     // of the edition in that email; zero: unknown
	OneClick  bool            // as in digest.LinkChange: no notice and no email

	// Added is a feed to which the change itself has just subscribed the digest; 0: none.
	Added digest.FeedID
}

// ByLink runs change in one transaction, and records how it changed the digest and its subscriptions. change must
// use the store that it gets, and may run more than once.
func (s *Store) ByLink(ctx context.Context, by LinkUse, now time.Time, change func(*Store) error) error {
	return s.changeAlone(ctx, "", func(c conn) error {
		was, err := readLinkable(ctx, c, by.DigestID)
		if err != nil {
			return err
		}
		delete(was.subscriptions, by.Added)
		if err := change(s.inside(db.Inside(c.Tx))); err != nil {
			return err
		}
		is, err := readLinkable(ctx, c, by.DigestID)
		if err != nil {
			return err
		}
		return by.record(ctx, c, linkChanges(was, is), is.Digest, now)
	})
}

// A linkable holds the settings that links in the emails of a digest can change.
type linkable struct {
	digest.Digest
	subscriptions map[digest.FeedID]linkableSubscription
}

type linkableSubscription struct {
	FeedID      digest.FeedID
	Title, URL  string
	Display     string
	Paused      bool
	PausedUntil time.Time
}

func readLinkable(ctx context.Context, c conn, id digest.DigestID) (l linkable, err error) {
	d, err := readDigest(ctx, c, `d.id = ?`, id)
	if err != nil {
		return l, err
	}
	var rows []linkableSubscription
	if err := c.All(ctx, &rows,
		`SELECT s.feed_id, CASE s.title WHEN '' THEN f.title ELSE s.title END AS title, f.url, s.display,
		s.paused, s.paused_until FROM subscriptions s JOIN feeds f ON f.id = s.feed_id WHERE s.digest_id = ?`,
		id); err != nil {
		return l, err
	}
	l = linkable{d.Digest, make(map[digest.FeedID]linkableSubscription, len(rows))}
	for _, r := range rows {
		l.subscriptions[r.FeedID] = r
	}
	return l, nil
}

func (l linkable) state() string { return digest.StateValue(l.State, l.PausedUntil) }

// subscription returns the value of a LinkSubscription.
func (l linkable) subscription(feed digest.FeedID) string {
	s, ok := l.subscriptions[feed]
	switch {
	case !ok:
		return string(digest.DigestLeft)
	case s.Paused:
		return digest.StateValue(digest.DigestPaused, s.PausedUntil)
	}
	return string(digest.DigestActive)
}

// feedKey writes the key of a feed as the value of a LinkFeed, and parseFeedKey reads it.
func feedKey(id digest.FeedID) string { return strconv.FormatInt(int64(id), 10) }

func parseFeedKey(value string) digest.FeedID {
	n, _ := strconv.ParseInt(value, 10, 64) // 0, which no feed has, if value is not a key
	return digest.FeedID(n)
}

// linkChanges lists the differences between two states of the settings, by feed.
func linkChanges(was, is linkable) (all []digest.LinkChange) {
	add := func(feed digest.FeedID, setting digest.LinkSetting, before, after string) {
		if before == after {
			return
		}
		x := digest.LinkChange{DigestID: is.ID, FeedID: feed, Setting: setting, OldValue: before, NewValue: after,
			Title: is.Name}
		if feed != 0 {
			s, ok := was.subscriptions[feed]
			if !ok {
				s = is.subscriptions[feed]
			}
			x.Host = digest.HostShown(s.URL)
			x.Title = cmp.Or(s.Title, x.Host)
		}
		all = append(all, x)
	}
	add(0, digest.LinkState, was.state(), is.state())
	add(0, digest.LinkDays, was.Cadence.String(), is.Cadence.String())
	ended, begun := missing(was, is), missing(is, was)
	if len(ended) == 1 && len(begun) == 1 {
		add(ended[0], digest.LinkFeed, feedKey(ended[0]), feedKey(begun[0]))
		all[len(all)-1].NewHost = digest.HostShown(is.subscriptions[begun[0]].URL)
		ended, begun = nil, nil
	}
	for _, feed := range append(ended, begun...) {
		add(feed, digest.LinkSubscription, was.subscription(feed), is.subscription(feed))
	}
	for _, feed := range common(was, is) {
		add(feed, digest.LinkSubscription, was.subscription(feed), is.subscription(feed))
		add(feed, digest.LinkDisplay, was.subscriptions[feed].Display, is.subscriptions[feed].Display)
	}
	return all
}

// missing lists the feeds of a that b lacks, and common those that are in both.
func missing(a, b linkable) []digest.FeedID { return feedsOf(a, b, false) }
func common(a, b linkable) []digest.FeedID  { return feedsOf(a, b, true) }

func feedsOf(a, b linkable, both bool) (feeds []digest.FeedID) {
	for id := range a.subscriptions {
		if _, ok := b.subscriptions[id]; ok == both {
			feeds = append(feeds, id)
		}
	}
	slices.Sort(feeds)
	return feeds
}

// The values of notify_by.
const (
	toldByEdition = "edition"
	toldByEmail   = "email"
	toldByNobody  = "nobody"
)

// untold holds for changes x that the reader does not know of yet.
const untold = `x.undone_at = 0 AND x.notified_at = 0 AND (x.notify_by <> '` + toldByEdition + `' OR EXISTS (SELECT 1
	FROM notices n JOIN digests d ON d.id = n.digest_id AND d.next_due_at = n.visible_at
	WHERE n.digest_id = x.digest_id AND n.feed_id = -x.id AND n.kind = 'changed'))`

// record stores changes. It decides how the reader learns of them, and of earlier ones that the reader does not
// know yet.
func (by LinkUse) record(ctx context.Context, c conn, changes []digest.LinkChange, d digest.Digest,
	now time.Time) error {
	for _, x := range changes {
		if err := by.recordOne(ctx, c, x, at(now)); err != nil {
			return err
		}
	}
	if len(changes) == 0 || by.OneClick {
		return nil
	}
	if digest.ToldByEdition(d, now) {
		return nil
	}
	if err := c.Run(ctx, `UPDATE link_changes AS x SET notify_by = ?, email_at = ? WHERE x.digest_id = ?
		AND x.notify_by = ? AND `+untold,
		toldByEmail, at(now).Plus(linkGathering), d.ID, toldByEdition); err != nil {
		return err
	}
	return c.Run(ctx, `DELETE FROM notices`+waits+`kind = 'changed' AND feed_id IN
		(SELECT -x.id FROM link_changes x WHERE x.digest_id = notices.digest_id AND x.notify_by = ?)`, d.ID, d.ID,
		toldByEmail)
}

// linkGathering is how long an email waits for further changes.
const linkGathering = 10 * time.Minute

// recordOne stores a change. It adds the change to the record of an earlier one of the same setting that is still
// untold, unless the reader has changed the setting in between. It adds nothing to the record of a return to a digest
// or a feed. The reader may have returned themselves, and must learn that somebody leaves again.
func (by LinkUse) recordOne(ctx context.Context, c conn, x digest.LinkChange, now instant) error {
	var open struct {
		ID       int64
		OldValue string
		NotifyBy string
	}
	found, err := c.Find(ctx, &open, `SELECT x.id, x.old_value, x.notify_by FROM link_changes x
		WHERE x.digest_id = ? AND x.feed_id = ? AND x.setting = ? AND x.new_value = ? AND x.old_value <> ?
		AND `+untold+`
		ORDER BY x.id DESC LIMIT 1`, x.DigestID, x.FeedID, x.Setting, x.OldValue, digest.DigestLeft)
	if err != nil {
		return err
	}
	how := toldByEdition
	switch {
	case by.OneClick:
		how = toldByNobody
	case open.NotifyBy == toldByEmail:
		how = toldByEmail
	}
	if !found {
		if err := c.Get(ctx, &open.ID,
			`INSERT INTO link_changes (digest_id, feed_id, setting, old_value, new_value, title, host,
				new_host, email_date, changed_at, notify_by)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`, x.DigestID, x.FeedID, x.Setting, x.OldValue,
			x.NewValue, x.Title, x.Host, x.NewHost,
			by.EmailDate, now, how); err != nil {
			return err
		}
	} else if err := c.Run(ctx,
		`UPDATE link_changes SET new_value = ?, new_host = ?, email_date = ?, changed_at = ?, notify_by = ?
			WHERE id = ?`,
		x.NewValue, x.NewHost, by.EmailDate, now, how, open.ID); err != nil {
		return err
	}
	if how != toldByEdition || found && open.OldValue == x.NewValue {
		err = c.Run(ctx, `DELETE FROM notices`+waits+`kind = 'changed' AND feed_id = ?`, x.DigestID, x.DigestID,
			-open.ID)
	} else {
		err = c.Run(ctx, `INSERT INTO notices (digest_id, visible_at, feed_id, kind)
			SELECT d.id, d.next_due_at, CAST(? AS BIGINT), 'changed'
			FROM digests d WHERE d.id = ? ON CONFLICT DO NOTHING`, -open.ID, x.DigestID)
	}
	if err == nil && found && open.OldValue == x.NewValue { // the setting has its old value again
		err = c.Run(ctx, `DELETE FROM link_changes WHERE id = ?`, open.ID)
	}
	return err
}

const linkChangeColumns = `x.id, x.digest_id, x.feed_id, x.setting, x.old_value, x.new_value, x.title,
	x.host, x.new_host, x.email_date,
	CASE x.notify_by WHEN 'nobody' THEN 1 ELSE 0 END AS one_click, x.changed_at, x.undone_at`

// A ListedLinkChange is a change that a link made, with the round of its digest's links.
type ListedLinkChange struct {
	digest.LinkChange
	LinkRound int
}

// LinkChanges lists the changes that links in a reader's emails have made since an instant, in all digests, latest
// first.
func (s Readers) LinkChanges(ctx context.Context, user digest.UserID, since time.Time) ([]ListedLinkChange, error) {
	return readRows[ListedLinkChange](ctx, s.read(), "listing the changes made by links",
		`SELECT `+linkChangeColumns+`, d.link_round FROM link_changes x
		JOIN digests d ON d.id = x.digest_id WHERE d.user_id = ? AND x.changed_at >= ?
		ORDER BY x.changed_at DESC, x.id DESC`, user, since)
}

// pruneLinkChanges deletes old changes, except those in the notices of an edition that is still stored.
func (s *database) pruneLinkChanges(ctx context.Context, old instant) error {
	return s.run(ctx, "", `DELETE FROM link_changes AS x WHERE x.changed_at < ?
			AND NOT EXISTS (SELECT 1 FROM notices n WHERE n.digest_id = x.digest_id AND n.feed_id = -x.id)`, old)
}
