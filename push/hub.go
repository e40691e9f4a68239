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

// A HubRequest is what a subscriber asks of a hub (W3C WebSub section 5.1).
type HubRequest struct {
	Unsubscribe     bool
	Topic, Callback string
	Secret          []byte        // empty: what comes is not signed
	Lease           time.Duration // 0: it names none
}

// maxSecret is the first length of a secret that is too much (WebSub section 5.1).
const maxSecret = 200

// HubMode gives the mode of a request to a hub, in lower case; "" where it has none, or cannot be read.
func HubMode(contentType string, body []byte, query url.Values) string {
	fields, err := fieldsOf(contentType, body, query)
	if err != nil {
		return ""
	}
	return strings.ToLower(fields.Get("hub.mode"))
}

// ParseHubRequest reads a wish to subscribe or to unsubscribe. Its errors are *digest.Error of
// the kind Invalid.
func ParseHubRequest(contentType string, body []byte, query url.Values) (HubRequest, error) {
	var r HubRequest
	if len(body) > MaxBody {
		return r, invalid("a request to the hub has %d bytes at most", MaxBody)
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
		return r, invalid("the hub takes a form with hub.mode=subscribe, unsubscribe or publish")
	}
	r.Topic, r.Callback, r.Secret = fields.Get("hub.topic"), fields.Get("hub.callback"),
		[]byte(fields.Get("hub.secret"))
	switch {
	case !isAddress(r.Topic):
		return r, invalid("hub.topic is missing or not a web address")
	case !isCallback(r.Callback):
		return r, invalid("hub.callback is missing or invalid: use an http or https address of at most %d bytes, without a user or a fragment", maxAddress)
	case len(r.Secret) >= maxSecret:
		return r, invalid("hub.secret is to be shorter than %d bytes", maxSecret)
	}
	r.Lease, err = leaseOf(fields.Get("hub.lease_seconds"))
	return r, err
}

// leaseOf reads hub.lease_seconds. Older subscribers send 0, or nothing, where they want it for good.
func leaseOf(s string) (time.Duration, error) {
	if s == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseUint(s, 10, 63)
	if err != nil {
		return 0, invalid("hub.lease_seconds is a number of seconds, such as 864000")
	}
	return time.Duration(min(seconds, uint64(digest.MostHubLease/time.Second))) * time.Second, nil
}

// isCallback reports whether a request can be sent to an address, and answers be sent there later.
func isCallback(s string) bool {
	u, err := url.Parse(s)
	return err == nil && isAddress(s) && u.Hostname() != "" && u.User == nil && !strings.Contains(s, "#")
}

// fieldsOf gives the fields of a query and a form, by their names in lower case.
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

// HubIntent is the address at which a callback is asked whether a call is meant, or told that a
// subscription is denied (WebSub sections 5.2 and 5.3). What the callback has in its query stays as it
// is. reason is for HubDenied, the other two for HubSubscribe and HubUnsubscribe.
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

// Confirms reports whether a callback's answer is the challenge. Some end it with a line break.
func Confirms(body []byte, challenge string) bool {
	return string(bytes.TrimSpace(body)) == challenge
}

// Sign gives the X-Hub-Signature of a body (WebSub section 7.1).
func Sign(secret, body []byte) string {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}
