package store

import (
	"context"
	"time"

	"digest"
	"digest/store/db"
)

// mostWaiting is how many bodies of one feed may wait. If a hub sends more, the feed is polled instead, so that no
// post is lost.
const mostWaiting = 10

// A Push is a body that a hub has sent and signed.
type Push struct {
	ID          int64
	FeedID      digest.FeedID
	ReceivedAt  time.Time
	ContentType string
	Body        []byte
}

// ReceivePush stores a body that a hub has sent until its posts are stored. If mostWaiting bodies wait, or the body
// is longer than a document may be, it schedules a poll of the feed instead.
func (s Feeds) ReceivePush(ctx context.Context, now time.Time, feed digest.FeedID, contentType string,
	body []byte) error {
	packed, err := Posts(s).Pack(Body{Bytes: body})
	if err != nil {
		return failed("keeping what a hub has sent", err)
	}
	if len(packed.packed) == 0 {
		return s.AnnouncedFeed(ctx, feed, now)
	}
	kept := false
	err = s.change(ctx, "keeping what a hub has sent", func(c conn) error {
		kept = false
		if err := lockFeed(ctx, c, feed); err != nil {
			return err
		}
		n, err := c.Number(ctx, `SELECT count(*) FROM pushes WHERE feed_id = ?`, feed)
		if err != nil || n >= mostWaiting {
			return err
		}
		kept = true
		return c.Run(ctx, `INSERT INTO pushes (feed_id, received_at, content_type, body) VALUES (?, ?, ?, ?)`, feed,
			now, contentType, packed.packed)
	})
	if err == nil && !kept {
		err = s.AnnouncedFeed(ctx, feed, now)
	}
	return err
}

// AnnouncedFeed schedules a poll of a feed, as after a ping, because a hub announced news.
func (s Feeds) AnnouncedFeed(ctx context.Context, id digest.FeedID, now time.Time) error {
	return s.ping(ctx, []digest.FeedID{id}, now)
}

// ClaimPush claims the oldest push for this worker, for the duration of lease. found is false if no push waits.
func (s Feeds) ClaimPush(ctx context.Context, now time.Time, lease time.Duration) (p Push, found bool, err error) {
	const free = ` FROM pushes p WHERE p.lease_until <= ?`
	if n, err := s.read().Number(ctx, `SELECT count(*) FROM (SELECT 1`+free+` LIMIT 1) x`, now); err != nil ||
		n == 0 {
		return p, false, failed("looking for what hubs have sent", err)
	}
	err = s.change(ctx, "claiming what a hub has sent", func(c conn) error {
		found, err = c.Find(ctx, &p, `SELECT p.id, p.feed_id, p.received_at, p.content_type, p.body`+
			free+` ORDER BY p.id LIMIT 1`+c.d.SkipRows("p"), now)
		if err != nil || !found {
			return err
		}
		return c.Run(ctx, `UPDATE pushes SET lease_until = ? WHERE id = ?`, at(now).Plus(lease), p.ID)
	})
	if err == nil && found {
		if err = s.packer.ready(); err == nil {
			p.Body, err = s.packer.from.DecodeAll(p.Body, nil)
		}
	}
	return p, found, err
}

// DropPush deletes a push that cannot be read, and schedules a poll of its feed.
func (s Feeds) DropPush(ctx context.Context, now time.Time, p Push) error {
	err := s.change(ctx, "dropping what a hub has sent", func(c conn) error {
		if err := c.Run(ctx, `DELETE FROM pushes WHERE id = ?`, p.ID); err != nil {
			return err
		}
		return notePush(ctx, c, p.FeedID, at(p.ReceivedAt), false, now)
	})
	if err != nil {
		return err
	}
	return s.AnnouncedFeed(ctx, p.FeedID, now)
}

// RecordPush stores the posts of a push, as Record does for a poll, and deletes the push. A push may contain only
// part of a document. So it adds and edits posts, but affects neither absent posts nor the feed's metadata and
// schedule.
func (s Feeds) RecordPush(ctx context.Context, now time.Time, push Push, in Polled) (RecordResult, error) {
	if err := s.Policy.check(); err != nil {
		return RecordResult{}, failed("storing what a hub has sent", err)
	}
	var result RecordResult
	err := s.changeUnder(ctx, s.d.LockShared, "storing what a hub has sent", func(c conn) error {
		result = RecordResult{}
		n, err := c.Exec(ctx, `DELETE FROM pushes WHERE id = ?`, push.ID)
		if err != nil || n == 0 { // another worker has stored it
			return err
		}
		r := recording{c: c, now: at(now)}
		found, err := r.lockPushed(ctx, in)
		if err != nil || !found {
			return err
		}
		err = steps(ctx, r.match, r.judge, r.compareDelivered, r.admit, r.insert, r.edit, r.keepVersions, r.hide,
			r.restore, r.tellOverQuota)
		if err != nil {
			return err
		}
		result = RecordResult{Posts: r.posts, Hidden: r.hidden, Waiting: r.waiting}
		return r.notePushed(ctx, push)
	})
	if db.IsRefused(err) {
		return RecordResult{Refused: 1}, s.DropPush(ctx, now, push)
	}
	return result, err
}

// lockPushed locks the feed of a push and adds the push to the recording. It returns false if the feed no longer
// exists or must not be polled. A hub may still send for a while after that.
func (r *recording) lockPushed(ctx context.Context, in Polled) (found bool, err error) {
	id := in.Feed.ID
	if err := lockFeed(ctx, r.c, id); err != nil {
		return false, err
	}
	found, err = r.c.Find(ctx, &in.Feed, `SELECT `+feedColumns+` FROM `+
		timedFeeds+` WHERE f.id = ? AND f.merged_into = 0 AND f.state NOT IN ('blocked', 'declined')`, id)
	if err != nil || !found {
		return false, err
	}
	f := in.Feed
	p := &polled{Polled: in, first: f.ParsedAt.IsZero(), stored: lockedFeed{ID: f.ID, URL: f.URL, Host: f.Host,
		State: f.State, ParsedAt: at(f.ParsedAt), LastOKAt: at(f.LastOKAt)}}
	p.ReadAt, p.Token = f.URL, ""
	if !p.first {
		p.readBefore = at(f.LastOKAt)
	}
	r.addPoll(p)
	return true, nil
}

// notePushed records the quota use of a push, the date of its news, and its arrival.
func (r *recording) notePushed(ctx context.Context, push Push) error {
	p := r.polls[0]
	if err := r.noteUse(ctx, p); err != nil {
		return err
	}
	if r.posts > 0 {
		if err := r.c.Run(ctx, `UPDATE feeds SET newest_at = ?, `+dailyAtMost+` WHERE id = ? AND newest_at < ?`, r.now,
			p.Feed.ID, r.now); err != nil {
			return err
		}
		if err := refreshAskable(ctx, r.c, `f.id = ?`, p.Feed.ID); err != nil {
			return err
		}
	}
	if err := notePush(ctx, r.c, p.Feed.ID, at(push.ReceivedAt), r.posts > 0, r.now.Time()); err != nil {
		return err
	}
	return count(ctx, r.c, r.now,
		counters{CounterPost: {N: int64(r.posts)}, CounterPush: {N: 1, Bytes: int64(len(push.Body))}})
}
