package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// TestNameOfAFeedWithoutATitle checks that the host of a feed without a title does not become the
// reader's title. It also checks that titles contain no characters that change the text direction.
func TestNameOfAFeedWithoutATitle(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		f, _, err := r.store.Feeds.EnsureFeed(t.Context(),
			digest.Feed{URL: "https://site.example/f", Host: "site.example"})
		r.must(err)
		_, err = r.store.Subscriptions.Subscribe(t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
		r.must(err)
		path := feedPathOf(r, f.URL)
		for typed, want := range map[string]string{"site.example": "", "exe\u202egnp.\u2067a": "exegnp.a"} {
			v.post(path, url.Values{"title": {typed}, "display": {""}}).status(http.StatusSeeOther)
			sub, err := r.store.Subscriptions.Subscription(t.Context(), d.ID, f.ID)
			if r.must(err); sub.Title != want {
				r.t.Errorf("%q is stored as %q", typed, sub.Title)
			}
			if page := v.get(path); strings.Contains(page.body, "calls itself") {
				r.t.Error("it calls itself by no name")
			}
		}
	})
}
