package hourly

import (
	"context"
	"fmt"
	"time"

	"digest/feed"
	"digest/poller"
	"digest/push"
	"digest/store"
)

// askCloudsOnce registers at rssCloud servers for feeds that have no hub. A registration that digest does
// not renew expires within 25 hours.
func (j *Job) askCloudsOnce(ctx context.Context) (time.Duration, error) {
	if j.CloudCallback == nil || j.fenced.Load() {
		return hubsEvery, nil
	}
	if err := j.Store.ReconcileClouds(j.Hard, j.Now()); err != nil {
		return 0, fmt.Errorf("looking for what to ask of clouds: %w", err)
	}
	for ctx.Err() == nil {
		requests, more, err := j.Store.ClaimClouds(j.Hard, j.Now(), hubRequests,
			func(failures int) time.Time { return push.RetryAt(j.Now(), failures) }, hubDomain)
		if err != nil {
			return 0, fmt.Errorf("claiming requests to clouds: %w", err)
		}
		if !more {
			break
		}
		if err := askHosts(ctx, requests, cloudOf, j.askCloud, j.noteCloud); err != nil {
			return 0, err
		}
	}
	return hubsEvery, nil
}

func cloudOf(r store.CloudRequest) requestHost { return requestHost{feed.Host(r.Cloud), r.PublicOnly} }

// askCloud sends one request. A cloud verifies the callback before it answers.
func (j *Job) askCloud(ctx context.Context, r store.CloudRequest) poller.FormAnswer {
	if !j.Poller.ReachedFrom(r.Cloud) {
		return poller.FormAnswer{Why: "this instance has no address that the cloud can reach (DIGEST_BASE_URL)"}
	}
	form, err := push.CloudRequest(r.Topic, j.CloudCallback(r.ID))
	if err != nil {
		return poller.FormAnswer{Why: err.Error()}
	}
	said := j.Poller.PostForm(ctx, poller.Form{Address: r.Cloud, Values: form, MayBeHome: !r.PublicOnly,
		Subscribers: r.Subscribers})
	j.Log.Debug("asked a cloud", "cloud", r.Cloud, "feed", r.Topic, "status", said.Status, "why", said.Why)
	return said
}

// noteCloud stores why a request failed, if its answer is no success.
func (j *Job) noteCloud(r store.CloudRequest, said poller.FormAnswer, made bool) error {
	why := said.Why
	if said.Status/100 == 2 {
		refusal, refuses := push.CloudRefuses(said.Text)
		if !refuses {
			return nil
		}
		why = "refused: " + refusal
	}
	j.Log.Info("an rssCloud server refuses to notify; retrying", "cloud", r.Cloud, "feed", r.Topic, "why", why)
	return j.Store.CloudFailed(j.Hard, j.Now(), r.ID, why, made && j.Poller.ReachedFrom(r.Cloud))
}
