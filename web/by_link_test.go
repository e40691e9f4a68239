package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
)

// A linkRoute is a route that a link in an email reaches and that changes something: its path, and the form of its
// button.
type linkRoute struct {
	pattern string
	path    func(r *room, d digest.Digest) string // it first makes what the button can change
	form    url.Values
}

// mailedToken requests an email, and returns the path of the form behind its link.
func mailedToken(path string, asks func(*room, digest.Digest)) func(*room, digest.Digest) string {
	return func(r *room, d digest.Digest) string {
		asks(r, d)
		return path + "?token=" + r.letters()[0].token
	}
}

// linkRoutes has a row for each route that acts by a link in an email.
func linkRoutes() []linkRoute {
	unsubscribe := func(path string) func(*room, digest.Digest) string {
		return func(r *room, d digest.Digest) string { return r.unsubscribePath(d) + path }
	}
	site := func(path string, before ...func(*room, digest.Digest, digest.FeedID)) func(*room, digest.Digest) string {
		return func(r *room, d digest.Digest) string {
			sub, _, _ := r.subOf(d)
			_, link := r.letterPaths(d, "A kite")
			for _, f := range before {
				f(r, d, sub.FeedID)
			}
			return link + path
		}
	}
	remedy := func(path string, before ...func(*room, digest.Digest, digest.FeedID)) func(*room, digest.Digest) string {
		return func(r *room, d digest.Digest) string {
			sub, _, _ := r.subOf(d)
			for _, f := range before {
				f(r, d, sub.FeedID)
			}
			return r.remediesPath(d, sub.FeedID) + path
		}
	}
	pause := func(r *room, d digest.Digest, f digest.FeedID) {
		r.must(r.store.Subscriptions.PauseSubscription(r.t.Context(), d.ID, f))
	}
	leave := func(r *room, d digest.Digest, f digest.FeedID) {
		r.must(r.store.Subscriptions.Unsubscribe(r.t.Context(),
			d.ID, f))
	}
	state := func(to digest.DigestState, path string) func(*room, digest.Digest) string {
		return func(r *room, d digest.Digest) string {
			r.must(r.store.Readers.SetDigestState(r.t.Context(), d.ID, to, r.now))
			return r.unsubscribePath(d) + path
		}
	}
	trial := func(path string, before ...func(*room, digest.Digest, digest.FeedID)) func(*room, digest.Digest) string {
		return func(r *room, d digest.Digest) string {
			sub, _, _ := r.subOf(d)
			sub.Trial = digest.NewTrial(digest.Date{Year: 2026, Month: time.November, Day: 6}, true)
			r.must(r.store.Subscriptions.SetSubscription(r.t.Context(), sub))
			for _, f := range before {
				f(r, d, sub.FeedID)
			}
			return r.trialPath(d, sub.FeedID) + path
		}
	}
	pressed := url.Values{"pressed": {"yes"}}
	return []linkRoute{
		{"/unsubscribe/{token}", unsubscribe(""), url.Values{"List-Unsubscribe": {"One-Click"}}},
		{"/unsubscribe/{token}/leave", unsubscribe("/leave"), pressed},
		{"/unsubscribe/{token}/pause", unsubscribe("/pause"), url.Values{"pressed": {"yes"}, "for": {"week"}}},
		{"/unsubscribe/{token}/days", unsubscribe("/days"), url.Values{"pressed": {"yes"}, "days": {"mon"}}},
		{"/unsubscribe/{token}/resume", state(digest.DigestPaused, "/resume"), pressed},
		{"/unsubscribe/{token}/undo", state(digest.DigestLeft, "/undo"), pressed},
		{"/moved/{token}", func(r *room, d digest.Digest) string {
			_, path := r.moves(d, "Notes", oldPlace, newPlace)
			return path
		}, pressed},
		{"/undo/{token}", func(r *room, d digest.Digest) string {
			r.visitor().post(r.unsubscribePath(d)+"/days", url.Values{"days": {"mon"}})
			return r.undoPaths(d)[0]
		}, pressed},
		{"/remedies/{token}/pause", remedy("/pause"), pressed},
		{"/remedies/{token}/resume", remedy("/resume", pause), pressed},
		{"/remedies/{token}/leave", remedy("/leave"), pressed},
		{"/remedies/{token}/back", remedy("/back", leave), pressed},
		{"/trial/{token}/keep", trial("/keep"), pressed},
		{"/trial/{token}/stop", trial("/stop"), pressed},
		{"/trial/{token}/back", trial("/back", leave), pressed},
		{"/save/{token}/add", func(r *room, d digest.Digest) string {
			save, _ := r.letterPaths(d, "A kite")
			return save + "/add"
		}, pressed},
		{"/save/{token}/undo", func(r *room, d digest.Digest) string {
			save, _ := r.letterPaths(d, "A kite")
			r.must(r.store.Posts.SavePost(r.t.Context(), d.UserID, r.idOf(d, "A kite"), r.now))
			return save + "/undo"
		}, pressed},
		{"/site/{token}/display", site("/display"), url.Values{"pressed": {"yes"}, "display": {"headlines"}}},
		{"/site/{token}/pause", site("/pause"), url.Values{"pressed": {"yes"}, "for": {"week"}}},
		{"/site/{token}/resume", site("/resume", pause), pressed},
		{"/site/{token}/leave", site("/leave"), pressed},
		{"/site/{token}/back", site("/back", leave), pressed},
		{"/sign-up/confirm", mailedToken("/sign-up/confirm",
			func(r *room, _ digest.Digest) { r.visitor().asks("/sign-up", "new@example.org") }), nil},
		{"/sign-in", mailedToken("/sign-in",
			func(r *room, _ digest.Digest) { r.visitor().asks("/sign-in/email", "ann@example.org") }), nil},
		{"/n/{slug}/confirm", mailedToken("/n/anna-writes/confirm", func(r *room, _ digest.Digest) {
			anna, _ := r.user("anna@example.org")
			r.newsletter(anna)
			r.joins(url.Values{"email": {"new@example.org"}}, "https://anna.example")
		}), nil},
		{"/settings/address/confirm", mailedToken("/settings/address/confirm", func(r *room, d digest.Digest) {
			u, err := r.store.Readers.User(r.t.Context(), d.UserID)
			r.must(err)
			r.visitor().signIn(u).post("/settings/address",
				url.Values{"email": {"new@example.org"}}).status(http.StatusSeeOther)
		}), nil},
	}
}

// standing describes all that a link in an email could change.
func (r *room) standing(d digest.Digest) string {
	r.t.Helper()
	ctx := r.t.Context()
	u, err := r.store.Readers.User(ctx, d.UserID)
	r.must(err)
	d, err = r.store.Readers.Digest(ctx, d.ID)
	r.must(err)
	subs, err := r.store.Subscriptions.AllSubscriptions(ctx, d.ID)
	r.must(err)
	saved, err := r.store.Posts.SavedAmong(ctx, u.ID, []digest.PostID{1, 2, 3, 4, 5})
	r.must(err)
	changes, err := r.store.Readers.LinkChanges(ctx, u.ID, noon)
	r.must(err)
	sessions, err := r.store.Sessions.Sessions(ctx, u.ID, r.now)
	r.must(err)
	wish, err := r.store.Readers.AddressChange(ctx, u.ID)
	if digest.KindOf(err) != digest.NotFound {
		r.must(err)
	}
	_, errNew := r.store.Readers.UserByEmail(ctx, "new@example.org") // a person who signs up or joins
	return fmt.Sprintf("%+v\n%+v\n%+v\n%v\n%+v\n%d\n%+v\n%v", u, d, subs, saved, changes, len(sessions), wish, errNew)
}

// undoPaths returns the paths that undo the changes by links in a digest, latest first.
func (r *room) undoPaths(d digest.Digest) (paths []string) {
	r.t.Helper()
	changes, err := r.store.Readers.LinkChanges(r.t.Context(), d.UserID, noon)
	r.must(err)
	for _, x := range changes {
		paths = append(paths, "/undo/"+r.signer.SignPair(digest.ForUndo, digest.InRound(int64(x.DigestID), x.LinkRound),
			x.ID))
	}
	return paths
}

// TestOnlyTheButtonActs checks that only the request of the page's button changes anything.
// Programs open the links in emails and post to the forms behind them.
func TestOnlyTheButtonActs(t *testing.T) {
	for _, c := range linkRoutes() {
		t.Run(strings.ReplaceAll(c.pattern[1:], "/", " "), func(t *testing.T) {
			each(t, func(r *room) {
				_, d := r.hadKite("ann@example.org")
				path := c.path(r, d)
				address, query, isToken := strings.Cut(path, "?token=")
				was := r.standing(d)
				unrelated := url.Values{"url": {"https://a.example/"}, "for": {"week"}, "days": {"mon"},
					"display": {"headlines"}, "feed": {"1"}, "back": {"/"}}
				if c.form.Get("List-Unsubscribe") == "" {
					unrelated.Set("List-Unsubscribe", "One-Click")
				}
				for _, blind := range []struct {
					method, kind string
					form         url.Values
				}{{"GET", "", nil}, {"HEAD", "", nil}, {"OPTIONS", "", nil}, {"POST", "", nil},
					{"POST", urlencoded, nil}, {"POST", urlencoded, unrelated},
					{"POST", "application/json", c.form}} {
					r.visitor().do(blind.method, path, blind.kind, strings.NewReader(blind.form.Encode()))
					if now := r.standing(d); now != was {
						r.t.Errorf("%s with %q changes\n%s\nto\n%s", blind.method, blind.form.Encode(), was, now)
						was = now
					}
				}
				form := c.form
				if isToken {
					form = url.Values{"token": {query}}
				}
				a := r.visitor().do("POST", address, urlencoded, strings.NewReader(form.Encode()))
				if now := r.standing(d); now == was || a.StatusCode >= 400 {
					r.t.Errorf("the button changes nothing: %d", a.StatusCode)
				}
			})
		})
	}
}

// TestEveryLinkRouteIsTried checks that linkRoutes has every route to which strangers can post a
// token.
func TestEveryLinkRouteIsTried(t *testing.T) {
	source, err := os.ReadFile("routes.go")
	if err != nil {
		t.Fatal(err)
	}
	_, public, _ := strings.Cut(string(source), "func (s *site) publicRoutes()")
	public, _, _ = strings.Cut(public, "\nfunc ")
	others := []string{
		// they look, and subscribe only to found feeds: TestRemediesByLinkSubscribeToNothingElse
		"/remedies/{token}/find", "/remedies/{token}/add",
		"/sign-in/email", "/sign-in/operator", "/sign-out", "/sign-up", "/bot/site", // no email links here
		"/passkeys/sign-in/begin", "/passkeys/sign-in/finish", "/passkeys/register/begin", "/passkeys/register/finish",
	}
	tried := 0
	for _, found := range regexp.MustCompile(`"POST ([^"]+)"`).FindAllStringSubmatch(public, -1) {
		pattern := found[1]
		if slices.ContainsFunc(linkRoutes(), func(c linkRoute) bool { return c.pattern == pattern }) {
			tried++
		} else if !slices.Contains(others, pattern) {
			t.Errorf("no row for %s", pattern)
		}
	}
	if tried+1 != len(linkRoutes()) { // one-click has a constant
		t.Errorf("%d of %d rows are routes", tried, len(linkRoutes()))
	}
}

// TestUndoLink checks that the link in a notice undoes only its own change, once.
func TestUndoLink(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.hadKite("ann@example.org")
		e := r.edition(d)
		link := fmt.Sprintf("%s-%d", r.unsubscribePath(d), e.ID)
		stranger := r.visitor()
		_, site := r.letterPaths(d, "A kite")
		stranger.post(site+"/display", url.Values{"display": {"headlines"}})
		stranger.post(link+"/days", url.Values{"days": {"monthly"}}).status(http.StatusOK)
		undo := r.undoPaths(d)
		if len(undo) != 2 {
			r.t.Fatalf("%d changes", len(undo))
		}
		page := stranger.get(undo[0]).status(http.StatusOK).shows("h1", "Undo this change").
			contains("main p",
				"You now get Daily Digest on the 1st of each month. Someone used a link in your email of 21 "+
					"November 2026.")
		if page.Header.Get("Referrer-Policy") != "same-origin" {
			r.t.Error("the token may leave with the address")
		}
		stranger.get(undo[1]).contains("main p",
			"Wind: Headlines only. Someone used a link in your email of 21 November 2026.")
		if got := r.digest(d).Cadence; !got.IsMonthly() {
			r.t.Errorf("looking undoes it: %s", got)
		}
		stranger.press(page, "Undo this change").shows("h1", "The change was undone")
		undoing := r.undoPaths(d)[0] // a stranger has this link, too, because an edition contains it
		stranger.get(undoing).contains("main p",
			"You now get Daily Digest every day. Someone used a link in one of your emails.")
		for range 2 {
			stranger.post(undo[0], nil).status(http.StatusOK).contains("h1", "ndone")
		}
		if got := r.digest(d).Cadence; got != digest.Daily {
			r.t.Errorf("it comes %s", got)
		}
		if sub, _, _ := r.subOf(d); sub.Display != digest.Headlines {
			r.t.Errorf("another change was undone too: %+v", sub)
		}
		stranger.get(undo[0]).status(http.StatusOK).shows("h1", "The change was undone")
		r.must(r.store.Readers.SetCadence(r.t.Context(), d.ID, digest.Workdays, r.now)) // the owner's own choice
		stranger.post(undo[0], nil).status(http.StatusOK).shows("h1", "The change was undone")
		stranger.post(link+"/days", url.Values{"days": {"monthly"}})
		again := r.undoPaths(d)[0]
		r.must(r.store.Readers.SetCadence(r.t.Context(), d.ID, digest.Daily, r.now))
		stranger.post(again, nil).status(http.StatusOK).shows("h1", "Nothing to undo")
		if got := r.digest(d).Cadence; got != digest.Daily {
			r.t.Errorf("a link that is superseded sets it to %s", got)
		}
		own := r.visitor().signIn(u)
		stranger.post(link+"/days", url.Values{"days": {"monthly"}})
		count := len(r.undoPaths(d))
		own.post(r.undoPaths(d)[0], nil).status(http.StatusOK).shows("h1", "The change was undone")
		if got := len(r.undoPaths(d)); got != count {
			r.t.Errorf("the owner's own undo is a change by a link: %d of them, then %d", count, got)
		}
		own.get("/settings/links").contains(".rows", "Wind: Headlines only.").contains(".rows", "undone")
		r.must(r.store.Readers.VoidLinks(r.t.Context(), d.ID))
		stranger.post(undo[1], nil).status(http.StatusGone)
		own.get(undo[1]).status(http.StatusSeeOther).leads("/settings/links")
		r.now = r.now.Add(digest.LinkUndoTime)
		stranger.post(undo[0], nil).status(http.StatusGone).shows("h1", "This link no longer works")
	})
}

// TestUndoOfAnotherFeed checks that a reader can undo two changes by a link: the replacement of a
// feed, and the return to a moved feed's old address. The page shows only the host of an address.
func TestUndoOfAnotherFeed(t *testing.T) {
	each(t, func(r *room) {
		v := r.visitor()
		_, moved := r.user("ann@example.org")
		_, path := r.moves(moved, "Notes", oldPlace, newPlace)
		r.midnight()
		v.post(path, nil).status(http.StatusOK).shows("h1", "Old address restored")
		page := v.get(r.undoPaths(moved)[0]).contains("main p",
			"Notes now comes from old.example instead of new.example.")
		if strings.Contains(page.body, "key=1") {
			r.t.Error("it shows what may be a secret")
		}
		v.press(page, "Undo this change").shows("h1", "The change was undone")
		if got := r.subscribedTo(moved); got != newPlace {
			r.t.Errorf("subscribed to %s", got)
		}
		v.get(path).shows("h1", "Use the old address again?")

		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One")})
		_, d := r.user("bob@example.org")
		link := r.failing(d, "The blog", b.URL+"/old")
		offered := v.post(link+"/find", nil).attrs("input[name=feed]", "value")
		v.post(link+"/add", url.Values{"feed": {offered[0]}}).contains("[role=status]", "Feed replaced.")
		if got := r.undoPaths(d); len(got) != 1 {
			r.t.Fatalf("%d changes", len(got))
		}
		v.get(r.undoPaths(d)[0]).contains("main p", "The blog now comes from another address at ")
		v.post(r.undoPaths(d)[0], nil).shows("h1", "The change was undone")
		if got := r.subscribedTo(d); got != b.URL+"/old" {
			r.t.Errorf("subscribed to %s", got)
		}
	})
}

// TestUndoTokens checks that a link undoes one change of one digest only.
func TestUndoTokens(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		_, other := r.user("bob@example.org")
		r.visitor().post(r.unsubscribePath(d)+"/days", url.Values{"days": {"mon"}})
		changes, err := r.store.Readers.LinkChanges(r.t.Context(), d.UserID, noon)
		r.must(err)
		id := changes[0].ID
		for _, token := range []string{
			r.signer.SignPair(digest.ForUndo, int64(other.ID), id),
			r.signer.SignPair(digest.ForUndo, int64(d.ID), id+1),
			r.signer.SignPair(digest.ForUndo, int64(d.ID)+99, id), r.signer.SignPair(digest.ForSite, int64(d.ID), id),
			"x", strings.TrimPrefix(r.undoPaths(d)[0], "/undo/") + "a",
		} {
			if a := r.visitor().post("/undo/"+token, nil); a.StatusCode != http.StatusGone &&
				a.StatusCode != http.StatusNotFound {
				r.t.Errorf("%s: %d", token, a.StatusCode)
			}
		}
		if got := r.digest(d).Cadence; got == digest.Daily {
			r.t.Error("it was undone by a forged link")
		}
	})
}

// TestOwnerIsNotTold checks that readers get no notice of changes that they make while signed in,
// or of one-click unsubscribing.
func TestOwnerIsNotTold(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		own := r.visitor().signIn(u)
		own.post(r.unsubscribePath(d)+"/days", url.Values{"days": {"mon"}}).status(http.StatusOK)
		own.post(r.unsubscribePath(d)+"/leave", nil).status(http.StatusOK)
		own.post(r.unsubscribePath(d)+"/undo", nil).status(http.StatusOK)
		if got := r.undoPaths(d); len(got) != 0 {
			r.t.Errorf("%d changes of their own are recorded", len(got))
		}
		r.visitor().do("POST", r.unsubscribePath(d), urlencoded,
			strings.NewReader("List-Unsubscribe=One-Click")).status(http.StatusOK)
		news, found, err := r.store.Editions.NextLinkNews(r.t.Context(), r.now.AddDate(0, 0, 1))
		if r.must(err); found || len(r.undoPaths(d)) != 1 {
			r.t.Errorf("one-click unsubscribing tells %+v, %d changes", news, len(r.undoPaths(d)))
		}
		own.get("/settings/links").contains(".rows",
			"You were unsubscribed from Daily Digest. An email program’s unsubscribe button did this.")
		r.visitor().post(r.undoPaths(d)[0], nil).status(http.StatusOK).shows("h1", "The change was undone")
		r.stands(d, digest.DigestActive)
		inText := r.unsubscribePath(d) + "-1" // everybody with a forwarded copy of the email has this link
		r.visitor().do("POST", inText, urlencoded, strings.NewReader("List-Unsubscribe=One-Click")).status(
			http.StatusBadRequest).shows("h1", "Unsubscribe from Daily Digest?")
		r.stands(d, digest.DigestActive)
		bob, _ := r.reader("bob@example.org") // another reader, signed in
		bob.post(r.unsubscribePath(d)+"/leave", nil).status(http.StatusOK)
		if _, found, err := r.store.Editions.NextLinkNews(r.t.Context(), r.now.AddDate(0, 0, 1)); err != nil || !found {
			r.t.Errorf("nobody is told: %v", err)
		}
	})
}
