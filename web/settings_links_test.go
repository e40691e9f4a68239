package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// TestVoidLinks checks that turned-off links do nothing and explain how to unsubscribe. Links in newer emails work.
func TestVoidLinks(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		r.arrives(d, digest.Post{Identity: "p", Title: "Post", URL: "https://site.example/p"})
		r.midnight()
		e := r.edition(d)
		old, read := r.unsubscribePath(d), "/e/"+r.signer.Sign(digest.ForEdition, int64(e.ID))
		r.visitor().get(read).status(http.StatusOK)
		v.get("/settings/links").status(http.StatusOK).shows("main form button", "Turn off links in old emails")
		v.get(v.post("/settings/links", nil).status(http.StatusSeeOther).Header.Get("Location")).contains(".notice",
			"Old links are off")

		stranger := r.visitor()
		stranger.from("https://mail.example", "cross-site")
		stranger.post(old, url.Values{"List-Unsubscribe": {"One-Click"}}).status(http.StatusGone).
			shows("h1", "This link no longer works").contains("main",
			"so nothing was changed. To unsubscribe, use the latest email").shows("a.button", "Sign in")
		r.stands(d, digest.DigestActive)
		for _, path := range []string{"/pause", "/days", "/resume", "/undo"} {
			r.visitor().post(old+path, url.Values{"for": {"week"}, "days": {"mon"}}).status(http.StatusGone)
		}
		r.visitor().get(old).status(http.StatusGone)
		r.visitor().get(read).status(http.StatusGone)
		r.stands(d, digest.DigestActive)
		bob, _ := r.reader("bob@example.org")
		bob.get(old).status(http.StatusGone)
		bob.get(read).status(http.StatusGone)

		if to := v.get(read).status(http.StatusSeeOther).Header.Get("Location"); to != "/editions/"+
			e.LocalDate.String() {
			r.t.Errorf("the reader is led to %s", to)
		}
		now := v.get(old).status(http.StatusSeeOther).Header.Get("Location")
		if now == old || v.get("/settings/links").attrs(".aside a", "href")[0] != now {
			r.t.Errorf("the page of now is %s", now)
		}
		r.visitor().get("/e/" + r.signer.Sign(digest.ForEdition, digest.InRound(int64(e.ID), 1))).status(http.StatusOK)
		r.visitor().post(now, url.Values{"List-Unsubscribe": {"One-Click"}}).status(http.StatusOK)
		r.stands(d, digest.DigestLeft)
		undo := r.visitor().get(now).status(http.StatusOK).attrs("form[method=post]", "action")[0]
		if !strings.HasPrefix(undo, now) {
			r.t.Errorf("the way back is %s", undo)
		}
		r.visitor().post(old+"/undo", nil).status(http.StatusGone)
		r.stands(d, digest.DigestLeft)
		r.visitor().post(undo, nil).status(http.StatusOK)
		r.stands(d, digest.DigestActive)
		for range 8 {
			v.post("/settings/links", nil)
		}
		v.post("/settings/links", nil).status(http.StatusTooManyRequests)
	})
}
