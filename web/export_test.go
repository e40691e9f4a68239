package web

import (
	"digest"
	"digest/internal/catalogue"
	"digest/render"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"time"
)

// Client is who makes a request, where these networks are trusted.
func Client(trusted digest.Proxies, r *http.Request) netip.Addr {
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

// APIRoutes are the patterns of all addresses that programs of publishers ask with a token.
func APIRoutes() []string { return slices.Sorted(maps.Keys((&site{}).apiRoutes())) }

// APIDocument is what openapi.json says.
func APIDocument() []byte { return openAPI }

// PublisherRoutes are the patterns of all pages that only publishers have.
func PublisherRoutes() []string {
	return slices.Sorted(maps.Keys((&site{}).publisherRoutes()))
}

// OperatorRoutes are the patterns of all pages that only operators have.
func OperatorRoutes() []string { return slices.Sorted(maps.Keys((&site{}).operatorRoutes())) }

// FirstClicks gives how many of some keys are the first in their hour.
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

// DomainOf is the domain that a callback counts for.
func DomainOf(callback string) string { return domainOf(callback) }

// LettersToStrangers returns the letters about a newsletter that anyone can have sent to anyone.
func LettersToStrangers(n digest.Newsletter) []render.LetterContent {
	return []render.LetterContent{joinLetter(catalogue.English(), "https://digest.example", n, "token"),
		memberLetter(catalogue.English(), "https://digest.example", n)}
}
