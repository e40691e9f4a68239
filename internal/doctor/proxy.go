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

// proxy finds out whether who asks can be told behind the proxies, by the settings
// and by what the web view has noticed.
func (x *checker) proxy(context.Context) Finding {
	tls := strings.HasPrefix(x.BaseURL, "https://")
	var f Finding
	switch {
	case x.TrustedProxies.None() && tls:
		f.note(Warn, "readers come by https, so a proxy stands before this instance, and none is named: all readers count as one",
			"set DIGEST_TRUSTED_PROXIES to the address from which your proxy reaches DIGEST_LISTEN, such as 127.0.0.1, or unix for its socket")
	case x.TrustedProxies.None():
		f.note(OK, "none is named, and nobody is believed about whom they ask for", "")
	default:
		f.note(OK, strings.Join(x.TrustedProxies.Words(), ", ")+" may say for whom they ask", "")
	}
	for _, p := range x.TrustedProxies.Networks {
		if p.Bits() == 0 {
			f.note(Wrong, p.String()+" is everybody: anybody can pass for any address", "name only the addresses of your proxies in DIGEST_TRUSTED_PROXIES")
		}
	}
	for _, n := range x.Database.Proxies {
		named := x.TrustedProxies.Trusts(n.Peer)
		if ofNamed := n.Trouble == digest.ProxySilent || n.Trouble == digest.ProxyClear; named != ofNamed {
			continue // it was noticed under other settings
		}
		found, todo := n.Words()
		f.note(Warn, found+" (last seen "+n.At.UTC().Format(time.DateTime)+" UTC)", todo)
	}
	return f
}

// signUp reports whether the instance refused newcomers because strangers had caused too many emails.
func (x *checker) signUp(context.Context) Finding {
	if !x.Database.Read() {
		return skip("the database is not looked into")
	}
	var f Finding
	for _, n := range x.Database.Letters {
		if age := x.Now().Sub(n.At); age < digest.LetterNoteLife {
			found, todo := n.Words()
			f.note(Warn, found+" (last "+n.At.UTC().Format(time.DateTime)+" UTC)", todo)
		}
	}
	if f.Status == "" {
		f.note(OK, "within the last week no newcomer was refused because of a crowd", "")
	}
	return f
}

// metrics finds out whether strangers are told how this instance stands.
func (x *checker) metrics(ctx context.Context) Finding {
	f := verdict(OK, "/metrics needs its token", "")
	if !x.MetricsToken {
		f = verdict(OK, "nobody may read /metrics: it has no token", "")
	}
	if x.MetricsListen != "" {
		f.note(OK, "whoever reaches "+x.MetricsListen+" may read them", "")
		if host, _, err := net.SplitHostPort(x.MetricsListen); err == nil && isOpen(host) {
			f.note(Warn, "that is an address that everybody may reach", "set DIGEST_METRICS_LISTEN to one that only your monitoring reaches, such as 127.0.0.1:9464")
		}
	}
	if x.Offline || reachOf(hostOf(x.BaseURL)) == everywhere && x.noDNS() != "" {
		return f
	}
	switch a, err := x.fetch(ctx, "/metrics"); {
	case err == nil && a.status == http.StatusOK:
		f.note(Wrong, "at "+x.BaseURL+"/metrics everybody may read them", "see what the proxy passes on there: nobody without DIGEST_METRICS_TOKEN is answered by digest serve itself")
	case err == nil && a.status != http.StatusNotFound:
		f.note(OK, "the base URL answers "+strconv.Itoa(a.status)+" to who has none", "")
	}
	return f
}

// isOpen reports whether a host to listen on is all addresses, or a public one.
func isOpen(host string) bool {
	if host == "" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && (a.IsUnspecified() || !a.IsLoopback() && !a.IsPrivate() && !a.IsLinkLocalUnicast())
}
