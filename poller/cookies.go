package poller

import (
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"
)

const (
	maxCookies   = 8 << 10 // bytes that one request sends
	mostRepeated = 2       // requests to one address in a chain of redirects
)

// A cookies holds the cookies that the answers of one chain of redirects set. Some publishers redirect to the address
// that was requested until the request has their cookie. The chain's end forgets them, so that they identify nobody.
type cookies struct {
	jar  *cookiejar.Jar      // nil: no answer set any
	sent map[string][]string // Cookie fields of earlier requests by address, if there is a jar
}

// keep stores the cookies that a redirect sets, by the rules of RFC 6265 for their hosts.
func (c *cookies) keep(a *answer) {
	set := (&http.Response{Header: a.header}).Cookies()
	if c == nil || len(set) == 0 {
		return
	}
	if c.jar == nil {
		c.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List}) // never fails
		c.sent = map[string][]string{a.address: {""}}
	}
	c.jar.SetCookies(a.url, set)
}

// field returns the Cookie field of a request to an address; "" for none.
func (c *cookies) field(to *url.URL) string {
	if c == nil || c.jar == nil {
		return ""
	}
	var all []string
	length := 0
	for _, cookie := range c.jar.Cookies(to) {
		pair := cookie.String()
		if length += len(pair) + len("; "); length > maxCookies {
			break
		}
		all = append(all, pair)
	}
	return strings.Join(all, "; ")
}

func (c *cookies) send(h http.Header, r route) {
	field := c.field(r.url)
	if c != nil && c.jar != nil {
		c.sent[r.address] = append(c.sent[r.address], field)
	}
	if field != "" {
		h["Cookie"] = []string{field}
	}
}

// differ reports whether a request to an address that the chain has requested before sends other cookies now.
func (c *cookies) differ(r route) bool {
	field := c.field(r.url)
	if field == "" {
		return false
	}
	before := c.sent[r.address]
	return len(before) < mostRepeated && (len(before) == 0 || before[len(before)-1] != field)
}
