package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestShared checks that a shared address fills in the form, and that only its button starts the
// search.
func TestShared(t *testing.T) {
	each(t, func(r *room) {
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One")})
		v, _ := r.reader("ann@example.org")
		for _, path := range []string{
			"/feeds/share?title=The+blog&text=" + url.QueryEscape("Look at this: "+b.URL+"/ !"),
			"/feeds/share?url=" + url.QueryEscape(b.URL+"/"), "/feeds/add?url=" + url.QueryEscape(b.URL+"/"),
		} {
			v.get(path).status(http.StatusOK).has("#address", "value", b.URL+"/").has("form.finder", "action",
				"/feeds/find")
		}
		if got := b.log(); got != "" {
			r.t.Errorf("a page that shows the address asked %s", got)
		}
		v.get("/feeds/share?text=" + strings.Repeat("x", 10000)).status(http.StatusOK)
		a := v.get("/feeds/add?url=" + url.QueryEscape(`"><script>alert(1)</script>`)).status(http.StatusOK)
		if strings.Contains(a.body, "<script>alert") {
			r.t.Error("a script came in")
		}
		// browsers decode javascript: addresses in the same way
		mark, err := url.PathUnescape(v.get("/feeds/add").has("#address", "value", "").attrs("a.plain", "href")[0])
		r.must(err)
		if want := "javascript:location.href='" + r.base +
			"/feeds/add?url='+encodeURIComponent(location.href)"; mark != want {
			r.t.Errorf("the bookmarklet is %s, want %s", mark, want)
		}

		u, _ := r.user("new@example.org")
		path := "/feeds/share?title=&text=" + strings.Repeat("x", 4000) + "&url=" + url.QueryEscape(b.URL)
		guest := r.visitor()
		if got := guest.get(path).status(http.StatusSeeOther).Header.Get("Location"); got != "/sign-in" {
			r.t.Errorf("leads to %q", got)
		}
		if got := guest.post("/sign-in", url.Values{"token": {r.token(u)}}).Header.Get(
			"Location"); got != "/feeds/add?url="+url.QueryEscape(b.URL) {
			r.t.Errorf("signed in, it leads to %q", got)
		}
	})
}
