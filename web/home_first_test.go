package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/web"
)

// TestLandingOffersWhatIsOpen checks that the landing page offers only the available ways to sign
// up and sign in.
func TestLandingOffersWhatIsOpen(t *testing.T) {
	each(t, func(r *room) {
		for mode, offered := range map[web.SignUp]struct{ buttons, says string }{
			web.SignUpOpen:       {"Sign up|Sign in", ""},
			web.SignUpInvitation: {"Sign in", "need an invitation"},
			web.SignUpClosed:     {"Sign in", "closed"},
			"":                   {"Sign in", "closed"},
		} {
			r.signUp = mode
			r.open("")
			a := r.visitor().get("/").status(http.StatusOK).shows(".choices .button",
				strings.Split(offered.buttons, "|")...)
			a.contains("main", offered.says)
			if mode != web.SignUpOpen && strings.Contains(a.body, "/sign-up") {
				r.t.Errorf("%q: a sign-up is offered", mode)
			}
		}
	})
}

// TestFirstDay checks that a reader can add several sites on the first page, and sees errors there.
func TestFirstDay(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One", "Two"),
			"/news.atom": rss("News", "Three"), "/three": rss("Third", "4")})
		v, _ := r.reader("ann@example.org")
		v.get("/").shows("h1", "Which sites do you read?").has("form.finder", "action",
			"/feeds/find").has("form.finder input[name=first]", "value", "1")
		add := func(address string) answer {
			return v.post("/feeds/find", url.Values{"address": {address}, "first": {"1"}})
		}
		add(b.URL+"/nowhere").shows("h1", "No feed found").has("input[name=first]", "value", "1").has(".back a", "href",
			"/")
		add(b.URL).shows("h1", "3 feeds found").has("input[name=first]", "value", "1", "1")
		both := v.post("/feeds/add",
			url.Values{"first": {"1"}, "feed": {b.URL + "/feed", b.URL + "/news.atom"}}).status(http.StatusSeeOther)
		if got := both.Header.Get("Location"); got != "/?saved=added" {
			r.t.Errorf("leads to %q", got)
		}
		part := v.post("/feeds/add", url.Values{"first": {"1"}, "feed": {b.URL + "/feed", b.URL + "/nowhere"}})
		part.shows("h1", "Some sites couldn’t be added").has("input[name=first]", "value", "1")
		if got := add(b.URL + "/feed").status(http.StatusSeeOther).Header.Get("Location"); got != "/?saved=there" {
			r.t.Errorf("leads to %q", got)
		}
		if got := add(b.URL + "/three").status(http.StatusSeeOther).Header.Get("Location"); got != "/?saved=added" {
			r.t.Errorf("leads to %q", got)
		}
		a := v.get("/?saved=added").shows("h1", "Your first edition is on its way").shows(".notice",
			"Added. New posts come with your next edition.")
		a.shows(".so-far li", "Third", "News", "The blog itself").shows("form.finder label[for=address]", "Add another")
		if got := v.find(b.URL + "/three").status(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(got,
			"/feeds/") {
			r.t.Errorf("from the list of feeds it leads to %q", got)
		}
	})
}

// TestSendMeOneNow checks that a reader can get the first edition now, on the page and by email,
// but only once.
func TestSendMeOneNow(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		v.post("/first", nil).status(http.StatusSeeOther)
		r.brings(digest.Subscription{DigestID: d.ID}, "The Tide Table",
			digest.Post{Identity: "1", Title: "Fog", URL: "https://site.example/fog"})
		r.must(noError(r.store.Import(t.Context(), d.ID,
			[]store.ImportItem{{URL: "https://unread.example/feed", Host: "unread.example"}}, 10, r.now)))
		page := v.get("/").shows("form[action=/first] button", "Get your first edition now").contains("main",
			"We haven’t fetched one of your sites yet")
		if strings.Index(page.body, `action="/first"`) > strings.Index(page.body, "Your sites") {
			r.t.Error("the button stands below all the sites, of which there may be many")
		}
		v.get("/first").status(http.StatusSeeOther)
		v.get("/").shows("h1", "Your first edition is on its way")
		to := v.post("/first", nil).status(http.StatusSeeOther).Header.Get("Location")
		a := v.get(to).status(http.StatusOK).contains("main", "Fog").contains(".absent", "Here’s your first edition")
		a.contains(".finis", "Your next edition is on")
		v.post("/first", nil).status(http.StatusSeeOther)
		if n := len(r.editionsOf(d)); n != 1 {
			r.t.Errorf("%d editions", n)
		}
		r.mailed()
		if e := r.edition(d); e.State != digest.EditionSent {
			r.t.Errorf("its mail is %s", e.State)
		}
		r.midnight()
		if n := len(r.editionsOf(d)); n != 1 {
			r.t.Errorf("%d editions after a midnight without news", n)
		}
	})
}

// TestSendMeOneNowButNotFor checks that there is no early edition without posts, behind the fence,
// or while the digest is paused.
func TestSendMeOneNowButNotFor(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Quiet")
		to := v.post("/first", nil).status(http.StatusSeeOther).Header.Get("Location")
		v.get(to).contains("[role=alert]", "have no posts for an edition yet")
		r.arrives(d, digest.Post{Identity: "1", Title: "Fog"})
		r.must(r.store.PauseDigest(t.Context(), d.ID, time.Time{}, r.now))
		v.post("/first", nil).status(http.StatusSeeOther)
		v.get("/").shows("form[action=/first] button")
		if n := len(r.editionsOf(d)); n != 0 {
			r.t.Errorf("%d editions", n)
		}
		r.visitor().post("/first", nil).status(http.StatusForbidden)
		for range 4 {
			v.post("/first", nil).status(http.StatusSeeOther)
		}
		// each request causes a preview, which is limited
		v.post("/first", nil).status(http.StatusTooManyRequests)
	})
}

// TestTomorrow checks that a button shows the waiting posts to their reader only, and changes
// nothing (I2).
func TestTomorrow(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, digest.Post{Identity: "0", Title: "Old", URL: "https://site.example/old"})
		r.midnight()
		r.midnight()
		v.get("/editions/2026-11-22").contains(".finis", "There was no edition").has(".ahead a", "href", "/tomorrow")
		r.arrives(d, digest.Post{Identity: "1", Title: "Fog", URL: "https://site.example/fog"})
		r.must(noError(r.store.AddFilter(t.Context(), digest.Filter{DigestID: d.ID, Words: "secret"}, r.now)))
		r.arrives(d, digest.Post{Identity: "2", Title: "A secret"})
		v.get("/").has(".ahead a", "href", "/tomorrow")
		a := v.get("/tomorrow").status(http.StatusOK).contains("main", "See the headlines that have arrived")
		if strings.Contains(a.body, "Fog") {
			r.t.Error("it is shown before anybody asked")
		}
		a = v.post("/tomorrow", nil).status(http.StatusOK).shows(".rows li", "Fog").has(".rows a", "href",
			"https://site.example/fog")
		if got := a.Header.Get("Cache-Control"); got != "private, no-store" {
			r.t.Errorf("Cache-Control: %s", got)
		}
		if strings.Contains(a.body, "<img") || strings.Contains(a.body, "/posts/") {
			r.t.Error("more than headlines")
		}
		other, _ := r.reader("bob@example.org")
		other.post("/tomorrow", nil).shows(".rows li")
		if a := v.get("/"); strings.Contains(a.body, "Fog") {
			r.t.Error("it was released")
		}
		r.visitor().post("/tomorrow", nil).status(http.StatusForbidden).has("main a", "href", "/sign-in")
		for range 6 {
			a = v.post("/tomorrow", nil)
		}
		a.status(http.StatusTooManyRequests)
		r.must(r.store.PauseDigest(t.Context(), d.ID, time.Time{}, r.now))
		v.get("/").shows(".ahead a")
		v.get("/tomorrow").contains("main", "No edition is scheduled").shows("main button")
	})
}

// noError drops the first result.
func noError[T any](_ T, err error) error { return err }

func (r *room) editionsOf(d digest.Digest) []digest.Edition {
	r.t.Helper()
	list, err := r.store.Editions(r.t.Context(), d.ID, 10)
	r.must(err)
	return list
}
