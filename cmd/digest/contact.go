package main

import (
	"fmt"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"

	"digest"
	"digest/internal/doctor"
	"digest/mailer"
	"digest/poller"
)

// contactOf returns the address at which site owners can reach the operator: the setting, or the From address.
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

// reachable returns an error if the base URL is public but site owners could not reach the operator.
func (s *settings) reachable() error {
	_, domain, _ := strings.Cut(s.Contact, "@")
	if !strings.EqualFold(domain, "localhost") || !isPublic(s.BaseURL) {
		return nil
	}
	return digest.Errorf(digest.Invalid,
		"%s is public, but site owners cannot reach you at %s, so digest polls no sites; "+
			"set DIGEST_CONTACT or DIGEST_FROM to your address, such as you@example.org", s.BaseURL, s.Contact)
}

// newReadersImages returns the display of pictures in the emails of new readers. Mail programs load pictures from this
// instance if it is public.
func newReadersImages(base string) digest.Images {
	if isPublic(base) && strings.HasPrefix(base, "https://") {
		return digest.ProxiedImages
	}
	return digest.NoImages
}

func isPublic(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return poller.IsPublic(a)
	}
	return doctor.IsPublicName(host) && !strings.HasSuffix(host, ".example") // RFC 2606 §2
}
