package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"digest"
	"digest/store/storetest"
)

// TestLookOutlastsTheSession checks that the sign-in page keeps the theme, the text size and the
// language of the last reader. They end when the reader signs out or another reader signs in.
func TestLookOutlastsTheSession(t *testing.T) {
	r := newRoom(t, storetest.Open(t, storetest.SQLite(t)))
	u, _ := r.user("ann@example.org")
	bob, _ := r.user("bob@example.org")
	r.must(r.store.Readers.SetPages(t.Context(), u.ID,
		digest.Pages{Direction: digest.LeftToRight, Theme: digest.DarkTheme,
			TypeSize: digest.Larger}))
	r.must(r.store.Readers.SetLanguage(t.Context(), u.ID, "de"))
	looks := func(v *visitor, theme, size, language string) {
		t.Helper()
		v.get("/sign-in").status(http.StatusOK).has("html", "data-theme", theme).has("html", "data-size",
			size).has("html", "lang", language)
	}
	expired := func(v *visitor) *visitor {
		v.get("/settings").status(http.StatusOK)
		delete(v.cookies, "digest")
		return v
	}
	v := r.visitor()
	looks(v, "", "", "en")
	looks(expired(v.signIn(u)), "dark", "larger", "de")
	looks(expired(v.signIn(bob)), "", "", "en")
	if held, ok := v.cookies["digest-look"]; ok {
		t.Errorf("the browser holds %q of a reader who has chosen nothing", held)
	}

	expired(v.signIn(u))
	v.signIn(u).post("/sign-out", nil).status(http.StatusSeeOther)
	looks(v, "", "", "en")

	v.signIn(u).post("/settings/appearance", url.Values{"direction": {"ltr"}, "theme": {"light"}, "size": {"browser"}})
	looks(expired(v), "light", "", "de")

	for _, bad := range []string{"", "dark", "dark.larger", "purple.larger.de", "dark.huge.de", "dark.larger.xx",
		"dark.larger.de.de", `dark" x=".larger.de`} {
		v.cookies["digest-look"] = bad
		looks(v, "", "", "en")
	}
}
