package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/test/tier"
)

// TestNamesThatCannotBe checks that a name of a million characters is rejected with a message and
// shown shortened, and that nothing is changed.
func TestNamesThatCannotBe(t *testing.T) {
	tier.Alone(t)
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("One"))
		link := v.get("/feeds").attrs(".rows .name", "href")[0]
		long := strings.Repeat("ö", 1_000_000)
		a := v.post(link, url.Values{"title": {long}, "folder": {"Kept"}}).status(http.StatusBadRequest)
		a.shows("p.wrong",
			"A name can have at most 500 characters; yours has 1,000,000. We’ve shortened it here. Check it and "+
				"save again.")
		a.has("input[name=folder]", "value", "Kept")
		a.has("input[name=title]", "value", strings.Repeat("ö", 500))
		v.post(link, url.Values{"folder": {long}}).status(http.StatusBadRequest)
		v.post(link, url.Values{"display": {"everything"}}).status(http.StatusBadRequest).shows("p.wrong",
			"That isn’t one of the choices. Nothing was changed.")
		v.post("/filters", url.Values{"words": {long}}).status(http.StatusBadRequest)
		v.post("/filters", url.Values{"words": {" "}}).status(http.StatusBadRequest)
		v.get("/feeds").shows(".rows .name", site)
		// A much larger form gets an error page, too, not a closed connection.
		v.post(link, url.Values{"title": {strings.Repeat("x", 9<<20)}}).status(http.StatusRequestEntityTooLarge).shows(
			"h1", "Your text is too long")
		v.post("/settings/zone",
			url.Values{"zone": {strings.Repeat("x", 9<<20)}}).status(http.StatusRequestEntityTooLarge)
	})
}

// TestHostileNames checks that names from a feed, a list or a reader cannot run scripts.
func TestHostileNames(t *testing.T) {
	const bad = `"'></h3><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}`
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		f, _, err := r.store.Feeds.EnsureFeed(r.t.Context(), digest.Feed{URL: "https://site.example/?q=" +
			url.QueryEscape(bad), Host: "site.example", Title: bad, SiteURL: "javascript:alert(1)"})
		r.must(err)
		_, err = r.store.Subscriptions.Subscribe(r.t.Context(),
			digest.Subscription{DigestID: d.ID, FeedID: f.ID, Title: bad,
				Folder: bad}, r.now)
		r.must(err)
		_, err = r.store.Subscriptions.AddFilter(r.t.Context(), digest.Filter{DigestID: d.ID, Words: bad, FeedID: f.ID},
			r.now)
		r.must(err)
		b := r.blog(map[string]string{
			"/": `<title>` + strings.ReplaceAll(bad, "<",
				"&lt;") + `</title><link rel=alternate type=application/rss+xml href="/f" title="` +
				strings.ReplaceAll(bad, `"`,
					"&quot;") + `"><link rel=alternate type=application/atom+xml href="javascript:alert(1)" title=x>`,
			"/f": rss("<![CDATA["+bad+"]]>", "<![CDATA["+bad+"]]>"),
		})
		v := r.visitor().signIn(u)
		list := "<opml><title>" + bad +
			"</title><outline text=\"<script>alert(1)</script>\" xmlUrl='javascript:alert(1)'/></opml>"
		for _, a := range []answer{
			v.get("/feeds"), v.get(fmt.Sprintf("/feeds/%d", f.ID)), v.get("/filters"), v.get("/filtered"),
			v.find(b.URL),
			v.post("/feeds/add", url.Values{"feed": {bad, bad + "2"}}), v.upload(list), v.upload(bad),
			v.post(fmt.Sprintf("/feeds/%d/leave", f.ID), nil),
		} {
			for _, selector := range []string{"img", "[onerror]", "[onclick]", "[style]", "h3"} {
				if got := a.find(selector); len(got) != 0 {
					r.t.Errorf("%s has %d of %q", a.Request.URL, len(got), selector)
				}
			}
			for _, src := range a.attrs("script", "src") {
				if !strings.HasPrefix(src, "/static/") {
					r.t.Errorf("%s has a script %q", a.Request.URL, src)
				}
			}
			for _, href := range append(a.attrs("a[href]", "href"), a.attrs("form[action]", "action")...) {
				if !strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "https://") && href != "#main" &&
					href != "#filters" {
					r.t.Errorf("%s leads to %s", a.Request.URL, href)
				}
			}
		}
	})
}

// TestPasswordsInAddresses checks that no page shows the password in a feed's address, in text or
// links, to its reader or to the operator.
func TestPasswordsInAddresses(t *testing.T) {
	each(t, func(r *room) {
		const words = "no answer from https://ann:hunter2@private.example/feed"
		f := r.knows(digest.Feed{URL: "https://ann:hunter2@private.example/feed", Host: "private.example"})
		u, d := r.user("ann@example.org")
		_, err := r.store.Subscriptions.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID},
			r.now)
		r.must(err)
		f.State, f.Errors, f.LastError, f.FirstErrorAt, f.FailingSince = digest.FeedDead, 9, words,
			r.now.AddDate(0, -1, 0), r.now.AddDate(0, -1, 0)
		_, err = r.store.Feeds.Record(r.t.Context(), r.now,
			[]store.Polled{{Feed: f, Poll: store.PollRecord{At: r.now, Outcome: "failed", Status: 503, Note: words}}})
		r.must(err)
		v, op := r.visitor().signIn(u), r.operator()
		for _, page := range []answer{v.get("/feeds"), v.get(fmt.Sprintf("/feeds/%d", f.ID)), op.get("/operator")} {
			page.status(http.StatusOK)
			if !strings.Contains(page.body, "private.example") && len(page.texts(".in-trouble .name")) != 1 {
				r.t.Errorf("the feed is not on the page %s", page.Request.URL)
			}
			if strings.Contains(page.body, "hunter2") {
				r.t.Errorf("the password is on the page: %s", page.body)
			}
		}
	})
}
