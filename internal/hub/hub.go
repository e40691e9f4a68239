// Package hub is the WebSub hub of our own feeds (W3C WebSub): it verifies who wants to be told of
// their news, and tells them.
//
// A topic is the feed of a newsletter, whose entries are letters that have left (feed.go); there is no
// other public feed. The store knows when a letter is news and whom it is owed to
// (store.AnnounceLetters), and queues each request to a callback. Any process with the hourly job makes
// them: Work claims what is due, one call at a time for each domain, and notes what became of it.
// Nothing here is in memory only.
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

// Options is what a Hub is made of. All are required.
type Options struct {
	Feeds
	Poller *poller.Poller
	Now    func() time.Time
	Hard   context.Context // ends everything at once
	Log    *slog.Logger
	Bell   chan struct{} // wakes Work; it holds one ring
}

// A Hub is safe for concurrent use.
type Hub struct {
	Options

	mu   sync.Mutex
	made map[digest.NewsletterID]madeFeed // by Work, for all its deliveries
}

// A madeFeed is a document that was made for a letter, or later.
type madeFeed struct {
	Feed
	letterAt time.Time
}

// New makes a Hub.
func New(o Options) *Hub {
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	return &Hub{Options: o, made: make(map[digest.NewsletterID]madeFeed)}
}

const (
	// callsAtOnce is how many calls are under way in a process.
	callsAtOnce = 32
	// busyPause is when a call is due again whose host others keep asking.
	busyPause = time.Minute
	// brokenPause is the same of a delivery whose feed could not be made.
	brokenPause = 15 * time.Minute
	// announceEvery is how often Work looks for letters that have left while it makes calls.
	announceEvery = 30 * time.Second
	// grace is how long calls under way may go on when Work shall end.
	grace = 5 * time.Second
)

// Ask queues the verification of what a subscriber asks. now is the time; the errors are those of
// push.ParseHubRequest and store.AskHub, and digest.NotFound for a topic that is none of ours.
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

// Work announces letters that have left and makes the calls that are due, until none is under way or due
// any more. When ctx ends, calls under way have a moment to finish, and are given back else.
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

// announce queues what is news.
func (h *Hub) announce() error {
	n, err := h.Store.AnnounceLetters(h.Hard, h.Now())
	if n > 0 {
		h.Log.Info("announcing new issues to subscribers of newsletter feeds", "deliveries", n)
	}
	return err
}

// make makes a call, and notes what became of it.
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

// request makes the request of a call. An intent has a challenge, a delivery all of its feed as it is served
// (WebSub section 7), and when the newest letter left that is in it.
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

// feed gives the document of a delivery, which is made once for all that wait for the same letter.
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

// forget drops the documents: later ones may be others.
func (h *Hub) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.made)
}
