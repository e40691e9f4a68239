package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/web"
	"digest/web/page"
)

// TestNamesAreApproved checks that a new name that a program sets needs approval, and that its other changes do not
// withdraw the name.
func TestNamesAreApproved(t *testing.T) {
	each(t, func(r *room) {
		r.publish = page.PublishingAsk
		r.open("")
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		program := r.program(anna, "anna-writes", url.Values{"name": {"site"}, "scope": {"write"}})
		answer := program.want(200, "PATCH", "", `{"name":"PayPal Security"}`)
		if answer["name"] != n.Name || answer["wanted_name"] != "PayPal Security" {
			r.t.Errorf("answered %v", answer)
		}
		if l := r.letter(); l.to != "ada@example.org" || strings.Contains(l.text+l.subject, "PayPal") {
			r.t.Errorf("the contact is mailed to %s: %s\n%s", l.to, l.subject, l.text)
		}
		program.want(200, "PATCH", "", `{"description":"Of kites."}`)
		got, err := r.store.Newsletters.Newsletter(r.t.Context(), n.ID)
		r.must(err)
		if got.Name != n.Name || got.WantedName != "PayPal Security" {
			r.t.Errorf("named %q, wants %q", got.Name, got.WantedName)
		}
	})
}

// TestNamesArePlain checks that names without approval cannot carry a message to strangers.
func TestNamesArePlain(t *testing.T) {
	each(t, func(r *room) {
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const path = "/newsletters/anna-writes/settings"
		for _, name := range []string{"You won, see evil.com", "https://evil.example", "write to me@evil.com",
			strings.Repeat("x", 61)} {
			for _, field := range []string{"name", "from"} {
				form := typedSettings()
				form.Set(field, name)
				anna.post(path, form).status(http.StatusUnprocessableEntity).has(".wrong", "role", "alert")
			}
		}
		form := typedSettings()
		form.Set("name", "Kites")
		anna.post(path, form).status(http.StatusSeeOther)
		got, err := r.store.Newsletters.Newsletter(r.t.Context(), n.ID)
		r.must(err)
		if got.Name != "Kites" || got.NamesWait() {
			r.t.Errorf("named %q, wants %q", got.Name, got.WantedName)
		}
		// A name from before these rules.
		for _, l := range web.LettersToStrangers(digest.Newsletter{Name: "You won! https://evil.com/claim " +
			strings.Repeat("now ", 30)}) {
			if text := l.Title + l.PlainText() + l.HTML(); strings.Contains(text, "evil.com") ||
				strings.Contains(text, strings.Repeat("now ", 15)) {
				r.t.Errorf("a stranger is mailed %q\n%s", l.Title, l.PlainText())
			}
		}
	})
}
