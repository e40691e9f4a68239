package digest

import (
	"fmt"
	"net/http"
	"time"
)

// HubCallKind says what one request to a callback is for.
type HubCallKind string

// The kinds of requests that a hub owes a callback (W3C WebSub sections 5.2, 5.3 and 7).
const (
	HubSubscribe   HubCallKind = "subscribe"   // asks whether the subscription is meant
	HubUnsubscribe HubCallKind = "unsubscribe" // asks whether its end is meant
	HubDenied      HubCallKind = "denied"      // says that there is no subscription any more
	HubDeliver     HubCallKind = "deliver"     // brings what is new
)

// A HubCall is one request that our hub owes the callback of a subscriber. There is one of a kind
// at most for a newsletter's feed and a callback.
type HubCall struct {
	ID           int64
	NewsletterID NewsletterID
	Topic        string // the address of the feed, as the subscriber wrote it
	Callback     string
	Domain       string // the registered domain of the callback: one call at a time goes to it
	Home         bool   // the callback may lie in the networks that the operator allows: who asked is there too
	Kind         HubCallKind
	// of HubSubscribe the one that is wanted, of HubDeliver the one that was confirmed; empty: none
	Secret     []byte
	Lease      time.Duration // of HubSubscribe
	LetterAt   time.Time     // of HubDeliver: when the newest letter left that is to be told of
	Attempt    int           // how often it failed
	LeaseUntil time.Time     // until when whoever claimed it has it; marks made after another claim change nothing
}

// The bounds of what subscribers can have of our hub.
const (
	HubLease      = 10 * 24 * time.Hour // of a subscription that asks for none
	LeastHubLease = time.Hour
	MostHubLease  = 30 * 24 * time.Hour

	// MostHubGivenUp is how many letters in a row may have been given up before a subscription ends.
	MostHubGivenUp = 3

	mostHubPending       = 1000 // verifications that wait, of all domains
	mostHubPendingOfNew  = 10   // of a domain that has no subscription yet
	mostHubPendingKnown  = 200  // of one that has
	mostHubSubscriptions = 20_000
	mostHubOfDomain      = 20 // subscriptions of one newsletter that share a domain

	// HubDoubt is what each verification that fails adds to the doubt in its domain, which time takes
	// off; mostHubDoubt is how much of it there may be before nothing more is verified there.
	HubDoubt     = time.Hour
	mostHubDoubt = 10 * HubDoubt
)

// HubLeaseFor is how long a subscription lasts for which somebody asks; 0: they name no time.
func HubLeaseFor(asked time.Duration) time.Duration {
	if asked == 0 {
		return HubLease
	}
	return min(max(asked, LeastHubLease), MostHubLease)
}

// A HubLoad is what our hub has to do already when somebody asks to be verified.
type HubLoad struct {
	Pending         int       // verifications that wait
	PendingOfDomain int       // of them those of the asker's domain
	OfNewsletter    int       // subscriptions
	OfDomainThere   int       // of them those of the domain
	OfDomain        int       // subscriptions of the domain to any newsletter
	Subscribed      bool      // the callback is subscribed already: it only renews
	DoubtedUntil    time.Time // when the last doubt in the domain will be gone
}

// Refuse says why nobody may be verified now, so that no stranger can have us ask somebody who never
// wanted it; nil: they may be. The error is a *Error of the kind Unavailable.
func (l HubLoad) Refuse(now time.Time) error {
	known := mostHubPendingOfNew
	if l.OfDomain > 0 {
		known = mostHubPendingKnown
	}
	why := ""
	switch {
	case l.Pending >= mostHubPending:
		why = "too many subscriptions wait to be verified; try again in some minutes"
	case l.PendingOfDomain >= known:
		why = "too many subscriptions of the callback's domain wait to be verified; try again in some minutes"
	case l.DoubtedUntil.Sub(now) >= mostHubDoubt:
		why = "too many callbacks of that domain did not confirm a subscription; try again in an hour"
	case l.Subscribed:
	case l.OfNewsletter >= mostHubSubscriptions, l.OfDomainThere >= mostHubOfDomain:
		why = "there are as many subscriptions to this feed as the hub keeps, of all or of the callback's domain; poll the feed instead"
	}
	if why == "" {
		return nil
	}
	return &Error{Kind: Unavailable, Message: why}
}

// A HubReply is what a callback answered.
type HubReply struct {
	Status     int // 0: nothing was answered
	Confirms   bool
	RetryAfter time.Duration // 0: it said nothing
	Error      string        // why there was no answer; one line
}

// A HubOutcome is what becomes of a HubCall.
type HubOutcome string

// The outcomes.
const (
	HubConfirmed HubOutcome = "confirmed" // the subscription begins, goes on, or ends
	HubRefused   HubOutcome = "refused"   // it is not meant
	HubDelivered HubOutcome = "delivered" // the news is there
	HubGone      HubOutcome = "gone"      // the callback wants nothing more: the subscription ends
	HubRetried   HubOutcome = "retried"
	HubGivenUp   HubOutcome = "given_up"
)

// Outcome says what becomes of a call that was answered so, and when it is made again if it is. A
// verification is one request: who could not answer it asks again. A redirect confirms and receives
// nothing (WebSub section 7).
func (c HubCall) Outcome(r HubReply) (o HubOutcome, wait time.Duration) {
	good := r.Status >= 200 && r.Status < 300
	switch c.Kind {
	case HubSubscribe, HubUnsubscribe:
		if good && r.Confirms {
			return HubConfirmed, 0
		}
		return HubRefused, 0
	case HubDeliver:
		switch {
		case good:
			return HubDelivered, 0
		case r.Status == http.StatusGone:
			return HubGone, 0
		}
	case HubDenied:
		if r.Status != 0 && r.Status < 500 && r.Status != http.StatusTooManyRequests {
			return HubDelivered, 0
		}
	}
	waits := hubWaits()
	if c.Attempt >= len(waits) {
		return HubGivenUp, 0
	}
	return HubRetried, min(max(waits[c.Attempt], r.RetryAfter), waits[len(waits)-1])
}

// hubWaits is how long a call waits after each failure: half a day, all together. What is given up
// then is in the feed that the next letter brings.
func hubWaits() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour}
}

// Words says in one line how a callback answered.
func (r HubReply) Words() string {
	switch {
	case r.Status == 0:
		return r.Error
	case r.Status >= 200 && r.Status < 300:
		return fmt.Sprintf("%d, without the challenge", r.Status)
	}
	return fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
}
