package poller

import (
	"cmp"
	"strings"
	"testing"
)

// everyRequest returns requests of every kind: robots.txt, the first GET and the one after a redirect that
// sets a cookie, HEAD and the GET after it, and a search through a page.
func everyRequest(t *testing.T) (s *site, log []request) {
	t.Helper()
	s = newSite(t, nil)
	cookie := "Set-Cookie: a=b; Path=/"
	s.answers(func(r request) string {
		switch r.target {
		case "/robots.txt":
			return reply(r, 404, "", cookie)
		case "/feed?b=2&a=%31&&=":
			return reply(r, 302, "", "Location: /final", cookie)
		case "/page":
			return reply(r, 200, page("/final"), cookie)
		}
		return good(1, cookie)(r)
	})
	r := newReader(t, s.url("/feed?b=2&a=%31&&="), func(o *Options) { o.Head, o.Robots = HeadAlways, &shelf{} })
	r.want(Changed)
	s.answers(func(q request) string {
		if q.method == "HEAD" {
			return reply(q, 405, "", cookie)
		}
		return good(2, cookie)(q)
	})
	r.want(Changed)
	s.answers(func(q request) string {
		if q.target == "/page" {
			return reply(q, 200, page("/final"), cookie)
		}
		return good(2, cookie)(q)
	})
	if _, err := find(r.p, s.url("/page")); err != nil {
		t.Fatal(err)
	}
	log = s.log()
	const want = "GET/robots.txt GET/feed?b=2&a=%31&&= GET/final HEAD/feed?b=2&a=%31&&= GET/feed?b=2&a=%31&&= " +
		"GET/page GET/final"
	if got := targets(log); got != want {
		t.Fatalf("asked %s", got)
	}
	return s, log
}

// TestEveryRequest checks S22 to S27 in requests of every kind. A cookie goes only to the target of the redirect that
// set it. There are no other fields, such as Referer and Cache-Control. A search has no feed ID yet.
func TestEveryRequest(t *testing.T) {
	s, log := everyRequest(t)
	for i, q := range log {
		agent, cookie, fields := "digest/1.2 (+https://news.example/bot; 3 subscribers; feed-id=1)", "", 4
		if i >= 5 {
			agent = "digest/1.2 (+https://news.example/bot; 1 subscribers)"
		}
		if i == 2 {
			cookie, fields = "a=b", 5
		}
		sent(t, q, "User-Agent", agent)
		sent(t, q, "Cookie", cookie)
		sent(t, q, "Accept-Encoding", "gzip, br, zstd")
		sent(t, q, "Accept", acceptTypes)
		sent(t, q, "Host", s.address)
		if len(q.lines) != fields {
			t.Errorf("%s %s: %q", q.method, q.target, q.lines)
		}
	}
	for _, kind := range []string{"application/atom+xml", "application/rss+xml", "application/feed+json",
		"application/rdf+xml"} {
		if !strings.Contains(acceptTypes, kind) {
			t.Errorf("%s is not accepted", kind)
		}
	}
}

// TestS24_Target holds that path and query are sent byte for byte, except that requests escape the characters that
// browsers escape (URL Standard).
func TestS24_Target(t *testing.T) {
	for target, want := range map[string]string{
		"/é?q=ä": "/%C3%A9?q=%C3%A4", "/a/../b": "/b", "/a b?c d": "/a%20b?c%20d", `/a\b?c\d`: `/a/b?c\d`,
		"/<a>": "/%3Ca%3E", "/a%2Fb/c": "", "/a//b": "", "/?": "", "/x?a=b+c&d=%20;e": "", "/%7Ejoe/": "", "/a;b=c": "",
		"/a:b@c": "", "/(x)!*'": "", "/[a]|b": "", "/100%?%": "", "/50%zz": "",
	} {
		s := newSite(t, good(1))
		r := newReader(t, s.url(target))
		r.want(Changed)
		if got := asked(t, s, "GET")[0].target; got != cmp.Or(want, target) {
			t.Errorf("asked for %s, want %s", got, cmp.Or(want, target))
		}
		r.want(Unchanged) // the validators belong to this address
	}
}

// TestS30_NoGuesses holds that a poll requests nothing else, whatever the feed's address answers.
func TestS30_NoGuesses(t *testing.T) {
	for _, answer := range []func(request) string{
		says(200, page("/other")), says(200, ""), says(404, ""), says(410, ""), says(403, ""), says(500, ""),
		says(200, `<html><head><link rel="icon" href="/favicon.ico"></head></html>`), says(200, atom(1)),
		says(200, string(zeros(100))),
	} {
		s := newSite(t, answer)
		r := newReader(t, s.url("/blog/feed"))
		for range 3 {
			r.poll()
		}
		for _, q := range s.log() {
			if q.target != "/blog/feed" {
				t.Errorf("asked for %s", q.target)
			}
		}
	}
}

// TestS31_PlainStaysPlain holds that an http feed is polled by http, whatever the site says about https.
func TestS31_PlainStaysPlain(t *testing.T) {
	s := newSite(t, good(1,
		"Strict-Transport-Security: max-age=31536000; includeSubDomains; preload",
		`Alt-Svc: h3=":443"; ma=2592000`, "Content-Security-Policy: upgrade-insecure-requests"))
	r := newReader(t, s.url("/feed"))
	for range 3 {
		r.poll()
		if log := s.log(); len(log) != 1 || r.feed.URL != s.url("/feed") || r.feed.MovedTo != "" {
			t.Errorf("%v %+v", log, r.feed)
		}
	}
	if s.conns != 3 {
		t.Errorf("%d connections for 3 polls", s.conns)
	}
}
