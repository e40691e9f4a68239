package acceptance

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"digest/test/certificate"
	"digest/test/program"
	"digest/test/tier"
)

const proxyName = "digest.example.org"

// A frontDoor contains the addresses of a proxy before the program; "": none.
type frontDoor struct{ plain, tls, plain6, tls6 string }

// TestProxySamples runs real proxies with the samples of docs/proxy, and accesses the program through them. It
// replaces only ports and the paths of certificates in the samples.
func TestProxySamples(t *testing.T) {
	tier.Acceptance(t)
	t.Parallel()
	for name, begin := range map[string]func(*house, string) frontDoor{"caddy": caddy, "nginx": nginx} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			judgeProxy(t, begin)
		})
	}
}

func judgeProxy(t *testing.T, begin func(h *house, upstream string) frontDoor) {
	const token = "a-token-of-some-length"
	h := newHouse(t, filepath.Join(t.TempDir(), "digest.db"))
	upstream, monitoring := program.FreeAddress(t), program.FreeAddress(t)
	door := begin(h, upstream)
	h.Set("DIGEST_BASE_URL=https://"+proxyName, "DIGEST_LISTEN="+upstream, "DIGEST_METRICS_TOKEN="+token,
		"DIGEST_METRICS_LISTEN="+monitoring, "DIGEST_CONTACT=ann@example.org")

	// Until the setting names the proxy, all clients have its address, and the doctor reports it.
	server := h.Start(upstream, "serve")
	door.visit(t, "127.0.0.2", "/", http.StatusOK)
	if found := h.doctor("proxy"); !strings.Contains(found, "DIGEST_TRUSTED_PROXIES=127.0.0.1") {
		t.Errorf("of the proxy that is not named the doctor says %q", found)
	}
	server.Stop()
	h.Set("DIGEST_TRUSTED_PROXIES=127.0.0.1")
	h.Start(upstream, "serve")
	begun := time.Now()
	for n := 0; ; n++ { // each claims another address; the limit is 60, and one more every two seconds
		a := visit(t, "https://"+proxyName, door.tls, "127.0.0.2", statusOf(n), "X-Forwarded-For",
			fmt.Sprintf("203.0.113.%d", n%250))
		most := 61 + int(time.Since(begun)/(2*time.Second))
		if limited := a.StatusCode == http.StatusTooManyRequests; limited && n < 60 || !limited && n >= most {
			t.Fatalf("request %d of one client is answered %d", n+1, a.StatusCode)
		} else if limited {
			break
		}
	}
	door.visit(t, "127.0.0.3", statusOf(60), http.StatusNotFound)
	door.visit(t, "127.0.0.2", "/metrics", http.StatusNotFound, "X-Forwarded-For", "127.0.0.1")
	door.visit(t, "127.0.0.2", "/metrics", http.StatusOK, "Authorization", "Bearer "+token)
	if a := door.visit(t, "127.0.0.2", "/", http.StatusOK); a.Get("Strict-Transport-Security") == "" {
		t.Error("no promise of TLS")
	}
	ask(t, "http://"+upstream+"/metrics", http.StatusNotFound)
	ask(t, "http://"+monitoring+"/metrics", http.StatusOK)
	ask(t, "http://"+monitoring+"/", http.StatusNotFound)
	a := visit(t, "http://"+proxyName, door.plain, "127.0.0.2", "/feeds?a=b")
	if a.StatusCode != http.StatusPermanentRedirect || a.Header.Get("Location") != "https://"+proxyName+"/feeds?a=b" {
		t.Errorf("without TLS it answers %d, %q", a.StatusCode, a.Header.Get("Location"))
	}
	if door.tls6 != "" {
		six := frontDoor{plain: door.plain6, tls: door.tls6}
		six.visit(t, "::1", statusOf(61), http.StatusNotFound, "X-Forwarded-For", "203.0.113.99")
		if a := visit(t, "http://"+proxyName, six.plain, "::1",
			"/feeds"); a.StatusCode != http.StatusPermanentRedirect {
			t.Errorf("by IPv6 without TLS it answers %d", a.StatusCode)
		}
	}
	if found := h.doctor("proxy"); !strings.HasPrefix(found, "ok: trusted: 127.0.0.1") {
		t.Errorf("the doctor says %q", found)
	}
}

// statusOf returns the address of the status page of an unknown feed.
func statusOf(i int) string { return fmt.Sprintf("/status?url=https://a.example/%d", i) }

func (h *house) doctor(check string) string {
	h.t.Helper()
	o := h.try(h.t.Context(), "--json", "doctor", "--offline")
	var findings []struct{ Check, Status, Found, Todo string }
	if err := json.Unmarshal([]byte(o.stdout), &findings); err != nil {
		h.t.Fatalf("%v in %s%s", err, o.stdout, o.stderr)
	}
	for _, f := range findings {
		if f.Check == check {
			return f.Status + ": " + f.Found + "; " + f.Todo
		}
	}
	return ""
}

// visit requests a page through the proxy, by https, from a local address.
func (d frontDoor) visit(t *testing.T, from, path string, want int, header ...string) http.Header {
	t.Helper()
	a := visit(t, "https://"+proxyName, d.tls, from, path, header...)
	if a.StatusCode != want {
		t.Fatalf("%s from %s is answered %d, want %d", path, from, a.StatusCode, want)
	}
	return a.Header
}

func visit(t *testing.T, site, at, from, path string, header ...string) *http.Response {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "tcp", at)
		},
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, site+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	a, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, a.Body)
	a.Body.Close()
	return a
}

// ask requests a page without the proxy.
func ask(t *testing.T, address string, want int) {
	t.Helper()
	a, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if a.StatusCode != want {
		t.Errorf("%s is answered %d, want %d", address, a.StatusCode, want)
	}
}

// sample reads a sample and replaces parts, which it must contain.
func sample(t *testing.T, name string, replaced ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "proxy", name))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(string(text), replaced[i]) {
			t.Fatalf("%s has no %q", name, replaced[i])
		}
		text = bytes.ReplaceAll(text, []byte(replaced[i]), []byte(replaced[i+1]))
	}
	return string(text)
}

// caddy starts Caddy with its sample and its own certificate.
func caddy(h *house, upstream string) frontDoor {
	t := h.t
	path := proxyProgram(t, "caddy")
	door := frontDoor{plain: program.FreeAddress(t), tls: program.FreeAddress(t)}
	options := fmt.Sprintf("{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\tdefault_bind "+
		"127.0.0.1\n\thttp_port %s\n\thttps_port %s\n\tstorage file_system %s\n}\n",
		port(door.plain), port(door.tls), h.Dir)
	config := h.Write("Caddyfile", options+sample(t, "Caddyfile", "127.0.0.1:8080", upstream))
	cmd := exec.Command(path, "run", "--config", config, "--adapter", "caddyfile")
	cmd.Env = append(os.Environ(), "HOME="+h.Dir, "XDG_CONFIG_HOME="+h.Dir, "XDG_DATA_HOME="+h.Dir)
	program.Launch(t, cmd, door.tls)
	return door
}

// nginx starts nginx with its sample, as the user of the tests.
func nginx(h *house, upstream string) frontDoor {
	t := h.t
	path := proxyProgram(t, "nginx")
	door := frontDoor{plain: program.FreeAddress(t), tls: program.FreeAddress(t)}
	public, secret := certificate.For(t, time.Now().Add(-time.Hour), time.Now().Add(oneDay), proxyName).PEM()
	chain, key := h.Write("fullchain.pem", string(public)), h.Write("privkey.pem", string(secret))
	const live = "/etc/letsencrypt/live/" + proxyName
	plain6, tls6 := "", ""
	if l, err := net.Listen("tcp", "[::1]:0"); err == nil { // otherwise this machine has no IPv6
		l.Close()
		door.plain6, door.tls6 = "[::1]:"+port(program.FreeAddress(t)), "[::1]:"+port(program.FreeAddress(t))
		plain6, tls6 = "listen "+door.plain6+";", "listen "+door.tls6+" ssl;"
	}
	site := sample(t, "nginx.conf", "listen [::]:80;", plain6, "listen [::]:443 ssl;", tls6,
		"listen 80;", "listen "+door.plain+";", "listen 443 ssl;", "listen "+door.tls+" ssl;",
		live+"/fullchain.pem", chain, live+"/privkey.pem", key, "http://127.0.0.1:8080", "http://"+upstream)
	var temporary strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&temporary, "%s_temp_path %s/%s;\n", kind, h.Dir, kind)
	}
	who := ""
	if os.Geteuid() == 0 {
		who = "user root;\n"
	}
	config := h.Write("nginx.conf", fmt.Sprintf(
		"%sdaemon off;\nworker_processes 1;\npid %s/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;"+
			"\n%s%s}\n", who, h.Dir, &temporary, site))
	program.Launch(t, exec.Command(path, "-e", "stderr", "-p", h.Dir, "-c", config), door.tls)
	return door
}

// proxyProgram returns the path of a proxy. Without the proxy it skips the test.
func proxyProgram(t *testing.T, name string) string {
	t.Helper()
	for _, place := range []string{name, "/usr/sbin/" + name} {
		if path, err := exec.LookPath(place); err == nil {
			return path
		}
	}
	t.Skipf("%s is not here, and its sample was not tried; scripts/needs acceptance installs it where it can be had",
		name)
	return ""
}

func port(address string) string {
	_, port, _ := strings.Cut(address, ":")
	return port
}
