package worker

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"digest"
	"digest/feed"
	"digest/poller"
	"digest/push"
	"digest/store"
)

const (
	// hubsEvery is the interval between looks for due requests to hubs.
	hubsEvery   = 5 * time.Minute
	hubRequests = 20
)

// askHubsOnce subscribes to feeds at hubs and unsubscribes. Without a public address it does nothing, and
// the subscriptions expire.
func (j *Job) askHubsOnce(ctx context.Context) (time.Duration, error) {
	if j.Callback == nil || j.fenced.Load() {
		return hubsEvery, nil
	}
	if _, err := j.Store.Feeds.ReconcilePushes(j.Hard, j.Now()); err != nil {
		return 0, fmt.Errorf("looking for what to ask of hubs: %w", err)
	}
	demoted, err := j.Store.Feeds.Demote(j.Hard, j.Now())
	if err != nil {
		return 0, fmt.Errorf("taking the trust from hubs: %w", err)
	}
	if demoted > 0 {
		j.Log.Info("hubs missed posts; polling their feeds again", "feeds", demoted)
	}
	for more := true; more && ctx.Err() == nil; {
		var requests []store.HubRequest
		requests, more, err = j.Store.Feeds.ClaimHubRequests(j.Hard, j.Now(), hubRequests,
			func(failures int) time.Time {
				if failures <= 1 {
					return j.Now().Add(push.VerifyWithin)
				}
				return push.RetryAt(j.Now(), failures)
			}, hubDomain)
		if err != nil {
			return 0, fmt.Errorf("claiming requests to hubs: %w", err)
		}
		if err := askHosts(ctx, requests, hubOf, j.askHub, j.noteHub); err != nil {
			return 0, err
		}
	}
	return hubsEvery, nil
}

// askHosts sends requests and stores the answers: one request at a time per host, and hosts in parallel, so
// that a slow host delays no other. After a host fails to answer, askHosts sends it no further request and
// stores the same result for the rest.
func askHosts[R any](ctx context.Context, requests []R, to func(R) requestHost,
	ask func(context.Context, R) poller.FormAnswer, note func(r R, said poller.FormAnswer, made bool) error) error {
	byHost := make(map[requestHost][]R)
	for _, r := range requests {
		byHost[to(r)] = append(byHost[to(r)], r)
	}
	var hosts sync.WaitGroup
	errs := make(chan error, len(byHost))
	for _, requests := range byHost {
		hosts.Go(func() { errs <- askHost(ctx, requests, ask, note) })
	}
	hosts.Wait()
	close(errs)
	var failed error
	for err := range errs {
		failed = errors.Join(failed, err)
	}
	return failed
}

// A requestHost is the destination of requests. outside marks requests of public feeds, which must not
// reach a private network. Their failure in a private network says nothing about other feeds' requests to
// the same host.
type requestHost struct {
	host    string
	outside bool
}

func askHost[R any](ctx context.Context, requests []R, ask func(context.Context, R) poller.FormAnswer,
	note func(r R, said poller.FormAnswer, made bool) error) error {
	said, answers := poller.FormAnswer{}, true
	for _, r := range requests {
		made := answers
		if made {
			said = ask(ctx, r)
			answers = said.Status != 0
		}
		if !answers && ctx.Err() != nil {
			return nil // the request becomes due again
		}
		if err := note(r, said, made); err != nil {
			return err
		}
	}
	return nil
}

// hubDomain returns the domain by which the store limits requests to hubs (store.HubDomain). Feeds that may
// use hubs in DIGEST_ALLOW_NETWORKS have their own limits.
func hubDomain(address string, outside bool) string {
	domain := feed.Domain(feed.Host(address))
	if ip, err := netip.ParseAddr(domain); err == nil && ip.Is6() {
		domain = netip.PrefixFrom(ip, site).Masked().String()
	}
	if !outside {
		return "home " + domain
	}
	return domain
}

// site is the length in bits of the smallest IPv6 prefix that a site gets (RFC 6177).
const site = 64

func hubOf(r store.HubRequest) requestHost { return requestHost{feed.Host(r.Hub), r.PublicOnly} }

// askHub sends one request. A hub may verify it before it answers or later.
func (j *Job) askHub(ctx context.Context, r store.HubRequest) poller.FormAnswer {
	if !j.Poller.ReachedFrom(r.Hub) {
		return poller.FormAnswer{Why: "this instance has no address that the hub can reach (DIGEST_BASE_URL)"}
	}
	form := push.Request(hubMode(r), r.Hub, r.Topic, j.Callback(r.ID), r.Secret)
	said := j.Poller.PostForm(ctx, poller.Form{Address: r.Hub, Values: form, MayBeHome: !r.PublicOnly,
		Subscribers: r.Subscribers})
	j.Log.Debug("asked a hub", "mode", hubMode(r), "hub", r.Hub, "feed", r.FeedURL, "status", said.Status, "why",
		said.Why)
	return said
}

func hubMode(r store.HubRequest) push.Mode {
	if r.State == digest.PushAsked {
		return push.Subscribe
	}
	return push.Unsubscribe
}

// noteHub stores why a subscription failed and schedules the retry.
func (j *Job) noteHub(r store.HubRequest, said poller.FormAnswer, made bool) error {
	if said.Status/100 == 2 || hubMode(r) == push.Unsubscribe {
		return nil
	}
	again := push.RetryAt(j.Now(), r.Errors+1)
	if !j.Poller.ReachedFrom(r.Hub) {
		again, made = j.Now().Add(push.DeniedFor), false
	}
	j.Log.Info("a hub does not push a feed; retrying", "hub", r.Hub, "feed", r.FeedURL, "why", said.Why)
	return j.Store.Feeds.HubFailed(j.Hard, j.Now(), r.ID, said.Why, again, made)
}
