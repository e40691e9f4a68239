package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/store"
)

// TestOperatorFeeds checks that an operator finds a feed by address or host and sees its state.
// Readers and the secret part of the address are not shown.
func TestOperatorFeeds(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		r.troubles("It broke")
		_, d := r.user("ada@example.org")
		secret := digest.Credential{Address: "https://cast.example/rss/hushhush?t=hushhush", Hidden: true}
		user := digest.Credential{Address: "https://paid.example/feed", User: "ann", Password: "hushhush"}
		for _, c := range []digest.Credential{secret, user} {
			f, _, err := r.store.Feeds.EnsureFeed(t.Context(),
				digest.Feed{URL: c.PrivateAddress("x1"), Host: hostOf(c.Shown()), Title: "A cast", Sealed: "sealed"})
			r.must(err)
			_, err = r.store.Subscriptions.Subscribe(t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID},
				r.now)
			r.must(err)
			f.LastError = "401 at https://ann:hushhush@paid.example/feed"
			r.polled(f, store.PollRecord{At: r.now, Outcome: "failed", Status: 401})
		}
		op.get("/operator/feeds").status(http.StatusOK).contains("label", "Feed address or host")
		op.get("/operator/feeds?q="+url.QueryEscape("ftp://nowhere")).status(http.StatusUnprocessableEntity).contains(
			".wrong", "a feed or a host")
		op.get("/operator/feeds?q=unknown.example").status(http.StatusOK).contains("[role=status]", "No results.")
		to := op.get("/operator/feeds?q=" + url.QueryEscape("https://bad.example/feed?key=secret")).status(
			http.StatusSeeOther).Header.Get("Location")
		op.get("/operator/feeds?q=" + url.QueryEscape(" bad.example/feed?key=secret")).status(
			http.StatusSeeOther).leads(to)
		page := op.get(to).status(http.StatusOK)
		page.contains(".standing", "dead").contains(".standing", "It broke").shows(".address",
			"https://bad.example/feed?...")
		op.get("/operator/feeds?q=www.bad.example").shows(".troubles .state", "dead")
		near := op.get("/operator/feeds?q=" +
			url.QueryEscape("https://ann:hushhush@bad.example/other")).status(http.StatusOK)
		near.contains("[role=status]", "No feed has this address").has(".troubles .head a", "href", to)
		pages := page.body + near.body
		for _, host := range []string{"cast.example", "paid.example"} {
			list := op.get("/operator/feeds?q="+host).status(http.StatusOK).shows(".troubles .head",
				"A cast").contains(".troubles .facts-line", "How new posts arrive: polls find new posts")
			one := op.get(list.attrs(".troubles .head a", "href")[0]).status(http.StatusOK)
			if len(one.find("a[href=/status]")) > 0 || !strings.Contains(one.body, "https://"+host+"/") {
				t.Error(one.body)
			}
			pages += list.body + one.body
		}
		for _, hidden := range []string{"key=secret", "hushhush", "#private", "x1", "sealed", "ada@", "bob@"} {
			if strings.Contains(pages, hidden) {
				t.Errorf("the pages show %s", hidden)
			}
		}
		for _, path := range []string{"/operator/feeds/999", "/operator/feeds/x", "/operator/feeds/-1"} {
			op.get(path).status(http.StatusNotFound)
			op.post(path+"/poll", nil).status(http.StatusNotFound)
		}
	})
}

func hostOf(address string) string {
	u, _ := url.Parse(address)
	return u.Hostname()
}
