package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
)

// TestLettersInALanguage checks that a new reader gets emails in the language of the sign-up page,
// even if another browser requests a sign-in later.
func TestLettersInALanguage(t *testing.T) {
	each(t, func(r *room) {
		v := r.visitor()
		v.header["Accept-Language"] = "de"
		v.asks("/sign-up", "neu@new.example").status(http.StatusSeeOther)
		l := r.letter()
		if !strings.Contains(l.html, `lang="de" dir="ltr"`) || !strings.Contains(l.text, "Es wird kein") ||
			!strings.Contains(l.html, ">Bestätigen</a>") {
			r.t.Errorf("the letter says\n%s", l.text)
		}
		v.post("/sign-up/confirm", url.Values{"token": {l.token}}).status(http.StatusSeeOther)
		u, err := r.store.UserByEmail(t.Context(), "neu@new.example")
		r.must(err)
		if u.Language != "de" {
			r.t.Errorf("they are spoken to in %q", u.Language)
		}
		other := r.visitor()
		other.header["Accept-Language"] = "ja"
		other.post("/sign-in/email", url.Values{"email": {u.Email}}).status(http.StatusSeeOther)
		if l := r.letter(); !strings.Contains(l.text, "Ihr Anmeldelink") {
			r.t.Errorf("the letter says\n%s", l.text)
		}
	})
}

// TestLinksInALanguage checks that pages behind email links use the language of the recipient, for
// all visitors.
func TestLinksInALanguage(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.hadKite("ann@example.org")
		save, site := r.letterPaths(d, "A kite")
		v := r.visitor()
		v.header["Accept-Language"] = "ja"
		says := func(word string, paths ...string) {
			r.t.Helper()
			for _, path := range paths {
				if a := v.get(path).status(http.StatusOK); !strings.Contains(a.body, word) {
					r.t.Errorf("%s has no %q:\n%s", path, word, a.body)
				}
			}
		}
		says(`lang="ja"`, r.unsubscribePath(d), save, site)
		r.must(r.store.SetLanguage(r.t.Context(), u.ID, "ar"))
		says(`<html lang="ar" dir="rtl"`, r.unsubscribePath(d), save, site)
		says(catalogue.Key("Save post").In(catalogue.Of("ar")), save)
		says("الاثنين", r.unsubscribePath(d))
	})
}

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
		r.must(r.store.SetLanguage(r.t.Context(), u.ID, "ar"))
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

// TestBylineBehindALink checks that the byline of a post behind an email link uses the language of
// the page.
func TestBylineBehindALink(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		old := post("A kite")
		old.PublishedAt = r.now.AddDate(-1, 0, 0)
		r.arrives(d, old)
		r.midnight()
		r.must(r.store.SetLanguage(r.t.Context(), u.ID, "de"))
		save, _ := r.letterPaths(d, "A kite")
		v := r.visitor()
		want := "Tom · " + catalogue.Time("2 January 2006", old.PublishedAt.UTC()).In(catalogue.Of("de"))
		v.get(save).contains("main", want)
		v.post(save+"/add", nil).contains("main", want)
	})
}
