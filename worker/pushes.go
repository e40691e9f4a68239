package worker

import (
	"context"
	"errors"
	"fmt"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
)

const (
	// pushesEvery is the interval of looks for pushes that another process received, once any feed has a
	// hub. It is also the interval for pings, once any came.
	pushesEvery = 2 * time.Second
	// untoldEvery is the interval of looks for pings before the first one came. The first ping polls its
	// feed within a minute.
	untoldEvery = 45 * time.Second
	// pushLease is the time that one worker has for the posts of one push.
	pushLease = 10 * time.Minute
)

// storePushesOnce stores the posts of all received pushes for the next midnights of their readers.
func (j *Job) storePushesOnce(ctx context.Context) (time.Duration, error) {
	for ctx.Err() == nil && !j.fenced.Load() {
		p, found, err := j.Store.Feeds.ClaimPush(j.Hard, j.Now(), pushLease)
		if err != nil {
			return 0, fmt.Errorf("claiming what a hub has sent: %w", err)
		}
		if !found {
			break
		}
		if err := j.storePush(ctx, p); err != nil {
			return 0, err
		}
	}
	if asked, err := j.Store.Feeds.AnyPushed(j.Hard); err != nil || asked {
		return min(pushesEvery, j.Nap), err
	}
	return j.Nap, nil
}

// storePush stores the posts of one push. If it cannot read the push, the feed is polled.
func (j *Job) storePush(ctx context.Context, p store.Push) error {
	f, err := j.Store.Feeds.Feed(j.Hard, p.FeedID)
	if digest.KindOf(err) == digest.NotFound {
		return j.Store.Feeds.DropPush(j.Hard, j.Now(), p)
	}
	if err != nil {
		return err
	}
	res, err := j.Poller.ReadPushed(ctx, f.Feed, p.Body, p.ContentType)
	var in store.Polled
	if err == nil {
		in, err = PreparePush(ctx, j.Store, f.Feed, res, j.Now())
	}
	switch {
	case ctx.Err() != nil:
		return nil // its lease expires
	case store.IsAway(err):
		return err
	case err != nil:
		j.Log.Info("cannot read a push; polling the feed instead", "feed", f.URL, "err", err)
		return j.Store.Feeds.DropPush(j.Hard, j.Now(), p)
	}
	stored, err := j.Store.Feeds.RecordPush(j.Hard, j.Now(), p, in)
	if err != nil {
		return err
	}
	j.Log.Debug("pushed", "feed", f.URL, "posts", stored.Posts, "after", j.Now().Sub(p.ReceivedAt))
	if stored.Posts > 0 {
		j.report(Event{Kind: EventStored, Posts: stored.Posts, Hidden: stored.Hidden})
	}
	return nil
}

// PreparePush turns a push into a record for the store. It differs from the record of a poll because a push
// may be a part of a document.
func PreparePush(ctx context.Context, st *store.Store, f digest.Feed, res poller.Result, now time.Time) (store.Polled,
	error) {
	if res.Document == nil {
		return store.Polled{}, errors.New("nothing was read")
	}
	in, err := PrepareRecord(ctx, st, f, res, now)
	in.Feed, in.Gap, in.Body, in.Poll, in.Windowed = f, nil, nil, store.PollRecord{}, false
	return in, err
}
