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
	if _, err := netip.ParsePrefix(host); err != nil { // a network is not a host
		if url, err := NormalURL(host); err == nil && Host(url) != "" {
			return Host(url), nil
		}
	}
	return "", digest.Refuse(digest.Invalid, "%s is not a host; enter one like example.org",
		strconv.Quote(digest.Shortened(digest.AddressWithoutCredentials(s), 100)))
}

// CheckRuleHost refuses a host below which the sites of many owners lie, such as co.uk: a rule for it
// would hold for all of them (the part of the Public Suffix List that registries keep).
func CheckRuleHost(host string) error {
	if suffix, registry := publicsuffix.PublicSuffix(host); registry && suffix == host {
		return digest.Refuse(digest.Invalid, "%s is shared by sites of many owners; enter the host of one site", host)
	}
	return nil
}
