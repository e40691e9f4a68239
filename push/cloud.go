package push

import (
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"time"
)

const (
	// CloudLease is how long a cloud remembers who has registered (rssCloud: 25 hours).
	CloudLease = 25 * time.Hour
	// cloudRenewal is when it is asked again at the latest.
	cloudRenewal = 24 * time.Hour
)

// CloudRenewAt is when a cloud is asked again that promises something now: after 23 to 24 hours, by a
// random number in [0, 1), so that not all are asked at once.
func CloudRenewAt(now time.Time, random float64) time.Time {
	return now.Add(cloudRenewal - time.Duration(random*float64(time.Hour))).Truncate(time.Second)
}

// CloudRequest is the form that asks a cloud to tell a callback of the news of a topic
// (pleaseNotify). It names the domain, so that the cloud asks the callback whether it is meant.
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

// CloudRefuses reports whether a cloud's answer says that it does not do as it was asked, and why: it
// says so with the status 200. What cannot be read says nothing: its callback will know.
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

// ParseCloudIntent reads what a cloud asks a callback that was registered with a domain: of which topic it
// is to tell, and what to send back; false: it asks nothing.
func ParseCloudIntent(query url.Values) (topic, challenge string, ok bool) {
	topic, challenge = query.Get("url"), query.Get("challenge")
	return topic, challenge, topic != "" && len(topic) <= maxAddress && challenge != "" &&
		len(challenge) <= MaxChallenge
}
