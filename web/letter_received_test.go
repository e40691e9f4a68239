package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestOneReadingRoom checks that readers find their editions and their newsletter issues in one
// place, and that other readers cannot open the issues.
func TestOneReadingRoom(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		mo, d := r.reader("mo@example.org")
		stranger, _ := r.reader("ada@example.org")
		m, _, err := r.store.Join(r.t.Context(), n.ID, store.Joining{Email: "mo@example.org", Asked: true}, r.now)
		r.must(err)
		only, _, err := r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "kim@example.org", TimeZone: "Europe/Paris", Asked: true}, r.now)
		r.must(err)
		kimUser, err := r.store.UserByEmail(r.t.Context(), "kim@example.org")
		r.must(err)
		kim := r.visitor().signIn(kimUser)
		r.arrives(d, post("Of my own"))
		r.brings(digest.Subscription{DigestID: m.DigestID}, "Anna's site", post("The boat"))
		r.brings(digest.Subscription{DigestID: only.DigestID}, "Anna's site", post("The boat"))
		const letter = "/letters/anna-writes/2026-11-21"
		mo.get(letter).status(http.StatusNotFound)
		r.midnight()
		for _, path := range []string{"/", "/editions/2026-11-21"} {
			page := mo.get(path).status(http.StatusOK).shows("h3", "Of my own").shows(".also a", "Anna & co")
			page.has(".also a", "href", letter)
		}
		page := mo.get(letter).status(http.StatusOK).shows("h3", "The boat").contains(".acts", "Save")
		mo.get(page.postPaths()[0]).status(http.StatusOK)
		mo.post(page.postPaths()[0]+"/save", nil)
		mo.get("/saved").contains("main", "The boat")
		if place := `href="` + letter + "#post-"; !strings.Contains(mo.get(page.postPaths()[0]).body, place) {
			r.t.Errorf("a post of a letter does not lead back by %s", place)
		}
		mo.get("/editions").shows(".dates .byline a", "Anna & co")
		mo.get("/editions/2026-11").shows(".dates .byline a", "Anna & co")
		mo.get("/memberships").contains(".letters .also", "Saturday 21 November")
		kim.get("/").status(http.StatusOK).contains(".letters .also", "Saturday 21 November")
		kim.get(letter).status(http.StatusOK).shows("h3", "The boat")
		for _, v := range []*visitor{stranger, r.visitor().signIn(anna)} {
			v.get(letter).status(http.StatusNotFound)
			if strings.Contains(v.get("/").body, letter) {
				r.t.Error("another reader is led to it")
			}
		}
		for _, path := range []string{"/letters/nobody/2026-11-21", "/letters/anna-writes/2026-11-20",
			"/letters/anna-writes/x"} {
			mo.get(path).status(http.StatusNotFound)
		}
		if got := r.visitor().get(letter).status(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(got,
			"/sign-in") {
			r.t.Errorf("nobody is led to %s", got)
		}
	})
}

// TestLetterThatWaitsIsNotInTheRoom checks that members do not see an issue that waits for
// approval.
func TestLetterThatWaitsIsNotInTheRoom(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		n.ApproveWithin = 6 * time.Hour
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		mo, d := r.reader("mo@example.org")
		m, _, err := r.store.Join(r.t.Context(), n.ID, store.Joining{Email: "mo@example.org", Asked: true}, r.now)
		r.must(err)
		r.arrives(d, post("Of my own"))
		r.brings(digest.Subscription{DigestID: m.DigestID}, "Anna's site", post("The boat"))
		r.midnight()
		mo.get("/").shows(".also a")
		mo.get("/letters/anna-writes/2026-11-21").status(http.StatusNotFound)
		r.indexed()
		refs, err := r.store.EditionPosts(r.t.Context(),
			[]digest.Delivery{{Edition: r.edition(digest.Digest{ID: m.DigestID})}})
		r.must(err)
		path := ""
		for _, all := range refs {
			path = fmt.Sprint("/posts/", all[0].PostID)
		}
		mo.get(path).status(http.StatusNotFound)
		mo.post(path+"/save", nil).status(http.StatusNotFound)
		if found := mo.get("/search?q=boat"); strings.Contains(found.body, "The boat") {
			r.t.Error("a search finds it")
		}
		_, err = r.store.ApproveNewsletterLetter(r.t.Context(), n.ID, digest.Date{Year: 2026, Month: 11, Day: 21},
			r.now)
		r.must(err)
		mo.get("/").shows(".also a", "Anna & co")
		mo.get("/letters/anna-writes/2026-11-21").status(http.StatusOK)
		mo.get(path).status(http.StatusOK)
		mo.get("/search?q=boat").contains("main", "The boat")
	})
}

// TestLettersBeforeTheFirstEdition checks that readers without an edition see their issues. They do
// not see an issue that waits, or a post that was pulled from it.
func TestLettersBeforeTheFirstEdition(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		mo, _ := r.reader("mo@example.org")
		m, _, err := r.store.Join(r.t.Context(), n.ID, store.Joining{Email: "mo@example.org", Asked: true}, r.now)
		r.must(err)
		r.brings(digest.Subscription{DigestID: m.DigestID}, "Anna's site", post("One"))
		r.midnight()
		for _, path := range []string{"/", "/editions"} {
			mo.get(path).status(http.StatusOK).has(".dates a", "href", "/letters/anna-writes/2026-11-21")
		}
		n.ApproveWithin = 6 * time.Hour
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		r.brings(digest.Subscription{DigestID: m.DigestID}, "Her other site", post("Two"))
		r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Her other site", post("Three"), post("Four"))
		r.midnight()
		if earlier := mo.get("/letters/anna-writes/2026-11-21").status(http.StatusOK); strings.Contains(earlier.body,
			"2026-11-22") {
			r.t.Error("a letter leads to one that waits")
		}
		page := v.get("/newsletters/anna-writes/letters/2026-11-22").status(http.StatusOK).shows(".waiting button",
			"Leave out", "Leave out")
		v.post(page.attrs(".waiting form", "action")[0], nil).status(http.StatusSeeOther)
		v.get("/newsletters/anna-writes/letters/2026-11-22").shows(".waiting button", "Leave out").shows(".waiting a",
			"Four")
	})
}
