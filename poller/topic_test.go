package poller

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"digest"
)

// TestTopic holds that hubs in the header have priority over hubs in the document. Fields that an answer
// does not name stay.
func TestTopic(t *testing.T) {
	const atomLinks = `<link rel="hub" href="https://hub.example/atom"/><link rel="self" href="BASE/self"/>`
	for name, c := range map[string]struct {
		header, body string
		topic, hubs  string
	}{
		"in the header": {`<https://hub.example/>; rel=hub, </other>; rel=self`, atomFeed(""), "BASE/other",
			"https://hub.example/"},
		"in Atom": {"", atomFeed(atomLinks), "BASE/self", "https://hub.example/atom"},
		"in RSS": {"",
			`<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel><title>T</title><atom:link ` +
				`rel="hub" href="https://hub.example/rss"/><atom:link rel="self" href="BASE/self"/><item>` +
				`<title>x</title></item></channel></rss>`,
			"BASE/self", "https://hub.example/rss"},
		"in a JSON Feed": {"",
			`{"version":"https://jsonfeed.org/version/1.1","title":"T","feed_url":"BASE/self",` +
				`"hubs":[{"type":"rssCloud","url":"https://no.example/"},{"type":"WebSub",` +
				`"url":"https://hub.example/json"}],"items":[]}`,
			"BASE/self", "https://hub.example/json"},
		"in a page": {"",
			`<html><head><link rel="hub" href="https://hub.example/page"><link rel=self href="/self"></head><body>` +
				`<div class="h-feed"><div class="h-entry"><p class="p-name">x</p></div></div></body></html>`,
			"BASE/self", "https://hub.example/page"},
		"not in a page's body": {"",
			`<html><head><title>x</title></head><body><link rel="hub" href="https://hub.example/page"><div ` +
				`class="h-feed"><div class="h-entry"><p class="p-name">x</p></div></div></body></html>`, "", ""},
		"in both": {`<https://hub.example/>; rel=hub`, atomFeed(atomLinks), "BASE/self",
			"https://hub.example/"},
		"several": {
			`<https://a.example/>; rel=hub, <https://b.example/>; rel=hub, <http://c.example/>; rel=hub`, atomFeed(""),
			"BASE/feed", "https://a.example/ https://b.example/"},
		"without a self": {"", atomFeed(`<link rel="hub" href="https://hub.example/atom"/>`), "BASE/feed",
			"https://hub.example/atom"},
		"a self of another site": {`<https://hub.example/>; rel=hub, <https://other.example/feed>; rel=self`,
			atomFeed(""), "", ""},
		"none": {"", atomFeed(`<link rel="self" href="BASE/self"/>`), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			base := ""
			s := newAnswers(t, func(w http.ResponseWriter, r *http.Request) {
				if c.header != "" {
					w.Header().Set("Link", strings.ReplaceAll(c.header, "BASE", base))
				}
				_, _ = w.Write([]byte(strings.ReplaceAll(c.body, "BASE", base)))
			})
			base = s.URL
			r := newReader(t, s.URL+"/feed")
			r.want(Changed)
			if topic := strings.ReplaceAll(c.topic, "BASE", base); r.feed.Topic != topic || r.feed.Hubs != c.hubs {
				t.Errorf("the topic is %q with %q, want %q with %q", r.feed.Topic, r.feed.Hubs, topic, c.hubs)
			}
		})
	}
}

// TestTopicStays holds that a 304 without links keeps the topic, a 304 with links changes it, and a
// document without a hub removes it.
func TestTopicStays(t *testing.T) {
	link, version, body := "", "1", atomFeed(`<link rel="hub" href="https://hub.example/atom"/>`)
	s := newAnswers(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+version+`"`)
		if link != "" {
			w.Header().Set("Link", link)
		}
		if r.Header.Get("If-None-Match") == `"`+version+`"` {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write([]byte(body))
	})
	r := newReader(t, s.URL+"/feed")
	r.want(Changed)
	hubs := func(want string) {
		t.Helper()
		if r.feed.Hubs != want || (r.feed.Topic == "") != (want == "") {
			t.Errorf("pushed by %q as %q, want %q", r.feed.Hubs, r.feed.Topic, want)
		}
	}
	hubs("https://hub.example/atom")
	r.want(Unchanged)
	hubs("https://hub.example/atom")
	link = `<https://other.example/>; rel=hub`
	r.want(Unchanged)
	hubs("https://other.example/")
	link, version, body = "", "2", atomFeed("")
	r.want(Changed)
	hubs("")
}

// TestTopicOfPrivateFeeds holds that a private feed has no hub.
func TestTopicOfPrivateFeeds(t *testing.T) {
	f := digest.Feed{URL: "https://a.example/feed", Sealed: "x"}
	a := &answer{route: route{address: f.URL}, header: http.Header{"Link": {`<https://hub.example/>; rel=hub`}}}
	if noteTopic(&f, a, nil); f.Hubs != "" {
		t.Error("a private feed is pushed")
	}
	f = digest.Feed{URL: "https://a.example/feed"}
	f.MovedTo = "https://b.example/feed"
	if noteTopic(&f, a, nil); f.Hubs != "" {
		t.Error("a feed that is about to move is pushed")
	}
	f.MovedTo = ""
	if noteTopic(&f, a, nil); f.Hubs == "" {
		t.Error("any other is not")
	}
}

func newAnswers(t *testing.T, answer http.HandlerFunc) *httptest.Server {
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return s
}

func atomFeed(links string) string {
	return `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title>` +
		links + `<entry><id>1</id><title>x</title></entry></feed>`
}
