package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestJoinSpeaks checks that the confirmation email uses the browser's language, or the
// publisher's. The new member gets the language of the browser that confirms, unless they have
// chosen one.
func TestJoinSpeaks(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		r.must(r.store.Readers.SetLanguage(t.Context(), anna.ID, "fr"))
		asks := func(email, language string) letter {
			r.accepts = language
			r.joins(url.Values{"email": {email}}, "https://anna.example").status(http.StatusSeeOther)
			return r.letter()
		}
		says := func(l letter, words string) {
			t.Helper()
			if !strings.Contains(l.text, words) {
				t.Errorf("the letter to %s does not say %q: %s", l.to, words, l.text)
			}
		}
		l := asks("mo@example.org", "de-AT,en;q=0.5")
		says(l, "Bestätigen")
		says(asks("li@example.org", ""), "Confirmer")
		says(asks("kim@example.org", "tlh"), "Confirm")
		r.accepts = "es"
		r.visitor().post("/n/anna-writes/confirm", url.Values{"token": {l.token}}).status(http.StatusOK)
		m, err := r.store.Members.Member(t.Context(), n.ID, "mo@example.org")
		r.must(err)
		u, err := r.store.Readers.User(t.Context(), m.UserID)
		r.must(err)
		if u.Language != "es" {
			t.Errorf("who confirmed is spoken to in %q", u.Language)
		}
	})
}
