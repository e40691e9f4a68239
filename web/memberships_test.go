package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"digest"
	"digest/store"
)

// TestSiteInLettersAlone checks that a reader who follows a site and gets it in a newsletter can
// choose to read its posts once or twice.
func TestSiteInLettersAlone(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		mo, d := r.reader("mo@example.org")
		m, _, err := r.store.Join(r.t.Context(), n.ID, store.Joining{Email: "mo@example.org", Asked: true}, r.now)
		r.must(err)
		mo.get("/memberships").status(http.StatusOK).shows(".shared button")
		r.brings(digest.Subscription{DigestID: d.ID}, "Anna's site", post("The boat"))
		subs, err := r.store.Subscriptions(r.t.Context(), d.ID)
		r.must(err)
		_, err = r.store.Subscribe(r.t.Context(), digest.Subscription{DigestID: m.DigestID, FeedID: subs[0].Feed.ID},
			r.now)
		r.must(err)
		mo.get("/memberships").shows(".shared button", "Only in newsletter").contains(".shared",
			"You get Anna's site in this newsletter and in your edition")
		form := func(once string) url.Values {
			return url.Values{"membership": {fmt.Sprint(int64(m.DigestID))},
				"feed": {fmt.Sprint(int64(subs[0].Feed.ID))}, "once": {once}}
		}
		mo.post("/memberships/feeds", form("1")).status(http.StatusSeeOther)
		mo.get("/memberships").shows(".shared button", "Show in both").contains(".shared", "only in this newsletter")
		mo.get(fmt.Sprint("/feeds/", int64(subs[0].Feed.ID))).contains(".notice", "go into a newsletter")
		r.visitor().signIn(anna).post("/memberships/feeds", form("0")).status(http.StatusNotFound)
		mo.post("/memberships/feeds", form("0")).status(http.StatusSeeOther)
		mo.get("/memberships").shows(".shared button", "Only in newsletter")
		mo.post("/memberships/feeds", url.Values{"membership": {"x"}}).status(http.StatusBadRequest)
	})
}
