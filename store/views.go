package store

import (
	"context"
	"iter"
	"slices"
	"time"

	"digest"
)

// A view holds what a page of the web view shows. It is read at one instant, so that it includes a concurrent change
// completely or not at all.

// A SubscriptionView holds what the page of a subscription shows.
type SubscriptionView struct {
	SubscriptionInfo
	Folders   []string        // of all the digest's subscriptions, in their reader's order
	Delivered []DeliveredPost // of the feed, latest first
	Filters   []digest.Filter // for this feed only
	Moves     []Move          // as Moves returns them; none if the reader cannot undo one
}

// SubscriptionView returns a subscription with its latest delivered posts, up to the given number. It returns
// digest.NotFound as Subscription does.
func (s Subscriptions) SubscriptionView(ctx context.Context, id digest.DigestID, feed digest.FeedID, now time.Time,
	delivered int) (v SubscriptionView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.SubscriptionInfo, err = s.Subscriptions.Subscription(ctx, id, feed); err != nil {
			return err
		}
		if v.Folders, err = s.Subscriptions.Folders(ctx, id); err != nil {
			return err
		}
		v.Folders = slices.DeleteFunc(v.Folders, func(name string) bool { return name == "" })
		if v.Delivered, err = s.Posts.DeliveredPosts(ctx, id, feed, now, delivered); err != nil {
			return err
		}
		if v.Filters, err = s.Subscriptions.Filters(ctx, id); err != nil {
			return err
		}
		v.Filters = slices.DeleteFunc(v.Filters, func(f digest.Filter) bool { return f.FeedID != feed })
		v.Moves, err = s.openMoves(ctx, id, v.SubscriptionInfo)
		return err
	})
	return v, err
}

// openMoves is Moves if one of the subscriptions has a move that its reader can undo, which is rare.
func (s *database) openMoves(ctx context.Context, id digest.DigestID, subs ...SubscriptionInfo) ([]Move, error) {
	if !slices.ContainsFunc(subs, func(sub SubscriptionInfo) bool { return sub.Address != "" }) {
		return nil, nil
	}
	return Subscriptions{s}.Moves(ctx, id)
}

// A SubscriptionsView holds all subscriptions of a digest.
type SubscriptionsView struct {
	Subscriptions []SubscriptionInfo // as AllSubscriptions returns them
	Moves         []Move             // as Moves returns them; none if the reader cannot undo one
	Filters       []digest.Filter
}

// SubscriptionsView returns all subscriptions of a digest, without its filters.
func (s Subscriptions) SubscriptionsView(ctx context.Context, id digest.DigestID) (v SubscriptionsView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Subscriptions, err = s.Subscriptions.AllSubscriptions(ctx, id); err != nil {
			return err
		}
		v.Moves, err = s.openMoves(ctx, id, v.Subscriptions...)
		return err
	})
	return v, err
}

// FiltersView returns a digest's filters and its subscriptions, without moves.
func (s Subscriptions) FiltersView(ctx context.Context, id digest.DigestID) (v SubscriptionsView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Filters, err = s.Subscriptions.Filters(ctx, id); err != nil {
			return err
		}
		v.Subscriptions, err = s.Subscriptions.AllSubscriptions(ctx, id)
		return err
	})
	return v, err
}

// A HeldView holds the posts that filters have held back from a digest, and its subscriptions.
type HeldView struct {
	Posts         []HeldPost         // as HeldPosts returns them
	Subscriptions []SubscriptionInfo // as AllSubscriptions returns them
}

// HeldView returns the result of HeldPosts with the digest's subscriptions.
func (s Subscriptions) HeldView(ctx context.Context, id digest.DigestID, before time.Time, limit int) (v HeldView,
	err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Posts, err = s.Subscriptions.HeldPosts(ctx, id, before, limit); err != nil {
			return err
		}
		v.Subscriptions, err = s.Subscriptions.AllSubscriptions(ctx, id)
		return err
	})
	return v, err
}

// A MovesView is a digest with the moves of its feeds.
type MovesView struct {
	Digest digest.Digest
	Moves  []Move // as Moves returns them
}

// MovesView returns the moves of a digest's feeds. It returns digest.NotFound as Digest does.
func (s Subscriptions) MovesView(ctx context.Context, id digest.DigestID) (v MovesView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Digest, err = s.Readers.Digest(ctx, id); err != nil {
			return err
		}
		v.Moves, err = s.Subscriptions.Moves(ctx, id)
		return err
	})
	return v, err
}

// An ArchiveView holds released editions of a digest, and the months with editions.
type ArchiveView struct {
	Editions []digest.Edition // newest first
	Months   []Month          // newest first

	// Subscriptions are the digest's, without paused ones, only if no edition is released.
	Subscriptions []SubscriptionInfo
}

// ArchiveView returns a digest's newest editions, at most limit. It returns months only if there may be more
// editions.
func (s Subscriptions) ArchiveView(ctx context.Context, id digest.DigestID, now time.Time, limit int) (v ArchiveView,
	err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Editions, err = s.Editions.LatestEditions(ctx, id, now, limit); err != nil {
			return err
		}
		switch len(v.Editions) {
		case 0:
			v.Subscriptions, err = s.Subscriptions.Subscriptions(ctx, id)
		case limit:
			v.Months, err = s.Editions.Months(ctx, id, now)
		}
		return err
	})
	return v, err
}

// MonthView returns a digest's editions of one month, and all months.
func (s Subscriptions) MonthView(ctx context.Context, id digest.DigestID, year int, month time.Month,
	now time.Time) (v ArchiveView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Editions, err = s.Editions.EditionsIn(ctx, id, year, month, now); err != nil {
			return err
		}
		v.Months, err = s.Editions.Months(ctx, id, now)
		return err
	})
	return v, err
}

// An EditionView is a released edition with what its page shows beside it.
type EditionView struct {
	digest.Edition
	Beside Beside
}

// EditionView returns a digest's edition of a date. It returns digest.NotFound as EditionOn does.
func (s Subscriptions) EditionView(ctx context.Context, id digest.DigestID, date digest.Date,
	now time.Time) (v EditionView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Edition, err = s.Editions.EditionOn(ctx, id, date, now); err != nil {
			return err
		}
		v.Beside, err = s.Editions.Beside(ctx, v.Edition, now)
		return err
	})
	return v, err
}

// A TodayView holds what a reader's first page shows.
type TodayView struct {
	Latest        *EditionView       // nil if no edition is released
	Subscriptions []SubscriptionInfo // as in ArchiveView
}

// TodayView returns a digest's latest edition, or its subscriptions before the first one.
func (s Subscriptions) TodayView(ctx context.Context, id digest.DigestID, now time.Time) (v TodayView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) error {
		latest, err := s.Editions.LatestEditions(ctx, id, now, 1)
		if err != nil {
			return err
		}
		if len(latest) == 0 {
			v.Subscriptions, err = s.Subscriptions.Subscriptions(ctx, id)
			return err
		}
		beside, err := s.Editions.Beside(ctx, latest[0], now)
		v.Latest = &EditionView{latest[0], beside}
		return err
	})
	return v, err
}

// EditionOfDigest returns an edition by its key, with its digest. It returns digest.NotFound as Edition does.
func (s Subscriptions) EditionOfDigest(ctx context.Context, id digest.EditionID) (e digest.Edition, d digest.Digest,
	err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if e, err = s.Editions.Edition(ctx, id); err == nil {
			d, err = s.Readers.Digest(ctx, e.DigestID)
		}
		return err
	})
	return e, d, err
}

// An AddressView holds the state of a reader's address.
type AddressView struct {
	Wish       AddressChange // as AddressChange returns it; zero if there is no change
	Suppressed bool          // the present address gets no email
}

// AddressView returns the state of a user's address.
func (s Subscriptions) AddressView(ctx context.Context, user digest.UserID, email string) (v AddressView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		v.Wish, err = s.Readers.AddressChange(ctx, user)
		if err != nil && digest.KindOf(err) != digest.NotFound {
			return err
		}
		_, v.Suppressed, err = s.Editions.Suppressed(ctx, email)
		return err
	})
	return v, err
}

// A SignInsView holds the sessions and passkeys of a user.
type SignInsView struct {
	Sessions []Session
	Passkeys []Passkey
}

// SignInsView returns a user's passkeys, and the sessions that are valid at now.
func (s Subscriptions) SignInsView(ctx context.Context, user digest.UserID, now time.Time) (v SignInsView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		if v.Sessions, err = s.Sessions.Sessions(ctx, user, now); err != nil {
			return err
		}
		v.Passkeys, err = s.Sessions.Passkeys(ctx, user)
		return err
	})
	return v, err
}

// A FeedView is a feed with its history.
type FeedView struct {
	FeedInfo
	Polls []PollRecord // oldest first
}

// FeedView returns the feed that FeedByURL finds, with its polls since an instant. It returns digest.NotFound as
// FeedByURL does.
func (s Subscriptions) FeedView(ctx context.Context, url string, since time.Time) (v FeedView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) error {
		known, err := s.Feeds.FeedByURL(ctx, url)
		if err != nil {
			return err
		}
		if v.FeedInfo, err = s.Feeds.Feed(ctx, known.ID); err != nil {
			return err
		}
		v.Polls, err = s.Feeds.Polls(ctx, known.ID, since)
		return err
	})
	return v, err
}

// An OperatorView holds the state of an instance. Each field is the result of the method of its name, or the start of
// a long list; TroubledMore counts the other troubled feeds.
type OperatorView struct {
	Numbers      Numbers
	Midnights    []Midnight
	Hours        []HourCounter
	Troubled     []FeedInfo
	TroubledMore int
	Mail         MailWaiting
	Lanes        []digest.Lane
	Suppressions []digest.Suppression
	Heartbeat    time.Time // zero if never
	Lags         digest.Lags
	Proxies      []digest.ProxyNote
	Letters      []digest.LetterNote
	Pending      int // newsletters that wait for approval
	PruneWaits   *digest.Prune
}

// OperatorView returns the state of an instance at now: its work from since on, at most limit feeds, emails and
// addresses of each kind, and the lags as of deadline.
func (s Operator) OperatorView(ctx context.Context, now, since time.Time, deadline time.Duration,
	limit int) (v OperatorView, err error) {
	err = s.atOneInstant(ctx, "", func(s *Store) (err error) {
		for _, read := range []func() error{
			func() (err error) { v.Numbers, err = s.Operator.Numbers(ctx); return err },
			func() (err error) { v.Midnights, err = s.Operator.Midnights(ctx); return err },
			func() (err error) { v.Hours, err = s.Operator.HourCounters(ctx, since); return err },
			func() (err error) { v.Troubled, v.TroubledMore, err = s.Operator.TroubledFeeds(ctx, limit); return err },
			func() (err error) { v.Mail, err = s.Editions.MailWaiting(ctx, now, limit); return err },
			func() (err error) { v.Lanes, err = s.Editions.Lanes(ctx); return err },
			func() (err error) { v.Suppressions, err = firstOf(s.Editions.Suppressions(ctx), limit); return err },
			func() (err error) { v.Heartbeat, _, err = s.Operator.Heartbeat(ctx); return err },
			func() (err error) { v.Lags, err = s.Operator.Lags(ctx, now, deadline); return err },
			func() (err error) { v.Proxies, err = s.Operator.ProxyNotes(ctx); return err },
			func() (err error) { v.Letters, err = s.Editions.LetterNotes(ctx); return err },
			func() (err error) { v.Pending, err = s.Newsletters.CountPending(ctx); return err },
			func() (err error) { v.PruneWaits, err = s.Operator.PruneWaits(ctx); return err },
		} {
			if err := read(); err != nil {
				return err
			}
		}
		v.TroubledMore -= len(v.Troubled)
		return nil
	})
	return v, err
}

func firstOf[R any](list iter.Seq2[R, error], limit int) (first []R, err error) {
	for row, err := range list {
		if err != nil || len(first) == limit {
			return first, err
		}
		first = append(first, row)
	}
	return first, nil
}
