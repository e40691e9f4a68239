package doctor_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/doctor"
	"digest/test/dnszone"
	"digest/test/program"
)

func failing(err error) func(context.Context) error {
	return func(context.Context) error { return err }
}

func baseURL(url string) func(*world) { return func(w *world) { w.BaseURL = url } }

func TestBaseURL(t *testing.T) {
	health := func(status int, body string) func(*world) {
		return func(w *world) {
			page := w.page
			w.page = func(out http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/healthz" {
					page(out, r)
					return
				}
				out.WriteHeader(status)
				fmt.Fprint(out, body)
			}
		}
	}
	nobody := func(w *world) { w.Dial = refusing(t) }
	tryAll(t, "base-url", []finding{
		{"well", nil, ok, "https://paper.example.org; digest is running there", ""},
		{"localhost", baseURL("http://localhost:8080"), warn, "only work on this machine", "such as https://"},
		{"loopback", baseURL("http://127.0.0.1:8080"), warn, "only work on this machine", "such as https://"},
		{"private address", baseURL("http://10.0.0.5"), warn, "inside this network", "if you have readers elsewhere"},
		{"private name", baseURL("http://nas.local"), warn, "inside this network", "if you have readers elsewhere"},
		{"no https", baseURL("http://paper.example.org"), wrong, "without HTTPS",
			"set DIGEST_BASE_URL to https://paper.example.org"},
		{"no address", replace("paper.example.org"), wrong, "no address for paper.example.org", "publish an A record"},
		{"private answer", replace("paper.example.org", "paper.example.org A 10.0.0.1"), warn,
			"resolves to 10.0.0.1, which is not a public address", "publish the public address"},
		{"trouble", sick("paper.example.org"), warn, "could not be looked up", "try again"},
		{"nobody there", nobody, wrong, "no server responds (connection refused)", "start digest serve"},
		{"nobody here", all(baseURL("http://localhost:8080"), nobody), warn, "no server responds",
			"start digest serve"},
		{"certificate over", func(w *world) { w.ends = time.Now().Add(-time.Hour) }, wrong, "not valid today",
			"renew the certificate"},
		{"certificate nearly over", func(w *world) { w.ends = time.Now().Add(72 * time.Hour) }, warn,
			"certificate expires on", "why it was not renewed"},
		{"certificate of another", func(w *world) { w.name = "other.example.org" }, wrong, "for a different host",
			"get a certificate for paper.example.org"},
		{"certificate of nobody", func(w *world) { w.serve(t); w.TLS.RootCAs = nil }, wrong,
			"does not trust its certificate", "public authority"},
		{"no TLS", func(w *world) {
			w.BaseURL = "http://paper.example.org"
			w.serve(t)
			w.BaseURL = "https://paper.example.org"
		}, wrong, "does not use TLS", "set up TLS on the web server"},
		{"redirect", func(w *world) {
			w.page = http.RedirectHandler("https://www.paper.example.org/", http.StatusMovedPermanently).ServeHTTP
		}, wrong, "redirects to https://www.paper.example.org/", "set DIGEST_BASE_URL"},
		{"fenced", health(503, digest.Fenced+"\n"), wrong, "digest is running, but nothing is polled",
			"see digest fence"},
		{"database away", health(503, "the database does not answer\n"), wrong, "its database does not",
			"log of digest serve"},
		{"proxy alone", health(502, "bad gateway"), wrong, "a proxy responds with 502", "start digest serve"},
		{"another site", health(404, "not here"), wrong, "a different server responds (404",
			"DIGEST_BASE_URL is correct"},
		{"another site that is well", func(w *world) {
			w.page = func(out http.ResponseWriter, _ *http.Request) { fmt.Fprintln(out, "ok") }
		}, wrong, "is not digest", "proxy"},
		{"another instance", func(w *world) {
			w.page = func(out http.ResponseWriter, r *http.Request) {
				fmt.Fprintln(out, map[string]string{"/healthz": "ok",
					"/bot": "digest/1.0 (+https://news.example.org/bot; 3"}[r.URL.Path])
			}
		}, wrong, "has the base URL https://news.example.org", "same DIGEST_BASE_URL"},
		{"offline", func(w *world) { w.Offline = true }, ok, "not checked offline", ""},
	})
}

// refusing returns a dialer for a port without a listener.
func refusing(t *testing.T) func(context.Context, string, string) (net.Conn, error) {
	address := program.FreeAddress(t)
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}

// TestUnreachableDNS checks that an unreachable DNS is reported once, and that the checks that do not need it run.
func TestUnreachableDNS(t *testing.T) {
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone := silent.LocalAddr().(*net.UDPAddr).Port
	for name, address := range map[string]string{"silent": silent.LocalAddr().String(),
		"gone": fmt.Sprintf("127.0.0.2:%d", gone)} {
		t.Run(name, func(t *testing.T) {
			w := wellWorld(t)
			w.Limit, w.Resolver = 2*time.Second, dnszone.Resolver(address)
			findings := doctor.Run(t.Context(), w.Facts)
			if f := findings[0]; f.Check != "dns" || f.Status != doctor.Wrong || strings.Contains(f.Found, "->") ||
				!strings.Contains(f.Todo, "--resolver") {
				t.Errorf("first: %+v", f)
			}
			want := map[string]doctor.Status{
				"database": doctor.OK, "hour": doctor.OK, "size": doctor.OK, "disk": doctor.OK, "key": doctor.OK,
				"clock": doctor.OK, "zones": doctor.OK, "base-url": doctor.OK, "proxy": doctor.OK, "sign-up": doctor.OK,
				"metrics": doctor.OK, "from": doctor.OK,
				"mail-server": doctor.Skipped, "spf": doctor.Skipped, "dkim": doctor.Skipped, "dmarc": doctor.OK,
				"newsletters": doctor.Skipped, "bimi": doctor.Skipped, "ptr": doctor.Skipped,
				"return-path": doctor.OK, "complaints": doctor.OK, "account": doctor.OK,
			}
			for _, f := range findings[1:] {
				if f.Status != want[f.Check] || f.Todo != "" {
					t.Errorf("%+v", f)
				}
				delete(want, f.Check)
			}
			if len(want) > 0 {
				t.Errorf("not told: %v", want)
			}
		})
	}
}

// TestOffline checks that no request is sent.
func TestOffline(t *testing.T) {
	w := wellWorld(t)
	w.Offline = true
	w.Resolver = dnszone.Resolver(dnszone.Zone(nil).Serve(t))
	w.Dial = func(context.Context, string, string) (net.Conn, error) {
		t.Error("somebody dials")
		return nil, net.ErrClosed
	}
	w.Probe = func(context.Context) error { t.Error("the mail server is asked"); return nil }
	for name, f := range w.examine(t) {
		if f.Status != doctor.OK && (f.Status != doctor.Skipped || !strings.Contains(f.Found, "offline")) ||
			f.Todo != "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
