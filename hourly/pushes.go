package hourly

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
	// pushesEvery is how often it is looked for what hubs have sent to another process, once
	// one has been asked for anything, and for pings that another has taken, once any was.
	pushesEvery = 2 * time.Second
	// untoldEvery is how often it is looked for pings where there has never been one: the first
	// one has its feed asked within a minute.
	untoldEvery = 45 * time.Second
	// pushLease is how long one worker has for the posts of one push.
	pushLease = 10 * time.Minute
)

// storePushesOnce stores the posts of all that hubs have sent, each for its readers' midnights.
func (j *Job) storePushesOnce(ctx context.Context) (time.Duration, error) {
	for ctx.Err() == nil && !j.fenced.Load() {
		p, found, err := j.Store.ClaimPush(j.Hard, j.Now(), pushLease)
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
	if asked, err := j.Store.AnyPushed(j.Hard); err != nil || asked {
		return min(pushesEvery, j.Nap), err
	}
	return j.Nap, nil
}

// storePush stores the posts of one push. Of one that cannot be read the feed is asked.
func (j *Job) storePush(ctx context.Context, p store.Push) error {
	f, err := j.Store.Feed(j.Hard, p.FeedID)
	if digest.KindOf(err) == digest.NotFound {
		return j.Store.DropPush(j.Hard, j.Now(), p)
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
		return nil // its lease ends by itself
	case store.IsAway(err):
		return err
	case err != nil:
		j.Log.Info("cannot read a push; polling the feed instead", "feed", f.URL, "err", err)
		return j.Store.DropPush(j.Hard, j.Now(), p)
	}
	stored, err := j.Store.RecordPush(j.Hard, j.Now(), p, in)
	if err != nil {
		return err
	}
	j.Log.Debug("pushed", "feed", f.URL, "posts", stored.Posts, "after", j.Now().Sub(p.ReceivedAt))
	if stored.Posts > 0 {
		j.report(Event{Kind: EventStored, Posts: stored.Posts, Hidden: stored.Hidden})
	}
	return nil
}

// PreparePush turns what a hub has sent of a feed into what the store records of it: as of
// a poll, but that it may be part of a document.
func PreparePush(ctx context.Context, st *store.Store, f digest.Feed, res poller.Result, now time.Time) (store.Polled,
	error) {
	if res.Document == nil {
		return store.Polled{}, errors.New("nothing was read")
	}
	in, err := PrepareRecord(ctx, st, f, res, now)
	in.Feed, in.Gap, in.Body, in.Poll, in.Windowed = f, nil, nil, store.PollRecord{}, false
	return in, err
}
