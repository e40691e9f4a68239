package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"digest"
	"digest/store"
	"digest/web"
)

// TestMembersPage checks that a person who only joined a newsletter sees it, and can create a
// digest only where sign-up is open.
func TestMembersPage(t *testing.T) {
	each(t, func(r *room) {
		r.signUp = web.SignUpClosed
		r.open("")
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		m, _, err := r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		mo, err := r.store.UserByEmail(r.t.Context(), "mo@example.org")
		r.must(err)
		v := r.visitor().signIn(mo)
		page := v.get("/").status(http.StatusOK).contains(".letters", "Anna & co", "every day", "Change or unsubscribe")
		page.shows(".sheet form button")
		v.get(page.attrs(".letters .hint a", "href")[0]).status(http.StatusOK).contains("h1", "Anna & co")
		for _, path := range []string{"/feeds", "/filters", "/filtered"} {
			v.get(path).status(http.StatusForbidden)
		}
		v.post("/feeds/find", url.Values{"address": {"https://site.example/"}}).status(http.StatusForbidden)
		v.post("/settings/start", nil).status(http.StatusForbidden)
		v.get("/editions").status(http.StatusOK).contains(".letters", "Anna & co")
		unbegun, err := r.store.DigestOf(r.t.Context(), mo.ID)
		r.must(err)
		v.post(r.unsubscribePath(unbegun)+"/undo", nil).status(http.StatusConflict)
		own, err := r.store.DigestOf(r.t.Context(), mo.ID)
		r.must(err)
		r.stands(own, digest.DigestLeft)

		r.signUp = web.SignUpOpen
		r.open("")
		v = r.visitor().signIn(mo)
		v.get("/").contains(".sheet form button", "Start your newspaper")
		v.post("/settings/start", nil).status(http.StatusSeeOther)
		r.stands(own, digest.DigestActive)
		v.get("/feeds").status(http.StatusOK)
		v.get("/settings").contains(".groups", "Newsletters")
		v.get("/memberships").contains(".letters", "Anna & co")
		r.must(r.store.SetDigestState(r.t.Context(), m.DigestID, digest.DigestLeft, r.now))
		v.get("/memberships").contains(".letters", "unsubscribed", "Subscribe again")

		owner := r.visitor().signIn(anna)
		owner.post("/settings/delete", url.Values{"address": {"anna@example.org"}}).status(
			http.StatusConflict).contains(".wrong", "end or transfer the newsletter first")
	})
}

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
