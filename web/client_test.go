package web_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/test/tier"
	"digest/web"
)

// TestClient checks that X-Forwarded-For is read from its end, as far as trusted proxies wrote it.
func TestClient(t *testing.T) {
	for _, c := range []struct {
		name, trusted, peer string
		header              []string // X-Forwarded-For, one line each
		want                string
	}{
		{"nobody is trusted", "", "203.0.113.9:1", []string{"198.51.100.1"}, "203.0.113.9"},
		{"loopback neither", "", "127.0.0.1:1", []string{"198.51.100.1"}, "127.0.0.1"},
		{"nor by IPv6", "127.0.0.0/8", "[::1]:1", []string{"198.51.100.1"}, "::1"},
		{"a neighbour of the named one", "10.0.0.2/32", "10.0.0.3:1", []string{"198.51.100.1"}, "10.0.0.3"},
		{"a named one", "10.0.0.2/32", "10.0.0.2:1", []string{"198.51.100.1"}, "198.51.100.1"},
		{"what its visitor forged stands before", "10.0.0.2/32", "10.0.0.2:1", []string{"192.0.2.1, 198.51.100.1"},
			"198.51.100.1"},
		{"or on a line of its own", "10.0.0.2/32", "10.0.0.2:1", []string{"192.0.2.1", "198.51.100.1"}, "198.51.100.1"},
		{"the visitor names a trusted one", "10.0.0.0/8", "10.0.0.2:1", []string{"192.0.2.1, 10.0.0.9, 198.51.100.1"},
			"198.51.100.1"},
		{"two in a row", "10.0.0.0/8", "10.0.0.2:1", []string{"192.0.2.1, 198.51.100.1, 10.0.0.3"}, "198.51.100.1"},
		{"one behind a stranger's", "10.0.0.2/32", "10.0.0.2:1", []string{"192.0.2.1, 203.0.113.3"}, "203.0.113.3"},
		{"a visitor inside", "10.0.0.0/8", "10.0.0.2:1", []string{"10.0.0.7"}, "10.0.0.7"},
		{"it says nothing", "10.0.0.2/32", "10.0.0.2:1", nil, "10.0.0.2"},
		{"it says nothing that is an address", "10.0.0.2/32", "10.0.0.2:1", []string{"198.51.100.1, unknown"},
			"10.0.0.2"},
		{"an empty entry", "10.0.0.2/32", "10.0.0.2:1", []string{"198.51.100.1,"}, "10.0.0.2"},
		{"with a port", "10.0.0.2/32", "10.0.0.2:1", []string{"198.51.100.1:4711"}, "198.51.100.1"},
		{"IPv6 with a port", "10.0.0.2/32", "10.0.0.2:1", []string{"[2001:db8::1]:4711"}, "2001:db8::1"},
		{"IPv4 in IPv6", "10.0.0.0/8", "[::ffff:10.0.0.2]:1", []string{"::ffff:198.51.100.1"}, "198.51.100.1"},
		{"a zone", "fe80::/10", "[fe80::1%eth0]:1", []string{"2001:db8::1%x"}, "2001:db8::1"},
		{"a socket that is not named", "10.0.0.0/8", "@", []string{"198.51.100.1"}, "invalid IP"},
		{"a named socket", "unix", "@", []string{"192.0.2.1, 198.51.100.1"}, "198.51.100.1"},
		{"no socket", "unix", "127.0.0.1:1", []string{"198.51.100.1"}, "127.0.0.1"},
		{"a named socket that says nothing", "unix", "@", nil, "invalid IP"},
		{"of very many it needs one", "10.0.0.2/32", "10.0.0.2:1",
			[]string{strings.Repeat("1.1.1.1,", 3000) + "198.51.100.1"}, "198.51.100.1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var trusted digest.Proxies
			switch c.trusted {
			case "":
			case digest.ProxySocket:
				trusted.Socket = true
			default:
				trusted.Networks = append(trusted.Networks, netip.MustParsePrefix(c.trusted))
			}
			req := httptest.NewRequest("GET", "/", nil)
			req.RemoteAddr, req.Header["X-Forwarded-For"] = c.peer, c.header
			if got := web.Client(trusted, req).String(); got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
		})
	}
}

// TestClientAtHome checks that only a trusted proxy can place a client in an allowed network (I7).
func TestClientAtHome(t *testing.T) {
	p := poller.New(poller.Options{AllowNetworks: loopback()})
	defer p.Close()
	const stranger, local = "203.0.113.9:1", "127.0.0.1:1"
	proxy := digest.Proxies{Networks: loopback()}
	for _, c := range []struct {
		trusted     digest.Proxies
		peer        string
		field, text string
		want        bool
	}{
		{proxy, stranger, "X-Forwarded-For", "127.0.0.1", false},
		{proxy, stranger, "X-Real-IP", "127.0.0.1", false},
		{proxy, stranger, "Forwarded", "for=127.0.0.1", false},
		{proxy, local, "X-Real-IP", "203.0.113.9", false},
		{proxy, local, "X-Real-IP", "127.0.0.1", false},
		{proxy, local, "X-Forwarded-For", "unknown", false},
		{proxy, local, "X-Forwarded-For", "203.0.113.9", false},
		{proxy, local, "X-Forwarded-For", "10.0.0.1", false},
		{proxy, local, "X-Forwarded-For", "127.0.0.1", true},
		{digest.Proxies{}, local, "X-Forwarded-For", "127.0.0.1", false},
		{digest.Proxies{}, local, "X-Real-IP", "127.0.0.1", false},
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.RemoteAddr = c.peer
		req.Header.Set(c.field, c.text)
		if got := web.IsHome(c.trusted, p, req); got != c.want {
			t.Errorf("%+v: %t", c, got)
		}
	}
}

// TestProxiesAreWatched checks that the operator learns of a proxy that is not configured, and of a
// trusted one that omits a header. Each problem is reported once in a while, not for each request.
func TestProxiesAreWatched(t *testing.T) {
	each(t, func(r *room) {
		r.trusted = []netip.Prefix{netip.MustParsePrefix("10.0.0.2/32")}
		r.open("https://digest.example")
		ask := func(path, peer string, header ...string) {
			req := httptest.NewRequest("GET", path, nil)
			if req.RemoteAddr = peer + ":1"; peer == "@" { // as net/http reports a Unix socket
				req.RemoteAddr = peer
			}
			for i := 0; i < len(header); i += 2 {
				req.Header.Set(header[i], header[i+1])
			}
			r.handler.ServeHTTP(httptest.NewRecorder(), req)
		}
		known := func(want ...string) {
			r.t.Helper()
			notes, err := r.store.Operator.ProxyNotes(t.Context())
			r.must(err)
			var got []string
			for _, n := range notes {
				got = append(got, string(n.Trouble)+" "+n.Peer.String())
			}
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				r.t.Errorf("noted: %q, want %q", got, want)
			}
		}
		ask("/", "10.0.0.2", "X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "https")
		ask("/", "203.0.113.9")
		for _, path := range []string{"/healthz", "/metrics", "/bot", "/robots.txt"} {
			ask(path, "10.0.0.2")
			ask(path, "127.0.0.1", "X-Forwarded-For", "198.51.100.1")
		}
		known()
		for range 50 {
			ask("/", "10.0.0.3", "X-Forwarded-For", "198.51.100.1")
			ask("/", "127.0.0.1", "X-Forwarded-Proto", "https")
			ask("/", "203.0.113.9", "Forwarded", "for=198.51.100.1")
			ask("/", "10.0.0.2")
			ask("/", "10.0.0.2", "X-Forwarded-For", "198.51.100.1", "X-Forwarded-Proto", "http")
		}
		known("clear 10.0.0.2", "silent 10.0.0.2", "stranger 203.0.113.9", "unnamed 10.0.0.3")
		if n := strings.Count(r.log.String(), "level=WARN"); n != 4 {
			r.t.Errorf("%d warnings:\n%s", n, r.log)
		}
		ask("/healthz", "@")
		ask("/", "@")
		r.now = r.now.Add(6 * time.Hour)
		for range 50 {
			ask("/", "@", "X-Forwarded-For", "198.51.100.1")
		}
		known("clear 10.0.0.2", "silent 10.0.0.2", "stranger 203.0.113.9", "unnamed invalid IP")
		if n := strings.Count(r.log.String(), "level=WARN"); n != 5 {
			r.t.Errorf("%d warnings:\n%s", n, r.log)
		}
		r.now = r.now.Add(6 * time.Hour)
		ask("/", "127.0.0.1", "X-Real-Ip", "198.51.100.1")
		known("clear 10.0.0.2", "silent 10.0.0.2", "stranger 203.0.113.9", "unnamed 127.0.0.1")
		page := r.operator().get("/operator").status(http.StatusOK)
		for _, n := range []string{"DIGEST_TRUSTED_PROXIES=127.0.0.1", "DIGEST_TRUSTED_PROXIES=203.0.113.9",
			"10.0.0.2 does not send X-Forwarded-For", "without TLS"} {
			if !strings.Contains(page.body, n) {
				r.t.Errorf("the operator's page does not say %q", n)
			}
		}
	})
}

// TestTLSNeedsAProxy checks the warning for an https base URL without a trusted proxy, because this
// program does not serve TLS.
func TestTLSNeedsAProxy(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		r.must(r.store.Operator.SetOperator(t.Context(), ann.ID, true))
		const says = "DIGEST_TRUSTED_PROXIES is empty"
		for _, c := range []struct {
			base    string
			trusted bool
			want    bool
		}{{"https://digest.example", false, true}, {"https://digest.example", true, false}, {"", false, false}} {
			if r.trusted = nil; c.trusted {
				r.trusted = loopback()
			}
			r.open(c.base)
			if got := strings.Contains(r.visitor().signIn(ann).get("/operator").status(http.StatusOK).body,
				says); got != c.want {
				r.t.Errorf("%+v: said %t", c, got)
			}
		}
	})
}

// TestNothingOfTLSInTheClear checks that a request without TLS gets no Strict-Transport-Security
// header, if a trusted proxy reports it. Other peers' reports have no effect.
func TestNothingOfTLSInTheClear(t *testing.T) {
	for _, c := range []struct {
		peer, proto string
		want        bool
	}{{"10.0.0.2", "http", false}, {"10.0.0.2", "https", true}, {"10.0.0.2", "", true}, {"203.0.113.9", "http", true}} {
		h := web.New(web.Options{BaseURL: "https://digest.example",
			Signer:         digest.NewSigner([]byte("sixteen or more bytes")),
			TrustedProxies: digest.Proxies{Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.2/32")}}})
		req := httptest.NewRequest("GET", "/robots.txt", nil)
		req.RemoteAddr = c.peer + ":1"
		req.Header.Set("X-Forwarded-Proto", c.proto)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if got := w.Header().Get("Strict-Transport-Security") != ""; got != c.want {
			t.Errorf("%+v: promised %t", c, got)
		}
	}
}

// TestSocketIsWatched checks that a proxy on the Unix socket must name its clients.
func TestSocketIsWatched(t *testing.T) {
	each(t, func(r *room) {
		r.trusted, r.bySocket = nil, true
		r.open("https://digest.example")
		req := httptest.NewRequest("GET", "/", nil)
		req.RemoteAddr = "@"
		r.handler.ServeHTTP(httptest.NewRecorder(), req)
		notes, err := r.store.Operator.ProxyNotes(t.Context())
		r.must(err)
		if len(notes) != 1 || notes[0].Trouble != digest.ProxySilent || notes[0].Peer.IsValid() {
			r.t.Errorf("noted: %+v", notes)
		}
		if page := r.operator().get("/operator"); !strings.Contains(page.body,
			"the trusted proxy at the Unix socket does not send X-Forwarded-For") {
			r.t.Errorf("the operator's page does not say so: %s", page.body)
		}
	})
}

// TestThirtyClients checks that thirty clients behind a trusted proxy each have their own limit. A
// client cannot get another limit by forging the header.
func TestThirtyClients(t *testing.T) {
	tier.Alone(t)
	each(t, func(r *room) {
		r.trusted = []netip.Prefix{netip.MustParsePrefix("127.0.0.2/32")}
		r.open("")
		server := httptest.NewServer(r.handler)
		defer server.Close()
		upstream, err := url.Parse(server.URL)
		r.must(err)
		out := &http.Transport{DialContext: (&net.Dialer{
			LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext}
		defer out.CloseIdleConnections()
		proxy := httptest.NewServer(&httputil.ReverseProxy{Transport: out, Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(upstream)
			p.Out.Header["X-Forwarded-For"] = append(p.In.Header["X-Forwarded-For"], p.In.Header.Get("Client"))
		}})
		defer proxy.Close()
		ask := func(at, header, client string, i int) int {
			req, err := http.NewRequestWithContext(t.Context(), "GET",
				fmt.Sprintf("%s/status?url=https://a.example/%d", at, i), nil)
			r.must(err)
			req.Header.Set(header, client)
			res, err := http.DefaultClient.Do(req)
			r.must(err)
			res.Body.Close()
			return res.StatusCode
		}
		const most = 60 // status requests per client
		for client := range 30 {
			name := fmt.Sprintf("198.51.%d.7", client)
			for i := range most {
				if got := ask(proxy.URL, "Client", name, i); got != http.StatusNotFound {
					r.t.Fatalf("question %d of %s is answered %d", i, name, got)
				}
			}
			if got := ask(proxy.URL, "Client", name, most); got != http.StatusTooManyRequests {
				r.t.Errorf("%s may ask for ever: %d", name, got)
			}
		}
		for i := range most {
			ask(server.URL, "X-Forwarded-For", fmt.Sprintf("203.0.%d.7", i), i)
		}
		if got := ask(server.URL, "X-Forwarded-For", "203.0.113.7", most); got != http.StatusTooManyRequests {
			r.t.Errorf("a forged header is believed: %d", got)
		}
	})
}
