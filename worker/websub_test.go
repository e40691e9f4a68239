package worker_test

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store/storetest"
	"digest/subscribe"
	view "digest/web"
	"digest/web/programs"
)

// callbacks are the addresses at which hubs reach a house, and the certificates that it trusts.
type callbacks struct {
	server *httptest.Server
	signer *digest.Signer
	pool   *x509.CertPool
}

func (c *callbacks) roots() *x509.CertPool {
	if c == nil {
		return nil
	}
	return c.pool
}

func (c *callbacks) callback() func(digest.PushID) string {
	if c == nil {
		return nil
	}
	return func(id digest.PushID) string { return programs.CallbackAddress(c.server.URL, c.signer, id) }
}

// A rocksHub is a blog with its hub, modelled on websub.rocks. test is the number of a subscriber test
// (app/Subscriber.php), or 0 for a hub that works.
type rocksHub struct {
	*httptest.Server
	t    *testing.T
	test int

	mu       sync.Mutex
	posts    []string // titles, the newest first
	promised map[string]*promise
	requests []url.Values // to the hub
	polls    int          // of the blog
	says     int          // status of the hub; 0: it does what the request asks
	forgets  bool         // it never verifies
	etag     string       // of the blog; "": derived from its posts
	verified []int        // what callbacks answered to verifications
	refused  string       // why a request does not pass the test
	self     string       // the address that the blog names as its own; "": /blog
	second   string       // the address of another hub that it names
}

// A promise is a subscription at the hub.
type promise struct{ topic, secret string }

func newRocksHub(t *testing.T, test int) *rocksHub {
	h := &rocksHub{t: t, test: test, posts: []string{"first"}, promised: map[string]*promise{}}
	h.Server = httptest.NewTLSServer(h)
	t.Cleanup(h.Close)
	return h
}

// eachHub runs f on both databases, with a reader in UTC of a blog whose hub runs a test.
func eachHub(t *testing.T, test int, f func(t *testing.T, h *house, b *rocksHub)) {
	t.Helper()
	eachEmptyHouse(t, "2026-11-19 10:00", func(t *testing.T, h *house) {
		b := newRocksHub(t, test)
		h.openToHubs()
		h.hubs.pool = x509.NewCertPool()
		h.hubs.pool.AddCert(b.Certificate())
		h.reader("ann@example.org", "UTC")
		h.follows(b.URL + "/blog")
		f(t, h, b)
	})
}

// openToHubs serves the callbacks of hubs.
func (h *house) openToHubs() {
	h.hubs = &callbacks{signer: digest.NewSigner(make([]byte, 32))}
	h.hubs.server = httptest.NewServer(view.New(view.Options{Store: h.st, Signer: h.hubs.signer,
		Now: func() time.Time { return h.clock }}))
	h.t.Cleanup(h.hubs.server.Close)
}

// follows subscribes the last added reader.
func (h *house) follows(address string) {
	h.t.Helper()
	_, _, err := h.subscriber().Subscribe(h.t.Context(), digest.Subscription{DigestID: h.d.ID}, address)
	ok(h.t, err)
}

func (h *house) subscriber() *subscribe.Subscriber {
	return &subscribe.Subscriber{Store: h.st, Poller: h.poller(), Now: func() time.Time { return h.clock }}
}

// tickAt runs the job and ignores the summary.
func (h *house) tickAt(clock string) {
	h.t.Helper()
	h.set(clock)
	h.tickNow()
}

func (h *house) tickNow() {
	h.t.Helper()
	_, err := h.job().Tick(h.t.Context())
	ok(h.t, err)
}

func (b *rocksHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/hub" {
		b.serveHub(w, r)
		return
	}
	b.serveBlog(w, r)
}

// serveBlog answers like get_feed and head_feed.
func (b *rocksHub) serveBlog(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.polls++
	hub, self := b.URL+"/hub", b.URL+"/blog"
	link := true
	switch b.test {
	case 101, 102, 103:
		link = false
	case 200:
		self += "?self=other"
	case 201, 202:
		self += "?redirect=complete"
		if r.URL.RawQuery == "" {
			http.Redirect(w, r, self, map[int]int{201: http.StatusFound, 202: http.StatusMovedPermanently}[b.test])
			return
		}
	case 203, 204:
		hub += "?redirect=true"
	}
	self = cmp.Or(b.self, self)
	if b.second != "" {
		w.Header().Add("Link", "<"+b.second+`>; rel="hub"`)
	}
	if link {
		w.Header().Add("Link", "<"+self+`>; rel="self"`)
		w.Header().Add("Link", "<"+hub+`>; rel="hub"`)
	}
	if b.test == 104 {
		hub += "?error=wrongtag"
	}
	body := b.document(hub, self)
	w.Header().Set("Content-Type", b.kind())
	w.Header().Set("ETag", fmt.Sprintf(`"%x"`, sha256.Sum256([]byte(body)))[:20]+`"`)
	if b.etag != "" {
		w.Header().Set("ETag", b.etag)
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(body))
}

func (b *rocksHub) kind() string {
	switch b.test {
	case -1, 0, 102, 103, 104:
		return "text/xml"
	}
	return "text/html"
}

// document returns the blog as a page with an h-feed, Atom or RSS.
func (b *rocksHub) document(hub, self string, only ...string) string {
	posts := b.posts
	if len(only) > 0 {
		posts = only
	}
	var items strings.Builder
	for _, p := range posts {
		address := b.URL + "/" + url.PathEscape(p)
		switch b.test {
		case -1, 0, 103:
			fmt.Fprintf(&items, "<item><title>%s</title><guid>%s</guid></item>", p, address)
		case 102, 104:
			fmt.Fprintf(&items, `<entry><title>%s</title><id>%s</id></entry>`, p, address)
		default:
			fmt.Fprintf(&items, `<div class="h-entry"><a class="u-url p-name" href="%s">%s</a></div>`, address, p)
		}
	}
	switch b.test {
	case -1, 0, 103:
		return fmt.Sprintf(`<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>Blog</title><atom:link `+
			`rel="hub" href="%s"/><atom:link rel="self" href="%s"/>%s</channel></rss>`, hub, self, items.String())
	case 102, 104:
		return fmt.Sprintf(`<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title><link rel="hub" `+
			`href="%s"/><link rel="self" href="%s"/>%s</feed>`, hub, self, items.String())
	case 101:
		return fmt.Sprintf(`<!DOCTYPE html><html><head><title>Blog</title><link rel="hub" href="%s"><link `+
			`rel="self" href="%s"></head><body><div class="h-feed">%s</div></body></html>`, hub, self, items.String())
	}
	return `<!DOCTYPE html><html><head><title>Blog</title></head><body><div class="h-feed">` +
		items.String() + `</div></body></html>`
}

// serveHub answers like the hub of websub.rocks: it verifies before it answers.
func (b *rocksHub) serveHub(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return
	}
	form := r.PostForm
	b.mu.Lock()
	b.requests = append(b.requests, form)
	says, forgets := b.says, b.forgets
	b.mu.Unlock()
	expected := b.URL + "/blog" +
		map[int]string{200: "?self=other", 201: "?redirect=complete", 202: "?redirect=complete"}[b.test]
	switch {
	case says != 0:
		w.WriteHeader(says)
		return
	case form.Get("hub.topic") != expected && b.test >= 0:
		b.refuse(w, "the topic is "+form.Get("hub.topic"))
		return
	case r.URL.Query().Get("error") != "":
		b.refuse(w, "the hub of the document was asked, not that of the header")
		return
	case r.URL.Query().Get("redirect") == "true":
		w.Header().Set("Location", "/hub")
		w.WriteHeader(map[int]int{203: http.StatusTemporaryRedirect, 204: http.StatusPermanentRedirect}[b.test])
		return
	case form.Get("hub.mode") == "subscribe" && (form.Get("hub.secret") == "" || len(form.Get("hub.secret")) > 200):
		b.refuse(w, "the secret is "+form.Get("hub.secret"))
		return
	}
	if !forgets {
		b.verify(form)
	}
	w.WriteHeader(http.StatusAccepted)
}

func (b *rocksHub) refuse(w http.ResponseWriter, why string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refused = why
	http.Error(w, why, http.StatusBadRequest)
}

func (b *rocksHub) verify(form url.Values) {
	const challenge = "a challenge <script>"
	topic := form.Get("hub.topic")
	if b.test == 205 {
		topic += "?invalid"
	}
	query := url.Values{"hub.mode": form["hub.mode"], "hub.topic": {topic}, "hub.challenge": {challenge},
		"hub.lease_seconds": {"864000"}}
	status, body := b.ask(form.Get("hub.callback"), query)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.verified = append(b.verified, status)
	if status/100 != 2 || body != challenge {
		return
	}
	if form.Get("hub.mode") == "subscribe" {
		b.promised[form.Get("hub.callback")] = &promise{form.Get("hub.topic"), form.Get("hub.secret")}
	} else {
		delete(b.promised, form.Get("hub.callback"))
	}
}

// ask sends a hub's query to a callback.
func (b *rocksHub) ask(callback string, query url.Values) (status int, body string) {
	resp, err := http.Get(callback + "?" + query.Encode())
	if err != nil {
		b.t.Error(err)
		return 0, ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Error(err)
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode == http.StatusOK &&
		(kind != "text/plain; charset=utf-8" || resp.Header.Get("X-Content-Type-Options") != "nosniff") {
		b.t.Errorf("a challenge is sent back as %s", kind)
	}
	return resp.StatusCode, string(text)
}

func (b *rocksHub) publish(title string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.posts = append([]string{title}, b.posts...)
}

// delivers sends a signed body to all callbacks and returns their statuses. signs changes the signature.
func (b *rocksHub) delivers(body string, signs func(string) string) (statuses []int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for callback, p := range b.promised {
		mac := hmac.New(sha256.New, []byte(p.secret))
		mac.Write([]byte(body))
		req, err := http.NewRequest(http.MethodPost, callback, strings.NewReader(body))
		ok(b.t, err)
		req.Header.Set("Content-Type", "text/html")
		signature := "sha256=" + hex.EncodeToString(mac.Sum(nil))
		if signs != nil {
			signature = signs(signature)
		}
		if signature != "" {
			req.Header.Set("X-Hub-Signature", signature)
		}
		resp, err := http.DefaultClient.Do(req)
		ok(b.t, err)
		resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
	}
	return statuses
}

func (b *rocksHub) pushes(title string) []int {
	b.publish(title)
	return b.delivers(b.document("", "", title), nil)
}

// asked returns the number of requests to the hub, by mode, and of polls of the blog, since the last call.
func (b *rocksHub) asked() (subscribes, unsubscribes, polls int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	modes := map[string]int{}
	for _, r := range b.requests {
		modes[r.Get("hub.mode")]++
	}
	polls = b.polls
	b.requests, b.polls = nil, 0
	return modes["subscribe"], modes["unsubscribe"], polls
}

// blog returns the record of the blog and how its news arrive.
func (h *house) blog(b *rocksHub) (digest.Feed, digest.News) {
	h.t.Helper()
	for _, f := range storetest.All(h.t, h.st.Feeds.Feeds(h.t.Context())) {
		if strings.HasPrefix(f.URL, b.URL) {
			news, err := h.st.Feeds.News(h.t.Context(), []digest.FeedID{f.ID})
			ok(h.t, err)
			return f.Feed, news[f.ID]
		}
	}
	h.t.Fatal("there is no such feed")
	return digest.Feed{}, digest.News{}
}

func (h *house) stored(b *rocksHub, title string) (n int) {
	h.t.Helper()
	f, _ := h.blog(b)
	known, err := h.st.Feeds.KnownPosts(h.t.Context(), f.ID, []string{b.URL + "/" + url.PathEscape(title)})
	ok(h.t, err)
	return len(known)
}

// TestWebSubRocks replays the fourteen tests of websub.rocks for subscribers.
func TestWebSubRocks(t *testing.T) {
	for _, test := range []int{100, 101, 102, 103, 104, 200, 201, 202, 203, 204, 205, 300, 301, 302} {
		t.Run(fmt.Sprint(test), func(t *testing.T) {
			eachHub(t, test, func(t *testing.T, h *house, b *rocksHub) {
				h.tickAt("2026-11-19 10:01")
				if test == 205 {
					if !slices.Equal(b.verified, []int{http.StatusNotFound}) || len(b.promised) != 0 {
						t.Errorf("a verification for another topic is answered %v", b.verified)
					}
					return
				}
				if len(b.promised) != 1 || b.refused != "" {
					t.Fatalf("the hub has %d subscriptions: %s", len(b.promised), b.refused)
				}
				b.publish("second")
				body := b.document("", "")
				var signs func(string) string
				stored, status := 1, http.StatusAccepted
				switch test {
				case 301:
					signs, stored = func(s string) string { return s[:len(s)-8] + "00000000" }, 0
				case 302:
					signs, stored, status = func(string) string { return "" }, 0, http.StatusForbidden
				}
				if got := b.delivers(body, signs); !slices.Equal(got, []int{status}) {
					t.Errorf("a delivery is answered %v, want %d", got, status)
				}
				h.tickAt("2026-11-19 10:02")
				if got := h.stored(b, "second"); got != stored {
					t.Errorf("%d posts are stored, want %d", got, stored)
				}
			})
		})
	}
}
