package acceptance

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"digest/test/certificate"
)

// A pushWorld is many feeds, each with its own host and two addresses: /pushed.xml, which names its hubs, and
// /polled.xml, which does not. All hubs are on one TLS server, because subscribers send secrets only over TLS.
type pushWorld struct {
	t     *testing.T
	port  int
	hubs  *httptest.Server
	trust string // the file with the hubs' certificate

	mu       sync.Mutex
	feeds    []*pushedFeed
	promised map[string]pushPromise // by callback
	unsure   []url.Values           // subscriptions to verify
	asked    map[string]int         // requests to hubs, by mode
	verified bool                   // whether callbacks are reachable
	away     map[string]bool        // hubs that do not respond
}

// A pushedFeed is a feed with its newest post first.
type pushedFeed struct {
	n        int
	hubs     []string // by name; none: it is only polled
	posts    []string
	requests map[string]int // by address
}

// A pushPromise is a subscription in the hub's records.
type pushPromise struct{ hub, topic, secret string }

func newPushWorld(t *testing.T) *pushWorld {
	w := &pushWorld{t: t, promised: map[string]pushPromise{}, asked: map[string]int{}, away: map[string]bool{},
		verified: true}
	l, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	w.port = l.Addr().(*net.TCPAddr).Port
	sites := &http.Server{Handler: http.HandlerFunc(w.serveSite)}
	go func() { _ = sites.Serve(l) }()
	c := certificate.For(t, time.Now().AddDate(-1, 0, 0), time.Now().AddDate(1, 0, 0), "127.0.0.1")
	w.hubs = httptest.NewUnstartedServer(http.HandlerFunc(w.serveHub))
	w.hubs.TLS = c.Server()
	w.hubs.StartTLS()
	t.Cleanup(func() { sites.Close(); w.hubs.Close() })
	text, _ := c.PEM()
	w.trust = filepath.Join(t.TempDir(), "hubs.pem")
	if err := os.WriteFile(w.trust, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *pushWorld) add(hubs ...string) *pushedFeed {
	f := &pushedFeed{n: len(w.feeds), hubs: hubs, requests: map[string]int{}}
	w.feeds = append(w.feeds, f)
	w.publish(f)
	return f
}

func (w *pushWorld) publish(f *pushedFeed) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	post := fmt.Sprintf("http://site-%d.example/posts/%d", f.n, len(f.posts))
	f.posts = append([]string{post}, f.posts...)
	return post
}

func (w *pushWorld) address(f *pushedFeed, path string) string {
	return fmt.Sprintf("http://127.90.%d.%d:%d%s", f.n/250, f.n%250+1, w.port, path)
}

func (w *pushWorld) document(f *pushedFeed, path string, posts []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Feed %d</title>`+
		`<atom:link rel="self" href="%s"/>`, f.n, w.address(f, path))
	if path == "/pushed.xml" {
		for _, hub := range f.hubs {
			fmt.Fprintf(&b, `<atom:link rel="hub" href="%s/%s"/>`, w.hubs.URL, hub)
		}
	}
	for _, p := range posts[:min(len(posts), 15)] {
		fmt.Fprintf(&b, `<item><title>Post %s of %d</title><guid>%s</guid><link>%s</link></item>`,
			p[strings.LastIndex(p, "/")+1:], f.n, p, p)
	}
	return b.String() + `</channel></rss>`
}

func (w *pushWorld) serveSite(out http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.Host)
	ip := net.ParseIP(host).To4()
	if ip == nil || r.URL.Path != "/pushed.xml" && r.URL.Path != "/polled.xml" {
		http.NotFound(out, r)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.feeds[int(ip[2])*250+int(ip[3])-1]
	f.requests[r.URL.Path]++
	text := w.document(f, r.URL.Path, f.posts)
	out.Header().Set("ETag", fmt.Sprintf(`"%d"`, len(f.posts)))
	out.Header().Set("Content-Type", "application/rss+xml")
	http.ServeContent(out, r, "", time.Time{}, strings.NewReader(text))
}

// serveHub accepts a subscription, and verifies it after the response, like most hubs.
func (w *pushWorld) serveHub(out http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	w.mu.Lock()
	name := strings.TrimPrefix(r.URL.Path, "/")
	w.asked[r.PostForm.Get("hub.mode")]++
	away := w.away[name]
	if !away {
		r.PostForm.Set("hub", name)
		w.unsure = append(w.unsure, r.PostForm)
	}
	verify := w.verified
	w.mu.Unlock()
	if away {
		out.WriteHeader(http.StatusBadGateway)
		return
	}
	out.WriteHeader(http.StatusAccepted)
	if verify {
		go w.verifyAll()
	}
}

// verifyAll sends verification requests for all unverified subscriptions.
func (w *pushWorld) verifyAll() {
	w.mu.Lock()
	forms := w.unsure
	w.unsure = nil
	w.mu.Unlock()
	for _, form := range forms {
		q := url.Values{"hub.mode": form["hub.mode"], "hub.topic": form["hub.topic"], "hub.challenge": {"sure"},
			"hub.lease_seconds": {"864000"}}
		res, err := http.Get(form.Get("hub.callback") + "?" + q.Encode())
		if err != nil {
			w.mu.Lock()
			w.unsure = append(w.unsure, form)
			w.mu.Unlock()
			continue
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		w.mu.Lock()
		switch {
		case res.StatusCode != http.StatusOK || string(body) != "sure":
		case form.Get("hub.mode") == "subscribe":
			w.promised[form.Get("hub.callback")] = pushPromise{form.Get("hub"), form.Get("hub.topic"),
				form.Get("hub.secret")}
		default:
			delete(w.promised, form.Get("hub.callback"))
		}
		w.mu.Unlock()
	}
}

// awaitPromises waits until hubs have n subscriptions. It retries unreachable callbacks.
func (w *pushWorld) awaitPromises(n int) {
	w.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(50 * time.Millisecond) {
		w.verifyAll()
		w.mu.Lock()
		got := len(w.promised)
		w.mu.Unlock()
		if got >= n {
			return
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("hubs have promised %d subscriptions, want %d", got, n)
		}
	}
}

// callbacks returns the secrets of a feed's subscriptions at a hub, by callback.
func (w *pushWorld) callbacks(hub string, f *pushedFeed) map[string]string {
	w.mu.Lock()
	defer w.mu.Unlock()
	found := map[string]string{}
	for callback, p := range w.promised {
		if p.hub == hub && p.topic == w.address(f, "/pushed.xml") {
			found[callback] = p.secret
		}
	}
	return found
}

// push sends posts of a feed from one of its hubs, and returns the number of callbacks that accepted them.
func (w *pushWorld) push(hub string, f *pushedFeed, posts []string) (accepted int) {
	for callback, secret := range w.callbacks(hub, f) {
		switch status := w.deliver(callback, w.document(f, "/pushed.xml", posts), secret); status {
		case http.StatusAccepted:
			accepted++
		case http.StatusGone:
			w.mu.Lock()
			delete(w.promised, callback)
			w.mu.Unlock()
		default:
			w.t.Errorf("a push of feed %d is answered %d", f.n, status)
		}
	}
	return accepted
}

// deliver sends a body to a callback, signed with a secret.
func (w *pushWorld) deliver(callback, body, secret string) (status int) {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	req, err := http.NewRequest(http.MethodPost, callback, bytes.NewReader([]byte(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	req.Header.Set("X-Hub-Signature", "sha256="+hex.EncodeToString(mac.Sum(nil)))
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		w.t.Errorf("a push: %v", err)
		return 0
	}
	res.Body.Close()
	return res.StatusCode
}

func (h *house) metric(base, name string) int {
	h.t.Helper()
	req, err := http.NewRequest(http.MethodGet, base+"/metrics", nil)
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer secret-of-metrics")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if value, found := strings.CutPrefix(line, name+" "); found {
			n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil {
				h.t.Fatal(err)
			}
			return int(n)
		}
	}
	h.t.Fatalf("no %s: %d\n%.300s", name, res.StatusCode, text)
	return 0
}

// awaitMetric waits until a metric reaches a value.
func (h *house) awaitMetric(base, name string, least int) {
	h.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(100 * time.Millisecond) {
		got := h.metric(base, name)
		if got >= least {
			return
		}
		if time.Now().After(deadline) {
			h.t.Fatalf("%s is %d, want %d", name, got, least)
		}
	}
}

// follow adds readers in UTC, each with the next feeds in order, at the address with path.
func (h *house) follow(w *pushWorld, now time.Time, path string, each int) {
	h.t.Helper()
	for i, feeds := range slices.Collect(slices.Chunk(w.feeds, each)) {
		var addresses []string
		for _, f := range feeds {
			addresses = append(addresses, w.address(f, path))
		}
		h.addReader(now, fmt.Sprintf("reader%d@example.org", i), "UTC", addresses...)
	}
}
