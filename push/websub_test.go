package push_test

import (
	"crypto/hmac"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"digest/push"
)

func TestLinkedTopic(t *testing.T) {
	const base = "https://blog.example/dir/feed"
	for name, c := range map[string]struct {
		fields []string
		want   push.Topic
	}{
		"nothing": {nil, push.Topic{}},
		"two fields": {[]string{`<https://hub.example/>; rel="hub"`, `<https://blog.example/feed>; rel="self"`},
			push.Topic{URL: "https://blog.example/feed", Hubs: []string{"https://hub.example/"}}},
		"one field": {[]string{`<https://hub.example/>;rel=hub, <https://blog.example/feed>;rel=self`},
			push.Topic{URL: "https://blog.example/feed", Hubs: []string{"https://hub.example/"}}},
		"several hubs": {[]string{`<https://a.example/>; rel=hub,<https://b.example/>; rel=hub`},
			push.Topic{Hubs: []string{"https://a.example/", "https://b.example/"}}},
		"relative": {[]string{`<../hub>; rel=hub, <>; rel=self, <feed?x=1>; rel=self`},
			push.Topic{URL: "https://blog.example/dir/feed?x=1", Hubs: []string{"https://blog.example/hub"}}},
		"relations": {[]string{`<https://hub.example/>; rel="alternate HUB"; title="x"`},
			push.Topic{Hubs: []string{"https://hub.example/"}}},
		"the first rel": {[]string{`<https://hub.example/>; rel=next; rel=hub`}, push.Topic{}},
		"the first self": {[]string{`<https://a.example/>; rel=self, <https://b.example/>; rel=self`},
			push.Topic{URL: "https://a.example/"}},
		"commas": {[]string{`<https://hub.example/a,b>; title="x, <https://no.example/>; rel=hub"; rel=hub`},
			push.Topic{Hubs: []string{"https://hub.example/a,b"}}},
		"escaped quotes": {[]string{`<https://hub.example/>; title="\"; rel=x"; rel=hub`},
			push.Topic{Hubs: []string{"https://hub.example/"}}},
		"an anchor": {[]string{`<https://hub.example/>; rel=hub; anchor="https://other.example/"`},
			push.Topic{}},
		"an anchor of ours": {[]string{`<https://hub.example/>; rel=hub; anchor="feed"`},
			push.Topic{Hubs: []string{"https://hub.example/"}}},
		"no address":     {[]string{`https://hub.example/; rel=hub`}, push.Topic{}},
		"another scheme": {[]string{`<file:///etc/passwd>; rel=hub, <javascript:x>; rel=hub`}, push.Topic{}},
		"spaces": {[]string{"  ,\t< https://hub.example/ > ; rel = hub  "},
			push.Topic{Hubs: []string{"https://hub.example/"}}},
		"cut off": {[]string{`<https://hub.example/>; rel="hub`},
			push.Topic{Hubs: []string{"https://hub.example/"}}},
		"cut off earlier": {[]string{`<https://hub.example/`}, push.Topic{}},
	} {
		if got := push.LinkedTopic(c.fields, base); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestHubs(t *testing.T) {
	for name, c := range map[string]struct{ named, want []string }{
		"none": {nil, nil},
		"all of https": {[]string{"http://p.example/", "https://a.example/", "HTTPS://b.example/",
			"https://a.example/"}, []string{"https://a.example/", "HTTPS://b.example/"}},
		"else the first": {[]string{"http://a.example/", "http://b.example/"}, []string{"http://a.example/"}},
		"what is no address": {[]string{"", "hub", "ftp://a.example/", "https://", "https://u:p@a.example/",
			"https://a.example/#x", "https://a.example/ x"}, nil},
		"few": {[]string{"https://a.example/", "https://b.example/", "https://c.example/",
			"https://d.example/"}, []string{"https://a.example/", "https://b.example/", "https://c.example/"}},
	} {
		if got := push.Hubs(c.named); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestTopicOr(t *testing.T) {
	header, document := push.Topic{URL: "https://a.example/self", Hubs: []string{"https://h.example/"}},
		push.Topic{URL: "https://a.example/other", Hubs: []string{"https://i.example/"}}
	if got := header.Or(document); !reflect.DeepEqual(got, header) {
		t.Errorf("the header comes first, not %v", got)
	}
	if got := (push.Topic{URL: "https://a.example/self"}).Or(document); !reflect.DeepEqual(got, document) {
		t.Errorf("a header without a hub says nothing, not %v", got)
	}
	if got := (push.Topic{Hubs: header.Hubs}).Or(document); got.URL != document.URL || got.Hubs[0] != header.Hubs[0] {
		t.Errorf("the document says its own address: %v", got)
	}
}

func signed(name string, h func() hash.Hash, secret, body string) string {
	mac := hmac.New(h, []byte(secret))
	mac.Write([]byte(body))
	return name + "=" + hex.EncodeToString(mac.Sum(nil))
}

func TestAuthor(t *testing.T) {
	const secret, body = "s3cret", "<feed/>"
	for name, c := range map[string]struct {
		signature, secret string
		want              push.Authorship
	}{
		"sha1":     {signed("sha1", sha1.New, secret, body), secret, push.Genuine},
		"sha256":   {signed("sha256", sha256.New, secret, body), secret, push.Genuine},
		"sha384":   {signed("sha384", sha512.New384, secret, body), secret, push.Genuine},
		"sha512":   {signed("sha512", sha512.New, secret, body), secret, push.Genuine},
		"capitals": {strings.ToUpper(signed("sha256", sha256.New, secret, body)), secret, push.Genuine},
		"spaces": {" sha256 = " + signed("sha256", sha256.New, secret, body)[7:] + " ", secret,
			push.Genuine},
		"none":                  {"", secret, push.Unsigned},
		"none, and no secret":   {"", "", push.Unsigned},
		"no secret":             {signed("sha256", sha256.New, "", body), "", push.Forged},
		"another secret":        {signed("sha256", sha256.New, "other", body), secret, push.Forged},
		"another body":          {signed("sha256", sha256.New, secret, "x"), secret, push.Forged},
		"another name":          {"sha1=" + signed("sha256", sha256.New, secret, body)[7:], secret, push.Forged},
		"an unknown name":       {signed("md5", sha1.New, secret, body), secret, push.Forged},
		"cut short":             {signed("sha256", sha256.New, secret, body)[:40], secret, push.Forged},
		"no digits":             {"sha256=", secret, push.Forged},
		"no digits, nor a sign": {"sha256", secret, push.Forged},
		"no hexadecimal":        {"sha256=" + strings.Repeat("z", 64), secret, push.Forged},
	} {
		if got := push.Author(c.signature, c.secret, []byte(body)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestRequest(t *testing.T) {
	form := push.Request(push.Subscribe, "https://hub.example/", "https://a.example/f?b=c&d",
		"https://d.example/websub/x", "s3cret")
	if got := form.Encode(); got != "hub.callback=https%3A%2F%2Fd.example%2Fwebsub%2Fx&hub.lease_seconds=1209600&hub.mode=subscribe&hub.secret=s3cret&hub.topic=https%3A%2F%2Fa.example%2Ff%3Fb%3Dc%26d" {
		t.Error(got)
	}
	if form := push.Request(push.Subscribe, "http://hub.example/", "t", "c", "s3cret"); form.Has("hub.secret") {
		t.Error("a secret is told in clear")
	}
	if form := push.Request(push.Unsubscribe, "https://hub.example/", "t", "c", "s3cret"); form.Has("hub.secret") ||
		form.Has("hub.lease_seconds") || form.Get("hub.mode") != "unsubscribe" {
		t.Error(form)
	}
}

func TestParseIntent(t *testing.T) {
	const good = "hub.topic=https://a.example/&hub.challenge=c"
	for query, want := range map[string]push.Intent{
		"hub.mode=subscribe&" + good + "&hub.lease_seconds=864000": {Mode: push.Subscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: 10 * 24 * time.Hour},
		"hub.mode=subscribe&" + good: {Mode: push.Subscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: push.WantedLease},
		"hub.mode=subscribe&" + good + "&hub.lease_seconds=1": {Mode: push.Subscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: time.Hour},
		"hub.mode=subscribe&" + good + "&hub.lease_seconds=-5": {Mode: push.Subscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: time.Hour},
		"hub.mode=subscribe&" + good + "&hub.lease_seconds=9223372036854775807": {Mode: push.Subscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: 14 * 24 * time.Hour},
		"hub.mode=subscribe&" + good + "&hub.lease_seconds=99999999999999999999999": {Mode: push.Subscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: push.WantedLease},
		"hub.mode=unsubscribe&" + good: {Mode: push.Unsubscribe,
			Topic: "https://a.example/", Challenge: "c", Lease: push.WantedLease},
		"hub.mode=denied&hub.topic=https://a.example/&hub.reason=no": {Mode: push.Denied,
			Topic: "https://a.example/", Lease: push.WantedLease, Reason: "no"},
		"": {}, "hub.mode=subscribe&hub.topic=https://a.example/": {}, "hub.mode=subscribe&hub.challenge=c": {},
		"hub.mode=publish&" + good: {},
		"hub.mode=subscribe&hub.topic=https://a.example/&hub.challenge=" + strings.Repeat("c", 3000): {},
	} {
		q, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := push.ParseIntent(q)
		if ok != (want.Mode != "") || ok && got != want {
			t.Errorf("%.80s: %v %t, want %v", query, got, ok, want)
		}
	}
}

func TestRenewAt(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		lease       time.Duration
		first, last time.Duration
	}{
		{14 * 24 * time.Hour, 7 * 24 * time.Hour, 8 * 24 * time.Hour},
		{24 * time.Hour, 12 * time.Hour, 18 * time.Hour},
		{time.Hour, 30 * time.Minute, 45 * time.Minute},
	} {
		if first, last := push.RenewAt(now, c.lease, 0).Sub(now),
			push.RenewAt(now, c.lease, 0.9999999).Sub(now); first != c.first || last < c.last-2*time.Second ||
			last > c.last {
			t.Errorf("a lease of %v is renewed after %v to %v, want %v to %v", c.lease, first, last, c.first, c.last)
		}
	}
}

func TestRetryAt(t *testing.T) {
	var now time.Time
	var waits []time.Duration
	for failures := range 7 {
		waits = append(waits, push.RetryAt(now, failures).Sub(now)/time.Hour)
	}
	if !slices.Equal(waits, []time.Duration{1, 1, 4, 16, 64, 168, 168}) ||
		push.RetryAt(now, 1<<30).Sub(now) != 168*time.Hour {
		t.Errorf("waits are %v hours", waits)
	}
}

// FuzzLinkedTopic holds that only web addresses are returned, and a limited number.
func FuzzLinkedTopic(f *testing.F) {
	f.Add(`<https://hub.example/>; rel="hub", </feed>; rel=self; anchor="/"`, "https://a.example/")
	f.Add(`<a>;;;"\`, "https://a.example/feed")
	f.Fuzz(func(t *testing.T, field, base string) {
		topic := push.LinkedTopic([]string{field, field}, base)
		hubs := push.Hubs(topic.Hubs)
		if len(hubs) > push.MostHubs || len(topic.Hubs) > 50 {
			t.Fatalf("%d hubs", len(hubs))
		}
		for _, address := range append(hubs, topic.URL) {
			if lower := strings.ToLower(address); address != "" && !strings.HasPrefix(lower, "http://") &&
				!strings.HasPrefix(lower, "https://") || strings.ContainsAny(address, " \r\n\x00") {
				t.Errorf("%q is no address", address)
			}
		}
	})
}

// FuzzAuthor holds that only the right signature is genuine.
func FuzzAuthor(f *testing.F) {
	f.Add("sha256=00", "body")
	f.Add(signed("sha1", sha1.New, "secret", "body"), "body")
	f.Fuzz(func(t *testing.T, signature, body string) {
		if push.Author(signature, "a secret that nobody knows", []byte(body)) == push.Genuine {
			t.Errorf("%q signs %q", signature, body)
		}
	})
}
