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

// APIRoutes returns the patterns of all API routes.
func APIRoutes() []string { return slices.Sorted(maps.Keys((&site{}).apiRoutes())) }

// APIDocument returns openapi.json.
func APIDocument() []byte { return openAPI }

// PublisherRoutes returns the patterns of all pages for publishers.
func PublisherRoutes() []string {
	return slices.Sorted(maps.Keys((&site{}).publisherRoutes()))
}

// OperatorRoutes returns the patterns of all pages for operators.
func OperatorRoutes() []string { return slices.Sorted(maps.Keys((&site{}).operatorRoutes())) }

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
