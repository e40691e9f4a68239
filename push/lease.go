package push

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// WantedLease is the lease that digest requests from a hub. The poller polls each feed at least once a
	// week, that is within half a lease, so a renewal uses the feed's current address.
	WantedLease = 14 * 24 * time.Hour
	leastLease  = time.Hour
	mostLease   = WantedLease

	// DeniedFor is the wait before the next request to a hub that refused to push a feed.
	DeniedFor = 7 * 24 * time.Hour
	// VerifyWithin is the time that a hub has to verify a request before digest repeats it.
	VerifyWithin = 24 * time.Hour
	firstRetry   = time.Hour
	mostRetry    = 7 * 24 * time.Hour

	// MaxChallenge is the length in bytes of the longest challenge that digest echoes.
	MaxChallenge = 2 << 10
)

// A Mode is the kind of a request to or from a hub.
type Mode string

// The modes (WebSub sections 5.1 to 5.3).
const (
	Subscribe   Mode = "subscribe"
	Unsubscribe Mode = "unsubscribe"
	Denied      Mode = "denied" // only hubs send it
)

// Request returns the form that subscribes a callback to a topic at a hub, or unsubscribes it. It contains
// the secret only if the request goes over https.
func Request(mode Mode, hub, topic, callback, secret string) url.Values {
	form := url.Values{"hub.mode": {string(mode)}, "hub.topic": {topic}, "hub.callback": {callback}}
	if mode == Subscribe {
		form.Set("hub.lease_seconds", strconv.Itoa(int(WantedLease/time.Second)))
		if GetsSecret(hub) {
			form.Set("hub.secret", secret)
		}
	}
	return form
}

// GetsSecret reports whether requests to a hub contain a secret, that is whether its address is https.
func GetsSecret(hub string) bool {
	return len(hub) > len("https:") && strings.EqualFold(hub[:len("https:")], "https:")
}

// An Intent is a verification request (WebSub section 5.3) or a denial (5.2) from a hub.
type Intent struct {
	Mode      Mode
	Topic     string
	Challenge string
	Lease     time.Duration // between leastLease and mostLease; WantedLease if the hub names none
	Reason    string        // why the hub denies, for people to read; may be ""
}

const maxReason = 300 // bytes

// ParseIntent reads the query of a hub's GET request. ok is false if it is not a valid intent.
func ParseIntent(query url.Values) (i Intent, ok bool) {
	i = Intent{Mode: Mode(query.Get("hub.mode")), Topic: query.Get("hub.topic"), Challenge: query.Get("hub.challenge"),
		Lease: WantedLease}
	if i.Topic == "" || len(i.Topic) > maxAddress {
		return i, false
	}
	switch i.Mode {
	case Denied:
		reason := strings.ToValidUTF8(query.Get("hub.reason"), "")
		i.Reason = strings.ToValidUTF8(reason[:min(len(reason), maxReason)], "")
		return i, true
	case Subscribe, Unsubscribe:
		if said, err := strconv.ParseInt(strings.TrimSpace(query.Get("hub.lease_seconds")), 10, 64); err == nil {
			i.Lease = lease(said)
		}
		return i, i.Challenge != "" && len(i.Challenge) <= MaxChallenge
	}
	return i, false
}

// lease returns the lease of a hub that names seconds, limited to leastLease and mostLease.
func lease(seconds int64) time.Duration {
	seconds = min(max(seconds, int64(leastLease/time.Second)), int64(mostLease/time.Second))
	return time.Duration(seconds) * time.Second
}

// RenewAt returns the time to renew a lease that begins at now: half of the lease plus a random part of a
// quarter of the lease, at most of a day. The random number, in [0, 1), spreads the renewals of leases that
// began together.
func RenewAt(now time.Time, lease time.Duration, random float64) time.Time {
	return now.Add(lease/2 + time.Duration(random*float64(min(lease/4, 24*time.Hour)))).Truncate(time.Second)
}

// RetryAt returns the time of the next request to a hub that failed that often in a row.
func RetryAt(now time.Time, failures int) time.Time {
	wait := firstRetry
	for i := 1; i < failures && wait < mostRetry; i++ {
		wait *= 4
	}
	return now.Add(min(wait, mostRetry))
}
