package digest

import (
	"net/netip"
	"strings"
	"time"
)

// A HostRule is what was decided for a host and all below it, by the operator or by the host's owner.
type HostRule struct {
	Host      string        // lower case, without port, an internationalised name by its A-labels
	ByOwner   bool          // else by the operator
	Blocked   bool          // nothing is asked there
	Interval  time.Duration // between two polls of one feed, at least; 0 of a block
	CreatedAt time.Time     // when it came to be as it is
}

// Covers reports whether the rule is about a host, which is one that a person or a document names.
func (r HostRule) Covers(host string) bool {
	host = strings.TrimRight(host, ".")
	if a, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		host = a.Unmap().WithZone("").String()
	} else if ascii, err := ASCIIHost(host); err == nil {
		host = ascii
	}
	return host == r.Host || strings.HasSuffix(host, "."+r.Host)
}

// BlockedBy gives the rule that has a host blocked; its owner's counts before the operator's. Whatever a
// host is allowed by a nearer rule, a block above it holds.
func BlockedBy(rules []HostRule, host string) (block HostRule, blocked bool) {
	for _, r := range rules {
		if r.Blocked && r.Covers(host) && (!blocked || r.ByOwner && !block.ByOwner) {
			block, blocked = r, true
		}
	}
	return block, blocked
}

// Refusal says why nothing is asked at a host that the rule has blocked, as a clause for readers.
func (r HostRule) Refusal() string { return r.Why().Message }

// Why is what Refusal says, as readers are told it in their language.
func (r HostRule) Why() *Error {
	if r.ByOwner {
		return Refuse(Unavailable, "the owner of %s asked us not to read the site", HostShown("//"+r.Host))
	}
	return Refuse(Unavailable, "the operator has blocked %s", HostShown("//"+r.Host))
}
