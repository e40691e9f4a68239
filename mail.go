package digest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Lane is a way that mail takes, with limits of its own: the route, whose
// name is empty, or a recipient domain. Trouble in one stops no other.
type Lane struct {
	Name   string // a domain in ASCII and lower case; empty: the route
	Limits        // the operator's for this lane; what is zero is the settings'

	Width     int           // messages at once while it recovers; 0: it is well
	Pause     time.Duration // the latest
	Until     time.Time     // nothing is sent before
	Failures  int           // in a row
	Alarm     bool          // the operator has to put something right
	Reason    string        // of the trouble, one line
	ChangedAt time.Time
}

// ClockSlack is how far apart the clocks of two workers may be: what lies further ahead than
// it may was written by a clock that was wrong.
const ClockSlack = 5 * time.Minute

// IsPaused reports whether nothing is to be sent at now. What was said later than
// that was said by a clock that was wrong, as that of a machine which has just
// started: it must not hold up the mail of a day.
func (l Lane) IsPaused(now time.Time) bool {
	return l.Until.After(now) && !l.ChangedAt.After(now.Add(ClockSlack))
}

// IsTroubled reports whether the lane has, or recovers from, trouble that an operator can make it forget.
func (l Lane) IsTroubled() bool {
	return l != Lane{Name: l.Name, Limits: l.Limits, ChangedAt: l.ChangedAt}
}

// Limits bound what one lane carries.
type Limits struct {
	Connections int // messages at once; 0: no limit
	Rate
}

// A Rate is so many messages in any stretch of so much time; the zero Rate is
// no limit. Per is in whole seconds.
type Rate struct {
	Messages int
	Per      time.Duration
}

// ParseRate reads a rate such as "100/m", with s, m, h or d for the time; "0" is no limit.
func ParseRate(s string) (Rate, error) {
	if s == "0" {
		return Rate{}, nil
	}
	number, unit, _ := strings.Cut(s, "/")
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[unit]
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 || per == 0 {
		return Rate{}, fmt.Errorf("%q is not a rate such as 100/m", s)
	}
	return Rate{int(n), per}, nil
}

// String is what ParseRate reads.
func (r Rate) String() string {
	for unit, per := range map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour,
		"d": 24 * time.Hour} {
		if r.Per == per {
			return strconv.Itoa(r.Messages) + "/" + unit
		}
	}
	return "0"
}

// A QueuePlace is the place of an edition in the queue; the zero value is before all.
type QueuePlace struct {
	NextAt time.Time
	ID     EditionID
}

// A Claim is what a mailer asks of the queue.
type Claim struct {
	Most  int           // editions, at most
	Lease time.Duration // for this long
	Token string        // of the lease

	// After is the place in the queue up to which nothing is left that could be claimed,
	// where the caller knows one. No other limit may keep editions back before it.
	After QueuePlace

	// What holds for lanes that have no limits of their own.
	Route, Domain Limits
}

// BounceKind says what a bounce means for an address.
type BounceKind string

// The kinds of bounces.
const (
	HardBounce BounceKind = "hard"      // there is no such mailbox
	SoftBounce BounceKind = "soft"      // not now; suppressed when it goes on for long
	Complaint  BounceKind = "complaint" // the reader called it spam

	// RefusedBounce is a failure that says nothing of the mailbox: policy, content,
	// size, our set-up. It is kept for the operator and counts against no address.
	RefusedBounce BounceKind = "refused"
)

// A Bounce is what came back of an edition.
type Bounce struct {
	Edition  EditionID
	Kind     BounceKind
	Status   string // RFC 3463, "5.1.1"; empty when not given
	Evidence string // what was said, one line
}

// Reason says why an address is suppressed.
type Reason string

// The reasons.
const (
	ForHardBounce  Reason = "hard_bounce"
	ForSoftBounces Reason = "soft_bounces" // for so many editions and days in a row
	ForComplaint   Reason = "complaint"
	ForOperator    Reason = "manual"
)

// A Suppression is an address that is not mailed, whatever it subscribes to.
type Suppression struct {
	Email     string
	Reason    Reason
	Evidence  string    // what was said, one line
	EditionID EditionID // of which it was said; 0: of none
	CreatedAt time.Time
}

// A DKIMKey signs the mail of a domain and of all below it.
type DKIMKey struct {
	Domain     string
	Selector   string
	PrivateKey []byte // PKCS #8
	Active     bool   // it signs; one of a domain's does
	CreatedAt  time.Time
}

// Tagged puts a tag into an address: bounces@example.org becomes
// bounces+tag@example.org (RFC 5233).
func Tagged(address, tag string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + "+" + tag + address[at:]
}

// CutTag takes a tag out of an address again; none gives the address and "".
func CutTag(address string) (plain, tag string) {
	at := strings.LastIndexByte(address, '@')
	plus := strings.LastIndexByte(address[:max(at, 0)], '+')
	if plus < 0 {
		return address, ""
	}
	return address[:plus] + address[at:], address[plus+1 : at]
}

// NoMailbox reports an enhanced status code (RFC 3463) which says for good that
// there is no such mailbox.
func NoMailbox(status string) bool {
	switch status {
	case "5.1.1", // no such mailbox
		"5.1.2",  // no such system
		"5.1.3",  // no such syntax
		"5.1.6",  // moved, without a forwarding address
		"5.1.10", // the domain takes no mail (RFC 7505)
		"5.2.1":  // the mailbox is disabled
		return true
	}
	return false
}
