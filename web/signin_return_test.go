package web_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"
)

// TestSignInLeadsNowhereElse checks that a planted cookie cannot redirect to another site.
func TestSignInLeadsNowhereElse(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		for _, planted := range []string{"", "evil.example", "//evil.example", "///evil.example", `/\evil.example`,
			`\\evil.example`, "/\t/evil.example", "/\n/evil.example",
			" //evil.example", "https://evil.example/", "javascript:alert(1)", "/%2Fevil.example", "/x\x00"} {
			v := r.visitor()
			v.cookies["digest-return"] = base64.RawURLEncoding.EncodeToString([]byte(planted))
			if got := v.post("/sign-in", url.Values{"token": {r.token(u)}}).status(http.StatusSeeOther).Header.Get(
				"Location"); got != "/" {
				r.t.Errorf("%q leads to %q", planted, got)
			}
		}
		v := r.visitor()
		v.cookies["digest-return"] = "?"
		if got := v.post("/sign-in", url.Values{"token": {r.token(u)}}).status(http.StatusSeeOther).Header.Get(
			"Location"); got != "/" {
			r.t.Errorf("leads to %q", got)
		}
	})
}

// TestFormWithoutASession checks that a form posted without a session changes nothing, that its response says so, and
// that the sign-in returns to the page of the form.
func TestFormWithoutASession(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		for _, c := range []struct{ posted, from, want string }{
			{"/filters", "/filters?saved=filter", "/filters?saved=filter"},
			{"/settings/zone", "", "/settings/zone"},
			{"/settings/travel", "/settings/travel/remove", "/settings/travel"}, // a response to a form
			{"/sign-out/everywhere", "/nowhere", "/"},
		} {
			v := r.visitor().signIn(u)
			delete(v.cookies, "digest") // expired, or ended in another tab
			if c.from != "" {
				v.header["Referer"] = r.base + c.from
			}
			v.post(c.posted, url.Values{"words": {"football"}}).status(http.StatusForbidden).
				shows("h1", "You were signed out").contains("main", "Nothing was changed.").has("main a", "href",
				"/sign-in")
			v.get("/sign-in").status(http.StatusOK)
			v.post("/sign-in", url.Values{"token": {r.token(u)}}).leads(c.want)
			v.get("/filters").shows(".rows li")
		}

		v := r.visitor()
		v.send("/feeds/import", "my list.opml", "<opml/>", nil).status(http.StatusForbidden).
			shows("h1", "You were signed out")
		v.post("/sign-in", url.Values{"token": {r.token(u)}}).leads("/feeds/import")

		v = r.visitor()
		v.from("https://evil.example", "cross-site")
		v.post("/filters", nil).status(http.StatusForbidden).shows("h1", "This form came from another site")
		v = r.visitor()
		v.header["Digest-Account"] = "a script"
		v.post("/posts/1/save", nil).status(http.StatusForbidden)
		if v.cookies["digest-return"] != "" {
			r.t.Error("a form of another site, or a script, sets the page to return to")
		}
	})
}
