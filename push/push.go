// Package push reads pings, in all forms that blogs send. It has no list of feeds and sends no requests:
// the caller decides what a ping is worth. A ping is never more than a hint.
//
// The package also writes the requests to hubs and reads their answers (lease.go, signature.go, topic.go).
//
// Pings have two dialects. A call is XML-RPC, as weblogs.com accepted it: weblogUpdates.ping,
// weblogUpdates.extendedPing, and rssCloud.ping. A form has its fields in a query or a body: url=…,
// name=…&url=…, or hub.mode=publish with hub.url=…, as publishers send it to a hub (PubSubHubbub 0.4 §7.1).
package push

import (
	"fmt"
	"mime"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"digest"
)

const (
	// MaxBody is the size limit of a ping, in bytes.
	MaxBody = 8 << 10

	// MaxFeeds is the number of feeds that one ping can name.
	MaxFeeds = 10

	maxAddress = 2048
)

// A Ping reports that feeds have changed.
type Ping struct {
	// Feeds lists the changed feeds. Each has one or more addresses, and the site's is the last.
	Feeds [][]string

	// Publish reports whether the ping came as hub.mode=publish, whose answer is an empty 204.
	Publish bool
}

// Parse reads a ping from the query and the body of a request. Its errors are of type *digest.Error:
// digest.NotFound for an unknown method, digest.Invalid otherwise.
func Parse(contentType string, body []byte, query url.Values) (Ping, error) {
	if len(body) > MaxBody {
		return Ping{}, invalid("a ping has %d bytes at most", MaxBody)
	}
	if IsCall(contentType) {
		return parseCall(body)
	}
	fields, err := fieldsOf(contentType, body, query)
	if err != nil {
		return Ping{}, err
	}
	return parseForm(fields)
}

func isForm(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind == "application/x-www-form-urlencoded"
}

// IsCall reports whether a body of this type is an XML-RPC call.
func IsCall(contentType string) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	return kind == "text/xml" || kind == "application/xml"
}

// fold returns fields keyed by their names in lower case: both changesURL and changesUrl are in use.
func fold(fields url.Values) url.Values {
	folded := url.Values{}
	for name, values := range fields {
		name = strings.ToLower(name)
		folded[name] = append(folded[name], values...)
	}
	return folded
}

func parseForm(fields url.Values) (Ping, error) {
	if mode := fields.Get("hub.mode"); mode != "" {
		return parsePublish(mode, fields)
	}
	feed := addresses(fields.Get("feedurl"), fields.Get("rssurl"), fields.Get("changesurl"), fields.Get("checkurl"),
		fields.Get("url"))
	if len(feed) == 0 {
		return Ping{}, errNoAddress()
	}
	return Ping{Feeds: [][]string{feed}}, nil
}

// fieldsOf returns the fields of a query and a form, keyed by their names in lower case.
func fieldsOf(contentType string, body []byte, query url.Values) (url.Values, error) {
	fields := fold(query)
	if !isForm(contentType) {
		return fields, nil
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, invalid("the form could not be read; send url=https://… with the feed's address, percent-encoded")
	}
	for name, values := range fold(form) {
		fields[name] = append(fields[name], values...)
	}
	return fields, nil
}

// parsePublish reads a publisher's message to a hub. Each topic is a feed.
func parsePublish(mode string, fields url.Values) (Ping, error) {
	if mode != "publish" {
		return Ping{},
			invalid("only hub.mode=publish is accepted here; feeds of this instance have no hub, so poll them")
	}
	p := Ping{Publish: true}
	for _, topic := range append(fields["hub.url"], fields["hub.topic"]...) {
		if feed := addresses(topic); len(feed) > 0 && len(p.Feeds) < MaxFeeds {
			p.Feeds = append(p.Feeds, feed)
		}
	}
	if len(p.Feeds) == 0 {
		return Ping{}, errNoAddress()
	}
	return p, nil
}

// addresses returns the candidates that look like web addresses, without duplicates.
func addresses(candidates ...string) []string {
	var found []string
	for _, c := range candidates {
		if c = strings.TrimSpace(c); isAddress(c) && !slices.Contains(found, c) {
			found = append(found, c)
		}
	}
	return found
}

func isAddress(s string) bool {
	scheme, rest, found := strings.Cut(s, "://")
	return found && rest != "" && len(s) <= maxAddress && utf8.ValidString(s) &&
		(strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")) &&
		!strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f })
}

func errNoAddress() error {
	return invalid("the ping has no web address; send url=https://… with the feed's address, percent-encoded")
}

func invalid(format string, args ...any) error {
	return &digest.Error{Kind: digest.Invalid, Message: fmt.Sprintf(format, args...)}
}
