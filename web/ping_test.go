package web_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
	"digest/web"
)

const xmlType = "text/xml"

// call returns the body of a weblogUpdates.ping call.
func call(addresses ...string) string {
	return "<methodCall><methodName>weblogUpdates.ping</methodName><params><param><value>Site</value></param>" +
		"<param><value>" +
		strings.Join(addresses, "</value></param><param><value>") + "</value></param></params></methodCall>"
}

// sent sends a request and returns after the handler has finished, including its work after the response.
func (r *room) sent(method, path, contentType, body string, header ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Header.Set("Content-Type", contentType)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	return w
}

// pinged reports whether a ping has queued a poll of the feed.
func (r *room) pinged(f digest.Feed) bool {
	r.t.Helper()
	info, err := r.store.Feeds.Feed(r.t.Context(), f.ID)
	r.must(err)
	return !info.PingedAt.IsZero() && !info.PollAt.IsZero()
}

func TestPing(t *testing.T) {
	escaped := url.QueryEscape(feedURL)
	for name, c := range map[string]struct{ method, path, kind, body, want string }{
		"a query":     {"GET", "/ping?url=" + escaped, "", "", "Thanks for the ping.\n"},
		"a form":      {"POST", "/ping", urlencoded, "name=Site&url=" + escaped, "Thanks for the ping.\n"},
		"of the site": {"POST", "/ping", urlencoded, "url=https://site.example", "Thanks for the ping.\n"},
		"a publisher": {"POST", "/ping", urlencoded, "hub.mode=publish&hub.url=" + escaped, ""},
		"a call":      {"POST", "/RPC2", xmlType, call("https://site.example/"), "<boolean>0</boolean>"},
		"a call to ping": {"POST", "/ping", xmlType + "; charset=utf-8", call("https://site.example/", feedURL),
			"<boolean>0</boolean>"},
		"without a type": {"POST", "/RPC2", "", call(feedURL), "<boolean>0</boolean>"},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(r *room) {
				f := well(r.knows(digest.Feed{URL: feedURL, Title: "Site", SiteURL: "https://site.example/"}),
					r.now.Add(-2*time.Hour))
				other := well(r.knows(digest.Feed{URL: "https://site.example/other",
					SiteURL: "https://elsewhere.example/"}), r.now.Add(-2*time.Hour))
				r.polled(f, store.PollRecord{At: r.now.Add(-2 * time.Hour)})
				r.polled(other, store.PollRecord{At: r.now.Add(-2 * time.Hour)})
				w := r.sent(c.method, c.path, c.kind, c.body)
				if w.Code != http.StatusOK && (w.Code != http.StatusNoContent || c.want != "") ||
					!strings.Contains(w.Body.String(), c.want) {
					t.Errorf("answered %d %s", w.Code, w.Body)
				}
				if !r.pinged(f) || r.pinged(other) {
					t.Errorf("pinged %t, and the other %t", r.pinged(f), r.pinged(other))
				}
			})
		})
	}
}

// TestPingTellsNothing checks that the response is the same for known and unknown addresses.
func TestPingTellsNothing(t *testing.T) {
	each(t, func(r *room) {
		r.knows(digest.Feed{URL: feedURL})
		for _, c := range []struct{ method, path, kind, body string }{
			{"GET", "/ping?url=https://site.example/%s", "", ""},
			{"POST", "/ping", urlencoded, "url=https://site.example/%s"},
			{"POST", "/ping", urlencoded, "hub.mode=publish&hub.url=https://site.example/%s"},
			{"POST", "/RPC2", xmlType, call("https://site.example/%s")},
		} {
			as := func(path string) string {
				replace := strings.NewReplacer("%s", path)
				w := r.sent(c.method, replace.Replace(c.path), c.kind, replace.Replace(c.body))
				return fmt.Sprint(w.Code, w.Header(), w.Body)
			}
			if known, unknown := as("feed.xml"), as("feed.xmm"); known != unknown {
				r.t.Errorf("%s\n%s", known, unknown)
			}
		}
		if feeds := storetest.All(r.t, r.store.Feeds.Feeds(r.t.Context())); len(feeds) != 1 {
			r.t.Errorf("%d feeds: a ping adds none", len(feeds))
		}
	})
}

// A slow PingReceiver blocks until it is released.
type slow struct {
	started, release chan struct{}
}

func (s slow) Pinged(context.Context, []string, time.Time) error {
	close(s.started)
	<-s.release
	return nil
}

// TestAnswerBeforeWork checks that the client has the whole response, and that the connection closes, before the
// database is queried. So the response time reveals nothing.
func TestAnswerBeforeWork(t *testing.T) {
	for _, path := range []string{"/ping?url=https://a.example/", "/RPC2"} {
		s := slow{make(chan struct{}), make(chan struct{})}
		server := httptest.NewServer(web.New(web.Options{Pings: s, Signer: digest.NewSigner(make([]byte, 16))}))
		ctx, cancel := context.WithCancel(t.Context())
		method := http.MethodGet
		if path == "/RPC2" {
			method = http.MethodPost
		}
		req, err := http.NewRequestWithContext(ctx, method, server.URL+path,
			strings.NewReader(call("https://a.example/")))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		<-s.started
		if _, err := io.ReadAll(resp.Body); err != nil || !resp.Close {
			t.Errorf("%s: %v, close %t", path, err, resp.Close)
		}
		close(s.release)
		resp.Body.Close()
		cancel()
		server.Close()
	}
}

func TestPingsThatAreNone(t *testing.T) {
	each(t, func(r *room) {
		big := "url=" + strings.Repeat("a", 9<<10)
		for _, c := range []struct {
			path, kind, body string
			status           int
			want             string
		}{
			{"/ping", urlencoded, "", 400, "url=https://"},
			{"/ping", urlencoded, "url=nonsense", 400, "url=https://"},
			{"/ping", urlencoded, big, 400, "8192 bytes"},
			{"/ping", urlencoded, "hub.mode=subscribe&hub.topic=https://a.example/", 400, "have no hub"},
			{"/RPC2", xmlType, call(big), 200, "8192 bytes"},
			{"/RPC2", xmlType, "hello", 200, "<fault>"},
			{"/RPC2", urlencoded, "url=" + feedURL, 200, "<fault>"},
			{"/RPC2", xmlType, strings.Replace(call(feedURL), "weblogUpdates.ping", "system.listMethods", 1), 200,
				"<int>4</int>"},
			{"/RPC2", xmlType, `<!DOCTYPE lolz [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>` + call("&b;"), 200,
				"<fault>"},
			{"/RPC2", xmlType, "<methodCall>" + strings.Repeat("<a>", 2000), 200, "<fault>"},
		} {
			w := r.sent("POST", c.path, c.kind, c.body)
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.want) ||
				strings.Contains(w.Body.String(), "aaaa") {
				r.t.Errorf("%s %.40q: %d %s", c.path, c.body, w.Code, w.Body)
			}
		}
		r.visitor().get("/RPC2").status(http.StatusMethodNotAllowed)
		a := r.visitor()
		a.header["Accept"] = "text/html"
		a.get("/ping?url=https://a.example/").status(http.StatusOK).shows("h1", "Thanks for the ping")
	})
}

func TestHeadIsNoPing(t *testing.T) {
	each(t, func(r *room) {
		f := r.knows(digest.Feed{URL: feedURL})
		r.sent("HEAD", "/ping?url="+feedURL, "", "")
		if r.pinged(f) {
			r.t.Error("pinged by HEAD")
		}
	})
}

// A pingCounter counts the accepted pings.
type pingCounter struct{ n map[string]int }

func (c pingCounter) Pinged(_ context.Context, urls []string, _ time.Time) error {
	c.n[urls[0]]++
	return nil
}

// TestPingFloods checks the limits of pings from one client, of pings for one feed, and of all pings together.
func TestPingFloods(t *testing.T) {
	now := noon
	taken := pingCounter{map[string]int{}}
	r := &room{t: t, handler: web.New(web.Options{Pings: taken, Now: func() time.Time { return now },
		Signer: digest.NewSigner(make([]byte, 16))})}
	ping := func(from string, n int) int {
		return r.sent("POST", "/ping", urlencoded, fmt.Sprintf("url=https://a.example/%d", n), "X-Forwarded-For",
			from).Code
	}
	sum := func() (n int) {
		for _, c := range taken.n {
			n += c
		}
		return n
	}
	// X-Forwarded-For counts only from a trusted proxy.
	for i := range 100 {
		if code := ping(fmt.Sprintf("10.0.0.%d", i), i); (code == 200) != (i < 60) {
			t.Fatalf("ping %d is answered %d", i, code)
		}
	}
	if w := r.sent("POST", "/RPC2", xmlType, call("https://a.example/")); w.Code != 200 ||
		!strings.Contains(w.Body.String(), "<boolean>1</boolean>") {
		t.Errorf("a call too many is answered %d %s", w.Code, w.Body)
	}
	if got := sum(); got != 60 {
		t.Errorf("%d pings came through", got)
	}

	now = now.Add(24 * time.Hour)
	clear(taken.n)
	for range 10 {
		if code := ping("", 7); code != 200 {
			t.Fatalf("answered %d", code)
		}
	}
	for i := range 10 { // nor together with another address
		r.sent("POST", "/ping", urlencoded, fmt.Sprintf("url=https://a.example/7&changesURL=https://b.example/%d", i))
	}
	if got := sum(); got != 3 {
		t.Errorf("one source was pinged %d times: %v", got, taken.n)
	}
	now = now.Add(8 * time.Hour)
	ping("", 7)
	if got := sum(); got != 4 {
		t.Errorf("8 hours later a ping made %d", got)
	}
}

// TestPingCrowds checks that the limit of all pings together holds for many clients, and that an untrusted
// X-Forwarded-For does not evade it.
func TestPingCrowds(t *testing.T) {
	taken := pingCounter{map[string]int{}}
	h := web.New(web.Options{Pings: taken, Now: func() time.Time { return noon },
		Signer: digest.NewSigner(make([]byte, 16))})
	for i := range 400 {
		req := httptest.NewRequest("GET", fmt.Sprintf("/ping?url=https://a.example/%d", i), nil)
		req.RemoteAddr = fmt.Sprintf("198.51.%d.%d:1", i/200, i%200)
		h.ServeHTTP(httptest.NewRecorder(), req)
	}
	// Two of the addresses may share a bucket, and then count as one client.
	if n := len(taken.n); n > 200 || n < 190 {
		t.Errorf("%d pings came through", n)
	}
}

func TestWithoutPings(t *testing.T) {
	r := &room{t: t, handler: web.New(web.Options{Signer: digest.NewSigner(make([]byte, 16))})}
	for _, path := range []string{"/ping", "/RPC2"} {
		if w := r.sent("POST", path, xmlType, call(feedURL)); w.Code != http.StatusNotFound {
			t.Errorf("%s answers %d", path, w.Code)
		}
	}
}
