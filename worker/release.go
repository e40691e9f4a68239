package worker

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/poller"
)

// retireLimit is how long a release waits for retire.
const retireLimit = 5 * time.Second

// retire ends feeds that are gone permanently: it unsubscribes their readers and tells them in their next
// edition. Every release calls it first but does not need it: retire logs errors and retries later.
func (j *Job) retire() {
	ctx, cancel := context.WithTimeout(j.Hard, retireLimit)
	defer cancel()
	if err := j.retireGone(ctx); err != nil {
		j.logError(fmt.Errorf("ending feeds that are gone: %w", err))
	}
}

// retireGone does the work of retire. If all feeds of a host answer 410, the host is broken and they stay.
func (j *Job) retireGone(ctx context.Context) error {
	cases, err := j.Store.Feeds.SaidGone(ctx, j.Now())
	if err != nil {
		return err
	}
	var gone []digest.FeedID
	for _, c := range cases {
		if poller.Gone(c.Feed, c.Siblings, j.Now()) {
			gone = append(gone, c.Feed.ID)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	told, err := j.Store.Feeds.Retire(ctx, j.Now(), gone)
	if err == nil {
		j.Log.Info("removed feeds that are gone permanently", "feeds", len(gone), "readers", told)
	}
	return err
}

// holdTroubled puts newsletters on hold after too many failed deliveries, before more of their letters are
// sent.
func (j *Job) holdTroubled() error {
	held, err := j.Store.Newsletters.HoldTroubled(j.Hard, j.Now())
	for _, n := range held {
		j.Log.Warn("a newsletter was put on hold; see: digest newsletter show", "newsletter", n.Slug, "reason",
			n.HeldReason)
		if j.Held == nil {
			continue
		}
		if err := j.Held(n); err != nil {
			j.Log.Error("cannot email the owner of a newsletter on hold", "newsletter", n.Slug, "err", err)
		}
	}
	if err != nil {
		return fmt.Errorf("holding newsletters: %w", err)
	}
	return nil
}

// tellPublishers emails publishers of newsletters about changes of their feeds.
func (j *Job) tellPublishers() error {
	if j.Tell == nil {
		return nil
	}
	all, err := j.Store.Newsletters.PublisherNews(j.Hard)
	if err != nil {
		return err
	}
	for _, news := range all {
		if err := j.Tell(news); err != nil {
			j.Log.Error("cannot email the publishers of a newsletter about its feeds; retrying", "newsletter",
				news.Newsletter.Slug, "err", err)
			continue
		}
		if err := j.Store.Newsletters.MarkTold(j.Hard, news, j.Now()); err != nil {
			return err
		}
	}
	return nil
}

// release creates the editions of due digests that wait for no feed.
func (j *Job) release() (editions int, err error) {
	editions, err = j.Store.Editions.Release(j.Hard, j.Now(), j.Spread.Deadline)
	if editions > 0 {
		j.Log.Info("created editions", "editions", editions)
		j.report(Event{Kind: EventReleased, Digests: editions})
	}
	if err != nil {
		return editions, fmt.Errorf("releasing editions: %w", err)
	}
	return editions, nil
}
