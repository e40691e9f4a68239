package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestSubscribeTellsOfOtherFeeds checks that subscribe lists the other feeds of a page on stderr, with kind and
// address. Its stdout is the same as for a single feed.
func TestSubscribeTellsOfOtherFeeds(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("DIGEST_ALLOW_NETWORKS", "127.0.0.0/8")
	t.Setenv("DIGEST_HOST_INTERVAL", "1ms")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, `<!doctype html><title>B</title><link rel="alternate" type="application/rss+xml" title="All" href="/feed">
				<link rel="alternate" type="application/atom+xml" title="All&#27;[31m" href="/atom"><link rel="alternate" type="application/rss+xml" title="Comments feed" href="/comments/feed">`)
		case "/feed":
			fmt.Fprint(w, `<rss version="2.0"><channel><title>The blog</title><item><title>One</title>`+
				`<guid>1</guid></item></channel></rss>`)
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	subscribes := func(args ...string) (out, said string) {
		status, out, said := ran(t, append([]string{"--log-level", "error"}, args...)...)
		if status != exitDone {
			t.Fatal(said)
		}
		return out, said
	}
	for _, name := range []string{"ann", "bob"} {
		subscribes("user", "add", name+"@example.org", "--time-zone", "UTC")
	}
	out, said := subscribes("subscribe", "ann@example.org", site.URL)
	want := "digest: the page offers other feeds too; to subscribe to one, use its own address\n" +
		"digest:   " + site.URL + "/atom  All [31m (Atom)\n" +
		"digest:   " + site.URL + "/comments/feed  Comments feed (RSS, comments feed)\n"
	if out != "The blog\n" || said != want {
		t.Errorf("%q and %q, want %q", out, said, want)
	}
	out, said = subscribes("--json", "subscribe", "bob@example.org", site.URL)
	if said != "" || !strings.Contains(out, `"title":"The blog","created":true,"others":[{"url":"`+
		site.URL+`/atom","title":"All`) || !strings.Contains(out, `"facts":["RSS","comments feed"]`) {
		t.Errorf("%q and %q", out, said)
	}
	if out, said = subscribes("subscribe", "ann@example.org", site.URL+
		"/feed"); out != "The blog (was subscribed already)\n" || said != "" {
		t.Errorf("%q and %q", out, said)
	}
}
