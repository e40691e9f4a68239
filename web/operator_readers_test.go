package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/web"
)

// TestOperatorOnlyEverywhere checks that the operator's pages respond with 404 to readers and redirect
// strangers to the sign-in, and that their forms are rejected from other sites.
func TestOperatorOnlyEverywhere(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		ada, d := r.user("ada@example.org")
		bob, _ := r.user("bob@example.org")
		r.newsletter(bob)
		r.arrives(d, post("A kite"))
		reader, stranger, foreign := r.visitor().signIn(bob), r.visitor(), r.visitor()
		foreign.cookies = op.cookies
		foreign.header["Origin"], foreign.header["Sec-Fetch-Site"] = "https://elsewhere.example", "cross-site"
		routes := web.Routes("operator")
		if len(routes) < 20 {
			r.t.Fatalf("%d routes", len(routes))
		}
		for _, pattern := range routes {
			method, path, _ := strings.Cut(pattern, " ")
			if !strings.HasPrefix(path, "/operator") {
				r.t.Errorf("%s is elsewhere", path)
			}
			path = strings.NewReplacer("readers/{id}", fmt.Sprint("readers/", ada.ID), "{id}", "1", "{slug}",
				"anna-writes").Replace(path)
			form := url.Values{"address": {ada.Email}, "host": {"site.example"}, "edition": {"1"},
				"reason": {"so"}}.Encode()
			do := func(v *visitor) answer {
				return v.do(method, path, "application/x-www-form-urlencoded", strings.NewReader(form))
			}
			do(reader).status(http.StatusNotFound)
			if method == "GET" {
				do(stranger).leads("/sign-in")
			} else {
				do(stranger).status(http.StatusForbidden).shows("h1", "You were signed out")
				do(foreign).status(http.StatusForbidden)
				if got := op.get(path).StatusCode; got == http.StatusOK &&
					!slices.Contains(routes, "GET "+strings.TrimPrefix(pattern, "POST ")) {
					r.t.Errorf("GET %s answers", path)
				}
			}
		}
		r.stands(d, digest.DigestActive)
		r.noLetter()
		if u, err := r.store.Readers.UserByEmail(r.t.Context(), ada.Email); err != nil || u.Operator {
			r.t.Errorf("%+v, %v", u, err)
		}
	})
}

// TestOperatorListsReaders checks the pages of the list of readers, and its filter by state.
func TestOperatorListsReaders(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		for i := range 60 {
			u, d := r.user(fmt.Sprintf("r%02d@example.org", i))
			switch i {
			case 3:
				r.must(r.store.Readers.PauseDigest(t.Context(), d.ID, r.now.AddDate(0, 0, 10), r.now))
			case 4:
				r.must(r.store.Readers.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
			case 5:
				r.must(r.store.Operator.SetOperator(t.Context(), u.ID, true))
				r.must(r.store.Editions.Suppress(t.Context(),
					digest.Suppression{Email: u.Email, Reason: digest.ForHardBounce,
						CreatedAt: r.now}))
			}
		}
		r.must(r.store.Sessions.AddSignUp(t.Context(), []byte("hash"),
			store.SignUp{Email: "new@example.org", TimeZone: "UTC"},
			r.now, r.now.Add(time.Hour)))
		page := op.get("/operator/readers").status(http.StatusOK)
		if n := len(page.find("ul.groups a")); n != 50 {
			t.Errorf("%d readers", n)
		}
		page = op.get(page.attrs(".turns a", "href")[0]).status(http.StatusOK)
		if n := len(page.find("ul.groups a")); n != 11 { // including the operator
			t.Errorf("%d later readers", n)
		}
		page.shows(".turns a", "First page")
		op.get("/operator/readers?state=paused").shows("ul.groups a", "r03@example.org").
			shows("ul.groups span", "paused until 30 November 2026, joined 20 November 2026, Europe/Paris")
		op.get("/operator/readers?state=left").shows("ul.groups a", "r04@example.org")
		op.get("/operator/readers?q=R05").shows("ul.groups span",
			"active, address suppressed, operator, joined 20 November 2026, Europe/Paris")
		op.get("/operator/readers?state=members").shows("ul.groups a")
		op.get("/operator/readers?state=nonsense&after=x").status(http.StatusOK)
		op.get("/operator/readers?state=unconfirmed").shows("ul.groups a").shows("ul.groups bdi", "new@example.org").
			shows("ul.groups span", "not confirmed; sign-up link works until 20 Nov 2026, 13:00 UTC")
	})
}
