package web_test

import (
	"net/http"
	"net/url"
	"regexp"
	"testing"
)

// TestAnothersAddress checks that the page is the same for an address that already has an account.
func TestAnothersAddress(t *testing.T) {
	each(t, func(r *room) {
		r.user("known@example.org")
		pages := map[string]string{}
		for _, wished := range []string{"known@example.org", "blank@example.org"} {
			u, _ := r.user("ann-" + wished[:5] + "@example.net")
			v := r.visitor().signIn(u)
			a := v.post("/settings/address", url.Values{"email": {wished}}).status(http.StatusSeeOther)
			page := v.get(a.Header.Get("Location")).body
			pages[wished] = regexp.MustCompile(
				`known|blank|data-account="[^"]*"|name="account" value="[^"]*"`).ReplaceAllString(page, "X")
		}
		if pages["known@example.org"] != pages["blank@example.org"] {
			r.t.Errorf("%s\nis not\n%s", pages["known@example.org"], pages["blank@example.org"])
		}
		got := ""
		for _, l := range r.letters() {
			got += l.to + ": " + l.subject + "\n"
		}
		const want = "ann-blank@example.net: Change email address?\nann-known@example.net: Change email address?\n" +
			"blank@example.org: Confirm your new address\nknown@example.org: You already have an account\n"
		if got != want {
			r.t.Errorf("came\n%swant\n%s", got, want)
		}
	})
}
