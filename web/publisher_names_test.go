package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/web"
)

// TestNamesAreApproved checks that new names need approval if the operator approves newsletters. Until then pages and
// emails show the old names, whether the publisher used the page or the API.
func TestNamesAreApproved(t *testing.T) {
	each(t, func(r *room) {
		r.publish = web.PublishingAsk
		r.open("")
		op := r.operator()
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		program := r.program(anna, "anna-writes", url.Values{"name": {"site"}, "scope": {"write"}})
		stored := func(name, from, wanted, wantedFrom string) {
			r.t.Helper()
			got, err := r.store.Newsletter(r.t.Context(), n.ID)
			r.must(err)
			if got.Name != name || got.FromName != from || got.WantedName != wanted ||
				got.WantedFromName != wantedFrom {
				r.t.Errorf("named %q from %q, wants %q from %q", got.Name, got.FromName, got.WantedName,
					got.WantedFromName)
			}
		}
		const old, path = "Letters of anna-writes", "/newsletters/anna-writes/settings"
		answer := program.want(200, "PATCH", "", `{"name":"PayPal Security"}`)
		if answer["name"] != old || answer["wanted_name"] != "PayPal Security" {
			r.t.Errorf("answered %v", answer)
		}
		if l := r.letter(); l.to != "ada@example.org" || strings.Contains(l.text+l.subject, "PayPal") ||
			!strings.Contains(l.text, "/operator/newsletters") {
			r.t.Errorf("the contact is mailed to %s: %s\n%s", l.to, l.subject, l.text)
		}
		form := typedSettings()
		form.Set("name", "PayPal Security")
		form.Set("from", "PayPal")
		anna.post(path, form).status(http.StatusSeeOther)
		r.noLetter() // one request for approval was sent already
		stored(old, "", "PayPal Security", "PayPal")
		program.want(200, "PATCH", "", `{"description":"Of kites."}`)
		stored(old, "", "PayPal Security", "PayPal")
		page := anna.get(path).contains("#name-hint", old).contains("#from-hint", old)
		page.has("#name", "value", "PayPal Security")
		r.visitor().asks("/n/anna-writes/join", "mo@example.net").status(http.StatusSeeOther)
		if l := r.letter(); l.subject != "Confirm your subscription to "+old ||
			strings.Contains(l.text+l.html, "PayPal") {
			r.t.Errorf("a stranger is mailed %q\n%s", l.subject, l.text)
		}

		op.get("/operator").contains(".needs", "A newsletter is waiting for your approval")
		op.get("/operator/newsletters").contains("#name-anna-writes", "PayPal Security").contains("#anna-writes", old)
		const approve, refuse = "/operator/newsletters/anna-writes/approve", "/operator/newsletters/anna-writes/refuse"
		op.post(approve, url.Values{"names": {"Something else"}, "from": {"PayPal"}}).status(http.StatusConflict)
		anna.post(approve, url.Values{"names": {"PayPal Security"}, "from": {"PayPal"}}).status(http.StatusNotFound)
		op.post(refuse, url.Values{"names": {"PayPal Security"},
			"from": {"PayPal"}}).status(http.StatusUnprocessableEntity)
		op.post(refuse, url.Values{"names": {"PayPal Security"}, "from": {"PayPal"},
			"reason": {"That is not you."}}).status(http.StatusSeeOther)
		if l := r.letter(); l.to != "anna@example.org" || !strings.Contains(l.text, "That is not you.") {
			r.t.Errorf("mailed to %s: %s", l.to, l.text)
		}
		stored(old, "", "", "")
		form.Set("name", "Kites")
		form.Set("from", "Anna")
		anna.post(path, form).status(http.StatusSeeOther)
		r.letter()
		op.post(approve, url.Values{"names": {"Kites"}, "from": {"Anna"}}).status(http.StatusSeeOther)
		if l := r.letter(); l.to != "anna@example.org" || l.subject != "Kites is approved" ||
			!strings.Contains(strings.Join(strings.Fields(l.text), " "), "Its sender name is Anna.") {
			r.t.Errorf("mailed to %s: %s", l.to, l.text)
		}
		stored("Kites", "Anna", "", "")
		d, err := r.store.Digest(r.t.Context(), n.ArchiveID)
		r.must(err)
		if d.Name != "Kites" {
			r.t.Errorf("its letters are of %q", d.Name)
		}
		form.Set("from", "")
		anna.post(path, form).status(http.StatusSeeOther)
		stored("Kites", "", "", "") // the approved name
		r.noLetter()
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
		got, err := r.store.Newsletter(r.t.Context(), n.ID)
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
