package poller

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"digest"
	"digest/feed"
	"digest/internal/weburl"
)

const maxHops = 10

// A route is a URL and how it was come by.
type route struct {
	url     *url.URL
	address string // the URL as text: as stored, or as a redirect gave it

	seen        []string      // the addresses that redirected here
	temporary   bool          // one of the redirects was not 301 or 308
	wait        time.Duration // the longest Retry-After of them
	conditional bool          // validators were sent to url
	cookies     *cookies      // of this chain of redirects; nil: none are kept

	// mayBeHome: the URL may lead into the allowed networks. A person gave it, or
	// something that was found there did.
	mayBeHome bool
}

// typed begins a route at an address that a person gave.
func typed(address string) (route, error) {
	r, err := routeTo(address)
	r.mayBeHome = true
	return r, err
}

// routeTo begins a route.
func routeTo(address string) (route, error) {
	u, err := weburl.Parse(address)
	if err != nil || u.Host == "" || !isWeb(u) {
		return route{}, &pollError{text: string(digest.Words("the address is not a web address (http:// or https://)"))}
	}
	u.User = nil // see private.go
	return route{url: u, address: address}, nil
}

func (r route) host() string { return strings.ToLower(r.url.Hostname()) }

// moved reports whether every step so far was a permanent redirect (RFC 9110
// §15.4.2, §15.4.9), and there was one.
func (r route) moved() bool { return len(r.seen) > 0 && !r.temporary }

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// notOnTheWeb is the error of a redirect without an address, or with one of another scheme.
var notOnTheWeb = digest.Words("redirected to an address that is not on the web")

// follow gives the route on from a redirect, or a pollError if it leads where no
// feed may lead (S29).
func (a *answer) follow() (route, error) {
	refuse := func(why digest.Words) (route, error) {
		return route{}, &pollError{failure: failure{status: a.status}, text: string(why)}
	}
	u, address, err := a.location()
	if err != nil {
		return refuse(notOnTheWeb)
	}
	r := route{url: u, address: address, seen: append(slices.Clip(a.seen), a.address), cookies: a.cookies,
		mayBeHome: a.isHome}
	r.temporary = a.temporary || a.status != http.StatusMovedPermanently && a.status != http.StatusPermanentRedirect
	r.cookies.keep(a)
	isCircle := slices.Contains(r.seen, r.address)
	if isCircle && r.cookies.differ(r) {
		isCircle, r.temporary = false, true
	}
	wait, _ := retryAfter(a.header, a.received)
	r.wait = max(a.wait, wait)
	switch {
	case !isWeb(u) || u.Host == "":
		return refuse(notOnTheWeb)
	case a.url.Scheme == "https" && u.Scheme == "http":
		return refuse(digest.Words("redirected from https to http"))
	case isCircle:
		return refuse(digest.Words("redirect loop"))
	case len(r.seen) > maxHops:
		return refuse(digest.Words("redirected more than 10 times"))
	}
	return r, nil
}

// location resolves the Location field. It drops credentials and the fragment, because requests send neither.
func (a *answer) location() (u *url.URL, address string, err error) {
	field := a.header.Get("Location")
	if field == "" {
		return nil, "", http.ErrNoLocation
	}
	if !utf8.ValidString(field) { // each byte is a character then (Fetch Standard, location URL)
		runes := make([]rune, len(field))
		for i := range len(field) {
			runes[i] = rune(field[i])
		}
		field = string(runes)
	}
	to, isOfWeb := weburl.Resolve(a.address, field)
	if !isOfWeb {
		if u, err = url.Parse(field); err != nil {
			return nil, "", err
		}
		u.User = nil
		return u, u.String(), nil
	}
	to, _, _ = strings.Cut(to, "#")
	to, _ = digest.SplitCredential(to)
	u, err = weburl.Parse(to)
	return u, to, err
}

// stayAt makes a poll fail where a permanent redirect leads to another site: a reader
// has taken the feed back to its address.
func stayAt(address string) func(context.Context, string) error {
	return func(_ context.Context, to string) error {
		if feed.SameSite(address, to) {
			return nil
		}
		return &pollError{text: "redirects to " + digest.AddressWithoutCredentials(to) +
			", but a reader chose this address"}
	}
}

func isWeb(u *url.URL) bool {
	return strings.EqualFold(u.Scheme, "http") || strings.EqualFold(u.Scheme, "https")
}

// noteMove remembers where a chain of permanent redirects leads. It is believed
// when seen again believeIn later: captive portals and broken sites have sent
// people away for an hour. Whoever stores the record merges it with a feed that
// has the new address already, or leaves the address as it was.
func noteMove(f *digest.Feed, a *answer) {
	switch {
	case !a.moved():
		f.MovedTo, f.MovedSince = "", time.Time{}
	case f.MovedTo != a.address:
		f.MovedTo, f.MovedSince = a.address, a.received
	case a.received.Sub(f.MovedSince) >= believeIn:
		moveTo(f, a.address, a.received)
	}
}

// nameMoved leaves a feed what it was called while a move to another site is not
// believed: its readers know it by that, and are told so of the move. Once it is
// believed nothing of what was said elsewhere is left, not even where the document
// there has no title (I9).
func nameMoved(f *digest.Feed, was digest.Feed, doc *feed.Document) {
	switch {
	case f.MovedTo != "" && was.Title != "" && !feed.SameSite(f.URL, f.MovedTo):
		f.Title, f.SiteURL, f.Language = was.Title, was.SiteURL, was.Language
	case was.URL != "" && !feed.SameSite(f.URL, was.URL) && doc.Kind != feed.ActivityStreams: // see nameMovedAccount
		f.Title = doc.Title
	}
}

// DescribeMoved takes over what the document at the new address of a feed says of
// itself, when it was read there before the move was believed.
func DescribeMoved(f *digest.Feed, was digest.Feed, doc *feed.Document) {
	describeFeed(f, doc, f.MovedAt)
	nameMoved(f, was, doc)
}

// moveTo gives a feed its new address; one that could not be subscribed to,
// such as a very long one, is no place to move to.
func moveTo(f *digest.Feed, address string, now time.Time) {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return
	}
	f.MovedFrom, f.MovedAt = f.URL, now
	f.URL, f.Host, f.ValidatorURL = normal, feed.Host(normal), normal
	f.MovedTo, f.MovedSince = "", time.Time{}
}

// Missing reports whether a feed is not found at its address. Sites have sent people
// to places that soon were none: whoever subscribed elsewhere, less than KeepOld
// ago, goes back there (S28).
func Missing(f digest.Feed) bool {
	return f.Errors > 0 && f.LastStatus == http.StatusGone || f.Errors > 1 && f.LastStatus == http.StatusNotFound
}

// comeBack takes a feed back to the other spelling of its address that it had a
// while ago, if it is missing, so a 410 there does not mean that the feed is gone.
// Another address is another feed's, for those who subscribed there.
func comeBack(f *digest.Feed, now time.Time) bool {
	if f.MovedFrom == "" || !Missing(*f) || now.Sub(f.MovedAt) > KeepOld || !feed.SameAddress(f.MovedFrom, f.URL) {
		return false
	}
	f.URL, f.Host = f.MovedFrom, feed.Host(f.MovedFrom)
	f.MovedFrom, f.MovedAt = "", time.Time{}
	return true
}
