package main

import (
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"

	"digest"
	"digest/mailer"
)

// contactOf gives the address that the owners of sites may write to: that of the
// setting, or else the From address.
func contactOf(contact, from string) (string, error) {
	if contact != "" {
		return mailer.Recipient(contact)
	}
	a, err := mail.ParseAddress(from)
	if err != nil {
		return "", fmt.Errorf("reading the From address: %w", err)
	}
	return a.Address, nil
}

// reachable gives an error if the base URL is public but the owners of sites could
// not write to the operator.
func (s *settings) reachable() error {
	_, domain, _ := strings.Cut(s.Contact, "@")
	if !strings.EqualFold(domain, "localhost") || !isPublic(s.BaseURL) {
		return nil
	}
	return &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf(
		"%s is public and nobody can be reached at %s, so no site is asked; "+
			"set DIGEST_CONTACT=you@example.org, or DIGEST_FROM, to an address of yours", s.BaseURL, s.Contact)}
}

// isPublic reports whether the world can reach a base URL, as far as its name tells.
func isPublic(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return isPublicAddress(a.Unmap())
	}
	if !strings.Contains(host, ".") {
		return false
	}
	// RFC 2606 §2, RFC 6762 §3, RFC 7686, RFC 8375 §4, and what people use at home.
	for _, own := range []string{"localhost", "local", "test", "invalid", "example", "internal", "lan", "home.arpa", "onion"} {
		if host == own || strings.HasSuffix(host, "."+own) {
			return false
		}
	}
	return true
}

// isPublicAddress reports whether an address is of the public Internet.
func isPublicAddress(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	special := []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "2001:db8::/32", "3fff::/20", "fec0::/10",
	}
	for _, s := range special {
		if netip.MustParsePrefix(s).Contains(a) {
			return false
		}
	}
	return true
}
