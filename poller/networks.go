package poller

import (
	"net/netip"
	"strings"
)

// The networks below are tables, never written after start.
var (
	// specialIPv4 is the IANA IPv4 Special-Purpose Address Registry, whole,
	// with multicast.
	specialIPv4 = prefixes(`
		0.0.0.0/8          this network
		10.0.0.0/8         private
		100.64.0.0/10      shared by carriers
		127.0.0.0/8        loopback
		169.254.0.0/16     link-local, and the metadata service of clouds
		172.16.0.0/12      private
		192.0.0.0/24       protocol assignments
		192.0.2.0/24       documentation
		192.31.196.0/24    AS112
		192.52.193.0/24    AMT
		192.88.99.0/24     6to4 relays
		192.168.0.0/16     private
		192.175.48.0/24    AS112
		198.18.0.0/15      benchmarks
		198.51.100.0/24    documentation
		203.0.113.0/24     documentation
		224.0.0.0/4        multicast
		240.0.0.0/4        reserved, and broadcast`)

	// globalIPv6 is all of IPv6 that has been given out (RFC 4291 §2.4).
	globalIPv6 = netip.MustParsePrefix("2000::/3")

	// specialIPv6 is what is special inside globalIPv6.
	specialIPv6 = prefixes(`
		2001::/23          protocol assignments: Teredo, benchmarks, ORCHID
		2001:db8::/32      documentation
		2002::/16          6to4: an IPv4 address in disguise
		2620:4f:8000::/48  AS112
		3fff::/20          documentation`)

	// nat64 holds an IPv4 address in its last four bytes (RFC 6052 §2.1).
	// 64:ff9b:1::/48 (RFC 8215) is for local use and stays closed.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// prefixes reads a table of a network and its use a line.
func prefixes(table string) []netip.Prefix {
	var list []netip.Prefix
	for line := range strings.Lines(table) {
		if f := strings.Fields(line); len(f) > 0 {
			list = append(list, netip.MustParsePrefix(f[0]))
		}
	}
	return list
}

func splitList(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' || r == '\t' })
}
