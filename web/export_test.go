package web

import (
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/render"
)

// Client returns the client's address, with these trusted networks.
func Client(trusted digest.Proxies, r *http.Request) netip.Addr {
	return newSite(Options{TrustedProxies: trusted}).Client(r)
}

// IsHome reports whether the client is in a network that both the poller and the operator allow.
func IsHome(trusted digest.Proxies, p *poller.Poller, r *http.Request) bool {
	return newSite(Options{TrustedProxies: trusted}).IsHome(r, p)
}

// SignIns returns a function that reports whether the limit for sign-in emails accepts a request
// from an address.
func SignIns() func(from string, now time.Time) bool {
	s := newSite(Options{})
	return func(from string, now time.Time) bool {
		return s.Limits.SignIns.AllowAll(s.ClientShares(&http.Request{RemoteAddr: from}), now)
	}
}

// Routes returns the patterns of all routes of a part, without the description of the API.
func Routes(part string) (all []string) {
	for _, p := range newSite(Options{}).parts() {
		if p.Name == part {
			all = slices.AppendSeq(all, maps.Keys(p.Routes))
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(all, func(pattern string) bool { return pattern == "GET /api/openapi.json" })
}

// FirstClicks returns a function that counts the keys that are new in their hour.
func FirstClicks() func(now time.Time, keys ...string) int {
	l := newClickLog()
	return func(now time.Time, keys ...string) (n int) {
		for _, key := range keys {
			if l.isFirst(key, now) {
				n++
			}
		}
		return n
	}
}

// LettersToStrangers returns the emails about a newsletter that anyone can request for any address.
func LettersToStrangers(n digest.Newsletter) []render.LetterContent {
	return []render.LetterContent{joinLetter(catalogue.English(), "https://digest.example", n, "token"),
		memberLetter(catalogue.English(), "https://digest.example", n)}
}
