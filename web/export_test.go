package web

import (
	"net/http"
	"net/netip"
	"time"
)

// Client is who makes a request, where these networks are trusted.
func Client(trusted []netip.Prefix, r *http.Request) netip.Addr {
	return (&site{Options: Options{TrustedProxies: trusted}}).client(r)
}

// SignIns gives what asks, for a client of an address, whether the limit of
// letters to sign in lets it pass.
func SignIns() func(from string, now time.Time) bool {
	s := &site{limits: newLimits()}
	return func(from string, now time.Time) bool {
		return s.limits.signIns.allowAll(s.clientShares(&http.Request{RemoteAddr: from}), now)
	}
}
