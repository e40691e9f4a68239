package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// fails records that a subscribed feed has failed for ten days, and returns the path of its page.
func (r *room) fails(address string) string {
	r.t.Helper()
	f, err := r.store.FeedByURL(r.t.Context(), address)
	r.must(err)
	f.Errors, f.FailingSince, f.LastStatus, f.LastError = 12, r.now.Add(-10*24*time.Hour), 404, "404 Not Found"
	f.FirstErrorAt = f.FailingSince
	_, err = r.store.Record(r.t.Context(), r.now, []store.Polled{{Feed: f, Illness: digest.NotThere}})
	r.must(err)
	return "/feeds/" + strconv.FormatInt(int64(f.ID), 10)
}

// TestRemediesOfASickFeed checks that the page of a sick feed explains the problem and can replace
// the feed. The page of a healthy feed offers neither.
func TestRemediesOfASickFeed(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One"),
			"/news.atom": rss("News", "Three")})
		v, d := r.reader("ann@example.org")
		r.subscribes(d, "The blog", b.URL+"/old")
		page := "/feeds/" + strconv.FormatInt(int64(feedAt(r, b.URL+"/old").ID), 10)
		if got := v.get(page).texts("#remedies"); len(got) != 0 {
			r.t.Fatalf("well, and says %q", got)
		}
		v.post(page, url.Values{"title": {"Mine"}, "folder": {"News"}, "display": {""}}).status(http.StatusSeeOther)
		page = r.fails(b.URL + "/old")
		a := v.get(page).status(http.StatusOK)
		if got := strings.Join(a.texts("#remedies p"), " "); !strings.Contains(got,
			"Nothing was found at its address") {
			r.t.Errorf("says %q", got)
		}
		a.contains(".stands", "Nothing was found at its address")
		v.get("/feeds").shows("h2", "Problems").contains(".in-trouble .why", "Nothing was found at its address")
		a.shows("#remedies a.button") // not a form for a password
		a.shows("#remedies button", "Search for its feed", "Find feeds")
		number := strings.TrimPrefix(page, "/feeds/")
		a.has("#remedies input[name=instead]", "value", number, number).has("#remedies input[name=address]", "value",
			b.URL+"/", "")

		found := v.post("/feeds/find", url.Values{"address": {b.URL + "/"}, "instead": {number}}).status(http.StatusOK)
		found.shows("main button", "Replace feed", "Find feeds").has("input[name=instead]", "value", number, number)
		to := v.post("/feeds/add", url.Values{"feed": {b.URL + "/feed"}, "instead": {number}}).status(
			http.StatusSeeOther).Header.Get("Location")
		v.get(to).status(http.StatusOK).shows("h1", "Mine")
		if got := r.subscribedTo(d); got != b.URL+"/feed" {
			r.t.Errorf("subscribed to %s", got)
		}
		v.get(page).status(http.StatusNotFound)
	})
}

// TestAnotherAddressInstead checks that the address of a feed replaces the old one directly, and
// that a form cannot replace a feed of another reader.
func TestAnotherAddressInstead(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/feed": rss("Blog", "One"), "/other": rss("Other", "Two")})
		v, d := r.reader("ann@example.org")
		_, bob := r.user("bob@example.org")
		r.subscribes(bob, "Bob's", "https://bob.example/feed")
		r.subscribes(d, "The blog", b.URL+"/old")
		page := r.fails(b.URL + "/old")
		to := v.post("/feeds/find", url.Values{"address": {b.URL + "/feed"},
			"instead": {strings.TrimPrefix(page, "/feeds/")}}).status(http.StatusSeeOther).Header.Get("Location")
		if !strings.HasSuffix(to, "?saved=replaced") || r.subscribedTo(d) != b.URL+"/feed" {
			r.t.Errorf("leads to %s; subscribed to %s", to, r.subscribedTo(d))
		}
		of := strconv.FormatInt(int64(feedAt(r, "https://bob.example/feed").ID), 10)
		v.post("/feeds/add", url.Values{"feed": {b.URL + "/other"}, "instead": {of}}).status(http.StatusSeeOther)
		if got := r.subscribedTo(bob); got != "https://bob.example/feed" {
			r.t.Errorf("bob is subscribed to %s", got)
		}
	})
}

func feedAt(r *room, address string) digest.Feed {
	r.t.Helper()
	f, err := r.store.FeedByURL(r.t.Context(), address)
	r.must(err)
	return f
}
