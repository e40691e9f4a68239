package push

import (
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"time"
)

const (
	// CloudLease is the lifetime of a registration at a cloud (rssCloud: 25 hours).
	CloudLease = 25 * time.Hour
	// cloudRenewal is the longest wait before a registration is renewed.
	cloudRenewal = 24 * time.Hour
)

// CloudRenewAt returns the time to renew a registration that a cloud accepts at now: 23 to 24 hours later.
// The random number, in [0, 1), spreads the renewals.
func CloudRenewAt(now time.Time, random float64) time.Time {
	return now.Add(cloudRenewal - time.Duration(random*float64(time.Hour))).Truncate(time.Second)
}

// CloudRequest returns the form of a pleaseNotify request: the cloud shall notify callback of changes to
// topic. It names the domain, so that the cloud verifies the callback with a challenge.
func CloudRequest(topic, callback string) (url.Values, error) {
	u, err := url.Parse(callback)
	if err != nil {
		return nil, err
	}
	protocol, port := "http-post", "80"
	if u.Scheme == "https" {
		protocol, port = "https-post", "443"
	}
	if u.Port() != "" {
		port = u.Port()
	}
	return url.Values{
		"notifyProcedure": {""}, "protocol": {protocol}, "domain": {u.Hostname()}, "port": {port},
		"path": {u.RequestURI()}, "url1": {topic},
	}, nil
}

// CloudRefuses reports whether a cloud's answer refuses a registration, and the reason. Clouds refuse with
// the status 200. An unreadable answer is no refusal: the verification request shows whether the cloud
// accepted.
func CloudRefuses(answer string) (why string, refuses bool) {
	answer = strings.TrimSpace(answer)
	if strings.HasPrefix(answer, "{") {
		var said struct {
			Success *bool
			Msg     string
		}
		if json.Unmarshal([]byte(answer), &said) != nil || said.Success == nil || *said.Success {
			return "", false
		}
		return said.Msg, true
	}
	d := xml.NewDecoder(strings.NewReader(answer))
	d.Strict = false
	for {
		token, err := d.Token()
		if err != nil {
			return "", false
		}
		if root, ok := token.(xml.StartElement); ok {
			if !strings.EqualFold(strings.TrimSpace(attribute(root, "success")), "false") {
				return "", false
			}
			return attribute(root, "msg"), true
		}
	}
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if strings.EqualFold(a.Name.Local, name) {
			return a.Value
		}
	}
	return ""
}

// ParseCloudIntent reads the verification request that a cloud sends to a callback registered with a
// domain. It returns the topic and the challenge to echo. ok is false if one of them is missing or too
// long.
func ParseCloudIntent(query url.Values) (topic, challenge string, ok bool) {
	topic, challenge = query.Get("url"), query.Get("challenge")
	return topic, challenge, topic != "" && len(topic) <= maxAddress && challenge != "" &&
		len(challenge) <= MaxChallenge
}
