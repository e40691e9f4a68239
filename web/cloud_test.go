package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
	"digest/web"
)

// clouded returns a feed and its callback path at a cloud that has just received our subscription
// request.
func (r *room) clouded() (path string, f digest.Feed) {
	r.t.Helper()
	f = well(r.knows(digest.Feed{URL: feedURL}), r.now.Add(-2*time.Hour))
	f.Cloud = "http://rpc.example/pleaseNotify"
	r.polled(f, store.PollRecord{At: r.now.Add(-2 * time.Hour)})
	r.must(r.store.ReconcileClouds(r.t.Context(), r.now))
	requests, _, err := r.store.ClaimClouds(r.t.Context(), r.now, 10,
		func(int) time.Time { return r.now.Add(time.Hour) },
		func(hub string, _ bool) string { return feed.Domain(hub) })
	r.must(err)
	if len(requests) != 1 {
		r.t.Fatalf("%d requests", len(requests))
	}
	return web.CloudCallbackAddress("", r.signer, requests[0].ID), f
}

// TestCloudCallback checks that only a requested subscription is verified, as text. Notifications
// before that, with a guessed path, or in quick succession cause no poll.
func TestCloudCallback(t *testing.T) {
	each(t, func(r *room) {
		path, f := r.clouded()
		ask := func(method, path, topic, challenge string) int {
			return r.sent(method, path+"?"+url.Values{"url": {topic}, "challenge": {challenge}}.Encode(), "", "").Code
		}
		for name, c := range map[string]struct{ method, path, topic, challenge string }{
			"a HEAD":               {"HEAD", path, feedURL, "c"},
			"another topic":        {"GET", path, feedURL + "x", "c"},
			"no challenge":         {"GET", path, feedURL, ""},
			"a long challenge":     {"GET", path, feedURL, strings.Repeat("c", 2049)},
			"a guess":              {"GET", "/rsscloud/x", feedURL, "c"},
			"another's signature":  {"GET", path[:len(path)-1] + "a", feedURL, "c"},
			"the address of a hub": {"GET", web.CallbackAddress("", r.signer, 1), feedURL, "c"},
			"a hub's token": {"GET", "/rsscloud/" +
				strings.TrimPrefix(web.CallbackAddress("", r.signer, 1), "/websub/"), feedURL, "c"},
		} {
			if code := ask(c.method, c.path, c.topic, c.challenge); code != http.StatusNotFound {
				t.Errorf("%s is answered %d", name, code)
			}
		}
		tell := func(path string) int { return r.sent("POST", path, urlencoded, "url="+url.QueryEscape(feedURL)).Code }
		if code := tell(path); code != http.StatusOK || r.pinged(f) {
			t.Errorf("before it has promised anything: %d, asked is %t", code, r.pinged(f))
		}
		w := r.sent("GET", path+"?"+url.Values{"url": {feedURL}, "challenge": {"<script>"}}.Encode(), "", "")
		if w.Code != http.StatusOK || w.Body.String() != "<script>" ||
			w.Header().Get("Content-Type") != "text/plain; charset=utf-8" ||
			w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("the challenge is answered %d %q %v", w.Code, w.Body, w.Header())
		}
		if code := tell("/rsscloud/x"); code != http.StatusNotFound || r.pinged(f) {
			t.Errorf("a guess is answered %d", code)
		}
		if code := tell(path); code != http.StatusOK || !r.pinged(f) {
			t.Errorf("a notification is answered %d, asked is %t", code, r.pinged(f))
		}
		for range 20 {
			tell(path)
		}
		known, err := r.store.News(t.Context(), []digest.FeedID{f.ID})
		r.must(err)
		if known[f.ID].Pings != 1 {
			t.Errorf("it counts as %d pings", known[f.ID].Pings)
		}
		r.now = r.now.Add(26 * time.Hour)
		if code := tell(path); code != http.StatusOK {
			t.Errorf("after its time: %d", code)
		}
	})
}
