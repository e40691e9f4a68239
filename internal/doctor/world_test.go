package doctor_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/internal/dmarc"
	"digest/internal/doctor"
	"digest/mailer"
	"digest/newsletter"
	"digest/test/certificate"
	"digest/test/dnszone"
)

// Our DKIM key, and a different one.
var (
	ourKey   = sync.OnceValue(func() digest.DKIMKey { return newKey("example.org") })
	otherKey = sync.OnceValue(func() digest.DKIMKey { return newKey("example.org") })
)

func newKey(domain string) digest.DKIMKey {
	k, err := mailer.NewDKIMKey(domain, "d2026", time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC))
	if err != nil {
		panic(err)
	}
	k.Active = true
	return k
}

func keyRecord(k digest.DKIMKey) string {
	name, value, err := mailer.DKIMRecord(k)
	if err != nil {
		panic(err)
	}
	return name + " TXT " + value
}

func reverse(address string) string {
	a := netip.MustParseAddr(address)
	var labels []string
	if a.Is4() {
		for _, b := range a.As4() {
			labels = append([]string{strconv.Itoa(int(b))}, labels...)
		}
		return strings.Join(labels, ".") + ".in-addr.arpa"
	}
	for _, b := range a.As16() {
		labels = append([]string{fmt.Sprintf("%x.%x", b&15, b>>4)}, labels...)
	}
	return strings.Join(labels, ".") + ".ip6.arpa"
}

func goodZone() dnszone.Zone {
	return dnszone.Zone{
		"example.org MX 10 mail.example.org",
		"mail.example.org A 198.51.100.7",
		"mail.example.org AAAA 2001:db8::7",
		reverse("198.51.100.7") + " PTR mail.example.org",
		reverse("2001:db8::7") + " PTR mail.example.org",
		"bounce.example.org MX 10 mail.example.org",
		"bounce.example.org TXT some-site-verification=1",
		"bounce.example.org TXT v=spf1 ip4:198.51.100.7 ip6:2001:db8::7 -all",
		keyRecord(ourKey()),
		"_dmarc.example.org TXT v=DMARC1; p=reject; rua=mailto:bounces+dmarc@bounce.example.org",
		"paper.example.org A 198.51.100.8",
	}
}

type world struct {
	doctor.Facts
	zone dnszone.Zone
	page http.HandlerFunc // responds at the base URL
	ends time.Time        // of its certificate
	name string           // host of its certificate
}

func wellWorld(t *testing.T) *world {
	dir := t.TempDir()
	file := filepath.Join(dir, "digest.db")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tzdata.zi"), []byte("# version 2026b\n# more\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := &world{zone: goodZone(), ends: time.Now().Add(60 * 24 * time.Hour), name: "paper.example.org"}
	w.Facts = doctor.Facts{
		Now:     time.Now,
		BaseURL: "https://paper.example.org",
		From:    "Daily Digest <digest@example.org>", ReturnPath: "bounces@bounce.example.org",
		AccountFrom: "digest+account@example.org", CFBLAddress: "bounces@bounce.example.org",
		Mail:           mailer.Place{Host: "mail.example.org", Port: 587, Login: true},
		BounceListen:   "smtp://0.0.0.0:25",
		TrustedProxies: digest.Proxies{Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.2/32")}},
		MetricsToken:   true,
		Database: doctor.Database{
			Name: "digest.db", File: file, Readers: 2,
			Keys:        []digest.DKIMKey{ourKey()},
			Newsletters: []newsletter.Domain{{FromAddress: "letters@anna.example.org", Signs: true}},
			Reported: dmarc.Summary{Totals: []dmarc.Total{{Domain: "example.org", Messages: 40, Failed: 2}},
				Failing: []dmarc.Source{{Row: dmarc.Row{Source: "203.0.113.9", From: "example.org", Count: 2}}}},
			Zones: map[string][]string{"Europe/Paris": {"ann@example.org"}, "UTC": {"bob@example.org"}},
		},
		Machine: doctor.Machine{
			Addresses: []netip.Addr{netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.1.2.3")},
			Space: func(string) (doctor.Space, bool) {
				return doctor.Space{Free: 50 << 30, Total: 100 << 30},
					true
			},
			Synced:   func() (bool, bool) { return true, true },
			LoadZone: func(string) (*time.Location, error) { return time.UTC, nil },
			ZoneDirs: []string{dir},
		},
		Probe: func(context.Context) error { return nil },
		Limit: 10 * time.Second,
	}
	w.page = func(out http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz":
			fmt.Fprintln(out, "ok")
		case "/bot":
			fmt.Fprint(out, "<pre>digest/1.0 (&#43;"+w.BaseURL+"/bot; 3 subscribers; feed-id=42)</pre>")
		default:
			http.NotFound(out, r)
		}
	}
	return w
}

func (w *world) examine(t *testing.T) map[string]doctor.Finding {
	t.Helper()
	if w.Resolver == nil {
		w.Resolver = dnszone.Resolver(w.zone.Serve(t))
	}
	if w.Dial == nil {
		w.serve(t)
	}
	found := map[string]doctor.Finding{}
	for _, f := range doctor.Run(t.Context(), w.Facts) {
		if _, twice := found[f.Check]; twice {
			t.Errorf("%s is found twice", f.Check)
		}
		found[f.Check] = f
	}
	return found
}

func (w *world) serve(t *testing.T) {
	site := httptest.NewUnstartedServer(w.page)
	site.Config.ErrorLog = quiet()
	if strings.HasPrefix(w.BaseURL, "https://") {
		c := certificate.For(t, w.ends.Add(-90*24*time.Hour), w.ends, w.name)
		site.TLS, w.TLS = c.Server(), c.Client()
		site.StartTLS()
	} else {
		site.Start()
	}
	t.Cleanup(site.Close)
	address := site.Listener.Addr().String()
	w.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
}
