package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
)

// from gives the visitor's requests the headers of a form on another site.
func (v *visitor) from(origin, site string) {
	for name, value := range map[string]string{"Origin": origin, "Sec-Fetch-Site": site} {
		if value != "" {
			v.header[name] = value
		}
	}
}

func TestNobodyReadsAnothersEdition(t *testing.T) {
	each(t, func(r *room) {
		_, anns := r.user("ann@example.org")
		bob, bobs := r.user("bob@example.org")
		r.arrives(anns, post("For Ann"))
		r.midnight()
		r.arrives(bobs, post("For Bob"))
		r.midnight()

		v := r.visitor().signIn(bob)
		v.get("/editions/2026-11-21").status(http.StatusNotFound) // Ann has one of that date, Bob has not
		v.get("/editions/2026-11-22").status(http.StatusOK).shows("h3", "For Bob")
		v.get("/").shows("h3", "For Bob")
		v.get("/editions").shows(".dates .day", "Sunday 22 November")
		e := r.edition(anns)
		for _, token := range []string{
			r.signer.Sign(digest.ForUnsubscribe, int64(e.ID)), r.signer.Sign(digest.ForMessageID, int64(e.ID)),
			digest.NewSigner([]byte("another instance's")).Sign(digest.ForEdition, int64(e.ID)), "1",
		} {
			v.get("/e/" + token).status(http.StatusNotFound)
		}
		v.get("/e/" + r.signer.Sign(digest.ForEdition, int64(e.ID)+99)).status(http.StatusGone)
		for _, path := range []string{"/editions", "/editions/2026-11-21", "/editions/2026-11-21?user=1"} {
			if got := r.visitor().get(path).status(http.StatusSeeOther).Header.Get("Location"); got != "/sign-in" {
				r.t.Errorf("%s leads to %q", path, got)
			}
		}
	})
}

func TestHiddenPostsStayHidden(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("Yesterday"))
		r.midnight()
		r.arrives(d, post("Tomorrow"))
		seen := r.edition(d)
		r.beforeMidnight(time.Second)
		paths := []string{"/", "/editions", "/editions/2026-11-21", "/editions/2026-11-22", "/editions/2026-11-20",
			"/e/" + r.signer.Sign(digest.ForEdition, int64(seen.ID))}
		for id := range int64(5) {
			paths = append(paths, "/e/"+r.signer.Sign(digest.ForEdition, int64(seen.ID)+id))
		}
		for _, path := range paths {
			if a := v.get(path); strings.Contains(a.body, "Tomorrow") {
				r.t.Errorf("%s shows a post before its midnight", path)
			}
		}
		r.midnight()
		v.get("/").shows("h3", "Tomorrow")
		// A clock that was set back reveals no future edition.
		r.now = r.now.Add(-time.Hour)
		for _, path := range []string{"/editions/2026-11-22", "/e/" +
			r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))} {
			v.get(path).status(http.StatusNotFound)
		}
	})
}

func TestGuessedDates(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, post("One"))
		r.midnight()
		for _, date := range []string{"2026-11-20", "2026-11-22", "2026-02-30", "latest", "2026-11-21T00:00:00Z", "-1",
			"20261121", "2026-11-21'", "9999999999-01-01"} {
			v.get("/editions/" + url.PathEscape(date)).status(http.StatusNotFound)
		}
	})
}

func TestFormsOfOtherSites(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		r.visitor().post(r.unsubscribePath(d)+"/leave", nil)
		for _, c := range []struct{ origin, site string }{
			{"https://evil.example", "cross-site"},
			{"https://evil.example", ""}, // an old browser
			{"null", ""},
			{"http://sibling.digest.example", "same-site"},
		} {
			token := r.token(u)
			for path, form := range map[string]url.Values{
				"/sign-out": nil, "/ping": {"url": {"https://a.example/"}}, "/RPC2": nil,
				"/sign-in": {"token": {token}}, r.unsubscribePath(d) + "/undo": nil,
			} {
				w := r.visitor()
				w.cookies = v.cookies
				w.from(c.origin, c.site)
				a := w.post(path, form).status(http.StatusForbidden)
				if !strings.Contains(a.body, "This form came from another site") {
					r.t.Errorf("%s is answered %q", path, a.body)
				}
			}
		}
		v.get("/editions").status(http.StatusOK) // still signed in
		r.stands(d, digest.DigestLeft)
		v.from(r.base, "")
		v.post("/sign-out", nil).status(http.StatusSeeOther)
	})
}

// TestOnlyOneClickMayComeFromElsewhere checks that only the one-click path accepts forms of other
// sites, and no similar path.
func TestOnlyOneClickMayComeFromElsewhere(t *testing.T) {
	each(t, func(r *room) {
		_, d := r.user("ann@example.org")
		v := r.visitor()
		v.from("https://evil.example", "cross-site")
		for _, path := range []string{r.unsubscribePath(d) + "/", r.unsubscribePath(d) + "/undo", "/" +
			r.unsubscribePath(d), "/x/.." + r.unsubscribePath(d), "/sign-out"} {
			v.post(path, nil).status(http.StatusForbidden)
		}
		r.stands(d, digest.DigestActive)
	})
}

func TestGetChangesNothing(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		token := r.token(u)
		v := r.visitor().signIn(u)
		for _, path := range []string{"/", "/sign-in?token=" + token, "/sign-out", "/editions", r.unsubscribePath(d),
			r.unsubscribePath(d) + "/undo", "/bot", "/status", "/RPC2"} {
			v.get(path)
			v.do("HEAD", path, "", nil)
			v.do("OPTIONS", path, "", nil)
		}
		r.stands(d, digest.DigestActive)
		v.get("/editions").status(http.StatusOK)
		r.visitor().post("/sign-in", url.Values{"token": {token}}).status(http.StatusSeeOther)
	})
}

func TestHostileFeed(t *testing.T) {
	const bad = `"'></h3><script>alert(1)</script><img src=x onerror=alert(1)>{{.}}`
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		r.arrives(d, digest.Post{Identity: "1", Title: bad, URL: "javascript:alert(1)", Author: bad, Summary: bad,
			Language: `en" onclick="alert(1)`})
		r.midnight()
		a := r.visitor().signIn(u).get("/").status(http.StatusOK)
		for _, selector := range []string{"script:not([src^='/static/'])", "img", "b", "[onclick]", "[onerror]",
			"[style]"} {
			if got := a.find(selector); len(got) != 0 {
				r.t.Errorf("the page has %d of %q", len(got), selector)
			}
		}
		for _, href := range a.attrs("a[href]", "href") {
			if strings.HasPrefix(href, "javascript:") {
				r.t.Errorf("a link to %s", href)
			}
		}
		a.shows("main h2", site)
		for _, n := range a.find("section a") {
			href, _ := attr(n, "href")
			if rel, _ := attr(n, "rel"); rel != "noopener noreferrer" && !strings.HasPrefix(href, "/posts/") &&
				!strings.HasPrefix(href, "/feeds/") {
				r.t.Errorf("a link to %s with rel %q", href, rel)
			}
		}
	})
}

func TestNoOpenRedirect(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		for _, path := range []string{"//evil.example", "//evil.example/..", "/\\evil.example",
			"/sign-in/..//evil.example", "/editions?next=https://evil.example"} {
			to := r.visitor().get(path).Header.Get("Location")
			if parsed, err := url.Parse(to); err != nil || parsed.Host != "" || strings.HasPrefix(to, "/\\") {
				r.t.Errorf("%s leads to %q", path, to)
			}
		}
		a := r.visitor().post("/sign-in?next=https://evil.example",
			url.Values{"token": {r.token(u)}, "next": {"//evil.example"}})
		if got := a.status(http.StatusSeeOther).Header.Get("Location"); got != "/" {
			r.t.Errorf("sign-in leads to %q", got)
		}
	})
}
