package digest

import (
	"fmt"
	"net/http"
	"time"
)

// HubCallKind is the purpose of a request to a callback.
type HubCallKind string

// The kinds of requests that a hub sends to callbacks (W3C WebSub sections 5.2, 5.3 and 7).
const (
	HubSubscribe   HubCallKind = "subscribe"   // verifies a subscription
	HubUnsubscribe HubCallKind = "unsubscribe" // verifies the end of a subscription
	HubDenied      HubCallKind = "denied"      // reports that there is no subscription any more
	HubDeliver     HubCallKind = "deliver"     // delivers news
)

// A HubCall is a request that our hub sends to the callback of a subscriber. At most one of each kind exists for a
// newsletter's feed and a callback.
type HubCall struct {
	ID           int64
	NewsletterID NewsletterID
	Topic        string // address of the feed as the subscriber wrote it
	Callback     string
	Domain       string // registrable domain of the callback, which gets one call at a time
	// the callback may be in the operator's allowed networks, because the subscriber's request came from there
	Home bool
	Kind HubCallKind
	// of HubSubscribe the requested secret, of HubDeliver the confirmed one; empty: none
	Secret     []byte
	Lease      time.Duration // only of HubSubscribe
	LetterAt   time.Time     // of HubDeliver: when the newest issue was sent
	Attempt    int           // failures so far
	LeaseUntil time.Time     // end of the claim; marks of an expired claim change nothing
}

// The limits of our hub's subscribers.
const (
	HubLease      = 10 * 24 * time.Hour // default lease of a subscription
	LeastHubLease = time.Hour
	MostHubLease  = 30 * 24 * time.Hour

	// MostHubGivenUp is the number of consecutive failed deliveries that end a subscription.
	MostHubGivenUp = 3

	mostHubPending       = 1000 // waiting verifications of all domains
	mostHubPendingOfNew  = 10   // of a domain without subscriptions
	mostHubPendingKnown  = 200  // of a domain with subscriptions
	mostHubSubscriptions = 20_000
	mostHubOfDomain      = 20 // subscriptions of a domain to one newsletter

	// HubDoubt is what each failed verification adds to the doubt about its domain, which decreases with time. At
	// mostHubDoubt the hub verifies nothing in that domain.
	HubDoubt     = time.Hour
	mostHubDoubt = 10 * HubDoubt
)

// HubLeaseFor returns the lease of a subscription for the requested time; 0 selects the default.
func HubLeaseFor(asked time.Duration) time.Duration {
	if asked == 0 {
		return HubLease
	}
	return min(max(asked, LeastHubLease), MostHubLease)
}

// A HubLoad is the current load of our hub when a subscriber requests verification.
type HubLoad struct {
	Pending         int       // waiting verifications
	PendingOfDomain int       // waiting verifications of the subscriber's domain
	OfNewsletter    int       // subscriptions to the newsletter
	OfDomainThere   int       // subscriptions to the newsletter from the domain
	OfDomain        int       // subscriptions to any newsletter from the domain
	Subscribed      bool      // the callback renews its subscription
	DoubtedUntil    time.Time // when the doubt about the domain is over
}

// Refuse returns an *Error of the kind Unavailable if our hub may not verify the subscriber now, or nil. The limits
// stop strangers from directing our requests at third parties.
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

// A HubReply is the response of a callback.
type HubReply struct {
	Status     int // 0: no response
	Confirms   bool
	RetryAfter time.Duration // 0: none
	Error      string        // why there was no response; one line
}

// A HubOutcome is the result of a HubCall.
type HubOutcome string

const (
	HubConfirmed HubOutcome = "confirmed" // the subscription begins, continues or ends
	HubRefused   HubOutcome = "refused"   // the callback rejected the verification
	HubDelivered HubOutcome = "delivered" // the callback accepted the news
	HubGone      HubOutcome = "gone"      // the callback is gone, so the subscription ends
	HubRetried   HubOutcome = "retried"
	HubGivenUp   HubOutcome = "given_up"
)

// Outcome returns the result of a call with a response, and the time until the next attempt for HubRetried. A
// verification is sent once; the subscriber can request another. A redirect counts as a failure (WebSub section 7).
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

// hubWaits returns the waits after each failure of a call, about half a day together. The next issue's feed contains
// news that could not be delivered.
func hubWaits() []time.Duration {
	return []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour, 3 * time.Hour, 8 * time.Hour}
}

// Words returns the response in one line.
func (r HubReply) Words() string {
	switch {
	case r.Status == 0:
		return r.Error
	case r.Status >= 200 && r.Status < 300:
		return fmt.Sprintf("%d, without the challenge", r.Status)
	}
	return fmt.Sprintf("%d %s", r.Status, http.StatusText(r.Status))
}
