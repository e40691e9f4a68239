// Package hub is the WebSub hub for our own feeds (W3C WebSub). It verifies subscribers and sends them news.
//
// A topic is the feed of a newsletter, whose entries are the sent issues (feed.go). The instance has no other public
// feed. The store decides when an issue is news and who gets it (store.AnnounceLetters), and queues each request to a
// callback. Every process with the hourly job sends these requests: Work claims the due ones, one at a time for each
// domain, and stores the results. No state is only in memory.
package hub

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"digest"
	"digest/poller"
	"digest/push"
	"digest/store"
)

// Options are the parts of a Hub. All are required.
type Options struct {
	Feeds
	Poller *poller.Poller
	Now    func() time.Time
	Hard   context.Context // cancels everything immediately
	Log    *slog.Logger
	Bell   chan struct{} // wakes Work; has a buffer of one
}

// A Hub creates deliveries and verifications. It is safe for concurrent use.
type Hub struct {
	Options

	mu   sync.Mutex
	made map[digest.NewsletterID]madeFeed // cache of Work for all its deliveries
}

// A madeFeed is a document that contains the issue of letterAt.
type madeFeed struct {
	Feed
	letterAt time.Time
}

// New returns a Hub.
func New(o Options) *Hub {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	return &Hub{Options: o, made: make(map[digest.NewsletterID]madeFeed)}
}

const (
	// callsAtOnce is the maximum number of calls in flight in a process.
	callsAtOnce = 32
	// busyPause is the wait for a call whose host gets other requests all the time.
	busyPause = time.Minute
	// brokenPause is the wait for a delivery whose feed could not be created.
	brokenPause = 15 * time.Minute
	// announceEvery is the interval at which Work looks for sent issues while it makes calls.
	announceEvery = 30 * time.Second
	// grace is how long calls in flight may continue after ctx of Work ended.
	grace = 5 * time.Second
)

// Ask queues the verification of a subscriber's request. It returns the errors of push.ParseHubRequest and
// store.AskHub, and digest.NotFound for a topic that is not ours.
func (h *Hub) Ask(ctx context.Context, r push.HubRequest, domain string, home bool) error {
	slug, ours := h.Slug(r.Topic)
	var n digest.Newsletter
	err := error(&digest.Error{Kind: digest.NotFound})
	if ours {
		n, err = h.Store.NewsletterBySlug(ctx, slug)
	}
	switch {
	case digest.KindOf(err) == digest.NotFound, err == nil && n.State != digest.NewsletterActive &&
		n.State != digest.NewsletterHeld:
		return &digest.Error{Kind: digest.NotFound,
			Message: "hub.topic is not a feed of this hub; use the address in the feed's rel=self link"}
	case err != nil:
		return err
	}
	call := digest.HubCall{
		NewsletterID: n.ID, Topic: r.Topic, Callback: r.Callback, Domain: domain, Home: home,
		Kind: digest.HubSubscribe, Secret: r.Secret, Lease: digest.HubLeaseFor(r.Lease),
	}
	if r.Unsubscribe {
		call.Kind = digest.HubUnsubscribe
	}
	if err := h.Store.AskHub(ctx, call, h.Now()); err != nil {
		return err
	}
	select {
	case h.Bell <- struct{}{}:
	default:
	}
	return nil
}

// Work announces sent issues and makes the due calls, until no call is in flight or due. When ctx ends, calls in flight
// have a few seconds to finish. After that they are returned to the queue.
func (h *Hub) Work(ctx context.Context) (failed error) {
	calling, stop := context.WithCancel(h.Hard)
	defer stop()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(grace, stop) })()
	defer h.forget()
	over := make(chan error, callsAtOnce)
	underWay := 0
	announced := h.Now()
	failed = h.announce()
	for {
		if now := h.Now(); now.Sub(announced) >= announceEvery && failed == nil && ctx.Err() == nil {
			announced, failed = now, h.announce()
		}
		if underWay <= callsAtOnce/2 && failed == nil && ctx.Err() == nil {
			var calls []digest.HubCall
			calls, failed = h.Store.ClaimHubCalls(h.Hard, h.Now(), callsAtOnce-underWay)
			for _, c := range calls {
				underWay++
				go func() { over <- h.make(calling, c) }()
			}
		}
		if underWay == 0 {
			return failed
		}
		select {
		case err := <-over:
			underWay--
			if failed == nil {
				failed = err
			}
		case <-h.Bell:
		}
	}
}

func (h *Hub) announce() error {
	n, err := h.Store.AnnounceLetters(h.Hard, h.Now())
	if n > 0 {
		h.Log.Info("announcing new issues to subscribers of newsletter feeds", "deliveries", n)
	}
	return err
}

func (h *Hub) make(ctx context.Context, c digest.HubCall) error {
	request, letterAt, challenge, err := h.request(ctx, c)
	if err != nil {
		h.Log.ErrorContext(ctx, "cannot make a newsletter's feed for its subscribers; retrying", "newsletter",
			int64(c.NewsletterID), "err", err)
		return h.Store.GiveBackHubCall(h.Hard, c, h.Now().Add(brokenPause))
	}
	reply, body, err := h.Poller.Callback(ctx, request)
	if err != nil {
		h.Log.DebugContext(ctx, "a call waits", "kind", string(c.Kind), "domain", c.Domain, "why", err)
		return h.Store.GiveBackHubCall(h.Hard, c, h.Now().Add(busyPause))
	}
	reply.Confirms = challenge != "" && push.Confirms(body, challenge)
	outcome, wait := c.Outcome(reply)
	mark := store.HubMark{Outcome: outcome, LetterAt: letterAt}
	if outcome == digest.HubRetried || outcome == digest.HubRefused || outcome == digest.HubGivenUp {
		mark.Next, mark.Error = h.Now().Add(wait), digest.OneLine(reply.Words())
	}
	h.Log.DebugContext(ctx, "called", "kind", string(c.Kind), "domain", c.Domain, "outcome", string(mark.Outcome),
		"error", mark.Error)
	return h.Store.MarkHubCall(h.Hard, c, mark, h.Now())
}

// request returns the request of a call. A verification has a challenge. A delivery has the whole feed (WebSub section
// 7), and the time when its newest issue was sent.
func (h *Hub) request(ctx context.Context, c digest.HubCall) (request poller.Callback, letterAt time.Time,
	challenge string, err error) {
	if c.Kind != digest.HubDeliver {
		challenge = rand.Text()
		address := push.HubIntent(c, challenge, "the newsletter has ended")
		return poller.Callback{Method: http.MethodGet, Address: address, Home: c.Home}, letterAt, challenge, nil
	}
	feed, err := h.feed(ctx, c)
	if err != nil {
		return request, letterAt, "", err
	}
	header := http.Header{"Content-Type": {ContentType}, "Link": h.Links(c.Topic)}
	if len(c.Secret) > 0 {
		header.Set("X-Hub-Signature", push.Sign(c.Secret, feed.Body))
	}
	return poller.Callback{Method: http.MethodPost, Address: c.Callback, Home: c.Home, Header: header, Body: feed.Body},
		feed.LetterAt, "", nil
}

// feed returns the document of a delivery. All deliveries of an issue share it.
func (h *Hub) feed(ctx context.Context, c digest.HubCall) (Feed, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if made, known := h.made[c.NewsletterID]; known && !made.letterAt.Before(c.LetterAt) {
		return made.Feed, nil
	}
	n, err := h.Store.Newsletter(ctx, c.NewsletterID)
	if err != nil {
		return Feed{}, err
	}
	feed, err := h.Newsletter(ctx, n, h.Now())
	if err == nil {
		h.made[c.NewsletterID] = madeFeed{feed, c.LetterAt}
	}
	return feed, err
}

// forget empties the cache, because later documents may differ.
func (h *Hub) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.made)
}
