package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

const feedURL = "https://site.example/feed.xml"

// knows adds a feed with one reader.
func (r *room) knows(f digest.Feed) digest.Feed {
	r.t.Helper()
	f.State, f.Host = digest.FeedActive, "site.example"
	r.feeds++
	_, d := r.user(fmt.Sprintf("reader%d@example.org", r.feeds))
	known, _, err := r.store.Feeds.EnsureFeed(r.t.Context(), f)
	r.must(err)
	_, err = r.store.Subscriptions.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: known.ID},
		r.now)
	r.must(err)
	f.ID = known.ID
	return f
}

// polled stores the result of a poll.
func (r *room) polled(f digest.Feed, p store.PollRecord) {
	r.t.Helper()
	_, err := r.store.Feeds.Record(r.t.Context(), p.At, []store.Polled{{Feed: f, Poll: p}})
	r.must(err)
}

// well returns the record of a feed that responded now.
func well(f digest.Feed, now time.Time) digest.Feed {
	f.ParsedAt, f.LastOKAt, f.LastAttemptAt, f.LastStatus = now, now, now, 304
	f.ETag, f.Conditional = `"a"`, digest.Works
	return f
}

func statusOf(address string) string { return "/status?url=" + url.QueryEscape(address) }

// TestStatusRevealsNoReader checks that the page reveals neither readers, nor their number, nor their titles.
func TestStatusRevealsNoReader(t *testing.T) {
	each(t, func(r *room) {
		f := r.knows(digest.Feed{URL: feedURL, Title: "Site"})
		_, d := r.user("ann@example.org")
		_, err := r.store.Subscriptions.Subscribe(r.t.Context(),
			digest.Subscription{DigestID: d.ID, FeedID: f.ID, Title: "My private name", Folder: "My folder"}, r.now)
		r.must(err)
		r.polled(well(f, r.now), store.PollRecord{At: r.now, Outcome: "unchanged", Status: 304})
		two := r.visitor().get(statusOf(feedURL)).status(http.StatusOK)
		for _, secret := range []string{"example.org", "private name", "folder", "Paris", "subscriber"} {
			if strings.Contains(two.body, secret) {
				r.t.Errorf("the page tells %q", secret)
			}
		}
		r.must(r.store.Subscriptions.Unsubscribe(r.t.Context(), d.ID, f.ID))
		if one := r.visitor().get(statusOf(feedURL)); one.body != two.body {
			r.t.Error("the page differs with the number of readers")
		}
	})
}

func TestStatusOfAHostileFeed(t *testing.T) {
	const bad = `"'></title></h1><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}` + "\u202e"
	each(t, func(r *room) {
		f := well(r.knows(digest.Feed{URL: feedURL, Title: bad + strings.Repeat("long ", 1000)}), r.now)
		f.Errors, f.LastError, f.LastStatus, f.MovedTo = 1, bad, 500, "javascript:alert(1)//"+bad
		r.polled(f, store.PollRecord{At: r.now, Outcome: bad, Status: 500, Note: bad})
		a := r.visitor().get(statusOf(feedURL)).status(http.StatusOK)
		for _, selector := range []string{"script", "img", "[onerror]", "[style]"} {
			if got := len(a.find(selector)); got != 0 {
				r.t.Errorf("the page has %d of %q", got, selector)
			}
		}
		for _, href := range a.attrs("a", "href") {
			if !strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "#") {
				r.t.Errorf("a link to %s", href)
			}
		}
		if len(a.body) > 12<<10 {
			r.t.Errorf("a page of %d bytes", len(a.body))
		}
	})
}

// TestStatusIsNoList checks that a client that tries many addresses is stopped, and others are not.
func TestStatusIsNoList(t *testing.T) {
	each(t, func(r *room) {
		from := func(address string) *visitor {
			v := r.visitor()
			v.header["X-Forwarded-For"] = "10.0.0.1, " + address // only the last address is from the proxy
			return v
		}
		for i := range 60 {
			from("2001:db8::" + fmt.Sprint(i)).get(
				statusOf(fmt.Sprintf("https://a.example/%d", i))).status(http.StatusNotFound)
		}
		a := from("2001:db8::beef").get(statusOf("https://a.example/")).status(http.StatusTooManyRequests)
		if a.Header.Get("Retry-After") == "" {
			r.t.Error("no Retry-After")
		}
		from("2001:db8::beef").get("/status").status(http.StatusOK)
		others := 0
		for i := range 4 { // one of them may share the bucket
			if from(fmt.Sprintf("198.51.100.%d", i)).get(
				statusOf("https://a.example/")).StatusCode == http.StatusNotFound {
				others++
			}
		}
		if others < 3 {
			r.t.Errorf("%d of 4 others are answered", others)
		}
		r.now = r.now.Add(2 * time.Second)
		from("2001:db8::1").get(statusOf("https://a.example/")).status(http.StatusNotFound)
		from("2001:db8::1").get(statusOf("https://a.example/")).status(http.StatusTooManyRequests)
	})
}
