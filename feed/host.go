package feed

import (
	"net/netip"
	"strconv"
	"strings"

	"digest"

	"golang.org/x/net/publicsuffix"
)

// ParseHost reads a host as people write one, or any address of its site; digest.Invalid if it is none.
func ParseHost(s string) (string, error) {
	host := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(s), "*"), ".")
	if address, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return address.WithZone("").Unmap().String(), nil
	}
	if network, err := netip.ParsePrefix(host); err == nil {
		return "", digest.Refuse(digest.Invalid, "%s is a network; give a host, such as %s", strconv.Quote(host), network.Addr())
	}
	if url, err := NormalURL(host); err == nil && Host(url) != "" {
		return Host(url), nil
	}
	return "", digest.Refuse(digest.Invalid, "%s is not a host; an example: example.org", strconv.Quote(digest.Shortened(digest.AddressWithoutCredentials(s), 100)))
}

// CheckRuleHost refuses a host below which the sites of many owners lie, such as co.uk: a rule for it
// would hold for all of them (the part of the Public Suffix List that registries keep).
func CheckRuleHost(host string) error {
	if suffix, registry := publicsuffix.PublicSuffix(host); registry && suffix == host {
		return digest.Refuse(digest.Invalid, "%s is what the sites of many owners end with, and a rule would hold for all of them; name one site", host)
	}
	return nil
}
