package push_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"digest/push"
)

func TestCloudRequest(t *testing.T) {
	for callback, want := range map[string]string{
		"https://d.example/rsscloud/x":           "domain=d.example&notifyProcedure=&path=%2Frsscloud%2Fx&port=443&protocol=https-post&url1=https%3A%2F%2Fa.example%2Ff%3Fb%3Dc%26d",
		"http://127.0.0.1:8080/below/rsscloud/x": "domain=127.0.0.1&notifyProcedure=&path=%2Fbelow%2Frsscloud%2Fx&port=8080&protocol=http-post&url1=https%3A%2F%2Fa.example%2Ff%3Fb%3Dc%26d",
		"http://[::1]/rsscloud/x":                "domain=%3A%3A1&notifyProcedure=&path=%2Frsscloud%2Fx&port=80&protocol=http-post&url1=https%3A%2F%2Fa.example%2Ff%3Fb%3Dc%26d",
	} {
		form, err := push.CloudRequest("https://a.example/f?b=c&d", callback)
		if err != nil || form.Encode() != want {
			t.Errorf("%s: %s, %v", callback, form.Encode(), err)
		}
	}
}

// TestCloudRefuses holds that the body decides, since clouds refuse with the status 200.
func TestCloudRefuses(t *testing.T) {
	for answer, want := range map[string]string{
		`<notifyResult success="true" msg="Thanks for the registration."/>`:                                     "",
		`<?xml version="1.0"?><notifyResult success="false" msg="The subscription was cancelled &amp; so on"/>`: "The subscription was cancelled & so on",
		`<notifyResult success='False' msg='no'>`:                                                               "no",
		`{"success":true,"msg":"Thanks"}`:                                                                       "",
		` {"success":false,"msg":"no"}`:                                                                         "no",
		`{"msg":"?"}`:                                                                                           "",
		`{`:                                                                                                     "",
		``:                                                                                                      "",
		`Thanks.`:                                                                                               "",
		`<html><body success="false">`:                                                                          "",
	} {
		if why, refuses := push.CloudRefuses(answer); why != want || refuses != (want != "") {
			t.Errorf("%s: %q, %t", answer, why, refuses)
		}
	}
}

func TestParseCloudIntent(t *testing.T) {
	for query, want := range map[string]bool{
		"url=https://a.example/&challenge=c": true,
		"url=https://a.example/":             false,
		"challenge=c":                        false,
		"":                                   false,
		"url=x&challenge=" + strings.Repeat("c", 2049):      false,
		"url=" + strings.Repeat("x", 2049) + "&challenge=c": false,
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		if topic, challenge, ok := push.ParseCloudIntent(q); ok != want || ok &&
			(topic != "https://a.example/" || challenge != "c") {
			t.Errorf("%.60s: %q %q %t", query, topic, challenge, ok)
		}
	}
}

func TestCloudRenewAt(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	if first, last := push.CloudRenewAt(now, 0.9999999).Sub(now),
		push.CloudRenewAt(now, 0).Sub(now); first < 23*time.Hour || last != 24*time.Hour || last >= push.CloudLease {
		t.Errorf("renewed after %v to %v", first, last)
	}
}

// FuzzCloudRefuses holds that every answer can be read, and that only a refusal has a reason.
func FuzzCloudRefuses(f *testing.F) {
	f.Add(`<notifyResult success="false" msg="no"/>`)
	f.Add(`{"success":false,"msg":"no"}`)
	f.Fuzz(func(t *testing.T, answer string) {
		if why, refuses := push.CloudRefuses(answer); why != "" && !refuses {
			t.Errorf("%q, and it does not refuse", why)
		}
	})
}
