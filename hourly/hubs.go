package hourly

import (
	"context"
	"fmt"
	"time"

	"digest"
	"digest/poller"
	"digest/push"
	"digest/store"
)

const (
	// hubsEvery is how often it is looked for what is to be asked of hubs.
	hubsEvery = 5 * time.Minute
	// hubRequests is how many requests to hubs are claimed at once.
	hubRequests = 20
)

// askHubsOnce asks hubs to push feeds, and tells them where that is over. Where this instance is
// reached by none, what they were asked for ends by itself.
func (j *Job) askHubsOnce(ctx context.Context) (time.Duration, error) {
	if j.Callback == nil || j.fenced.Load() {
		return hubsEvery, nil
	}
	if _, err := j.Store.ReconcilePushes(j.Hard, j.Now()); err != nil {
		return 0, fmt.Errorf("looking for what to ask of hubs: %w", err)
	}
	demoted, err := j.Store.Demote(j.Hard, j.Now())
	if err != nil {
		return 0, fmt.Errorf("taking the trust from hubs: %w", err)
	}
	if demoted > 0 {
		j.Log.Info("hubs have missed posts; their feeds are polled as any other until they have pushed again", "feeds", demoted)
	}
	for more := true; more && ctx.Err() == nil; {
		var requests []store.HubRequest
		requests, more, err = j.Store.ClaimHubRequests(j.Hard, j.Now(), hubRequests, func(failures int) time.Time {
			if failures <= 1 {
				return j.Now().Add(push.VerifyWithin)
			}
			return push.RetryAt(j.Now(), failures)
		})
		if err != nil {
			return 0, fmt.Errorf("claiming requests to hubs: %w", err)
		}
		for _, r := range requests {
			if err := j.askHub(ctx, r); err != nil {
				return 0, err
			}
		}
	}
	return hubsEvery, nil
}

// askHub makes one request. A hub may verify it at once or later; what it refuses is asked again.
func (j *Job) askHub(ctx context.Context, r store.HubRequest) error {
	mode := push.Subscribe
	if r.State != digest.PushAsked {
		mode = push.Unsubscribe
	}
	if !j.Poller.ReachedFrom(r.Hub) {
		return j.Store.HubFailed(j.Hard, j.Now(), r.ID, "this instance has no address that the hub can reach (DIGEST_BASE_URL)", j.Now().Add(push.DeniedFor))
	}
	form := push.Request(mode, r.Hub, r.Topic, j.Callback(r.ID), r.Secret)
	said := j.Poller.PostForm(ctx, poller.Form{Address: r.Hub, Values: form, MayBeHome: !r.Outside, Subscribers: r.Subscribers})
	if ctx.Err() != nil && said.Status == 0 {
		return nil // it is due again
	}
	j.Log.Debug("asked a hub", "mode", mode, "hub", r.Hub, "feed", r.FeedURL, "status", said.Status, "why", said.Why)
	if said.Status/100 == 2 || mode == push.Unsubscribe {
		return nil
	}
	j.Log.Info("a hub does not push a feed; it is asked again", "hub", r.Hub, "feed", r.FeedURL, "why", said.Why)
	return j.Store.HubFailed(j.Hard, j.Now(), r.ID, said.Why, push.RetryAt(j.Now(), r.Errors+1))
}
