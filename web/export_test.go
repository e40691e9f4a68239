package web

import (
	"net/http"
	"net/netip"
)

// Client is who makes a request, where these networks are trusted.
func Client(trusted []netip.Prefix, r *http.Request) netip.Addr {
	return (&site{Options: Options{TrustedProxies: trusted}}).client(r)
}
