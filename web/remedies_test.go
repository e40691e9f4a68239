package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"digest"
	"digest/store"
)

// remediesPath returns the path of the link in a notice about a failing feed.
func (r *room) remediesPath(d digest.Digest, f digest.FeedID) string {
	return "/remedies/" + r.signer.SignPair(digest.ForRemedies, digest.InRound(int64(d.ID), d.LinkRound), int64(f))
}

// failing subscribes a digest to a feed, lets the feed fail, and returns the path of the link.
func (r *room) failing(d digest.Digest, title, address string) string {
	r.t.Helper()
	r.subscribes(d, title, address)
	r.fails(address)
	return r.remediesPath(d, feedAt(r, address).ID)
}

// feedPathOf returns the path of the page of the feed at an address.
func feedPathOf(r *room, address string) string {
	return "/feeds/" + strconv.FormatInt(int64(feedAt(r, address).ID), 10)
}

// TestRemediesByLink checks that the link works without a sign-in, finds the feed again, and replaces the failing
// one.
func TestRemediesByLink(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One"),
			"/news.atom": rss("News", "Three")})
		_, d := r.user("ann@example.org")
		link := r.failing(d, "The blog", b.URL+"/old")
		v := r.visitor()
		a := v.get(link).status(http.StatusOK).shows("h1", "The blog").shows("button", "Search for its feed", "Pause",
			"Unfollow")
		if got := a.texts("main p")[0]; !strings.Contains(got, "Nothing was found at its address") {
			r.t.Errorf("says %q", got)
		}
		found := v.post(link+"/find", nil).status(http.StatusOK)
		offered := found.attrs("input[name=feed]", "value")
		found.shows("button", "Replace feed", "Pause", "Unfollow")
		if len(offered) < 2 || strings.Contains(r.subscribedTo(d), "/feed") {
			r.t.Fatalf("offers %q; subscribed to %s", offered, r.subscribedTo(d))
		}
		v.post(link+"/add", url.Values{"feed": {offered[0]}}).status(http.StatusOK).contains("[role=status]",
			"Feed replaced.")
		if got := r.subscribedTo(d); got != b.URL+"/feed" {
			r.t.Errorf("subscribed to %s", got)
		}
		v.get(link).status(http.StatusOK).shows("h1", "Unfollowed")
	})
}

// TestRemediesByLinkSubscribeToNothingElse checks that a link subscribes only to feeds that it offered.
func TestRemediesByLinkSubscribeToNothingElse(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One"),
			"/news.atom": rss("News", "Three"), "/evil": rss("Evil", "Two")})
		_, d := r.user("ann@example.org")
		_, other := r.user("bob@example.org")
		link, another := r.failing(d, "The blog", b.URL+"/old"), r.failing(other, "The blog", b.URL+"/old")
		v := r.visitor()
		offered := v.post(link+"/find", nil).status(http.StatusOK).attrs("input[name=feed]", "value")[0]
		mac, _, _ := strings.Cut(offered, " ")
		for _, feed := range []string{"", b.URL + "/evil", "feed=" + url.QueryEscape(b.URL+"/evil"), mac + " feed=" +
			url.QueryEscape(b.URL+"/evil"), mac, " "} {
			v.post(link+"/add", url.Values{"feed": {feed}}).status(http.StatusBadRequest)
		}
		v.post(another+"/add", url.Values{"feed": {offered}}).status(http.StatusBadRequest)
		for _, d := range []digest.Digest{d, other} {
			if got := r.subscribedTo(d); got != b.URL+"/old" {
				r.t.Errorf("subscribed to %s", got)
			}
		}
	})
}

// TestFailingFeedIsLeftByLink checks that the page can undo a pause and the end of a subscription.
func TestFailingFeedIsLeftByLink(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/old": rss("The blog", "One")})
		me, d := r.reader("ann@example.org")
		link := r.failing(d, "The blog", b.URL+"/old")
		page := feedPathOf(r, b.URL+"/old")
		me.post(page, url.Values{"title": {"Mine"}, "folder": {"News"}, "display": {""}})
		v := r.visitor()
		for range 2 {
			v.post(link+"/pause", nil).status(http.StatusOK).shows("button", "Search for its feed", "Resume",
				"Unfollow")
		}
		v.get(link).contains(".notice", "Paused until you resume it.")
		v.post(link+"/resume", nil).status(http.StatusOK).shows("button", "Search for its feed", "Pause", "Unfollow")
		_, err := r.store.AddFilter(t.Context(), digest.Filter{DigestID: d.ID, FeedID: feedAt(r, b.URL+"/old").ID,
			Words: "football"}, r.now)
		r.must(err)
		v.post(link+"/leave", nil).status(http.StatusOK).shows("button", "Follow again")
		if got := r.subscribedTo(d); got != "" {
			r.t.Errorf("subscribed to %s", got)
		}
		for _, act := range []string{"/leave", "/pause", "/resume", "/find"} {
			v.post(link+act, nil).status(http.StatusOK).shows("h1", "Mine").shows("main button", "Follow again")
		}
		v.post(link+"/back", nil).status(http.StatusOK).shows("h1", "Mine").contains("[role=status]",
			"You follow it again.")
		sub, err := r.store.Subscription(t.Context(), d.ID, feedAt(r, b.URL+"/old").ID)
		if r.must(err); sub.Title != "Mine" || sub.Folder != "News" {
			r.t.Errorf("it came back as %+v", sub.Subscription)
		}
		if filters, err := r.store.Filters(t.Context(), d.ID); err != nil || len(filters) != 1 {
			r.t.Errorf("its filters are %+v, %v", filters, err)
		}
	})
}

// TestPrivateFeedIsNotLeftByRemedy checks that a link only pauses a private feed that fails, because its credential
// could not be restored.
func TestPrivateFeedIsNotLeftByRemedy(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		private := digest.Credential{Reader: d.ID, Address: "https://site.example/old"}.PrivateAddress("1")
		link := r.failing(d, "The blog", private)
		v := r.visitor()
		v.get(link).status(http.StatusOK).shows("main form button", "Pause").contains("main .aside",
			"deletes the password saved for this site")
		for _, act := range []string{"/leave", "/add"} {
			v.post(link+act, url.Values{"feed": {"x"}}).status(http.StatusBadRequest)
		}
		v.post(link+"/pause", nil).status(http.StatusOK).contains("[role=status]", "Paused until you resume it.")
		if got := r.subscribedTo(d); got != private {
			r.t.Errorf("subscribed to %q", got)
		}
	})
}

// TestRemediesLink checks that opening the link changes nothing, that it redirects signed-in readers to the feed's
// page, and that it works for one reader and one feed only.
func TestRemediesLink(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		other, _ := r.reader("bob@example.org")
		link := r.failing(d, "The blog", "https://site.example/old")
		page := feedPathOf(r, "https://site.example/old")
		for _, method := range []string{"GET", "HEAD"} {
			other.do(method, link, "", nil).status(http.StatusOK)
			for _, act := range []string{"/find", "/add", "/pause", "/resume", "/leave", "/back"} {
				r.visitor().do(method, link+act, "", nil).status(http.StatusSeeOther).leads(link)
			}
		}
		if got := v.get(link).status(http.StatusSeeOther).Header.Get("Location"); got != page+"#remedies" {
			r.t.Errorf("leads to %s", got)
		}
		f := feedAt(r, "https://site.example/old").ID
		for _, token := range []string{"x", r.signer.SignPair(digest.ForGoingBack, int64(d.ID), int64(f)),
			strings.TrimPrefix(link, "/remedies/") + "a"} {
			for _, act := range []string{"/leave", "/pause", "/find"} {
				r.visitor().post("/remedies/"+token+act, nil).status(http.StatusNotFound)
			}
			r.visitor().get("/remedies/" + token).status(http.StatusNotFound)
		}
		r.visitor().get(r.remediesPath(d, f+99)).status(http.StatusOK).shows("h1", "Unfollowed")
		v.post("/settings/links", nil).status(http.StatusSeeOther)
		r.visitor().get(link).status(http.StatusGone)
		r.visitor().post(link+"/leave", nil).status(http.StatusGone)
		if got := r.subscribedTo(d); got != "https://site.example/old" {
			r.t.Errorf("subscribed to %q", got)
		}
	})
}

// TestPasswordIsTheFirstRemedy checks that the page has one button for the password, and no error, if the feed returns
// 401.
func TestPasswordIsTheFirstRemedy(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.failing(d, "The blog", oldPlace)
		f := feedAt(r, oldPlace)
		f.LastStatus, f.LastError = http.StatusUnauthorized, "401 Unauthorized"
		_, err := r.store.Record(t.Context(), r.now,
			[]store.Polled{{Feed: f, Illness: digest.NeedsPassword, WasSick: true}})
		r.must(err)
		a := v.get(feedPathOf(r, oldPlace)).status(http.StatusOK).shows("#remedies a.button",
			"Enter password").shows(".notice.wrong")
		a.has("#remedies a.button", "href", "#credential")
	})
}

// TestRemediesAfterAMove checks that the link and the page of a moved feed show the feed that replaced it.
func TestRemediesAfterAMove(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, other := r.user("bob@example.org")
		r.subscribes(other, "The new one", newPlace) // so that the feed exists
		there := feedAt(r, newPlace)
		there.ParsedAt, there.LastOKAt = r.now, r.now
		_, err := r.store.Record(t.Context(), r.now, []store.Polled{{Feed: there, FirstRead: true}})
		r.must(err)
		link := r.failing(d, "The blog", oldPlace)
		was := feedPathOf(r, oldPlace)
		r.movesOn(d, oldPlace, newPlace)
		page := feedPathOf(r, newPlace)
		if page == was {
			r.t.Fatalf("it was not merged: %s", page)
		}
		r.visitor().get(link).status(http.StatusOK).contains("main p", "moved to new.example")
		if got := v.get(link).status(http.StatusSeeOther).Header.Get("Location"); got != page+"#remedies" {
			r.t.Errorf("the link leads to %s", got)
		}
		if got := v.get(was).status(http.StatusSeeOther).Header.Get("Location"); got != page {
			r.t.Errorf("the page leads to %s", got)
		}
		v.post(page+"/leave", nil)
		v.get(was).status(http.StatusNotFound)
	})
}
