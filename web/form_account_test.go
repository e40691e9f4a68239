package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
)

// unsigned returns the actions of a page's POST forms that do not identify the reader, in a field
// or, for uploads, in the address.
func (a answer) unsigned() (actions []string) {
	a.t.Helper()
	if len(a.find("form[action=/sign-out]")) == 0 {
		return nil
	}
	for _, form := range a.find("form[method=post]") {
		action, _ := attr(form, "action")
		signed := strings.Contains(action, "?account=")
		for c := range form.Descendants() {
			signed = signed || matches(c, "input[name=account]")
		}
		if !signed {
			actions = append(actions, action)
		}
	}
	return actions
}

// TestFormOfAnother checks that an open page of one reader changes nothing after another reader has
// signed in.
func TestFormOfAnother(t *testing.T) {
	each(t, func(r *room) {
		r.open("https://digest.example")
		ann, _ := r.reader("ann@example.org")
		bob, d := r.reader("bob@example.org")
		anns := ann.get("/settings/pause").attrs("main input[name=account]", "value")[0]
		bobs := bob.get("/settings/pause").attrs("main input[name=account]", "value")[0]
		for account, want := range map[string]int{anns: http.StatusConflict, "x": http.StatusConflict,
			bobs: http.StatusSeeOther} {
			got := bob.post("/settings/pause", url.Values{"until": {"2026-12-01"}, "account": {account}}).status(want)
			if want == http.StatusConflict {
				got.shows("h1", "You’re signed in to another account")
			}
			now, err := r.store.Readers.DigestOf(t.Context(), d.UserID)
			if r.must(err); (now.State == digest.DigestPaused) != (want == http.StatusSeeOther) {
				t.Errorf("a form of %q: bob's digest is %s", account, now.State)
			}
			err = r.store.Readers.ResumeDigest(t.Context(), d.ID, r.now)
			r.must(err)
		}
		file := ann.get("/feeds/import").attrs("form.importer", "action")[0]
		bob.sendFile(file, "list", "l.opml", "<opml><body/></opml>", nil).status(http.StatusConflict)
		bob.header["Digest-Account"] = anns
		bob.says("/passkeys/register/begin", struct{}{}).status(http.StatusConflict)
		delete(bob.header, "Digest-Account")
		for _, path := range []string{"/", "/settings", "/about", "/help"} {
			if got := bob.get(path).attrs("input[name=account]", "value"); len(got) > 0 && got[0] == anns {
				t.Errorf("%s names ann to bob", path)
			}
		}
	})
}
