package web_test

import (
	"fmt"
	"net/http"
	"net/url"
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
	f, err := r.store.FeedByURL(ctx, from)
	r.must(err)
	f.URL, f.Host, f.ParsedAt, f.LastOKAt, f.MovedFrom, f.MovedAt = to, feed.Host(to), r.now, r.now, from, r.now
	f.Errors, f.FailingSince, f.FirstErrorAt = 0, time.Time{}, time.Time{}
	_, err = r.store.Record(ctx, r.now, []store.Polled{{Feed: f, Arrival: store.Arrival{Abroad: true, Read: true}}})
	r.must(err)
	there, err := r.store.FeedByURL(ctx, to)
	r.must(err)
	return there, "/moved/" + r.signer.SignPair(digest.ForGoingBack, int64(d.ID), int64(there.ID))
}

// subscribes subscribes a digest to the feed at an address.
func (r *room) subscribes(d digest.Digest, title, address string) {
	r.t.Helper()
	f, _, err := r.store.EnsureFeed(r.t.Context(),
		digest.Feed{URL: address, Host: feed.Host(address), State: digest.FeedActive, Title: title})
	r.must(err)
	_, err = r.store.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
	r.must(err)
}

// subscribedTo returns the addresses of a digest's feeds.
func (r *room) subscribedTo(d digest.Digest) string {
	r.t.Helper()
	subs, err := r.store.AllSubscriptions(r.t.Context(), d.ID)
	r.must(err)
	var all []string
	for _, sub := range subs {
		all = append(all, sub.Feed.URL)
	}
	return strings.Join(all, " ")
}

// TestGoingBack checks that the page behind the link shows a button and changes nothing. The button
// works repeatedly, for all visitors with the link.
func TestGoingBack(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		_, other := r.user("bob@example.org")
		r.subscribes(other, "Notes", oldPlace)
		_, path := r.moves(d, "Notes", oldPlace, newPlace)
		r.midnight()
		v := r.visitor()
		v.do("HEAD", path, "", nil).status(http.StatusOK)
		a := v.get(path).status(http.StatusOK).shows("h1", "Use the old address again?").shows("form button",
			"Use the old address again")
		a.shows(".addresses dd", oldPlace, newPlace)
		if got := a.attrs("form[method=post]", "action"); got[0] != path {
			r.t.Errorf("the button posts to %q", got)
		}
		if got := a.texts("p")[1]; !strings.Contains(got,
			"“Notes” moved from old.example to new.example. From now on, you get the posts published there.") {
			r.t.Errorf("says %q", got)
		}
		if got := a.Header.Get("Referrer-Policy"); got != "same-origin" || strings.Contains(a.body, `href="http`) {
			r.t.Errorf("the link's token may leave by %q", got)
		}
		if got := r.subscribedTo(d); got != newPlace {
			r.t.Errorf("to look leads to %s", got)
		}
		for range 2 {
			a = v.post(path, url.Values{"x": {"y"}}).status(http.StatusOK).shows("h1", "Old address restored")
			if a.Header.Get("Set-Cookie") != "" || len(a.find("form")) != 0 {
				r.t.Errorf("a cookie, or a button: %v", a.Header)
			}
			if got := r.subscribedTo(d); got != oldPlace {
				r.t.Errorf("is subscribed to %s", got)
			}
		}
		v.get(path).status(http.StatusOK).shows("h1", "Old address restored")
		if got := r.subscribedTo(other); got != newPlace {
			r.t.Errorf("the other reader is subscribed to %s", got)
		}
	})
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

// TestGoingBackByALinkThatIsVoid checks that a void link does nothing, and redirects its signed-in
// reader to the page.
func TestGoingBackByALinkThatIsVoid(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, path := r.moves(d, "Notes", oldPlace, newPlace)
		r.must(r.store.VoidLinks(r.t.Context(), d.ID))
		guest := r.visitor()
		guest.get(path).status(http.StatusGone)
		guest.post(path, nil).status(http.StatusGone)
		v.post(path, nil).status(http.StatusGone)
		if got := r.subscribedTo(d); got != newPlace {
			r.t.Errorf("is subscribed to %s", got)
		}
		to := v.get(path).status(http.StatusSeeOther).Header.Get("Location")
		guest.post(to, nil).status(http.StatusOK).shows("h1", "Old address restored")
	})
}

// TestNothingToUndo checks the link after the reader has unsubscribed from the feed, and after
// their account was deleted.
func TestNothingToUndo(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		f, path := r.moves(d, "Notes", oldPlace, newPlace)
		v := r.visitor()
		r.midnight()
		r.must(r.store.Unsubscribe(r.t.Context(), d.ID, f.ID))
		for range 2 {
			v.get(path).status(http.StatusOK).shows("h1", "Nothing to undo")
			v.post(path, nil).status(http.StatusOK).shows("h1", "Nothing to undo")
			if got := r.subscribedTo(d); got != "" {
				r.t.Errorf("is subscribed to %s", got)
			}
			_, err := r.store.Subscribe(r.t.Context(), digest.Subscription{DigestID: d.ID, FeedID: f.ID}, r.now)
			r.must(err) // at the new address
			v.get(path).status(http.StatusOK).shows("h1", "Nothing to undo")
			r.must(r.store.Unsubscribe(r.t.Context(), d.ID, f.ID))
		}
		r.remove(u)
		v.get(path).status(http.StatusGone).shows("h1", "Nothing to undo")
		v.post(path, nil).status(http.StatusGone)
	})
}

// TestMovesOnPages checks that the page of a feed has the undo button, and that the list shows the
// previous host. Only the signed-in reader sees the undo link in the edition.
func TestMovesOnPages(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		f, path := r.moves(d, "Notes", "https://ann:pa55word@old.example/feed", newPlace)
		page := fmt.Sprintf("/feeds/%d", f.ID)
		list := v.get("/feeds").status(http.StatusOK).shows(".why", "moved here from old.example")
		feed := v.get(page).status(http.StatusOK).shows("#moved button", "Use the old address again").shows("#moved dd",
			"https://old.example/feed", newPlace)
		r.midnight()
		own := v.get("/").status(http.StatusOK)
		own.has(".notice a", "href", r.base+path)
		linked := r.visitor().get("/e/" +
			r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))).status(http.StatusOK)
		for _, a := range []answer{list, feed, own, linked} {
			if strings.Contains(a.body, "pa55word") {
				r.t.Errorf("%s shows a password", a.Request.URL)
			}
		}
		for _, a := range []answer{own, linked} {
			if got := a.texts(".notice p")[0]; got !=
				"Notes has moved from old.example to new.example. From now on, you get the posts published there." {
				r.t.Errorf("the edition says %q", got)
			}
		}
		if strings.Contains(linked.body, "/moved/") {
			r.t.Error("the link of an edition leads to a way back")
		}
		v.post(feed.attrs("#moved form", "action")[0], nil).status(http.StatusOK).shows("h1", "Old address restored")
		v.get(path).status(http.StatusOK).shows("h1", "Old address restored")
		v.get(page).status(http.StatusNotFound)
		if got := v.get("/feeds").texts(".why"); len(got) != 0 && strings.Contains(got[0], "moved") {
			r.t.Errorf("the list says %q", got)
		}
	})
}

// TestGoingBackBeforeItIsTold checks that a reader can undo a move before an edition mentions it.
// No edition mentions it then, and pressing the button again shows that there is nothing to undo.
func TestGoingBackBeforeItIsTold(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, path := r.moves(d, "Notes", oldPlace, newPlace)
		v.post(path, nil).status(http.StatusOK).shows("h1", "Old address restored")
		v.post(path, nil).status(http.StatusGone).shows("h1", "Nothing to undo")
		if got := r.subscribedTo(d); got != oldPlace {
			r.t.Errorf("is subscribed to %s", got)
		}
		if moves, err := r.store.Moves(r.t.Context(), d.ID); err != nil || len(moves) != 0 {
			r.t.Errorf("%v would be told (%v)", moves, err)
		}
	})
}

// TestGoingBackAfterTwoMoves checks that the links of both moves restore the address to which the
// reader subscribed.
func TestGoingBackAfterTwoMoves(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, first := r.moves(d, "Notes", oldPlace, newPlace)
		r.midnight()
		last, second := r.movesOn(d, newPlace, "https://newest.example/feed")
		r.midnight()
		for _, path := range []string{first, second} {
			v.get(path).status(http.StatusOK).shows("h1", "Use the old address again?").shows(".addresses dd", oldPlace,
				v.get(path).texts(".addresses dd")[1])
		}
		v.get(fmt.Sprintf("/feeds/%d", last.ID)).shows("#moved dd", oldPlace, "https://newest.example/feed")
		v.post(first, nil).status(http.StatusOK).shows("h1", "Old address restored")
		if got := r.subscribedTo(d); got != oldPlace {
			r.t.Errorf("is subscribed to %s", got)
		}
	})
}

// TestStatusOfAMovedFeed checks the status page at the old address after a move, and after a reader
// has undone it.
func TestStatusOfAMovedFeed(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		_, path := r.moves(d, "Notes", oldPlace, newPlace)
		v := r.visitor()
		v.get(statusOf(oldPlace)).status(http.StatusOK).shows(".address", newPlace).shows(".wide dd",
			"polls find new posts", oldPlace)
		v.get(statusOf(newPlace)).status(http.StatusOK).shows(".wide dd", "polls find new posts")
		v.post(path, nil).status(http.StatusOK)
		v.get(statusOf(oldPlace)).status(http.StatusOK).shows(".address", oldPlace).shows(".wide dd",
			"polls find new posts").
			shows(".rules li",
				"We ignore permanent redirects to another site, because this feed moved before and was moved back.")
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
		a := v.get("/").status(http.StatusOK).shows("details.notice summary", "Notes on your sites")
		if n := len(a.find(".notice a[href]")); n != 200 || len(a.find(".notice")) != 1 {
			r.t.Errorf("%d ways back", n)
		}
	})
}

// TestGoingBackOfWhoIsSubscribedToBoth checks that the page says that the reader also keeps
// following the new address.
func TestGoingBackOfWhoIsSubscribedToBoth(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.subscribes(d, "Atom", newPlace)
		r.subscribes(d, "Notes", oldPlace)
		old, err := r.store.FeedByURL(r.t.Context(), oldPlace)
		r.must(err)
		r.movesOn(d, oldPlace, newPlace)
		path := "/moved/" + r.signer.SignPair(digest.ForGoingBack, int64(d.ID), int64(old.ID))
		r.midnight()
		v.get("/").status(http.StatusOK).has(".notice a", "href", r.base+path)
		v.get("/feeds").status(http.StatusOK).shows(".why", "moved here from old.example")
		a := v.get(path).status(http.StatusOK).shows("main form button", "Use the old address again")
		if got := a.texts("main li")[0]; !strings.HasSuffix(got, "You also keep following the new address.") {
			r.t.Errorf("says %q", got)
		}
		for range 2 {
			a = v.post(path, nil).status(http.StatusOK).shows("h1", "Old address restored")
			if got := a.texts("main p")[0]; !strings.Contains(got, "You also keep following the new address") {
				r.t.Errorf("says %q", got)
			}
			if got := r.subscribedTo(d); got != newPlace+" "+oldPlace && got != oldPlace+" "+newPlace {
				r.t.Errorf("is subscribed to %s", got)
			}
		}
	})
}
