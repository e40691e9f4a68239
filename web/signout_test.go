package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// TestSignOutEverywhereRemovesPasskeys checks that the page lists the passkeys, and that passkeys that the reader
// leaves checked cannot sign in afterwards.
func TestSignOutEverywhereRemovesPasskeys(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		bob, _ := r.user("bob@example.org")
		r.open("https://digest.example")
		v, b := r.visitor().signIn(ann), r.visitor().signIn(bob)
		phone, thiefs, bobs := newDevice(t), newDevice(t), newDevice(t)
		v.adds(phone, "My phone").status(http.StatusOK)
		v.adds(thiefs, "Unknown").status(http.StatusOK)
		b.adds(bobs, "Bob's").status(http.StatusOK)
		r.visitor().uses(thiefs).status(http.StatusOK)
		r.letters()

		page := v.get("/sign-out/everywhere").status(http.StatusOK).
			shows("h1", "Sign out everywhere").contains("main", "2 browsers").shows(".choice strong", "My phone",
			"Unknown")
		boxes := page.attrs("input[type=checkbox]", "value")
		if len(boxes) != 2 || len(page.find("input[checked]")) != 2 {
			r.t.Fatalf("boxes %q", boxes)
		}
		others, err := r.store.Sessions.Passkeys(t.Context(), bob.ID)
		r.must(err)
		form := url.Values{"passkey": {boxes[1], strconv.FormatInt(others[0].ID, 10), "x", "-1"}}
		to := v.post("/sign-out/everywhere", form).status(http.StatusSeeOther).Header.Get("Location")
		v.get(to).contains(".notice", "signed out everywhere")
		v.get("/editions").status(http.StatusSeeOther)
		r.visitor().uses(thiefs).status(http.StatusForbidden)
		r.visitor().uses(phone).status(http.StatusOK)
		r.visitor().uses(bobs).status(http.StatusOK)
		b.get("/editions").status(http.StatusOK)
		if l := r.letter(); l.to != "ann@example.org" || l.subject != "A passkey was removed" {
			r.t.Errorf("%s: %s", l.to, l.subject)
		}
	})
}

// TestLettersOfPasskeys checks that the reader gets an email about each added or removed passkey, without any typed
// words.
func TestLettersOfPasskeys(t *testing.T) {
	each(t, func(r *room) {
		ann, _ := r.user("ann@example.org")
		r.open("https://digest.example")
		v, d := r.visitor().signIn(ann), newDevice(t)
		v.adds(d, "Typed").status(http.StatusOK)
		l := r.letter()
		if l.to != "ann@example.org" || l.subject != "A passkey was added" ||
			strings.Contains(l.text+l.html, "Typed") ||
			!strings.Contains(l.text, "https://digest.example/settings/passkeys") ||
			!strings.Contains(l.text, "Sign out everywhere") {
			r.t.Errorf("%s: %s\n%s", l.to, l.subject, l.text)
		}
		v.adds(d, "again").status(http.StatusConflict)
		r.noLetter()
		v.post(v.get("/settings/passkeys").attrs(".rows form", "action")[0], nil).status(http.StatusSeeOther)
		if l := r.letter(); l.subject != "A passkey was removed" {
			r.t.Errorf("%s: %s", l.to, l.subject)
		}
		for range 15 { // a thief cannot fill the mailbox
			v.adds(newDevice(t), "").status(http.StatusOK)
		}
		if n := len(r.letters()); n != 6 {
			r.t.Errorf("%d letters more", n)
		}
	})
}
