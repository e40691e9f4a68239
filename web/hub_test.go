package web_test

import (
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/edition"
	"digest/internal/hub"
	"digest/poller"
	"digest/store"
	"digest/web"
)

// newHub returns the hub of the room. It may call callbacks on loopback.
func (r *room) newHub(base string) *hub.Hub {
	p := poller.New(poller.Options{BaseURL: base, AllowNetworks: loopback(), NoWait: true})
	r.t.Cleanup(p.Close)
	return hub.New(hub.Options{
		Feeds: hub.Feeds{Store: r.store,
			Editions: edition.New(edition.Options{Store: r.store, Signer: r.signer, BaseURL: base}), BaseURL: base,
			Open: true},
		Poller: p, Now: func() time.Time { return r.now }, Hard: r.t.Context(), Log: slog.New(slog.DiscardHandler),
		Bell: make(chan struct{}, 1),
	})
}

// A subscriber confirms every verification and records what it receives.
type subscriber struct {
	*httptest.Server
	mu  sync.Mutex
	got []string
}

func newSubscriber(t testing.TB) *subscriber {
	s := &subscriber{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		s.got = append(s.got, r.Method+" "+r.URL.Query().Get("hub.mode")+" "+string(body))
		_, _ = io.WriteString(w, r.URL.Query().Get("hub.challenge"))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *subscriber) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// TestHub checks that the feed of a newsletter announces our hub, and that its subscribers receive
// the feed.
func TestHub(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		v := r.visitor()
		v.header["X-Forwarded-For"] = "127.0.0.1" // only clients in allowed networks may name a callback there
		const path = "/n/anna-writes/feed.xml"
		for _, method := range []string{"GET", "HEAD"} {
			a := v.do(method, path, "", nil).status(http.StatusOK)
			if links := strings.Join(a.Header.Values("Link"),
				", "); links != fmt.Sprintf(`<%s/hub>; rel="hub", <%s%s>; rel="self"`, r.base, r.base, path) {
				t.Errorf("%s: Link: %s", method, links)
			}
		}
		v.header["If-None-Match"] = v.get(path).status(http.StatusOK).Header.Get("ETag")
		v.get(path).status(http.StatusNotModified)
		delete(v.header, "If-None-Match")
		s := newSubscriber(t)
		form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {r.base + path}, "hub.callback": {s.URL + "/cb?a=b"},
			"hub.secret": {"s"}}
		v.post("/hub", form).status(http.StatusAccepted)
		if got := s.seen(); len(got) != 0 {
			t.Errorf("asked at once: %q", got)
		}
		r.must(r.hub.Work(t.Context()))
		if got := s.seen(); len(got) != 1 || got[0] != "GET subscribe " {
			t.Errorf("verified by %q", got)
		}
		r.visitor().signIn(anna).get("/newsletters/anna-writes").contains(".groups",
			"/n/anna-writes · 1 program is notified of new issues")
		r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Anna's site", post("The boat"))
		r.midnight()
		r.must(r.hub.Work(t.Context()))
		feed := v.get(path).status(http.StatusOK)
		if got := s.seen(); len(got) != 1 || got[0] != "POST  "+feed.body || !strings.Contains(feed.body, "The boat") {
			t.Errorf("delivered %q, served %q", got, feed.body)
		}
	})
}

// TestHubAnswers is a table of requests and responses of the hub.
func TestHubAnswers(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		r.newsletter(anna)
		f := well(r.knows(digest.Feed{URL: feedURL, Title: "Site", SiteURL: "https://site.example/"}),
			r.now.Add(-2*time.Hour))
		r.polled(f, store.PollRecord{At: r.now.Add(-2 * time.Hour)})
		topic := r.base + "/n/anna-writes/feed.xml"
		asks := func(pairs ...string) string {
			form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {topic},
				"hub.callback": {"https://reader.example/cb"}}
			for i := 0; i+1 < len(pairs); i += 2 {
				form.Set(pairs[i], pairs[i+1])
			}
			return form.Encode()
		}
		for name, c := range map[string]struct {
			body   string
			status int
			words  string
		}{
			"a wish": {asks(), http.StatusAccepted, "will now verify"},
			"the end of nothing": {asks("hub.mode", "unsubscribe", "hub.callback", "https://reader.example/never"),
				http.StatusAccepted, "will now verify"},
			"another's feed": {asks("hub.topic", "https://elsewhere.example/feed"), http.StatusNotFound,
				"not a feed of this hub"},
			"one that is not": {asks("hub.topic", r.base+"/n/nobody/feed.xml"), http.StatusNotFound,
				"not a feed of this hub"},
			"no topic":    {asks("hub.topic", ""), http.StatusBadRequest, "hub.topic is missing"},
			"no form":     {"<xml/>", http.StatusBadRequest, "the hub accepts a form"},
			"a publisher": {"hub.mode=publish&hub.url=" + url.QueryEscape(feedURL), http.StatusNoContent, ""},
			"too much": {asks("hub.secret", strings.Repeat("x", 9000)), http.StatusBadRequest,
				"at most 8192 bytes"},
		} {
			a := r.sent("POST", "/hub", urlencoded, c.body)
			if a.Code != c.status || !strings.Contains(a.Body.String(), c.words) {
				t.Errorf("%s: %d %s", name, a.Code, a.Body)
			}
		}
		if !r.pinged(f) {
			t.Error("a publisher's word was not taken")
		}
		if a := r.sent("GET", "/hub", "", ""); a.Code != http.StatusOK ||
			!strings.Contains(a.Body.String(), "WebSub hub") {
			t.Errorf("a person is shown %d %s", a.Code, a.Body)
		}
	})
}

// TestHubIsNoAmplifier checks that clients cannot make the hub call servers that never subscribed,
// and that strangers cannot make it call allowed networks.
func TestHubIsNoAmplifier(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		r.newsletter(anna)
		s := newSubscriber(t)
		asks := func(callback string, header ...string) int {
			form := url.Values{"hub.mode": {"subscribe"}, "hub.topic": {r.base + "/n/anna-writes/feed.xml"},
				"hub.callback": {callback}}
			req := httptest.NewRequest("POST", "/hub", strings.NewReader(form.Encode()))
			req.Header.Set("Content-Type", urlencoded)
			for i := 0; i+1 < len(header); i += 2 {
				if header[i] == "peer" {
					req.RemoteAddr = header[i+1]
					continue
				}
				req.Header.Set(header[i], header[i+1])
			}
			w := httptest.NewRecorder()
			r.handler.ServeHTTP(w, req)
			return w.Code
		}
		local := []string{"peer", "127.0.0.1:1"} // a client of this machine, or of its proxy
		strangers := [][]string{                 // httptest's peer is a stranger
			{"X-Forwarded-For", "127.0.0.1"}, {"X-Real-IP", "127.0.0.1"}, {"Forwarded", "for=127.0.0.1"}, {},
			local, append(local, "X-Real-IP", "203.0.113.9"), append(local, "X-Forwarded-For", "unknown"),
		}
		for trusted, rows := range map[string][][]string{
			"127.0.0.0/8": strangers, "": append(strangers, append(local, "X-Forwarded-For", "127.0.0.1")),
		} {
			if r.trusted = nil; trusted != "" {
				r.trusted = loopback()
			}
			r.open("")
			for _, header := range rows {
				r.now = r.now.Add(time.Hour)
				if got := asks(s.URL, header...); got != http.StatusAccepted {
					t.Errorf("proxy %q, a stranger with %q is answered %d", trusted, header, got)
				}
				r.must(r.hub.Work(t.Context()))
				if got := s.seen(); len(got) != 0 {
					t.Errorf("proxy %q, a stranger with %q had a callback on loopback asked: %q", trusted, header, got)
				}
			}
		}

		taken := 0
		for i := range 100 {
			r.now = r.now.Add(time.Second)
			if asks(fmt.Sprintf("https://%d.example/", i)) == http.StatusAccepted {
				taken++
			}
		}
		if taken > 70 {
			t.Errorf("one asker had %d callbacks noted", taken)
		}
	})
}

// TestDomainOfACallback checks that all spellings of a callback have one domain.
func TestDomainOfACallback(t *testing.T) {
	for callback, want := range map[string]string{
		"https://Reader.Example.co.uk./cb": "example.co.uk", "http://reader.example:8080/?a": "reader.example",
		"https://bücher.example/": "xn--bcher-kva.example",
		"https://anna.github.io/": "anna.github.io", "http://192.0.2.1/": "192.0.2.1",
		"http://[2001:db8::1]:80/": "2001:db8::1",
	} {
		if got := web.DomainOf(callback); got != want {
			t.Errorf("%s: %s", callback, got)
		}
	}
}
