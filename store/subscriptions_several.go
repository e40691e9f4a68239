package store

import (
	"context"
	"slices"
	"time"

	"digest"
	"digest/internal/words"
)

// What a reader does to several subscriptions at once is done to all of them or to none; what they have left meanwhile,
// in another window, is passed over.

// SetFolder puts subscriptions into a folder, "" for none, and says how many.
func (s *Store) SetFolder(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, folder string) (int, error) {
	return s.setSeveral(ctx, "moving subscriptions", `folder = ?`, []any{folder}, id, feeds)
}

// SetDisplay changes how the posts of subscriptions are shown, and how many an edition shows of each, 0 for all. It
// says how many subscriptions.
func (s *Store) SetDisplay(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, display digest.Layout, most int) (int, error) {
	return s.setSeveral(ctx, "changing how subscriptions are shown", `display = ?, most = ?`, []any{string(display), most}, id, feeds)
}

// setSeveral sets columns of subscriptions.
func (s *Store) setSeveral(ctx context.Context, doing, set string, values []any, id digest.DigestID, feeds []digest.FeedID) (int, error) {
	return changed(ctx, s, doing, func(c conn) (int, error) {
		n, err := c.exec(ctx, `UPDATE subscriptions SET `+set+` WHERE digest_id = ? AND feed_id`+c.d.oneOf, append(slices.Clone(values), id, keys(c.d, feeds))...)
		return int(n), err
	})
}

// PauseSubscriptions is PauseSubscriptionUntil for several; it says how many. Those of which letters of a newsletter
// bring the posts stay as they are.
func (s *Store) PauseSubscriptions(ctx context.Context, id digest.DigestID, feeds []digest.FeedID, until time.Time) (int, error) {
	return s.eachFeed(ctx, "pausing subscriptions", feeds, func(c conn, feed digest.FeedID) error {
		return pauseUntil(ctx, c, id, feed, at(until))
	})
}

// A FormerSubscription is all that a reader had made of a feed that they have left.
type FormerSubscription struct {
	digest.Subscription

	Paused      bool
	PausedUntil time.Time       // zero: when its reader says so
	Filters     []string        // the words of those of this feed alone
	Waiting     []digest.PostID // what waited of the feed for the next edition, mostReturned at most
}

// mostReturned is how many posts of one feed come back.
const mostReturned = 1000

// UnsubscribeSeveral is Unsubscribe for several; it gives what Resubscribe brings back. A private feed, which nothing
// could bring back, is not left.
func (s *Store) UnsubscribeSeveral(ctx context.Context, id digest.DigestID, feeds []digest.FeedID) (left []FormerSubscription, err error) {
	_, err = s.eachFeed(ctx, "unsubscribing", feeds, func(c conn, feed digest.FeedID) error {
		if feed == slices.Min(feeds) {
			left = nil // the transaction may be tried again
		}
		f, err := c.former(ctx, id, feed)
		if err == nil {
			err = unsubscribe(ctx, c, id, feed)
		}
		if err == nil {
			left = append(left, f)
		}
		return err
	})
	return left, err
}

// former reads a subscription that is about to end; digest.NotFound if there is none, or its feed is private.
func (c conn) former(ctx context.Context, id digest.DigestID, feed digest.FeedID) (f FormerSubscription, err error) {
	own, err := readOne[struct {
		digest.Subscription
		URL         string
		Paused      bool
		PausedUntil time.Time
	}](ctx, c, "", noSubscription(), `SELECT s.digest_id, s.feed_id, s.title, s.folder, s.display, s.most, s.extras, s.leads, s.rests AS paused, s.paused_until, f.url
		FROM subscriptions s JOIN feeds f ON f.id = s.feed_id WHERE s.digest_id = ? AND s.feed_id = ?`, id, feed)
	if err != nil {
		return f, err
	}
	if digest.IsPrivate(own.URL) {
		return f, noSubscription()
	}
	f = FormerSubscription{Subscription: own.Subscription, Paused: own.Paused, PausedUntil: own.PausedUntil}
	if err := c.all(ctx, &f.Waiting, `SELECT post_id FROM digest_posts`+waits+`post_id IN (SELECT p.id FROM posts p WHERE p.feed_id = ?)
		ORDER BY post_id DESC LIMIT ?`, id, id, feed, mostReturned); err != nil {
		return f, err
	}
	err = c.all(ctx, &f.Filters, `SELECT words FROM filters WHERE digest_id = ? AND feed_id = ? ORDER BY id`, id, feed)
	return f, err
}

// Resubscribe is the way back from Unsubscribe and UnsubscribeSeveral: it subscribes a digest to feeds that it has
// left, as it was subscribed before, and says to how many. A feed that it never had, or that is not stored any more,
// or is private, is passed over, and so is one to which it is subscribed.
func (s *Store) Resubscribe(ctx context.Context, id digest.DigestID, former []FormerSubscription, now time.Time) (int, error) {
	of := make(map[digest.FeedID]FormerSubscription, len(former))
	var feeds []digest.FeedID
	for _, f := range former {
		f.DigestID = id
		of[f.FeedID] = f
		feeds = append(feeds, f.FeedID)
	}
	return s.eachFeed(ctx, "subscribing again", feeds, func(c conn, feed digest.FeedID) error {
		return resubscribe(ctx, c, of[feed], at(now))
	})
}

func resubscribe(ctx context.Context, c conn, f FormerSubscription, now instant) error {
	had, err := readOne[struct {
		URL        string
		MergedInto digest.FeedID
	}](ctx, c, "", noSubscription(), `SELECT f.url, f.merged_into FROM former_subscriptions x JOIN feeds f ON f.id = x.feed_id
		WHERE x.digest_id = ? AND x.feed_id = ?`, f.DigestID, f.FeedID)
	if err != nil {
		return err
	}
	if digest.IsPrivate(had.URL) {
		return noSubscription()
	}
	if had.MergedInto != 0 {
		f.FeedID = had.MergedInto
	}
	n, err := c.number(ctx, `SELECT count(*) FROM subscriptions WHERE digest_id = ? AND feed_id = ?`, f.DigestID, f.FeedID)
	if err != nil {
		return err
	}
	if n > 0 {
		return noSubscription()
	}
	if _, err := subscribe(ctx, c, f.Subscription, now); err != nil {
		return err
	}
	if err := returnPlaces(ctx, c, f, now); err != nil {
		return err
	}
	for _, w := range f.Filters {
		if err := returnFilter(ctx, c, f, w, now); err != nil {
			return err
		}
	}
	if !f.Paused {
		return nil
	}
	return pauseUntil(ctx, c, f.DigestID, f.FeedID, at(f.PausedUntil))
}

// returnPlaces brings back what waited of a feed, and has it lead as it did, unless another one leads by now.
func returnPlaces(ctx context.Context, c conn, f FormerSubscription, now instant) error {
	if len(f.Waiting) > 0 {
		if err := hideThese(ctx, c, f.Subscription, f.Waiting[:min(len(f.Waiting), mostReturned)], now); err != nil {
			return err
		}
	}
	if !f.Leads {
		return nil
	}
	return c.run(ctx, `UPDATE subscriptions SET leads = 1 WHERE digest_id = ? AND feed_id = ?
		AND NOT EXISTS (SELECT 1 FROM subscriptions o WHERE o.digest_id = ? AND o.leads = 1)`, f.DigestID, f.FeedID, f.DigestID)
}

// returnFilter adds a filter that went with its subscription; not one that could not be added.
func returnFilter(ctx context.Context, c conn, f FormerSubscription, text string, now instant) error {
	all, err := c.number(ctx, `SELECT count(*) FROM filters WHERE digest_id = ?`, f.DigestID)
	text = words.Clean(clean(text))
	if err != nil || all >= mostFilters || words.FilterKey(text) == "" || len([]rune(text)) > mostWords {
		return err
	}
	if err := c.run(ctx, `INSERT INTO filters (digest_id, feed_id, words, created_at) VALUES (?, ?, ?, ?)`, f.DigestID, f.FeedID, text, now); err != nil {
		return err
	}
	return noteFiltered(ctx, c, f.DigestID)
}

// eachFeed does something with several feeds in one transaction, in the order of their keys so that nobody waits for one
// another in a circle, and says with how many. What is not found is passed over.
func (s *Store) eachFeed(ctx context.Context, doing string, feeds []digest.FeedID, do func(conn, digest.FeedID) error) (int, error) {
	feeds = slices.Compact(slices.Sorted(slices.Values(feeds)))
	return changed(ctx, s, doing, func(c conn) (n int, err error) {
		if err := c.untilCommit(ctx, s.d.lockShared); err != nil {
			return 0, err
		}
		for _, feed := range feeds {
			if err := lockFeed(ctx, c, feed); err != nil {
				return 0, err
			}
			switch err := do(c, feed); {
			case err == nil:
				n++
			case digest.KindOf(err) != digest.NotFound:
				return 0, err
			}
		}
		return n, nil
	})
}
