package hourly

import (
	"context"
	"fmt"
	"time"

	"digest/poller"
	"digest/push"
	"digest/store"
)

// askCloudsOnce asks rssCloud servers to tell of the news of feeds that have no hub. What it does not
// ask for any more ends by itself, within the 25 hours of a promise.
func (j *Job) askCloudsOnce(ctx context.Context) (time.Duration, error) {
	if j.CloudCallback == nil || j.fenced.Load() {
		return hubsEvery, nil
	}
	if err := j.Store.ReconcileClouds(j.Hard, j.Now()); err != nil {
		return 0, fmt.Errorf("looking for what to ask of clouds: %w", err)
	}
	for ctx.Err() == nil {
		requests, err := j.Store.ClaimClouds(j.Hard, j.Now(), hubRequests, func(failures int) time.Time { return push.RetryAt(j.Now(), failures) })
		if err != nil {
			return 0, fmt.Errorf("claiming requests to clouds: %w", err)
		}
		if len(requests) == 0 {
			break
		}
		for _, r := range requests {
			if err := j.askCloud(ctx, r); err != nil {
				return 0, err
			}
		}
	}
	return hubsEvery, nil
}

// askCloud makes one request. A cloud makes sure that it is meant before it answers.
func (j *Job) askCloud(ctx context.Context, r store.CloudRequest) error {
	why, err := j.requestCloud(ctx, r)
	if err != nil || why == "" || ctx.Err() != nil {
		return err
	}
	j.Log.Info("a cloud does not tell of a feed's news; it is asked again", "cloud", r.Cloud, "feed", r.Topic, "why", why)
	return j.Store.CloudFailed(j.Hard, r.ID, why)
}

// requestCloud gives why a request came to nothing, as far as its answer says.
func (j *Job) requestCloud(ctx context.Context, r store.CloudRequest) (why string, err error) {
	if !j.Poller.ReachedFrom(r.Cloud) {
		return "this instance has no address that the cloud can reach (DIGEST_BASE_URL)", nil
	}
	form, err := push.CloudRequest(r.Topic, j.CloudCallback(r.ID))
	if err != nil {
		return "", fmt.Errorf("asking a cloud: %w", err)
	}
	said := j.Poller.PostForm(ctx, poller.Form{Address: r.Cloud, Values: form, MayBeHome: !r.Outside, Subscribers: r.Subscribers})
	j.Log.Debug("asked a cloud", "cloud", r.Cloud, "feed", r.Topic, "status", said.Status, "why", said.Why)
	if said.Status/100 != 2 {
		return said.Why, nil
	}
	if why, refuses := push.CloudRefuses(said.Text); refuses {
		return "refused: " + why, nil
	}
	return "", nil
}
