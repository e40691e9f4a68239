package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"digest"
	"digest/store"
)

// remediesPath returns the path of the link in a notice about a failing feed.
func (r *room) remediesPath(d digest.Digest, f digest.FeedID) string {
	return "/remedies/" + r.signer.SignPair(digest.ForRemedies, digest.InRound(int64(d.ID), d.LinkRound), int64(f))
}

// trialPath returns the path of the links in the question about a trial.
func (r *room) trialPath(d digest.Digest, f digest.FeedID) string {
	return "/trial/" + r.signer.SignPair(digest.ForTrial, digest.InRound(int64(d.ID), d.LinkRound), int64(f))
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

// TestRemediesAfterAMove checks that the link and the page of a moved feed show the feed that replaced it.
func TestRemediesAfterAMove(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, other := r.user("bob@example.org")
		r.subscribes(other, "The new one", newPlace) // so that the feed exists
		there := feedAt(r, newPlace)
		there.ParsedAt, there.LastOKAt = r.now, r.now
		_, err := r.store.Feeds.Record(t.Context(), r.now, []store.Polled{{Feed: there, FirstRead: true}})
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
