package web_test

import (
	"net/http"
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
)

// TestEditionBehindALink checks that an edition behind an email link uses the language of the
// recipient, including all texts of the program. Another signed-in reader does not see their own
// settings.
func TestEditionBehindALink(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		old := post("A kite")
		old.PublishedAt = r.now.AddDate(-1, 0, 0)
		old.Enclosures = []digest.Enclosure{{URL: "https://site.example/kite.mp3", Type: "audio/mpeg"}}
		r.brings(digest.Subscription{DigestID: d.ID}, "Wind", old)
		r.midnight()
		r.must(r.store.Readers.SetLanguage(r.t.Context(), u.ID, "ar"))
		l, link := catalogue.Of("ar"), "/e/"+r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID))
		bob, _ := r.reader("bob@example.org")
		for who, v := range map[string]*visitor{"a stranger": r.visitor(), "another reader": bob,
			"its reader": r.visitor().signIn(u)} {
			a := v.get(link).status(http.StatusOK)
			for _, want := range []string{`<html lang="ar" dir="rtl"`, l.Say("Listen"),
				catalogue.Time("2 January 2006", old.PublishedAt.UTC()).In(l),
				l.Heading(catalogue.Day("Monday 2 January 2006", r.edition(d).LocalDate))} {
				if !strings.Contains(a.body, want) {
					r.t.Errorf("%s: %q is not in\n%s", who, want, a.body)
				}
			}
			if dressed := len(a.find("header nav")) > 0; dressed != (who == "its reader") {
				r.t.Errorf("%s: it has the navigation: %t", who, dressed)
			}
		}
	})
}
