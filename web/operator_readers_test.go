package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestOperatorReaders: an operator finds a reader by a part of their address, sees what became of their editions and
// has one sent again; nobody else does.
func TestOperatorReaders(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		const evil = `<script>alert("x")</script>`
		r.troubles(evil)
		op.get("/operator/readers").status(http.StatusOK).contains("p.aside", "their edition did not come")
		page := op.get("/operator/readers?q=CLE").status(http.StatusOK)
		page.shows("ul.rows a", "cleo@example.org")
		path := page.attrs("ul.rows a", "href")[0]
		op.get("/operator/readers?q=%25").status(http.StatusOK).contains("[role=status]", "No reader has such an address.")

		page = op.get(path).status(http.StatusOK)
		page.contains(".needs li", "A server took the edition of 2026-11-21")
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
		page = op.get(to).contains(".notice", "queued once more").contains(".troubles .why", "waits, once more")
		if len(page.find("input[name=edition]")) > 0 {
			t.Error("what is on its way can be sent again")
		}
		op.post(path+"/resend", form).status(http.StatusConflict).contains(".wrong", "The edition of 2026-11-21 is on its way already")

		bob, err := r.store.UserByEmail(t.Context(), "bob@example.org")
		r.must(err)
		page = op.get(fmt.Sprint("/operator/readers/", bob.ID)).status(http.StatusOK)
		page.contains(".needs li", "digest suppressions remove bob@example.org")
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

// TestOperatorTestMail mails a test to the operator who asks, and not without end.
func TestOperatorTestMail(t *testing.T) {
	each(t, func(r *room) {
		op := r.operator()
		to := op.post("/operator/test-mail", nil).status(http.StatusSeeOther).Header.Get("Location")
		op.get(to).contains(".notice", "A test is on its way to your address.")
		if l := r.letter(); l.to != "operator@example.org" || l.subject != "A test of the mail of "+r.base || !strings.Contains(l.text, "This is a test") {
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
