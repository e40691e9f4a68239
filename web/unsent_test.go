package web_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestUnsentForm checks that a reader whose session ended while they typed gets the form back as they filled it in.
// Nothing is done until they press its button again.
func TestUnsentForm(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		form := url.Values{"words": {`foot"ball <b>`}, "feed": {"0"}}
		expired := func() *visitor { // the session expired, or ended in another tab
			v := r.visitor().signIn(u)
			delete(v.cookies, "digest")
			v.header["Referer"] = r.base + "/filters?saved=filter"
			return v
		}
		enters := func(v *visitor, token string) string {
			return v.post("/sign-in", url.Values{"token": {token}}).status(http.StatusSeeOther).Header.Get("Location")
		}

		v := expired()
		if to := v.post("/filters", form).status(http.StatusSeeOther).Header.Get("Location"); to != "/sign-in" {
			r.t.Errorf("leads to %q", to)
		}
		held := v.cookies["digest-unsent"]
		if held == "" || strings.Contains(held, "ball") || len(held) > 3900 {
			r.t.Fatalf("the cookie is %q", held)
		}
		v.get("/sign-in").status(http.StatusOK).contains(".notice", "sign in with this browser within an hour")
		v.get("/sign-in?token="+r.token(u)).contains(".notice", "To continue with your form")
		to := enters(v, r.token(u))
		if to != "/filters?saved=filter&unsent=1" {
			r.t.Fatalf("the sign-in leads to %q", to)
		}
		for range 2 { // also after a reload
			page := v.get(to).status(http.StatusOK).has("[name=words]", "value", form.Get("words")).contains(".unsent",
				"Press the button again")
			if n := len(page.find(".rows li")); n > 0 {
				r.t.Errorf("%d filters were made by nobody", n)
			}
		}
		v.get("/filters").shows(".unsent").has("[name=words]", "value", "")
		v.post("/filters", form).status(http.StatusSeeOther)
		v.get(to).shows(".unsent").contains(".rows", "foot")

		v = expired() // another account in the same browser
		v.post("/filters", form)
		if to := enters(v, r.token(bob)); !strings.HasPrefix(to, "/filters") {
			r.t.Errorf("leads to %q", to)
		}
		if page := v.get(to).status(http.StatusOK); strings.Contains(page.body, "ball") {
			r.t.Error("another reader sees what was written")
		}

		v = expired() // too late
		v.post("/filters", form)
		r.now = r.now.Add(61 * time.Minute)
		enters(v, r.token(u))
		v.get(to).status(http.StatusOK).shows(".unsent")

		v = r.visitor() // planted by another reader
		v.signIn(u)
		other := r.visitor().signIn(bob)
		delete(other.cookies, "digest")
		other.post("/filters", form)
		v.cookies["digest-unsent"] = other.cookies["digest-unsent"]
		v.get(to).shows(".unsent")
		v.cookies["digest-unsent"] = held[:len(held)-2] + "xx"
		v.get(to).status(http.StatusOK).shows(".unsent")

		v = expired() // from another site
		v.from("https://evil.example", "cross-site")
		v.post("/filters", form).status(http.StatusForbidden)
		if v.cookies["digest-unsent"] != "" {
			r.t.Error("a form of another site is held")
		}
		v = r.visitor().signIn(u) // an old page, after another reader used the browser
		v.post("/sign-in", url.Values{"token": {r.token(bob)}})
		v.post("/sign-out", nil).status(http.StatusSeeOther)
		v.post("/filters", form).status(http.StatusSeeOther)
		v.get("/sign-in").contains(".notice", "nothing was sent", "a browser that several readers use")
		v.post("/sign-in", url.Values{"token": {r.token(bob)}}).status(http.StatusSeeOther).leads("/filters?unsent=1")
		if page := v.get("/filters?unsent=1").status(http.StatusOK).contains(".unsent",
			"We can’t keep"); strings.Contains(page.body, "ball") {
			r.t.Error("the other sees what she wrote")
		}
		v = r.visitor() // one reader repeatedly
		for range 2 {
			v.post("/sign-in", url.Values{"token": {r.token(u)}})
			v.post("/sign-out", nil).status(http.StatusSeeOther)
		}
		v.post("/filters", form).status(http.StatusSeeOther)
		v.get("/sign-in").contains(".notice", "To continue with your form")

		v = r.visitor() // no account was signed in here
		v.post("/filters", form).status(http.StatusSeeOther)
		v.post("/sign-in", url.Values{"token": {r.token(u)}}).status(http.StatusSeeOther).leads("/filters?unsent=1")
		v.get("/filters?unsent=1").contains(".unsent", "We can’t keep").has("[name=words]", "value", "")
	})
}

// TestUnsentFormIsNotLostByTheWay checks that pages requested before the sign-in do not replace the form. Of two
// forms, the second is filled in, and the notice says that the first is lost.
func TestUnsentFormIsNotLostByTheWay(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		delete(v.cookies, "digest")
		v.post("/filters", url.Values{"words": {"football"}}).leads("/sign-in")
		v.get("/saved").leads("/sign-in")
		second := *v
		second.cookies = maps.Clone(v.cookies)
		v.post("/sign-in", url.Values{"token": {r.token(u)}}).leads("/filters?unsent=1")
		if page := v.get("/filters?unsent=1").has("[name=words]", "value", "football"); strings.Contains(page.body,
			"Another form") {
			r.t.Error("it speaks of another form")
		}

		second.post("/settings/zone", url.Values{"zone": {"Asia/Tok"}}).leads("/sign-in")
		second.post("/sign-in", url.Values{"token": {r.token(u)}}).leads("/settings/zone?unsent=2")
		second.get("/settings/zone?unsent=2").has("#zone", "value", "Asia/Tok").contains(".unsent",
			"We couldn’t keep another form")
		second.get("/filters?unsent=1").shows(".unsent").has("[name=words]", "value", "")
	})
}

// TestUnsentFormOfAnAnswer checks that a form from a page that no longer exists can be sent from the notice. The
// notice does not show hidden fields as the reader's words.
func TestUnsentFormOfAnAnswer(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Wind", post("A kite"))
		v := r.visitor().signIn(u)
		path := v.get("/feeds").attrs(".rows .name", "href")[0]
		undo := url.Values{"feed": v.post(path+"/leave", nil).status(http.StatusOK).attrs("main form input[name=feed]",
			"value")}
		delete(v.cookies, "digest")
		v.header["Referer"] = r.base + path + "/leave"
		v.post("/feeds/return", undo).leads("/sign-in")
		to := v.post("/sign-in", url.Values{"token": {r.token(u)}}).Header.Get("Location")
		if strings.HasPrefix(to, path) { // that page redirects if the reader has unsubscribed
			to = v.get(to).Header.Get("Location")
		}
		a := v.get(to).status(http.StatusOK).shows(".unsent button", "Send form").shows(".wrote")
		if got := v.takes(); got != "" {
			r.t.Fatalf("takes %q without being asked", got)
		}
		again := url.Values{}
		for i, name := range a.attrs(".unsent input", "name") {
			again.Add(name, a.attrs(".unsent input", "value")[i])
		}
		v.post(a.attrs(".unsent form", "action")[0], again).status(http.StatusSeeOther)
		if got := v.takes(); got != "Wind" {
			r.t.Errorf("takes %q", got)
		}
	})
}

// TestUnsentIsBounded checks that passwords, long forms and files are not stored, and that the notice says so.
func TestUnsentIsBounded(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		back := func(path string, send func(v *visitor)) answer {
			v := r.visitor().signIn(u)
			delete(v.cookies, "digest")
			send(v)
			to := v.post("/sign-in", url.Values{"token": {r.token(u)}}).Header.Get("Location")
			if to != path+"?unsent=1" {
				r.t.Errorf("leads to %q", to)
			}
			return v.get(to)
		}
		find := func(form url.Values) func(*visitor) {
			return func(v *visitor) {
				v.header["Referer"] = "http://elsewhere.example/feeds" // a path of ours, whatever it says
				v.post("/feeds/find", form).status(http.StatusSeeOther)
			}
		}
		page := back("/feeds", find(url.Values{"address": {"https://site.example/"}, "user": {"ann"},
			"password": {"pass-1"}, "token": {"pass-2"}}))
		page.has("#address", "value", "https://site.example/")
		if strings.Contains(page.body, "pass-") {
			r.t.Error("a password was held")
		}
		page = back("/feeds", find(url.Values{"address": {"https://site.example/secret-1"}, "secret": {"1"}}))
		if strings.Contains(page.body, "secret-1") {
			r.t.Error("a secret address was held")
		}
		back("/filters", func(v *visitor) {
			v.post("/filters", url.Values{"words": {prose(4000, "long", 1)}}).status(http.StatusSeeOther)
			v.get("/sign-in").contains(".notice", "long forms")
		}).contains(".unsent", "long forms").has("[name=words]", "value", "")
		back("/feeds/import", func(v *visitor) {
			v.send("/feeds/import", "my list.opml", "<opml/>", nil).status(http.StatusSeeOther)
			v.get("/sign-in").contains(".notice", "files")
		}).contains(".unsent", "files")
		back("/settings/zone", func(v *visitor) {
			v.post("/settings/zone", url.Values{"zone": {"Asia/Tok"}}).status(http.StatusSeeOther)
		}).has("#zone", "value", "Asia/Tok")
		back("/settings/travel", func(v *visitor) { // from a response to a form, without a page at that address
			v.header["Referer"] = r.base + "/settings/travel/remove"
			v.post("/settings/travel", url.Values{"zone": {"Asia/Tok"}}).status(http.StatusSeeOther)
		}).has("#zone", "value", "Asia/Tok")
		back("/settings/appearance", func(v *visitor) {
			v.post("/settings/appearance",
				url.Values{"name": {"The Evening"}, "layout": {"full"}, "threaded": {"on"}}).status(http.StatusSeeOther)
		}).has("[name=name]", "value", "The Evening").has("#layout option[selected]", "value",
			"full").has("[name=threaded]", "checked", "")
		back("/sign-out/everywhere", func(v *visitor) {
			v.post("/sign-out/everywhere", nil).status(http.StatusSeeOther)
		}).contains(".unsent", "Press the button again")
	})
}

// TestUnsentElsewhere checks that a sign-in link opened in another browser says where the form is.
func TestUnsentElsewhere(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		v := r.visitor().signIn(u)
		delete(v.cookies, "digest")
		v.post("/filters", url.Values{"words": {"x"}}).status(http.StatusSeeOther)
		v.asks("/sign-in/email", u.Email).status(http.StatusSeeOther)
		v.get("/sign-in?sent=1").contains(".notice", "sign in with this browser")
		link := "/sign-in?token=" + r.letter().token // token is all after token=
		r.visitor().get(link).status(http.StatusOK).contains(".notice", "Open it there")
		v.get(link).status(http.StatusOK).contains(".notice", "To continue with your form")
	})
}
