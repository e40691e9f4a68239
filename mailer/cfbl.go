package mailer

import (
	"strings"
)

// Mailbox providers send complaints to the address in CFBL-Address (RFC 9477). The message's own signature must cover
// it, because otherwise anybody could name an address of somebody else.

// CanComplainTo reports whether mail from one address may name another for complaints. It must have the same domain, or
// a subdomain.
func CanComplainTo(address, from string) bool {
	domain, at := domainOf(from), domainOf(address)
	return at == domain || strings.HasSuffix(at, "."+domain)
}

// vouchesFor reports whether the signature proves an address for complaints: its domain must equal the domain of From
// (RFC 9477 §3.1).
func (s *DKIMSigner) vouchesFor(address, from string) bool {
	return s != nil && s.options.Domain == domainOf(from) && CanComplainTo(address, from)
}

// complaintsTo returns the value of CFBL-Address. Complaints have the format of RFC 5965.
func complaintsTo(address string) (string, error) {
	clean, err := OwnMailbox(address)
	return clean + "; report=arf", err
}
