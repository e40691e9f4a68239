package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"digest"
)

func (x *checker) baseURL(ctx context.Context) Finding {
	host := digest.HostOf(x.BaseURL)
	f := verdict(OK, x.BaseURL, "")
	bad, example := Wrong, "set DIGEST_BASE_URL to the address that readers reach, such as https://digest.example.org"
	switch reach := reachOf(host); {
	case reach == hereOnly:
		bad = Warn
		f.note(Warn, "links in emails only work on this machine", example)
	case reach == atHome:
		bad = Warn
		f.note(Warn, "links in emails only work inside this network", "if you have readers elsewhere, "+example)
	case strings.HasPrefix(x.BaseURL, "http://"):
		f.note(Wrong,
			"without HTTPS, one-click unsubscribe does not work (RFC 8058) and sign-in links are sent unencrypted",
			"get a certificate (a proxy such as Caddy gets one automatically) and set DIGEST_BASE_URL to https://"+
				strings.TrimPrefix(x.BaseURL, "http://"))
	}
	if x.Offline {
		f.note(Skipped, "the connection was "+offline, "")
		return f
	}
	if reachOf(host) == everywhere {
		if why := x.noDNS(); why != "" {
			f.note(Skipped, "the connection was not checked: "+why, "")
			return f
		}
		if !x.resolves(ctx, host, &f) {
			return f
		}
	}
	x.answers(ctx, bad, &f)
	return f
}

func (x *checker) resolves(ctx context.Context, host string, f *Finding) bool {
	found, err := x.names.addresses(ctx, host)
	switch {
	case err != nil:
		f.noAnswer(host, err)
		return false
	case len(found) == 0:
		f.note(Wrong, "the DNS has no address for "+
			host, fmt.Sprintf("publish an A record (and AAAA, if the machine has IPv6) for %s with the public address of the web server, or correct DIGEST_BASE_URL", host))
		return false
	case len(publicOnes(found)) == 0:
		f.note(Warn, host+" resolves to "+joined(found)+", which is not a public address",
			"if it resolves to the same address elsewhere, publish the public address of the web server for "+host)
	}
	return true
}

func (x *checker) answers(ctx context.Context, bad Status, f *Finding) {
	health, err := x.fetch(ctx, "/healthz")
	if err != nil {
		found, todo := x.diagnose(err)
		f.note(bad, found, todo)
		return
	}
	const elsewhere = "check that the proxy sends every path of this address to digest serve, and that DIGEST_BASE_URL is correct"
	switch {
	case health.location != "":
		f.note(bad, "it redirects to "+health.location,
			"set DIGEST_BASE_URL to the address it redirects to; one-click unsubscribe does not follow redirects (RFC 8058)")
		return
	case health.status == http.StatusServiceUnavailable && strings.HasPrefix(health.body, "the database"):
		f.note(Wrong, "digest is running, but its database does not respond",
			"check that the database is running, and see the log of digest serve")
		return
	case health.status == http.StatusServiceUnavailable && strings.HasPrefix(health.body, digest.Fenced):
		f.note(Wrong, "digest is running, but "+digest.Fenced, "see digest fence")
		return
	case health.status == http.StatusBadGateway || health.status == http.StatusServiceUnavailable ||
		health.status == http.StatusGatewayTimeout:
		f.note(bad, fmt.Sprintf("a proxy responds with %d because it cannot reach digest", health.status),
			"start digest serve, and check that the proxy forwards to DIGEST_LISTEN")
		return
	case health.status != http.StatusOK || strings.TrimSpace(health.body) != "ok":
		f.note(bad, fmt.Sprintf("a different server responds (%d for /healthz)", health.status), elsewhere)
		return
	}
	x.isThisInstance(ctx, bad, f)
	if ends := endsSoon(health.certificate, x.Now()); !x.Frozen && ends != "" {
		f.note(Warn, "its certificate expires on "+ends, "find out why it was not renewed")
	}
}

// named returns the base URL in the User-Agent on an instance's bot page.
func named(page string) string {
	m := regexp.MustCompile(`digest/\S+ \(\+(https?://[^\s/]+)/bot;`).FindStringSubmatch(html.UnescapeString(page))
	if m == nil {
		return ""
	}
	return m[1]
}

func (x *checker) isThisInstance(ctx context.Context, bad Status, f *Finding) {
	page, err := x.fetch(ctx, "/bot")
	switch name := named(page.body); {
	case err != nil, name == "":
		f.note(bad, "the server that responds is not digest",
			"check that the proxy sends every path of this address to digest serve")
	case name != strings.TrimRight(x.BaseURL, "/"):
		f.note(bad, "the instance that responds has the base URL "+
			name, "use the same DIGEST_BASE_URL for digest serve and this command, or give the other instance a different address")
	default:
		f.note(OK, "digest is running there", "")
	}
}

type answer struct {
	status      int
	location    string
	body        string
	date        time.Time
	certificate *x509.Certificate
}

func (x *checker) fetch(ctx context.Context, path string) (answer, error) {
	transport := &http.Transport{DialContext: x.Dial, TLSClientConfig: x.TLS, DisableKeepAlives: true}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(x.BaseURL, "/")+path, nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("User-Agent", "digest-doctor")
	res, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	const most = 1 << 20
	body, err := io.ReadAll(io.LimitReader(res.Body, most))
	a := answer{status: res.StatusCode, body: string(body)}
	if res.StatusCode/100 == 3 {
		a.location = cmp.Or(res.Header.Get("Location"), "nowhere")
	}
	a.date, _ = http.ParseTime(res.Header.Get("Date"))
	if res.TLS != nil && len(res.TLS.PeerCertificates) > 0 {
		a.certificate = res.TLS.PeerCertificates[0]
	}
	return a, err
}

// endsSoon returns the day on which a certificate expires, if its automatic renewal should have happened already; ""
// otherwise.
func endsSoon(c *x509.Certificate, now time.Time) string {
	if c == nil {
		return ""
	}
	const patience, part = 14 * 24 * time.Hour, 6
	if c.NotAfter.Sub(now) > min(patience, c.NotAfter.Sub(c.NotBefore)/part) {
		return ""
	}
	return c.NotAfter.UTC().Format(time.DateOnly)
}

func (x *checker) diagnose(err error) (found, todo string) {
	host := digest.HostOf(x.BaseURL)
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](err); ok && invalid.Reason == x509.Expired {
		return "its certificate is not valid today (it ends on " + invalid.Cert.NotAfter.UTC().Format(time.DateOnly) +
			")", "renew the certificate of the web server, and check that the clocks are correct"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is for a different host", "get a certificate for " + host
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return "this machine does not trust its certificate", "get a certificate from a public authority for " + host +
			", and serve its intermediate certificates too"
	}
	if _, ok := errors.AsType[tls.RecordHeaderError](err); ok || errors.Is(err, http.ErrSchemeMismatch) {
		return "the server does not use TLS", "set up TLS on the web server, or correct the port in DIGEST_BASE_URL"
	}
	return "no server responds (" + digest.Bare(err).Error() + ")",
		"start digest serve; if it is running, check the proxy and the firewall, also for requests from this machine"
}
