package push_test

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/push"
)

const formType = "application/x-www-form-urlencoded"

func hubForm(pairs ...string) string {
	form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {"https://digest.example/n/anna/feed.xml"},
		"hub.callback": {"https://reader.example/cb?id=1"}}
	for i := 0; i+1 < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form.Encode()
}

func TestParseHubRequest(t *testing.T) {
	const topic, callback = "https://digest.example/n/anna/feed.xml", "https://reader.example/cb?id=1"
	for name, c := range map[string]struct {
		body string
		want push.HubRequest
	}{
		"plain": {hubForm(), push.HubRequest{Topic: topic, Callback: callback}},
		"all of it": {hubForm("hub.secret", "s", "hub.lease_seconds", "7200", "foo", "bar"),
			push.HubRequest{Topic: topic, Callback: callback, Secret: []byte("s"), Lease: 2 * time.Hour}},
		"a secret of 199": {hubForm("hub.secret", strings.Repeat("x", 199)),
			push.HubRequest{Topic: topic, Callback: callback, Secret: []byte(strings.Repeat("x", 199))}},
		"for good, as of old": {hubForm("hub.lease_seconds", "0", "hub.verify", "sync"),
			push.HubRequest{Topic: topic, Callback: callback}},
		"for ever": {hubForm("hub.lease_seconds", "9223372036854775807"),
			push.HubRequest{Topic: topic, Callback: callback, Lease: digest.MostHubLease}},
		"an end": {hubForm("hub.mode", "unsubscribe"),
			push.HubRequest{Topic: topic, Callback: callback, Unsubscribe: true}},
		"another case": {strings.Replace(hubForm("hub.mode", "Subscribe"), "hub.topic", "Hub.Topic", 1),
			push.HubRequest{Topic: topic, Callback: callback}},
	} {
		got, err := push.ParseHubRequest(formType+"; charset=utf-8", []byte(c.body), nil)
		if err != nil || string(got.Secret) != string(c.want.Secret) || got.Lease != c.want.Lease ||
			got.Topic != c.want.Topic || got.Callback != c.want.Callback || got.Unsubscribe != c.want.Unsubscribe {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, body := range map[string]string{
		"nothing":             "",
		"no mode":             hubForm("hub.mode", ""),
		"another mode":        hubForm("hub.mode", "retrieve"),
		"no topic":            hubForm("hub.topic", ""),
		"no callback":         hubForm("hub.callback", ""),
		"a callback by mail":  hubForm("hub.callback", "mailto:anna@example.org"),
		"a callback in lines": hubForm("hub.callback", "https://reader.example/\r\nX: y"),
		"with a user":         hubForm("hub.callback", "https://a:b@reader.example/"),
		"with a fragment":     hubForm("hub.callback", "https://reader.example/#x"),
		"without a host":      hubForm("hub.callback", "https://:80/"),
		"long":                hubForm("hub.callback", "https://reader.example/"+strings.Repeat("x", 2048)),
		"a secret of 200":     hubForm("hub.secret", strings.Repeat("x", 200)),
		"a lease in words":    hubForm("hub.lease_seconds", "ten days"),
		"a lease below 0":     hubForm("hub.lease_seconds", "-1"),
		"no form":             "hub.mode=%",
		"too much":            hubForm("x", strings.Repeat("x", push.MaxBody)),
	} {
		if got, err := push.ParseHubRequest(formType, []byte(body), nil); digest.KindOf(err) != digest.Invalid {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// TestHubIntent holds that HubIntent keeps the query of the callback and adds the hub's fields.
func TestHubIntent(t *testing.T) {
	c := digest.HubCall{Kind: digest.HubSubscribe, Topic: "https://d.example/f?a=1", Lease: time.Hour}
	const said = "hub.challenge=abc&hub.lease_seconds=3600&hub.mode=subscribe&hub.topic=https%3A%2F%2Fd.example%2Ff%3Fa%3D1"
	for callback, want := range map[string]string{
		"https://r.example/cb":          "https://r.example/cb?" + said,
		"https://r.example/cb?":         "https://r.example/cb?" + said,
		"https://r.example/cb?id=%2F;x": "https://r.example/cb?id=%2F;x&" + said,
		"https://r.example":             "https://r.example?" + said,
	} {
		c.Callback = callback
		if got := push.HubIntent(c, "abc", ""); got != want {
			t.Errorf("%s: %s", callback, got)
		}
	}
	c.Callback = "https://r.example/"
	c.Kind = digest.HubUnsubscribe
	if got := push.HubIntent(c, "abc",
		""); got !=
		"https://r.example/?hub.challenge=abc&hub.mode=unsubscribe&hub.topic=https%3A%2F%2Fd.example%2Ff%3Fa%3D1" {
		t.Error(got)
	}
	c.Kind = digest.HubDenied
	if got := push.HubIntent(c, "",
		"it has ended"); got !=
		"https://r.example/?hub.mode=denied&hub.reason=it+has+ended&hub.topic=https%3A%2F%2Fd.example%2Ff%3Fa%3D1" {
		t.Error(got)
	}
}

// TestSign compares the signature with the test vector in RFC 4231 section 4.3.
func TestSign(t *testing.T) {
	const want = "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
	if got := push.Sign([]byte("Jefe"), []byte("what do ya want for nothing?")); got != want {
		t.Error(got)
	}
	if !push.Confirms([]byte("abc\r\n"), "abc") || push.Confirms([]byte("<p>abc</p>"), "abc") ||
		push.Confirms(nil, "abc") {
		t.Error("what confirms")
	}
}

// FuzzParseHubRequest holds that only web addresses are accepted as callbacks, and that HubIntent adds its
// fields once.
func FuzzParseHubRequest(f *testing.F) {
	f.Add(formType, hubForm("hub.secret", "s"), "")
	f.Add("", "", hubForm("hub.callback", "HTTP://reader.example?a#b"))
	f.Fuzz(func(t *testing.T, kind, body, query string) {
		asked, _ := url.ParseQuery(query)
		r, err := push.ParseHubRequest(kind, []byte(body), asked)
		if err != nil {
			if digest.KindOf(err) != digest.Invalid {
				t.Fatalf("%v", err)
			}
			return
		}
		u, err := url.Parse(push.HubIntent(digest.HubCall{Kind: digest.HubSubscribe, Topic: r.Topic,
			Callback: r.Callback}, "challenge", ""))
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q is called at %v, %v", r.Callback, u, err)
		}
		if got := u.Query()["hub.challenge"]; len(got) == 0 || got[len(got)-1] != "challenge" {
			t.Fatalf("%q is asked %v", r.Callback, got)
		}
	})
}
