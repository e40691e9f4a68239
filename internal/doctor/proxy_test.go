package doctor_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"digest"
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
	tryAll(t, "proxy", []finding{
		{"named", nil, ok, "trusted: 10.0.0.2", ""},
		{"https and none", trusting(), warn, "all readers seem to have the same address", "set DIGEST_TRUSTED_PROXIES"},
		{"none is needed", all(baseURL("http://localhost:8080"), trusting()), ok, "no proxy is trusted", ""},
		{"everybody", trusting("10.0.0.2/32", "::/0"), wrong, "::/0 trusts everyone", "your proxies only"},
		{"another one is there", noticed(digest.ProxyUnnamed), warn,
			"10.0.0.9 sends the headers of a proxy but is not trusted", "DIGEST_TRUSTED_PROXIES=10.0.0.9"},
		{"somebody says so", noticed(digest.ProxyStranger), warn, "but is not trusted", "without the proxy"},
		{"it was named meanwhile", all(noticed(digest.ProxyUnnamed), trusting("10.0.0.0/24")), ok,
			"trusted: 10.0.0.0/24", ""},
		{"it is silent", all(noticed(digest.ProxySilent), trusting("10.0.0.9/32")), warn,
			"10.0.0.9 does not send X-Forwarded-For", "docs/proxy"},
		{"it was silent, and is none any more", noticed(digest.ProxySilent), ok, "trusted: 10.0.0.2", ""},
		{"the socket", trusting("unix"), ok, "trusted: unix", ""},
		{"a socket that is not named", bySocket(digest.ProxyUnnamed), warn,
			"the Unix socket sends the headers of a proxy but is not trusted", "DIGEST_TRUSTED_PROXIES=unix"},
		{"it was named meanwhile", all(bySocket(digest.ProxyUnnamed), trusting("unix")), ok, "trusted: unix", ""},
		{"it is silent", all(bySocket(digest.ProxySilent), trusting("unix")), warn,
			"at the Unix socket does not send X-Forwarded-For", "docs/proxy"},
		{"it lets in the clear", all(noticed(digest.ProxyClear), trusting("10.0.0.9/32")), warn, "without TLS",
			"redirect http to https"},
	})
}

// TestSignUp checks that the doctor reports refused newcomers for a week.
func TestSignUp(t *testing.T) {
	refused := func(domain string, ago time.Duration) func(*world) {
		return func(w *world) {
			w.Database.Letters = []digest.LetterNote{{Domain: domain, At: w.Now().Add(-ago)}}
		}
	}
	tryAll(t, "sign-up", []finding{
		{"nobody", nil, ok, "no sign-ups were refused", ""},
		{"all", refused("", time.Hour), warn, "new sign-ups and new members were refused", "DIGEST_SIGN_UP=invitation"},
		{"those of a domain", refused("club.example", time.Hour), warn, "emails to club.example were not confirmed",
			"DIGEST_SIGN_UP=invitation"},
		{"readers", func(w *world) {
			w.Database.Letters = []digest.LetterNote{{SignIn: true, At: w.Now()}}
		}, warn, "sign-in links were not used", "digest user sign-in"},
		{"long ago", refused("", digest.LetterNoteLife), ok, "no sign-ups were refused", ""},
	})
}

func TestMetrics(t *testing.T) {
	tryAll(t, "metrics", []finding{
		{"none may", func(w *world) { w.MetricsToken = false }, ok, "/metrics is off", ""},
		{"a listener of their own", func(w *world) { w.MetricsListen = "127.0.0.1:9464" }, ok,
			"everyone who can connect to 127.0.0.1:9464", ""},
		{"in a network of one's own", func(w *world) { w.MetricsListen = "10.0.0.5:9464" }, ok,
			"everyone who can connect to 10.0.0.5:9464", ""},
		{"for all", func(w *world) { w.MetricsListen = ":9464" }, warn, "everyone who can connect", "127.0.0.1:9464"},
		{"open", func(w *world) {
			page := w.page
			w.page = func(out http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/metrics" {
					fmt.Fprintln(out, "digest_readers 7")
					return
				}
				page(out, r)
			}
		}, wrong, "everyone can read", "check the proxy"},
	})
}
