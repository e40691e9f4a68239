package push

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"

	"digest"
)

// A HubRequest is a subscriber's request to a hub (W3C WebSub section 5.1).
type HubRequest struct {
	Unsubscribe     bool
	Topic, Callback string
	Secret          []byte        // empty: the hub does not sign what it sends
	Lease           time.Duration // 0: the request names none
}

// maxSecret is the length in bytes from which a secret is too long (WebSub section 5.1).
const maxSecret = 200

// HubMode returns the mode of a request to a hub in lower case, or "" if it is missing or unreadable.
func HubMode(contentType string, body []byte, query url.Values) string {
	fields, err := fieldsOf(contentType, body, query)
	if err != nil {
		return ""
	}
	return strings.ToLower(fields.Get("hub.mode"))
}

// ParseHubRequest reads a request to subscribe or unsubscribe. Its errors are of type *digest.Error and
// kind Invalid.
func ParseHubRequest(contentType string, body []byte, query url.Values) (HubRequest, error) {
	var r HubRequest
	if len(body) > MaxBody {
		return r, invalid("a request to the hub can have at most %d bytes", MaxBody)
	}
	fields, err := fieldsOf(contentType, body, query)
	if err != nil {
		return r, err
	}
	switch strings.ToLower(fields.Get("hub.mode")) {
	case "subscribe":
	case "unsubscribe":
		r.Unsubscribe = true
	default:
		return r, invalid("the hub accepts a form with hub.mode=subscribe, unsubscribe or publish")
	}
	r.Topic, r.Callback, r.Secret = fields.Get("hub.topic"), fields.Get("hub.callback"),
		[]byte(fields.Get("hub.secret"))
	switch {
	case !isAddress(r.Topic):
		return r, invalid("hub.topic is missing or not a web address")
	case !isCallback(r.Callback):
		return r, invalid("hub.callback is missing or invalid: use an http or https address of at most %d bytes, without a user or a fragment", maxAddress)
	case len(r.Secret) >= maxSecret:
		return r, invalid("hub.secret must be shorter than %d bytes", maxSecret)
	}
	r.Lease, err = leaseOf(fields.Get("hub.lease_seconds"))
	return r, err
}

// leaseOf reads hub.lease_seconds. Older subscribers send 0 or nothing for a permanent subscription.
func leaseOf(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, invalid("hub.lease_seconds must be a number of seconds, such as 864000")
	}
	return time.Duration(min(seconds, uint64(digest.MostHubLease/time.Second))) * time.Second, nil
}

// isCallback reports whether s is an address to which the hub can send requests.
func isCallback(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isAddress(s) && u.Hostname() != "" && u.User == nil && !strings.Contains(s, "#")
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

// HubIntent returns the address of the GET request with which the hub verifies a callback or reports a
// denied subscription (WebSub sections 5.2 and 5.3). It keeps the callback's own query unchanged. HubDenied
// uses reason; HubSubscribe and HubUnsubscribe use challenge.
func HubIntent(c digest.HubCall, challenge, reason string) string {
	fields := url.Values{"hub.mode": {string(c.Kind)}, "hub.topic": {c.Topic}}
	switch c.Kind {
	case digest.HubDenied:
		fields.Set("hub.reason", reason)
	case digest.HubSubscribe:
		fields.Set("hub.lease_seconds", strconv.FormatInt(int64(c.Lease/time.Second), 10))
		fallthrough
	default:
		fields.Set("hub.challenge", challenge)
	}
	sign := "?"
	switch {
	case strings.HasSuffix(c.Callback, "?"), strings.HasSuffix(c.Callback, "&"):
		sign = ""
	case strings.Contains(c.Callback, "?"):
		sign = "&"
	}
	return c.Callback + sign + fields.Encode()
}

// Confirms reports whether a callback's answer is the challenge. Some callbacks append a line break.
func Confirms(body []byte, challenge string) bool {
	return string(bytes.TrimSpace(body)) == challenge
}

// Sign returns the value of X-Hub-Signature for a body (WebSub section 7.1).
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
