package feed

import (
	"net/netip"
	"strconv"
	"strings"

	"digest"

	"golang.org/x/net/publicsuffix"
)

// ParseHost returns the host in s: a name, an IP address, or any address of the site. It refuses other text with
// digest.Invalid.
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

// CheckRuleHost refuses a host such as co.uk, below which many owners register domains: a rule for it would apply to
// all of them. It uses the ICANN section of the Public Suffix List.
func CheckRuleHost(host string) error {
	if suffix, registry := publicsuffix.PublicSuffix(host); registry && suffix == host {
		return digest.Refuse(digest.Invalid, "%s hosts sites that belong to many owners; enter the host of one site",
			host)
	}
	return nil
}
