package web_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestSignInLeadsBack checks that the sign-in redirects once to the page that was requested before.
func TestSignInLeadsBack(t *testing.T) {
	each(t, func(r *room) {
		u, _ := r.user("ann@example.org")
		enters := func(v *visitor) string {
			return v.post("/sign-in", url.Values{"token": {r.token(u)}}).status(http.StatusSeeOther).Header.Get(
				"Location")
		}
		v := r.visitor()
		v.get("/settings/zone")
		path := "/search?q=a+%2F%2Fb&in=saved"
		v.get(path).status(http.StatusSeeOther)
		v.get("/sign-in").status(http.StatusOK)
		v.get("/sign-in?token=" + r.token(u)).status(http.StatusOK)
		if got := enters(v); got != path {
			r.t.Errorf("leads to %q, want the page asked for last: %q", got, path)
		}
		v.post("/sign-out", nil)
		if got := enters(v); got != "/" {
			r.t.Errorf("the second time it leads to %q", got)
		}
		v = r.visitor() // neither resources nor public pages are stored
		v.get("/sound/x/y").status(http.StatusSeeOther)
		v.get("/nowhere").status(http.StatusNotFound)
		v.do("HEAD", "/editions", "", nil).status(http.StatusSeeOther)
		v.get("/search?q=" + strings.Repeat("x", 3000)).status(http.StatusSeeOther)
		if got := enters(v); got != "/" {
			r.t.Errorf("leads to %q", got)
		}
	})
}

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
