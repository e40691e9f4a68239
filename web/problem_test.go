package web_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestConfirmationWithoutItsField posts to links without the hidden field of their form, as email scanners do. The
// response names the button, and the link still works.
func TestConfirmationWithoutItsField(t *testing.T) {
	each(t, func(r *room) {
		for _, path := range []string{"/sign-in", "/sign-up/confirm", "/settings/address/confirm",
			"/sign-in/operator"} {
			for _, form := range []url.Values{nil, {"token": {""}}, {"email": {"ann@example.org"}}} {
				r.visitor().post(path+"?token=AAAA", form).status(http.StatusForbidden).shows("h1",
					"Please press the button")
			}
			r.visitor().post(path, url.Values{"token": {"AAAA"}}).status(http.StatusForbidden).shows("h1",
				"This link no longer works")
		}
	})
}
