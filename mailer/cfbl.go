package mailer

import (
	"strings"
)

// Mailbox providers send complaints to the address in CFBL-Address (RFC 9477), but only where the message's own
// signature vouches for it: anybody could put a stranger's address there.

// CanComplainTo reports whether mail from one address may name another for complaints: one at the same domain, or at one
// below it.
func CanComplainTo(address, from string) bool {
	domain, at := hostOf(from), hostOf(address)
	return at == domain || strings.HasSuffix(at, "."+domain)
}

// vouchesFor reports whether the signature makes receivers believe an address for complaints: it has to be of exactly
// the domain of From (RFC 9477 §3.1).
func (s *DKIMSigner) vouchesFor(address, from string) bool {
	return s != nil && s.options.Domain == hostOf(from) && CanComplainTo(address, from)
}

// complaintsTo is the value of CFBL-Address: complaints are read in the format of RFC 5965.
func complaintsTo(address string) (string, error) {
	clean, err := OwnMailbox(address)
	return clean + "; report=arf", err
}
