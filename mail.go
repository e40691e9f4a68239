package digest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Lane is a way for mail with its own limits: the route, whose name is empty, or the domain of a recipient. Trouble
// in one lane does not stop the others.
type Lane struct {
	Name   string // a domain in ASCII and lower case; empty: the route
	Limits        // set by the operator for this lane; zero: the settings apply

	Width     int           // maximum messages in flight while it recovers; 0: it is well
	Pause     time.Duration // the latest one
	Until     time.Time     // no messages before this time
	Failures  int           // consecutive
	Alarm     bool          // the operator has to fix something
	Reason    string        // of the trouble; one line
	ChangedAt time.Time
}

// ClockSlack is the maximum difference between the clocks of two workers. A time further in the future is from a wrong
// clock.
const ClockSlack = 5 * time.Minute

// IsPaused reports whether the lane sends nothing at now. It ignores a pause from a wrong clock, such as one of a
// machine that has just booted, which could stop the mail for a day.
func (l Lane) IsPaused(now time.Time) bool {
	return l.Until.After(now) && !l.ChangedAt.After(now.Add(ClockSlack))
}

// IsTroubled reports whether the lane has trouble, or recovers from it, and an operator can reset it.
func (l Lane) IsTroubled() bool {
	return l != Lane{Name: l.Name, Limits: l.Limits, ChangedAt: l.ChangedAt}
}

// Limits are the limits of a lane.
type Limits struct {
	Connections int // messages in flight; 0: no limit
	Rate
}

// A Rate is a maximum number of messages in any interval of length Per, which is in whole seconds. The zero Rate is no
// limit.
type Rate struct {
	Messages int
	Per      time.Duration
}

// ParseRate parses a rate such as "100/m", with the units s, m, h and d; "0" is no limit.
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

// String returns the text that ParseRate parses.
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

// A Claim is a mailer's request for editions from the queue.
type Claim struct {
	Most  int           // maximum number of editions
	Lease time.Duration // duration of the lease
	Token string        // of the lease

	// After is a place in the queue before which no edition can be claimed, if the caller knows one. It is valid only
	// if no other limit held back editions before it.
	After QueuePlace

	// The limits of lanes that have none of their own.
	Route, Domain Limits
}

// BounceKind says what a bounce means for an address.
type BounceKind string

const (
	HardBounce BounceKind = "hard"      // the mailbox does not exist
	SoftBounce BounceKind = "soft"      // temporary; suppressed if it lasts long
	Complaint  BounceKind = "complaint" // the reader reported spam

	// RefusedBounce is a failure for reasons other than the mailbox: policy, content, size or our configuration. The
	// operator sees it; it does not suppress an address.
	RefusedBounce BounceKind = "refused"
)

// A Bounce is a failure report about an edition.
type Bounce struct {
	Edition  EditionID
	Kind     BounceKind
	Status   string // RFC 3463, such as "5.1.1"; empty: none
	Evidence string // one line of the report
}

// Reason is why an address is suppressed.
type Reason string

const (
	ForHardBounce  Reason = "hard_bounce"
	ForSoftBounces Reason = "soft_bounces" // for a number of editions and days in a row
	ForComplaint   Reason = "complaint"
	ForOperator    Reason = "manual"
)

// A Suppression is an address that gets no email, whatever it subscribes to.
type Suppression struct {
	Email     string
	Reason    Reason
	Evidence  string    // one line of the report
	EditionID EditionID // that was reported; 0: none
	CreatedAt time.Time
}

// A DKIMKey signs the mail of a domain and its subdomains.
type DKIMKey struct {
	Domain     string
	Selector   string
	PrivateKey []byte // PKCS #8
	Active     bool   // signs; one key of a domain does
	CreatedAt  time.Time
}

// Tagged adds a tag to an address: bounces@example.org becomes bounces+tag@example.org (RFC 5233).
func Tagged(address, tag string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return address
	}
	return address[:at] + "+" + tag + address[at:]
}

// CutTag splits an address into the plain address and its tag, "" if it has none.
func CutTag(address string) (plain, tag string) {
	at := strings.LastIndexByte(address, '@')
	plus := strings.LastIndexByte(address[:max(at, 0)], '+')
	if plus < 0 {
		return address, ""
	}
	return address[:plus] + address[at:], address[plus+1 : at]
}

// MailDomain returns the domain of a bare email address as the DNS writes it: in lower case and ASCII.
func MailDomain(address string) string {
	domain := address[strings.LastIndexByte(address, '@')+1:]
	if ascii, err := ASCIIHost(domain); err == nil {
		return ascii
	}
	return strings.ToLower(domain)
}

// NoMailbox reports whether an enhanced status code (RFC 3463) says that a mailbox does not exist permanently.
func NoMailbox(status string) bool {
	switch status {
	case "5.1.1", // no such mailbox
		"5.1.2",  // no such system
		"5.1.3",  // no such syntax
		"5.1.6",  // moved, without a forwarding address
		"5.1.10", // the domain accepts no mail (RFC 7505)
		"5.2.1":  // the mailbox is disabled
		return true
	}
	return false
}
