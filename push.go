package digest

import (
	"time"
)

// A Push is what is known of those who bring a feed's news unasked (WebSub).
type Push struct {
	Topic       string    // the address by which its hubs know it; empty: it names no hub
	Hubs        string    // that it names and that are asked to push it, with spaces between them
	PushedUntil time.Time // until then its hubs are trusted, and it is polled once a week; zero: they are not
}

// A PushSubscription is one promise of one hub: to send what is new of a topic to a
// callback of its own. It is renewed by another one.
type PushSubscription struct {
	ID          PushID
	FeedID      FeedID
	Hub         string // as the feed names it
	Topic       string
	Secret      string // with which the hub signs; sent to it by https alone
	State       PushState
	RequestedAt time.Time // when the hub was last asked
	VerifiedAt  time.Time // when it has verified that; zero: not yet
	ExpiresAt   time.Time // when its promise ends
	NextAt      time.Time // of the next request
	Errors      int       // failed requests in a row
	LastError   string    // of the last request
	Domain      string    // of the hub, by which HubHost counts; "" before the first request
}

// PushID is the key of a PushSubscription.
type PushID int64

// PushState says how a PushSubscription stands.
type PushState string

// The states of a PushSubscription.
const (
	PushWanted  PushState = "wanted"  // its hub is to be asked
	PushAsked   PushState = "asked"   // its hub has been asked, and is to verify that
	PushActive  PushState = "active"  // its hub pushes
	PushLeaving PushState = "leaving" // its hub is to be told that it is over; what it sends meanwhile counts
	PushLeft    PushState = "left"    // it is over
	PushDenied  PushState = "denied"  // its hub did not want it
)

const (
	// TrustedPushes is how many pushes with news a feed's hubs have to send before they are trusted.
	TrustedPushes = 2
	// Distrust is how long a feed's hubs are not trusted after a poll has found a post that none had pushed.
	Distrust = 30 * 24 * time.Hour
)

// A HubHost counts the requests to the hubs of one registered domain, for all feeds. Any feed can name any address as
// its hub. A hub fetches the callback that it gets; a site that is no hub never does.
type HubHost struct {
	Domain      string
	Confirmed   int // requests that they confirmed since they were last silent
	Unconfirmed int // requests since the last that they confirmed
	Failed      int // of these, those that got an error or no answer
	QuietUntil  time.Time
}

const (
	// HubSilence is how long a host gets no request after it has confirmed none of the last ones.
	HubSilence = 24 * time.Hour

	mostUnconfirmed = 3
	mostConfirmed   = 1000 // that are counted
)

// Ask reports whether the host may get a request now, and returns its counts with that request. As many requests may
// wait for a confirmation as the host has confirmed before, but three at least: so a hub of thousands of feeds soon
// pushes all of them. When that many wait, the host gets no request for a day, or until it confirms one. After a
// silent day it gets one request a day.
func (h HubHost) Ask(now time.Time) (HubHost, bool) {
	if h.QuietUntil.After(now) {
		return h, false
	}
	if !h.QuietUntil.IsZero() {
		h.Confirmed = 0
	}
	h.Unconfirmed++
	if h.Unconfirmed >= max(mostUnconfirmed, h.Confirmed) {
		h.QuietUntil = now.Add(HubSilence)
	}
	return h, true
}

// Fail returns the counts of the host after a request got an error or no answer. Three in a row end the requests of
// a day, however many the host has confirmed before.
func (h HubHost) Fail(now time.Time) HubHost {
	if h.Failed++; h.Failed >= mostUnconfirmed {
		h.QuietUntil = now.Add(HubSilence)
	}
	return h
}

// Confirm returns the counts of the host after it has confirmed a request.
func (h HubHost) Confirm() HubHost {
	return HubHost{Domain: h.Domain, Confirmed: min(h.Confirmed+1, mostConfirmed)}
}

// News is how the news of a feed has come.
type News struct {
	Pushes     int       // with news, since its hubs have last missed a post or failed
	AllPushes  int       // with or without news, ever
	LastPushAt time.Time // zero: there was none
	Pings      int       // that had it asked
	LastPingAt time.Time
	// PingedSince is when the first came of which each was followed by the next within LongestPing.
	PingedSince time.Time
	MissedAt    time.Time // when a poll last found a post that no hub had pushed; zero: never
	TrustedAt   time.Time // since when its hubs are trusted; zero: they are not
	SavedPolls  int       // midnights for which it was not asked, since its hubs were trusted

	PushedSince time.Time // since when a hub pushes it without a gap; zero: none does
	ExpiresAt   time.Time // when the last promise of its hubs ends

	// HubQuietUntil is the time of the next request to a hub whose host has confirmed none of the last ones; zero:
	// it has no such host.
	HubQuietUntil time.Time
}

// TrustedUntil says how long a feed may be left to its hubs, and polled but once a week: until
// their promise ends, if they have pushed twice and no poll has found a post before them
// lately. Zero: not at all.
func (n News) TrustedUntil(now time.Time) time.Time {
	missed := !n.MissedAt.IsZero() && now.Sub(n.MissedAt) < Distrust
	if n.Pushes < TrustedPushes || missed || !n.ExpiresAt.After(now) {
		return time.Time{}
	}
	return n.ExpiresAt
}

// MissedBy reports whether the hubs of a feed have missed what a poll has found: they pushed it
// already when it was last read, and nobody had said that there is news.
func (n News) MissedBy(lastRead time.Time, announced bool) bool {
	return !n.PushedSince.IsZero() && !lastRead.IsZero() && !n.PushedSince.After(lastRead) && !announced
}

// Way says how the news of a feed comes.
type Way string

// The ways of news.
const (
	ByPush Way = "push" // its hubs send it, and polls look after them
	ByPing Way = "ping" // it says when there is some, and is polled then
	ByPoll Way = "poll"
)

// Ways gives all ways of news.
func Ways() []Way { return []Way{ByPush, ByPing, ByPoll} }

// LongestPing is how long a feed that pings counts as one.
const LongestPing = 30 * 24 * time.Hour

// Way says how the news of a feed comes, and since when; zero: since it is known.
func (n News) Way(now time.Time) (Way, time.Time) {
	switch {
	case n.ExpiresAt.After(now) && n.Pushes > 0:
		return ByPush, n.PushedSince
	case !n.LastPingAt.IsZero() && now.Sub(n.LastPingAt) < LongestPing:
		return ByPing, n.PingedSince
	}
	return ByPoll, time.Time{}
}
