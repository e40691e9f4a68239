package poller

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"digest"
)

func callbackPoller(t *testing.T, change ...func(*Options)) *Poller {
	t.Helper()
	o := Options{UserAgentVersion: "1", BaseURL: "https://digest.example",
		AllowNetworks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, NoWait: true}
	for _, f := range change {
		f(&o)
	}
	p := New(o)
	t.Cleanup(p.Close)
	return p
}

func TestCallback(t *testing.T) {
	var got *http.Request
	var body string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, body = r, string(b)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "/busy":
			w.Header().Set("Retry-After", "120")
			w.WriteHeader(http.StatusTooManyRequests)
		case "/long":
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
		default:
			_, _ = io.WriteString(w, r.URL.RawQuery)
		}
	}))
	defer s.Close()
	p := callbackPoller(t)
	call := func(method, path, content string, header http.Header) (digest.HubReply, string) {
		t.Helper()
		reply, answer, err := p.Callback(t.Context(),
			Callback{Method: method, Address: s.URL + path, Home: true, Header: header, Body: []byte(content)})
		if err != nil {
			t.Fatal(err)
		}
		return reply, string(answer)
	}
	reply, answer := call("GET", "/cb?a=%2F;b&hub.challenge=x", "", nil)
	if reply.Status != 200 || answer != "a=%2F;b&hub.challenge=x" || body != "" ||
		got.UserAgent() != "digest/1 (+https://digest.example/bot; hub)" {
		t.Errorf("%+v %q %v", reply, answer, got)
	}
	reply, _ = call("POST", "/cb", "<feed/>",
		http.Header{"Content-Type": {"application/atom+xml"}, "X-Hub-Signature": {"sha256=00"}})
	if reply.Status != 200 || body != "<feed/>" || got.Header.Get("Content-Type") != "application/atom+xml" ||
		got.Header.Get("X-Hub-Signature") != "sha256=00" || got.ContentLength != 7 {
		t.Errorf("%+v %q %v", reply, body, got)
	}
	for _, name := range []string{"Cookie", "Referer", "Authorization"} {
		if got.Header.Get(name) != "" {
			t.Errorf("%s was sent", name)
		}
	}
	if reply, _ = call("POST", "/moved", "x", nil); reply.Status != http.StatusTemporaryRedirect ||
		got.URL.Path != "/moved" {
		t.Errorf("a redirect was followed: %+v %s", reply, got.URL)
	}
	if reply, _ = call("POST", "/busy", "x", nil); reply.Status != 429 || reply.RetryAfter != 2*time.Minute {
		t.Errorf("busy: %+v", reply)
	}
	if _, answer = call("GET", "/long", "", nil); len(answer) != 4<<10 {
		t.Errorf("%d bytes were read", len(answer))
	}
	s.Close()
	if reply, _ = call("POST", "/cb", "x", nil); reply.Status != 0 || reply.Error != "connection refused" {
		t.Errorf("nobody is there: %+v", reply)
	}
}

// TestCallbackStaysOut holds that a stranger's callback reaches no private network, even one that the
// operator allows for readers (I7).
func TestCallbackStaysOut(t *testing.T) {
	asked := false
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked = true }))
	defer s.Close()
	_, port, _ := strings.Cut(strings.TrimPrefix(s.URL, "http://"), ":")
	p := callbackPoller(t)
	for _, address := range []string{s.URL, "http://localhost:" + port, "http://[::1]:" +
		port, "http://[::ffff:127.0.0.1]:" + port, "http://10.0.0.1/", "http://169.254.169.254/", "ftp://example.org/",
		"http://127.0.0.1:25/"} {
		reply, _, err := p.Callback(t.Context(), Callback{Method: "GET", Address: address})
		if err != nil || reply.Status != 0 || reply.Error == "" {
			t.Errorf("%s: %+v %v", address, reply, err)
		}
	}
	if asked {
		t.Error("a server on loopback was asked")
	}
	for address, home := range map[string]bool{"127.0.0.1": true, "::ffff:127.0.0.1": true, "10.0.0.1": false,
		"8.8.8.8": false, "::1": false} {
		if got := p.IsHome(netip.MustParseAddr(address)); got != home {
			t.Errorf("%s is home: %t", address, got)
		}
	}
}

type busyHosts struct{}

func (busyHosts) LeaseHost(_ context.Context, now time.Time, _ string, _ time.Duration) (string, time.Time, error) {
	return "", now.Add(time.Minute), nil
}

func (busyHosts) GiveBackHost(context.Context, string, string, time.Time) error { return nil }

// TestCallbackWaitsItsTurn holds that a callback on a busy host is not called, and that it is not blamed.
func TestCallbackWaitsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := callbackPoller(t, func(o *Options) { o.NoWait, o.Hosts = false, busyHosts{} })
		begun := time.Now()
		_, _, err := p.Callback(t.Context(), Callback{Method: "GET", Address: "http://127.0.0.1/", Home: true})
		if digest.KindOf(err) != digest.Unavailable || time.Since(begun) > 3*time.Minute {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := p.Callback(ctx, Callback{Method: "GET", Address: "http://127.0.0.1/",
			Home: true}); digest.KindOf(err) != digest.Unavailable {
			t.Errorf("stopped: %v", err)
		}
	})
}
