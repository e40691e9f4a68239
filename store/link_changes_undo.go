package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

// A LinkStanding says whether a change by a link can be undone.
type LinkStanding string

// The standings of changes.
const (
	LinkOpen       LinkStanding = "open"
	LinkUndone     LinkStanding = "undone"     // the setting is as it was before the change
	LinkSuperseded LinkStanding = "superseded" // somebody has changed it again, so it cannot be undone
)

// A LinkChangeView is a change by a link with its digest and its standing.
type LinkChangeView struct {
	digest.LinkChange
	Digest   digest.Digest
	Standing LinkStanding
	Done     bool // this call of UndoLinkChange has undone it
}

// LinkChange returns a change by its key. It returns digest.NotFound if the change belongs to another digest, or is
// too old to be undone.
func (s Readers) LinkChange(ctx context.Context, id digest.DigestID, change int64, now time.Time) (v LinkChangeView,
	err error) {
	err = s.atOneInstant(ctx, "reading a change made by a link", func(s *Store) (err error) {
		v, _, err = linkChange(ctx, s.read(), id, change, now)
		return err
	})
	return v, err
}

func linkChange(ctx context.Context, c conn, id digest.DigestID, change int64, now time.Time) (v LinkChangeView,
	l linkable, err error) {
	v.LinkChange, err = readOne[digest.LinkChange](ctx, c, "", notFound("this change can no longer be undone"),
		`SELECT `+linkChangeColumns+` FROM link_changes x WHERE x.id = ? AND x.digest_id = ? AND x.changed_at > ?`,
		change, id, now.Add(-digest.LinkUndoTime))
	if err != nil {
		return v, l, err
	}
	if err := followMerges(ctx, c, &v.LinkChange); err != nil {
		return v, l, err
	}
	l, err = readLinkable(ctx, c, id)
	v.Digest, v.Standing = l.Digest, l.standing(v.LinkChange, now)
	return v, l, err
}

// followMerges replaces the feeds of a change by the feeds that they were merged into.
func followMerges(ctx context.Context, c conn, x *digest.LinkChange) error {
	follow := func(id digest.FeedID) (digest.FeedID, error) {
		into := id
		_, err := c.Find(ctx, &into,
			`SELECT CASE WHEN merged_into > 0 THEN merged_into ELSE id END FROM feeds WHERE id = ?`, id)
		return into, err
	}
	var err error
	if x.FeedID != 0 {
		x.FeedID, err = follow(x.FeedID)
	}
	if err != nil || x.Setting != digest.LinkFeed {
		return err
	}
	now, err := follow(parseFeedKey(x.NewValue))
	x.OldValue, x.NewValue = feedKey(x.FeedID), feedKey(now)
	return err
}

// standing compares the value that a change set with the present one.
func (l linkable) standing(x digest.LinkChange, now time.Time) LinkStanding {
	_, until := digest.ParseStateValue(x.OldValue)
	switch value := l.value(x); {
	case !x.UndoneAt.IsZero(), value == x.OldValue, !until.IsZero() && !until.After(now) &&
		value == string(digest.DigestActive):
		return LinkUndone
	case value == x.NewValue:
		return LinkOpen
	}
	return LinkSuperseded
}

// value returns the present value of a change's setting.
func (l linkable) value(x digest.LinkChange) string {
	s, subscribed := l.subscriptions[x.FeedID]
	switch x.Setting {
	case digest.LinkState:
		return l.state()
	case digest.LinkDays:
		return l.Cadence.String()
	case digest.LinkFeed:
		if _, ok := l.subscriptions[parseFeedKey(x.NewValue)]; ok && !subscribed {
			return x.NewValue
		}
	}
	switch {
	case x.Setting == digest.LinkSubscription:
		return l.subscription(x.FeedID)
	case !subscribed:
		return string(digest.DigestLeft) // no layout and no feed has this name
	case x.Setting == digest.LinkDisplay:
		return s.Display
	}
	return x.OldValue
}

// UndoLinkChange restores the value that a link has changed, unless somebody has undone or overwritten the change
// since. It returns the change with its new standing. It returns digest.NotFound where LinkChange does, and
// digest.Conflict if the former value can no longer be restored.
func (s Readers) UndoLinkChange(ctx context.Context, id digest.DigestID, change int64, now time.Time) (v LinkChangeView,
	err error) {
	err = s.changeAlone(ctx, "undoing a change made by a link", func(c conn) error {
		var l linkable
		if v, l, err = linkChange(ctx, c, id, change, now); err != nil || v.Standing != LinkOpen {
			return err
		}
		if err := s.inside(db.Inside(c.Tx)).restoreLinked(ctx, v.LinkChange, l, now); err != nil {
			return err
		}
		if err := c.Run(ctx, `UPDATE link_changes SET undone_at = ? WHERE id = ?`, now, change); err != nil {
			return err
		}
		if err := c.Run(ctx, `DELETE FROM notices`+waits+`kind = 'changed' AND feed_id = ?`, id, id,
			-change); err != nil {
			return err
		}
		if v, l, err = linkChange(ctx, c, id, change, now); err != nil {
			return err
		}
		if v.UndoneAt = (time.Time{}); l.standing(v.LinkChange, now) != LinkUndone {
			return digest.Refuse(digest.Conflict, "the previous setting is no longer stored")
		}
		v.UndoneAt, v.Done = at(now).Time(), true
		return nil
	})
	return v, err
}

// restoreLinked restores the value before a change.
func (s *database) restoreLinked(ctx context.Context, x digest.LinkChange, l linkable, now time.Time) error {
	switch x.Setting {
	case digest.LinkState:
		return s.restoreState(ctx, l.Digest, x.OldValue, now)
	case digest.LinkDays:
		days, err := digest.ParseCadence(x.OldValue)
		if err != nil {
			return err
		}
		return Readers{s}.SetCadence(ctx, l.ID, days, now)
	case digest.LinkSubscription:
		return s.restoreSubscription(ctx, x, l, now)
	case digest.LinkDisplay:
		info, err := Subscriptions{s}.Subscription(ctx, l.ID, x.FeedID)
		if err != nil {
			return err
		}
		info.Display = digest.Layout(x.OldValue)
		return Subscriptions{s}.SetSubscription(ctx, info.Subscription)
	}
	return s.restoreFeed(ctx, x, now)
}

func (s *database) restoreState(ctx context.Context, d digest.Digest, was string, now time.Time) error {
	state, until := digest.ParseStateValue(was)
	if state == digest.DigestLeft {
		return Readers{s}.SetDigestState(ctx, d.ID, digest.DigestLeft, now)
	}
	if d.State == digest.DigestLeft {
		if _, _, err := (Readers{s}).BringBack(ctx, d.ID, now); err != nil {
			return err
		}
	}
	if state == digest.DigestPaused && (until.IsZero() || until.After(now)) {
		return Readers{s}.PauseDigest(ctx, d.ID, until, now)
	}
	return Readers{s}.ResumeDigest(ctx, d.ID, now)
}

func (s *database) restoreSubscription(ctx context.Context, x digest.LinkChange, l linkable, now time.Time) error {
	state, until := digest.ParseStateValue(x.OldValue)
	if state == digest.DigestLeft {
		return Subscriptions{s}.Unsubscribe(ctx, l.ID, x.FeedID)
	}
	if l.subscription(x.FeedID) == string(digest.DigestLeft) {
		if n, err := (Subscriptions{s}).Resubscribe(ctx, l.ID, []digest.FeedID{x.FeedID}, now); err != nil || n == 0 {
			return err // UndoLinkChange notices that nothing was restored
		}
	}
	if state == digest.DigestPaused && (until.IsZero() || until.After(now)) {
		return Subscriptions{s}.PauseSubscriptionUntil(ctx, l.ID, x.FeedID, until)
	}
	return Subscriptions{s}.ResumeSubscription(ctx, l.ID, x.FeedID, now)
}

// restoreFeed subscribes to a feed again in place of another. If the other is the former address of a moved feed,
// the reader can go back to that address again.
func (s *database) restoreFeed(ctx context.Context, x digest.LinkChange, now time.Time) error {
	other := parseFeedKey(x.NewValue)
	if _, err := (Subscriptions{s}).Subscribe(ctx, digest.Subscription{DigestID: x.DigestID, FeedID: x.FeedID},
		now); err != nil {
		return err
	}
	if err := (Subscriptions{s}).ReplaceSubscription(ctx, x.DigestID, other, x.FeedID); err != nil {
		return err
	}
	return s.run(ctx, "", `UPDATE subscriptions AS s SET address = (SELECT `+aLine+` || f.url || `+aLine+` FROM feeds f
		WHERE f.id = ?)
		WHERE s.digest_id = ? AND s.feed_id = ? AND s.address = '' AND EXISTS (SELECT 1 FROM notices n
		JOIN feeds f ON f.url = n.url
			WHERE n.digest_id = s.digest_id AND n.kind = 'moved' AND f.id = ?)`, other, x.DigestID, x.FeedID, other)
}
