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

// A route is a URL and the redirects to it.
type route struct {
	url     *url.URL
	address string // the URL as stored, or as received in a redirect

	seen        []string      // the addresses of the redirects
	temporary   bool          // one of the redirects was not 301 or 308
	wait        time.Duration // the longest Retry-After of the redirects
	conditional bool          // the request has validators
	cookies     *cookies      // of this chain of redirects; nil: no cookies

	// mayBeHome permits the allowed networks: a person typed the URL, or an answer in such a network named
	// it.
	mayBeHome bool
}

func typed(address string) (route, error) {
	r, err := routeTo(address)
	r.mayBeHome = true
	return r, err
}

func routeTo(address string) (route, error) {
	u, err := weburl.Parse(address)
	if err != nil || u.Host == "" || !isWeb(u) {
		return route{}, words(digest.Words("the address is not a web address (http:// or https://)"))
	}
	u.User = nil // see private.go
	return route{url: u, address: address}, nil
}

func (r route) host() string { return strings.ToLower(r.url.Hostname()) }

// moved reports whether there were redirects, and all of them were permanent (RFC 9110 §15.4.2, §15.4.9).
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

// follow returns the route to the target of a redirect. It returns a pollError for a forbidden target
// (S29).
func (a *answer) follow() (route, error) {
	refuse := func(why digest.Words) (route, error) {
		return route{}, badAnswer(a.status, string(why))
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
	if !utf8.ValidString(field) { // each byte is then a character (Fetch Standard, location URL)
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

// stayAt returns a stop function that ends a poll at a permanent redirect to another site, because a reader
// undid the move.
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

// noteMove records the target of a chain of permanent redirects. The feed moves when a poll after believeIn
// confirms it, because captive portals and broken sites redirect for an hour. If another feed has the new
// address, the store merges the two or keeps the old address.
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

// nameMoved keeps the title and page of a feed while a move to another site is not confirmed, because
// readers know the feed by them. After the move it takes the title of the new document, even an empty one
// (I9).
func nameMoved(f *digest.Feed, was digest.Feed, doc *feed.Document) {
	switch {
	case f.MovedTo != "" && was.Title != "" && !feed.SameSite(f.URL, f.MovedTo):
		f.Title, f.SiteURL, f.Language = was.Title, was.SiteURL, was.Language
	case was.URL != "" && !feed.SameSite(f.URL, was.URL) && doc.Kind != feed.ActivityStreams: // see nameMovedAccount
		f.Title = doc.Title
	}
}

// DescribeMoved copies the description of the document at a feed's new address, if a poll read it before
// the move was confirmed.
func DescribeMoved(f *digest.Feed, was digest.Feed, doc *feed.Document) {
	describeFeed(f, doc, f.MovedAt)
	nameMoved(f, was, doc)
}

// moveTo gives a feed its new address. It ignores an invalid address, such as a very long one.
func moveTo(f *digest.Feed, address string, now time.Time) {
	normal, err := feed.NormalURL(address)
	if err != nil {
		return
	}
	f.MovedFrom, f.MovedAt = f.URL, now
	f.URL, f.Host, f.ValidatorURL = normal, feed.Host(normal), normal
	f.MovedTo, f.MovedSince = "", time.Time{}
}

// Missing reports whether a feed is missing at its address. If it moved less than KeepOld ago, it returns
// to the old address, because sites redirect to wrong addresses (S28).
func Missing(f digest.Feed) bool {
	return f.Errors > 0 && f.LastStatus == http.StatusGone || f.Errors > 1 && f.LastStatus == http.StatusNotFound
}

// comeBack returns a missing feed to the earlier spelling of its address. A 410 then does not mean that the
// feed is gone. It does not return to another address, which belongs to another feed by now.
func comeBack(f *digest.Feed, now time.Time) bool {
	if f.MovedFrom == "" || !Missing(*f) || now.Sub(f.MovedAt) > KeepOld || !feed.SameAddress(f.MovedFrom, f.URL) {
		return false
	}
	f.URL, f.Host = f.MovedFrom, feed.Host(f.MovedFrom)
	f.MovedFrom, f.MovedAt = "", time.Time{}
	return true
}
