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
			w.Database.Proxies = []digest.ProxyNote{{Trouble: trouble, Peer: netip.MustParseAddr("10.0.0.9"), At: time.Unix(1795000000, 0)}}
		}
	}
	bySocket := func(trouble digest.ProxyTrouble) func(*world) {
		return func(w *world) {
			w.Database.Proxies = []digest.ProxyNote{{Trouble: trouble, At: time.Unix(1795000000, 0)}}
		}
	}
	both := func(a, b func(*world)) func(*world) { return func(w *world) { a(w); b(w) } }
	for _, tt := range []finding{
		{"named", func(*world) {}, "proxy", doctor.OK, "10.0.0.2 may say for whom they ask", ""},
		{"https and none", trusting(), "proxy", doctor.Warn, "all readers count as one", "set DIGEST_TRUSTED_PROXIES"},
		{"none is needed", func(w *world) { w.BaseURL = "http://localhost:8080"; trusting()(w) }, "proxy", doctor.OK, "none is named", ""},
		{"everybody", trusting("10.0.0.2/32", "::/0"), "proxy", doctor.Wrong, "::/0 is everybody", "name only"},
		{"another one is there", noticed(digest.ProxyUnnamed), "proxy", doctor.Warn, "requests come from 10.0.0.9 with the headers of a proxy", "DIGEST_TRUSTED_PROXIES=10.0.0.9"},
		{"somebody says so", noticed(digest.ProxyStranger), "proxy", doctor.Warn, "which are not believed", "past your proxy"},
		{"it was named meanwhile", both(noticed(digest.ProxyUnnamed), trusting("10.0.0.0/24")), "proxy", doctor.OK, "10.0.0.0/24 may say", ""},
		{"it is silent", both(noticed(digest.ProxySilent), trusting("10.0.0.9/32")), "proxy", doctor.Warn, "without X-Forwarded-For", "docs/proxy"},
		{"it was silent, and is none any more", noticed(digest.ProxySilent), "proxy", doctor.OK, "10.0.0.2 may say", ""},
		{"the socket", trusting("unix"), "proxy", doctor.OK, "unix may say for whom they ask", ""},
		{"a socket that is not named", bySocket(digest.ProxyUnnamed), "proxy", doctor.Warn, "requests come from the Unix socket with the headers of a proxy", "DIGEST_TRUSTED_PROXIES=unix"},
		{"it was named meanwhile", both(bySocket(digest.ProxyUnnamed), trusting("unix")), "proxy", doctor.OK, "unix may say", ""},
		{"it is silent", both(bySocket(digest.ProxySilent), trusting("unix")), "proxy", doctor.Warn, "at the Unix socket without X-Forwarded-For", "docs/proxy"},
		{"it lets in the clear", both(noticed(digest.ProxyClear), trusting("10.0.0.9/32")), "proxy", doctor.Warn, "without TLS", "redirect http to https"},
	} {
		tt.try(t)
	}
}

// TestSignUp: the doctor reports for a week that newcomers were refused.
func TestSignUp(t *testing.T) {
	refused := func(domain string, ago time.Duration) func(*world) {
		return func(w *world) {
			w.Database.Letters = []digest.LetterNote{{Domain: domain, At: w.Now().Add(-ago)}}
		}
	}
	for _, tt := range []finding{
		{"nobody", func(*world) {}, "sign-up", doctor.OK, "no newcomer was refused", ""},
		{"all", refused("", time.Hour), "sign-up", doctor.Warn, "nobody else could sign up", "DIGEST_SIGN_UP=invitation"},
		{"those of a domain", refused("club.example", time.Hour), "sign-up", doctor.Warn, "emails to newcomers at club.example were unanswered", "DIGEST_SIGN_UP=invitation"},
		{"readers", func(w *world) {
			w.Database.Letters = []digest.LetterNote{{SignIn: true, At: w.Now()}}
		}, "sign-up", doctor.Warn, "sign-in links were unanswered", "digest user sign-in"},
		{"long ago", refused("", digest.LetterNoteLife), "sign-up", doctor.OK, "no newcomer was refused", ""},
		{"no database", func(w *world) { w.Database.Absent = true }, "sign-up", doctor.Skipped, "not looked into", ""},
	} {
		tt.try(t)
	}
}

func TestMetrics(t *testing.T) {
	for _, tt := range []finding{
		{"none may", func(w *world) { w.MetricsToken = false }, "metrics", doctor.OK, "nobody may read /metrics", ""},
		{"a listener of their own", func(w *world) { w.MetricsListen = "127.0.0.1:9464" }, "metrics", doctor.OK, "whoever reaches 127.0.0.1:9464", ""},
		{"in a network of one's own", func(w *world) { w.MetricsListen = "10.0.0.5:9464" }, "metrics", doctor.OK, "whoever reaches", ""},
		{"for all", func(w *world) { w.MetricsListen = ":9464" }, "metrics", doctor.Warn, "everybody may reach", "127.0.0.1:9464"},
		{"open", func(w *world) {
			page := w.page
			w.page = func(out http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/metrics" {
					fmt.Fprintln(out, "digest_readers 7")
					return
				}
				page(out, r)
			}
		}, "metrics", doctor.Wrong, "everybody may read them", "what the proxy passes on"},
	} {
		tt.try(t)
	}
}
