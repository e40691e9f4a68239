package push

import (
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// WantedLease is for how long a hub is asked to push. Half of it is a week, in which
	// each feed is polled anyway, so that a renewal knows of a move.
	WantedLease = 14 * 24 * time.Hour
	leastLease  = time.Hour
	mostLease   = WantedLease

	// DeniedFor is how long a hub is left alone that did not want to push a feed.
	DeniedFor = 7 * 24 * time.Hour
	// VerifyWithin is how long a hub may take to verify what it was asked for, before it is asked again.
	VerifyWithin = 24 * time.Hour
	firstRetry   = time.Hour
	mostRetry    = 7 * 24 * time.Hour

	// MaxChallenge is the longest challenge that is sent back, in bytes.
	MaxChallenge = 2 << 10
)

// A Mode is what is asked of a hub, or by it.
type Mode string

// The modes (WebSub sections 5.1 to 5.3).
const (
	Subscribe   Mode = "subscribe"
	Unsubscribe Mode = "unsubscribe"
	Denied      Mode = "denied" // by hubs only
)

// Request is the form that asks a hub to push a topic to a callback, or no longer. A secret
// is told to nobody in clear: only a hub that is asked by https gets one.
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

// GetsSecret reports whether a hub is given a secret to sign with.
func GetsSecret(hub string) bool {
	return len(hub) > len("https:") && strings.EqualFold(hub[:len("https:")], "https:")
}

// An Intent is what a hub asks of us (WebSub section 5.3), or tells us (5.2).
type Intent struct {
	Mode      Mode
	Topic     string
	Challenge string
	Lease     time.Duration // within bounds; of one that names none, the one that is asked for
	Reason    string        // of a denial, for people; ""
}

const maxReason = 300 // bytes

// ParseIntent reads the query of a hub's GET; false: it is none.
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

// lease is how long a hub that names so many seconds is counted on.
func lease(seconds int64) time.Duration {
	seconds = min(max(seconds, int64(leastLease/time.Second)), int64(mostLease/time.Second))
	return time.Duration(seconds) * time.Second
}

// RenewAt is when a lease that begins now is renewed: at its half, and a part of a day
// later, which is random in [0, 1), so that those that began together do not stay so.
func RenewAt(now time.Time, lease time.Duration, random float64) time.Time {
	return now.Add(lease/2 + time.Duration(random*float64(min(lease/4, 24*time.Hour)))).Truncate(time.Second)
}

// RetryAt is when a hub is asked again that has failed so many times in a row.
func RetryAt(now time.Time, failures int) time.Time {
	wait := firstRetry
	for i := 1; i < failures && wait < mostRetry; i++ {
		wait *= 4
	}
	return now.Add(min(wait, mostRetry))
}
