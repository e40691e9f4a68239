package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/store"
)

const (
	oldPlace = "https://old.example/feed?key=1"
	newPlace = "https://new.example/atom"
)

// moves subscribes a digest to a feed that then moves to another site. It returns the feed there,
// and the path of the link that undoes the move.
func (r *room) moves(d digest.Digest, title, from, to string) (digest.Feed, string) {
	r.t.Helper()
	r.subscribes(d, title, from)
	return r.movesOn(d, from, to)
}

// movesOn is like moves for a feed that the digest already follows.
func (r *room) movesOn(d digest.Digest, from, to string) (digest.Feed, string) {
	r.t.Helper()
	ctx := r.t.Context()
	f, err := r.store.Feeds.FeedByURL(ctx, from)
	r.must(err)
	f.URL, f.Host, f.ParsedAt, f.LastOKAt, f.MovedFrom, f.MovedAt = to, feed.Host(to), r.now, r.now, from, r.now
	f.Errors, f.FailingSince, f.FirstErrorAt = 0, time.Time{}, time.Time{}
	_, err = r.store.Feeds.Record(ctx, r.now, []store.Polled{{Feed: f,
		Arrival: store.Arrival{Abroad: true, Read: true}}})
	r.must(err)
	there, err := r.store.Feeds.FeedByURL(ctx, to)
	r.must(err)
	return there, "/moved/" + r.signer.SignPair(digest.ForGoingBack, int64(d.ID), int64(there.ID))
}

// subscribes subscribes a digest to the feed at an address.
func (r *room) subscribes(d digest.Digest, title, address string) {
	r.t.Helper()
	f, _, err := r.store.Feeds.EnsureFeed(r.t.Context(),
		digest.Feed{URL: address, Host: feed.Host(address), State: digest.FeedActive, Title: title})
	r.must(err)
	_, err = r.store.Subscriptions.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
	r.must(err)
}

// subscribedTo returns the addresses of a digest's feeds.
func (r *room) subscribedTo(d digest.Digest) string {
	r.t.Helper()
	subs, err := r.store.Subscriptions.AllSubscriptions(r.t.Context(), d.ID)
	r.must(err)
	var all []string
	for _, sub := range subs {
		all = append(all, sub.Feed.URL)
	}
	return strings.Join(all, " ")
}

// TestGoingBackIsOnlyForTheLink checks that forged links and forms of other sites are rejected.
func TestGoingBackIsOnlyForTheLink(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		f, path := r.moves(d, "Notes", oldPlace, newPlace)
		token := strings.TrimPrefix(path, "/moved/")
		tokens := []string{"", "1", "%2e%2e", r.signer.Sign(digest.ForGoingBack, int64(d.ID)),
			r.signer.Sign(digest.ForUnsubscribe, int64(d.ID)),
			r.signer.SignPair(digest.ForUndo, int64(d.ID), int64(f.ID))}
		for i := range token {
			tokens = append(tokens, token[:i]+string(token[i]^1)+token[i+1:])
		}
		v := r.visitor()
		for _, token := range tokens {
			for _, a := range []answer{v.get("/moved/" + token), v.post("/moved/"+token, nil)} {
				if a.StatusCode != http.StatusNotFound {
					r.t.Errorf("%s %s: %d", a.Request.Method, a.Request.URL.Path, a.StatusCode)
				}
			}
		}
		v.post("/moved/"+r.signer.SignPair(digest.ForGoingBack, int64(d.ID), int64(f.ID)+99),
			nil).status(http.StatusGone).shows("h1", "Nothing to undo")
		v.from("https://evil.example", "cross-site")
		v.post(path, nil).status(http.StatusForbidden)
		if got := r.subscribedTo(d); got != newPlace {
			r.t.Errorf("is subscribed to %s", got)
		}
	})
}

// TestManyMoves checks that the notices of many moves are collapsed, so that they do not push down
// the edition.
func TestManyMoves(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		for i := range 200 {
			r.moves(d, "Notes", fmt.Sprintf("https://old%d.example/feed", i),
				fmt.Sprintf("https://new%d.example/feed", i))
		}
		r.midnight()
		a := v.get("/").status(http.StatusOK).shows("details.notice summary", "Notices about your sites")
		if n := len(a.find(".notice a[href]")); n != 200 || len(a.find(".notice")) != 1 {
			r.t.Errorf("%d ways back", n)
		}
	})
}
