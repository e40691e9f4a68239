package doctor

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"digest"
)

// proxy checks whether the web view can see the addresses of visitors behind the proxies. It uses the settings and the
// problems that the web view noticed.
func (x *checker) proxy(context.Context) Finding {
	tls := strings.HasPrefix(x.BaseURL, "https://")
	var f Finding
	switch {
	case x.TrustedProxies.None() && tls:
		f.note(Warn, "the base URL uses https, so there is a proxy, but none is trusted: all readers seem to have the same address",
			"set DIGEST_TRUSTED_PROXIES to the address your proxy connects from, such as 127.0.0.1, or to unix for a Unix socket")
	case x.TrustedProxies.None():
		f.note(OK, "no proxy is trusted", "")
	default:
		f.note(OK, "trusted: "+strings.Join(x.TrustedProxies.Words(), ", "), "")
	}
	for _, p := range x.TrustedProxies.Networks {
		if p.Bits() == 0 {
			f.note(Wrong, p.String()+" trusts everyone, so anyone can pretend to have any address",
				"set DIGEST_TRUSTED_PROXIES to the addresses of your proxies only")
		}
	}
	for _, n := range x.Database.Proxies {
		named := x.TrustedProxies.Trusts(n.Peer)
		if ofNamed := n.Trouble == digest.ProxySilent || n.Trouble == digest.ProxyClear; named != ofNamed {
			continue // noticed with other settings
		}
		found, todo := n.Words()
		f.note(Warn, found+" (last seen "+n.At.UTC().Format(time.DateTime)+" UTC)", todo)
	}
	return f
}

// signUp reports whether the instance refused newcomers because strangers had caused too many emails.
func (x *checker) signUp(context.Context) Finding {
	var f Finding
	for _, n := range x.Database.Letters {
		if age := x.Now().Sub(n.At); age < digest.LetterNoteLife {
			found, todo := n.Words()
			f.note(Warn, found+" (last "+n.At.UTC().Format(time.DateTime)+" UTC)", todo)
		}
	}
	if f.Status == "" {
		f.note(OK, "no sign-ups were refused in the last 7 days", "")
	}
	return f
}

func (x *checker) metrics(ctx context.Context) Finding {
	f := verdict(OK, "/metrics needs its token", "")
	if !x.MetricsToken {
		f = verdict(OK, "/metrics is off: no token is set", "")
	}
	if x.MetricsListen != "" {
		f.note(OK, "everyone who can connect to "+x.MetricsListen+" can read them", "")
		if host, _, err := net.SplitHostPort(x.MetricsListen); err == nil && isOpen(host) {
			f.note(Warn, "that address is public",
				"set DIGEST_METRICS_LISTEN to an address that only your monitoring can connect to, such as 127.0.0.1:9464")
		}
	}
	if x.Offline || reachOf(digest.HostOf(x.BaseURL)) == everywhere && x.noDNS() != "" {
		return f
	}
	switch a, err := x.fetch(ctx, "/metrics"); {
	case err == nil && a.status == http.StatusOK:
		f.note(Wrong, "everyone can read "+x.BaseURL+
			"/metrics", "check the proxy: digest serve itself requires DIGEST_METRICS_TOKEN")
	case err == nil && a.status != http.StatusNotFound:
		f.note(OK, "without the token, the base URL responds with "+strconv.Itoa(a.status), "")
	}
	return f
}

// isOpen reports whether a host to listen on means all addresses, or is a public one.
func isOpen(host string) bool {
	if host == "" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && (a.IsUnspecified() || !a.IsLoopback() && !a.IsPrivate() && !a.IsLinkLocalUnicast())
}
