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

// TestOperatorReaders checks that an operator finds a reader by part of the address, sees the
// delivery of their editions and can resend one. Other readers cannot.
func TestOperatorReaders(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		const evil = `<script>alert("x")</script>`
		r.troubles(evil)
		op.get("/operator/readers").status(http.StatusOK).contains("p.aside", "Is a reader missing an edition?")
		page := op.get("/operator/readers?q=CLE").status(http.StatusOK)
		page.shows("ul.groups a", "cleo@example.org")
		path := page.attrs("ul.groups a", "href")[0]
		op.get("/operator/readers?q=%25").status(http.StatusOK).contains("[role=status]", "No results.")

		page = op.get(path).status(http.StatusOK)
		page.contains(".needs li", "A mail server accepted the edition of 2026-11-21")
		page.contains(".troubles .why", "sent ")
		if n := len(page.find("main script")); n > 0 {
			t.Errorf("%d scripts of strangers", n)
		}
		edition := page.attrs("input[name=edition]", "value")
		if len(edition) != 1 {
			t.Fatalf("%q", edition)
		}
		form := url.Values{"edition": edition}
		op.post(path+"/resend", url.Values{"edition": {"999"}}).status(http.StatusNotFound)
		op.post(path+"/resend", url.Values{"edition": {"x"}}).status(http.StatusNotFound)
		to := op.post(path+"/resend", form).status(http.StatusSeeOther).Header.Get("Location")
		page = op.get(to).contains(".notice", "Edition queued.").contains(".troubles .why", "waiting (sent again)")
		if len(page.find("input[name=edition]")) > 0 {
			t.Error("what is on its way can be sent again")
		}
		op.post(path+"/resend", form).status(http.StatusConflict).contains(".wrong",
			"The edition of 2026-11-21 is already waiting or being sent")

		bob, err := r.store.UserByEmail(t.Context(), "bob@example.org")
		r.must(err)
		page = op.get(fmt.Sprint("/operator/readers/", bob.ID)).status(http.StatusOK)
		page.contains(".needs li", "Bob@example.org has been suppressed since").has(".needs a", "href",
			"/operator#suppressed", "#editions")
		page.contains(".troubles .why", evil)
		if strings.Contains(page.body, "secret") {
			t.Error("a feed's key is shown")
		}
		op.get("/operator/readers/999").status(http.StatusNotFound)
		op.get("/operator/readers/x").status(http.StatusNotFound)

		u, _ := r.user("dora@example.org")
		reader := r.visitor().signIn(u)
		for _, p := range []string{"/operator/readers?q=cleo", path} {
			reader.get(p).status(http.StatusNotFound)
			r.visitor().get(p).status(http.StatusSeeOther)
		}
		reader.post(path+"/resend", form).status(http.StatusNotFound)
		reader.post("/operator/test-mail", nil).status(http.StatusNotFound)
	})
}

// TestOperatorTestMail checks that an operator can send a limited number of test emails to
// themselves.
func TestOperatorTestMail(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		to := op.post("/operator/test-mail", nil).status(http.StatusSeeOther).Header.Get("Location")
		op.get(to).contains(".notice", "The test email is on its way.")
		if l := r.letter(); l.to != "operator@example.org" || l.subject != "Test email from "+r.base ||
			!strings.Contains(l.text, "This is a test email") {
			t.Errorf("%+v", l)
		}
		refused := false
		for range 20 {
			refused = refused || op.post("/operator/test-mail", nil).StatusCode == http.StatusTooManyRequests
		}
		if !refused {
			t.Error("tests are mailed without end")
		}
	})
}

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
		routes := web.OperatorRoutes()
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
		if u, err := r.store.UserByEmail(r.t.Context(), ada.Email); err != nil || u.Operator {
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
				r.must(r.store.PauseDigest(t.Context(), d.ID, r.now.AddDate(0, 0, 10), r.now))
			case 4:
				r.must(r.store.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
			case 5:
				r.must(r.store.SetOperator(t.Context(), u.ID, true))
				r.must(r.store.Suppress(t.Context(), digest.Suppression{Email: u.Email, Reason: digest.ForHardBounce,
					CreatedAt: r.now}))
			}
		}
		r.must(r.store.AddSignUp(t.Context(), []byte("hash"), store.SignUp{Email: "new@example.org", TimeZone: "UTC"},
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
			"active, not emailed, operator, joined 20 November 2026, Europe/Paris")
		op.get("/operator/readers?state=members").shows("ul.groups a")
		op.get("/operator/readers?state=nonsense&after=x").status(http.StatusOK)
		op.get("/operator/readers?state=unconfirmed").shows("ul.groups a").shows("ul.groups bdi", "new@example.org").
			shows("ul.groups span", "not confirmed; sign-up link works until 20 Nov 2026, 13:00 UTC")
	})
}

// TestOperatorPauses checks that an operator can pause and resume a reader's digest, and that
// nothing else changes.
func TestOperatorPauses(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		ada, d := r.user("ada@example.org")
		path := fmt.Sprint("/operator/readers/", ada.ID)
		was, err := r.store.Digest(t.Context(), d.ID)
		r.must(err)
		op.post(path+"/pause", url.Values{"until": {"2026-11-20"}}).status(http.StatusConflict).contains(".wrong",
			"is too early")
		op.post(path+"/pause", url.Values{"until": {"soon"}}).status(http.StatusConflict).contains(".wrong",
			"Enter a date like")
		r.stands(d, digest.DigestActive)
		op.get(op.post(path+"/pause", url.Values{"until": {"2026-11-25"}}).status(http.StatusSeeOther).Header.Get(
			"Location")).
			contains(".notice", "Digest paused").contains("strong", "Wednesday 25 November")
		r.stands(d, digest.DigestPaused)
		r.logged(`msg="an operator paused a digest" operator=1 reader=2`)
		op.get(op.post(path+"/resume", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(".notice",
			"Digest resumed")
		op.post(path+"/pause", url.Values{"until": {""}}).status(http.StatusSeeOther)
		op.get(path).contains(".sheet", "until they or you resume it")
		op.post(path+"/resume", nil).status(http.StatusSeeOther)
		r.logged(`msg="an operator resumed a digest" operator=1 reader=2`)
		is, err := r.store.Digest(t.Context(), d.ID)
		r.must(err)
		if is != was {
			t.Errorf("the digest was %+v, is %+v", was, is)
		}
		r.must(r.store.SetDigestState(t.Context(), d.ID, digest.DigestLeft, r.now))
		op.post(path+"/pause", url.Values{"until": {""}}).status(http.StatusConflict).contains(".wrong",
			"The reader unsubscribed")
		op.post(path+"/resume", nil).status(http.StatusSeeOther)
		r.stands(d, digest.DigestLeft)
	})
}

// TestOperatorMailsSignIn checks that a locked-out reader gets a link by email that works once, and
// that the operator never sees it.
func TestOperatorMailsSignIn(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		ada, _ := r.user("ada@example.org")
		path := fmt.Sprint("/operator/readers/", ada.ID)
		a := op.post(path+"/sign-in", nil).status(http.StatusSeeOther)
		l := r.letter()
		if l.to != ada.Email || l.token == "" ||
			!strings.Contains(l.text, "The operator of this site sent you this link") {
			t.Fatalf("%+v", l)
		}
		page := op.get(a.Header.Get("Location")).contains(".notice", "The sign-in link is on its way.")
		if strings.Contains(page.body+a.body+r.log.String()+r.letterLog.String(), l.token) {
			t.Error("the token is shown or logged")
		}
		r.logged(`msg="an operator sent a sign-in link" operator=1 reader=2`)
		op.get(op.post(path+"/sign-in", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(".notice",
			"They got a sign-in link recently")
		r.noLetter()
		r.now = r.now.Add(20 * time.Hour)
		r.visitor().post("/sign-in", url.Values{"token": {l.token}}).status(http.StatusSeeOther)
		r.visitor().post("/sign-in", url.Values{"token": {l.token}}).status(http.StatusForbidden)

		r.must(r.store.Suppress(t.Context(), digest.Suppression{Email: ada.Email, Reason: digest.ForHardBounce,
			CreatedAt: r.now}))
		op.post(path+"/sign-in", nil).status(http.StatusConflict).contains(".wrong", "Their address is suppressed")
		r.noLetter()
	})
}

// TestOperatorRemoves checks that an operator can remove a reader by entering their address, but
// not an operator or the owner of a newsletter.
func TestOperatorRemoves(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		ada, _ := r.user("ada@example.org")
		path := fmt.Sprint("/operator/readers/", ada.ID, "/remove")
		op.get(path).status(http.StatusOK).contains("strong", "You can’t undo this")
		op.post(path, url.Values{"address": {"bob@example.org"}}).status(http.StatusUnprocessableEntity).contains(
			".wrong", "Nothing was changed.")
		op.post(path, nil).status(http.StatusUnprocessableEntity)

		r.newsletter(ada)
		op.get(path).contains(".wrong", "They own a newsletter").shows(".groups a", "Anna & co")
		op.post(path, url.Values{"address": {ada.Email}}).status(http.StatusConflict)
		bob, _ := r.user("bob@example.org")
		n, err := r.store.NewsletterBySlug(t.Context(), "anna-writes")
		r.must(err)
		r.must(r.store.SetRole(t.Context(), n.ID, bob.ID, digest.RoleOwner, r.now))
		op.get(path).contains(".sheet", "These newsletters continue without them")

		me, err := r.store.UserByEmail(t.Context(), "operator@example.org")
		r.must(err)
		mine := fmt.Sprint("/operator/readers/", me.ID)
		op.get(mine+"/remove").contains(".wrong", "This is you")
		op.post(mine+"/remove", url.Values{"address": {me.Email}}).status(http.StatusConflict)
		op.post(mine+"/operator/end", nil).status(http.StatusConflict).contains(".wrong", "This is you")

		page := strings.TrimSuffix(path, "/remove")
		op.get(op.post(page+"/operator", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(".notice",
			"They are an operator now")
		r.visitor().signIn(ada).get("/operator").status(http.StatusOK)
		op.post(path, url.Values{"address": {ada.Email}}).status(http.StatusConflict).contains(".wrong",
			"They are an operator")
		op.get(op.post(page+"/operator/end", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(
			".notice", "They are no longer an operator")
		r.visitor().signIn(ada).get("/operator").status(http.StatusNotFound)
		r.logged(`msg="an operator added an operator" operator=1 reader=2`,
			`msg="an operator removed an operator" operator=1 reader=2`)

		to := op.post(path, url.Values{"address": {" ADA@example.org "}}).status(http.StatusSeeOther).Header.Get(
			"Location")
		op.get(to).contains(".notice", "Reader removed")
		op.get(page).status(http.StatusNotFound)
		r.logged(`msg="an operator removed a reader" operator=1 reader=2`)
		if strings.Contains(r.log.String(), "ada@") {
			t.Error("the log has the address")
		}
	})
}

// logged fails the test unless the log contains each text.
func (r *room) logged(words ...string) {
	r.t.Helper()
	for _, want := range words {
		if !strings.Contains(r.log.String(), want) {
			r.t.Errorf("no %s in %s", want, r.log.String())
		}
	}
}
