package hourly_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	view "digest/web"
)

// An rssCloud is a server that behaves like rsscloud-server: it verifies a callback before it answers.
type rssCloud struct {
	*httptest.Server
	t          *testing.T
	requests   []url.Values
	says       string         // the answer; "": thanks
	status     int            // 0: 200
	registered map[string]int // number of registrations of each callback
}

func (c *rssCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		c.t.Error(err)
	}
	c.requests = append(c.requests, r.PostForm)
	if c.says != "" || c.status != 0 {
		w.WriteHeader(max(c.status, http.StatusOK))
		_, _ = io.WriteString(w, c.says)
		return
	}
	scheme, _, _ := strings.Cut(r.PostForm.Get("protocol"), "-")
	callback := scheme + "://" + r.PostForm.Get("domain") + ":" + r.PostForm.Get("port") + r.PostForm.Get("path")
	if status, body := c.ask(callback, r.PostForm.Get("url1")); status != http.StatusOK || body != "a challenge" {
		c.t.Errorf("a callback answers %d %q", status, body)
	}
	c.registered[callback]++
	_, _ = io.WriteString(w, `<?xml version="1.0"?><notifyResult success="true" msg="Thanks for the registration."/>`)
}

// ask sends the verification request for a topic to a callback.
func (c *rssCloud) ask(callback, topic string) (status int, body string) {
	resp, err := http.Get(callback + "?" + url.Values{"url": {topic}, "challenge": {"a challenge"}}.Encode())
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// tells notifies all registered callbacks and returns the last status.
func (c *rssCloud) tells(topic string) (status int) {
	for callback := range c.registered {
		resp, err := http.PostForm(callback, url.Values{"url": {topic}})
		if err != nil {
			c.t.Fatal(err)
		}
		resp.Body.Close()
		status = resp.StatusCode
	}
	return status
}

// eachCloud runs f on both databases, with a reader in UTC of a feed that names a cloud. asks turns on
// requests to clouds.
func eachCloud(t *testing.T, asks bool, f func(h *house, s *site, c *rssCloud)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, st *store.Store) {
		c := &rssCloud{t: t, registered: map[string]int{}}
		c.Server = httptest.NewServer(c)
		t.Cleanup(c.Close)
		h := newHouse(t, st, "2026-11-19 10:00")
		h.hubs = &callbacks{signer: digest.NewSigner(make([]byte, 32)), clouds: asks}
		h.hubs.server = httptest.NewServer(view.New(view.Options{Store: st, Signer: h.hubs.signer, Clouds: asks,
			Now: func() time.Time { return h.clock }}))
		t.Cleanup(h.hubs.server.Close)
		_, d, err := st.AddUser(t.Context(), "ann@example.org", "UTC", h.clock)
		if err != nil {
			t.Fatal(err)
		}
		h.d = d
		s := newSite(t, "first")
		u, err := url.Parse(c.URL)
		if err != nil {
			t.Fatal(err)
		}
		s.extra = fmt.Sprintf(
			`<cloud domain="%s" port="%s" path="/pleaseNotify?x=1" registerProcedure="" protocol="http-post"/>`,
			u.Hostname(), u.Port())
		h.follows(s.URL + "/feed.xml")
		f(h, s, c)
	})
}

// news returns the record of a site's feed and how its news arrive.
func (h *house) news(s *site) (digest.Feed, digest.News) {
	h.t.Helper()
	f, err := h.st.FeedByURL(h.t.Context(), s.URL+"/feed.xml")
	if err != nil {
		h.t.Fatal(err)
	}
	known, err := h.st.News(h.t.Context(), []digest.FeedID{f.ID})
	if err != nil {
		h.t.Fatal(err)
	}
	return f, known[f.ID]
}

// TestClouds holds that digest registers at a cloud once a day, and that notifications count as pings. They
// earn no trust and save no poll. Without readers, the callback does not exist.
func TestClouds(t *testing.T) {
	eachCloud(t, true, func(h *house, s *site, c *rssCloud) {
		t := h.t
		h.tickAt("2026-11-19 10:01")
		h.tickAt("2026-11-19 10:30")
		f, news := h.news(s)
		if len(c.requests) != 1 || len(c.registered) != 1 ||
			!news.CloudUntil.Equal(h.clock.Add(25*time.Hour-29*time.Minute)) {
			t.Fatalf("%d requests, %v, promised until %v: %v", len(c.requests), c.registered, news.CloudUntil, f.Cloud)
		}
		if shown := poller.NewsWords(news, h.clock).In(catalogue.English()); shown != "polls find new posts" {
			t.Error(shown)
		}
		if asked := c.requests[0]; asked.Get("url1") != s.URL+"/feed.xml" || asked.Get("protocol") != "http-post" {
			t.Error(asked)
		}
		// Other topics are rejected. A second verification changes nothing.
		for callback := range c.registered {
			if status, _ := c.ask(callback, s.URL+"/other.xml"); status != http.StatusNotFound {
				t.Errorf("another topic is answered %d", status)
			}
			if status, _ := c.ask(callback, s.URL+"/feed.xml"); status != http.StatusOK {
				t.Errorf("the topic once more is answered %d", status)
			}
		}

		s.publish("told")
		h.set("2026-11-19 12:10")
		before := len(s.asked)
		if status := c.tells(s.URL + "/feed.xml"); status != http.StatusOK {
			t.Errorf("a notification is answered %d", status)
		}
		h.tickNow()
		f, news = h.news(s)
		if len(s.asked) == before {
			t.Error("it was not asked for the news")
		}
		if way, _ := news.Way(h.clock); way != digest.ByCloud || news.Pings != 1 || news.Pushes != 0 ||
			!f.PushedUntil.IsZero() {
			t.Errorf("%+v", news)
		}
		if shown := poller.NewsWords(news,
			h.clock).In(catalogue.English()); shown != "pings announce new posts (since 2026-11-19 12:10 UTC; 1 time, the last 2026-11-19 12:10 UTC); polls find the rest" {
			t.Error(shown)
		}

		// midnights are polled as before
		for _, clock := range []string{"2026-11-20 00:00", "2026-11-20 10:02", "2026-11-21 00:00", "2026-11-21 10:03"} {
			before := len(s.asked)
			h.tickAt(clock)
			if asked := len(s.asked) > before; asked != strings.HasSuffix(clock, "00:00") {
				t.Errorf("%s: polled is %t", clock, asked)
			}
		}
		if len(c.requests) != 3 || len(c.registered) != 1 {
			t.Errorf("%d requests in two days, of %d callbacks", len(c.requests), len(c.registered))
		}

		if err := h.st.Unsubscribe(t.Context(), h.d.ID, f.ID); err != nil {
			t.Fatal(err)
		}
		h.tickAt("2026-11-21 11:00")
		if status := c.tells(s.URL + "/feed.xml"); status != http.StatusGone {
			t.Errorf("nobody reads it, and a notification is answered %d", status)
		}
		h.tickAt("2026-11-23 11:00")
		if len(c.requests) != 3 {
			t.Error("nobody reads it, and its cloud is asked")
		}
	})
}

// TestCloudsThatFail holds that digest retries at clouds that refuse or fail with growing pauses, and
// ignores notifications without a registration.
func TestCloudsThatFail(t *testing.T) {
	eachCloud(t, true, func(h *house, s *site, c *rssCloud) {
		t := h.t
		c.says = `<notifyResult success="false" msg="not today"/>`
		h.tickAt("2026-11-19 10:01")
		for range 3 * 24 {
			h.set(h.clock.Add(time.Hour).Format("2006-01-02 15:04"))
			h.tickNow()
		}
		if len(c.requests) != 4 { // immediately, after 1, 4 and 16 hours; then 64
			t.Errorf("it is asked %d times in three days", len(c.requests))
		}
		f, news := h.news(s)
		sub, err := h.st.CloudSubscription(t.Context(), 1)
		if err != nil || sub.LastError != "refused: not today" || sub.Errors != 4 || !news.CloudUntil.IsZero() {
			t.Errorf("%+v, %v", sub, err)
		}
		c.registered[view.CloudCallbackAddress(h.hubs.server.URL, h.hubs.signer, sub.ID)] = 1
		before := f.PingedAt
		c.tells(s.URL + "/feed.xml")
		if f, news := h.news(s); news.Pings != 0 || !f.PingedAt.Equal(before) {
			t.Errorf("what was not promised counts: %+v", news)
		}
		c.says = ""
		h.tickAt("2026-11-23 12:00")
		if _, news := h.news(s); !news.CloudUntil.After(h.clock) {
			t.Errorf("it is well again, and promises nothing: %d requests", len(c.requests))
		}
		// A feed that names a hub from now on needs no cloud.
		s.mu.Lock()
		s.extra += `<link xmlns="http://www.w3.org/2005/Atom" rel="hub" href="https://127.0.0.1:9/hub"/>`
		s.mu.Unlock()
		s.publish("second")
		h.tickAt("2026-11-24 00:00")
		h.tickAt("2026-11-24 00:30")
		if _, err := h.st.CloudSubscription(t.Context(), sub.ID); digest.KindOf(err) != digest.NotFound {
			t.Errorf("the cloud is still wanted: %v", err)
		}
	})
}

// TestCloudsAreOff holds that without the setting there are no requests to clouds and no callbacks.
func TestCloudsAreOff(t *testing.T) {
	eachCloud(t, false, func(h *house, s *site, c *rssCloud) {
		h.tickAt("2026-11-19 10:01")
		h.tickAt("2026-11-20 00:00")
		if len(c.requests) != 0 {
			h.t.Errorf("%d requests", len(c.requests))
		}
		c.registered[view.CloudCallbackAddress(h.hubs.server.URL, h.hubs.signer, 1)] = 1
		if status := c.tells(s.URL + "/feed.xml"); status != http.StatusNotFound {
			h.t.Errorf("a callback is answered %d", status)
		}
	})
}
