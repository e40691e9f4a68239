package doctor_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"digest"
	"digest/internal/doctor"
)

func trusting(networks ...string) func(*world) {
	return func(w *world) {
		w.TrustedProxies = digest.Proxies{}
		for _, n := range networks {
			if n == digest.ProxySocket {
				w.TrustedProxies.Socket = true
				continue
			}
			w.TrustedProxies.Networks = append(w.TrustedProxies.Networks, netip.MustParsePrefix(n))
		}
	}
}

func TestProxy(t *testing.T) {
	noticed := func(trouble digest.ProxyTrouble) func(*world) {
		return func(w *world) {
			w.Database.Proxies = []digest.ProxyNote{{Trouble: trouble, Peer: netip.MustParseAddr("10.0.0.9"),
				At: time.Unix(1795000000, 0)}}
		}
	}
	bySocket := func(trouble digest.ProxyTrouble) func(*world) {
		return func(w *world) {
			w.Database.Proxies = []digest.ProxyNote{{Trouble: trouble, At: time.Unix(1795000000, 0)}}
		}
	}
	both := func(a, b func(*world)) func(*world) { return func(w *world) { a(w); b(w) } }
	for _, tt := range []finding{
		{"named", func(*world) {}, "proxy", doctor.OK, "trusted: 10.0.0.2", ""},
		{"https and none", trusting(), "proxy", doctor.Warn, "all readers seem to have the same address",
			"set DIGEST_TRUSTED_PROXIES"},
		{"none is needed", func(w *world) { w.BaseURL = "http://localhost:8080"; trusting()(w) }, "proxy", doctor.OK,
			"no proxy is trusted", ""},
		{"everybody", trusting("10.0.0.2/32", "::/0"), "proxy", doctor.Wrong, "::/0 trusts everyone",
			"your proxies only"},
		{"another one is there", noticed(digest.ProxyUnnamed), "proxy", doctor.Warn,
			"10.0.0.9 sends the headers of a proxy but is not trusted", "DIGEST_TRUSTED_PROXIES=10.0.0.9"},
		{"somebody says so", noticed(digest.ProxyStranger), "proxy", doctor.Warn, "but is not trusted",
			"without the proxy"},
		{"it was named meanwhile", both(noticed(digest.ProxyUnnamed), trusting("10.0.0.0/24")), "proxy", doctor.OK,
			"trusted: 10.0.0.0/24", ""},
		{"it is silent", both(noticed(digest.ProxySilent), trusting("10.0.0.9/32")), "proxy", doctor.Warn,
			"10.0.0.9 does not send X-Forwarded-For", "docs/proxy"},
		{"it was silent, and is none any more", noticed(digest.ProxySilent), "proxy", doctor.OK, "trusted: 10.0.0.2",
			""},
		{"the socket", trusting("unix"), "proxy", doctor.OK, "trusted: unix", ""},
		{"a socket that is not named", bySocket(digest.ProxyUnnamed), "proxy", doctor.Warn,
			"the Unix socket sends the headers of a proxy but is not trusted", "DIGEST_TRUSTED_PROXIES=unix"},
		{"it was named meanwhile", both(bySocket(digest.ProxyUnnamed), trusting("unix")), "proxy", doctor.OK,
			"trusted: unix", ""},
		{"it is silent", both(bySocket(digest.ProxySilent), trusting("unix")), "proxy", doctor.Warn,
			"at the Unix socket does not send X-Forwarded-For", "docs/proxy"},
		{"it lets in the clear", both(noticed(digest.ProxyClear), trusting("10.0.0.9/32")), "proxy", doctor.Warn,
			"without TLS", "redirect http to https"},
	} {
		tt.try(t)
	}
}

// TestSignUp checks that the doctor reports refused newcomers for a week.
func TestSignUp(t *testing.T) {
	refused := func(domain string, ago time.Duration) func(*world) {
		return func(w *world) {
			w.Database.Letters = []digest.LetterNote{{Domain: domain, At: w.Now().Add(-ago)}}
		}
	}
	for _, tt := range []finding{
		{"nobody", func(*world) {}, "sign-up", doctor.OK, "no sign-ups were refused", ""},
		{"all", refused("", time.Hour), "sign-up", doctor.Warn, "new sign-ups and new members were refused",
			"DIGEST_SIGN_UP=invitation"},
		{"those of a domain", refused("club.example", time.Hour), "sign-up", doctor.Warn,
			"emails to club.example were not confirmed", "DIGEST_SIGN_UP=invitation"},
		{"readers", func(w *world) {
			w.Database.Letters = []digest.LetterNote{{SignIn: true, At: w.Now()}}
		}, "sign-up", doctor.Warn, "sign-in links were not used", "digest user sign-in"},
		{"long ago", refused("", digest.LetterNoteLife), "sign-up", doctor.OK, "no sign-ups were refused", ""},
		{"no database", func(w *world) { w.Database.Absent = true }, "sign-up", doctor.Skipped, "needs the database",
			""},
	} {
		tt.try(t)
	}
}

func TestMetrics(t *testing.T) {
	for _, tt := range []finding{
		{"none may", func(w *world) { w.MetricsToken = false }, "metrics", doctor.OK, "/metrics is off", ""},
		{"a listener of their own", func(w *world) { w.MetricsListen = "127.0.0.1:9464" }, "metrics", doctor.OK,
			"everyone who can connect to 127.0.0.1:9464", ""},
		{"in a network of one's own", func(w *world) { w.MetricsListen = "10.0.0.5:9464" }, "metrics", doctor.OK,
			"everyone who can connect to 10.0.0.5:9464", ""},
		{"for all", func(w *world) { w.MetricsListen = ":9464" }, "metrics", doctor.Warn, "everyone who can connect",
			"127.0.0.1:9464"},
		{"open", func(w *world) {
			page := w.page
			w.page = func(out http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/metrics" {
					fmt.Fprintln(out, "digest_readers 7")
					return
				}
				page(out, r)
			}
		}, "metrics", doctor.Wrong, "everyone can read", "check the proxy"},
	} {
		tt.try(t)
	}
}
