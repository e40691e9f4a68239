package digest

import (
	"net/netip"
	"strings"
	"time"
)

// A HostRule is a rule of the operator, or of a host's owner, for a host and its subdomains.
type HostRule struct {
	Host      string        // lower case, without port, with A-labels
	ByOwner   bool          // made by the owner; false: by the operator
	Blocked   bool          // no requests to it
	Interval  time.Duration // minimum time between two polls of a feed; 0 for a block
	CreatedAt time.Time
}

// Covers reports whether the rule applies to a host that a person or a document names.
func (r HostRule) Covers(host string) bool {
	host = strings.TrimRight(host, ".")
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		host = a.Unmap().WithZone("").String()
	} else if ascii, err := ASCIIHost(host); err == nil {
		host = ascii
	}
	return host == r.Host || strings.HasSuffix(host, "."+r.Host)
}

// BlockedBy returns the rule that blocks a host, an owner's rule before an operator's. A block of a domain also holds
// for subdomains with rules of their own.
func BlockedBy(rules []HostRule, host string) (block HostRule, blocked bool) {
	for _, r := range rules {
		if r.Blocked && r.Covers(host) && (!blocked || r.ByOwner && !block.ByOwner) {
			block, blocked = r, true
		}
	}
	return block, blocked
}

// Refusal returns the reason for a block, as a clause for readers.
func (r HostRule) Refusal() string { return r.Why().Message }

// Why returns the reason as an error that can be translated.
func (r HostRule) Why() *Error {
	if r.ByOwner {
		return Refuse(Unavailable, "the owner of %s asked us not to read the site", HostShown("//"+r.Host))
	}
	return Refuse(Unavailable, "the operator has blocked %s", HostShown("//"+r.Host))
}
