package web_test

import (
	"net/http"
	"strings"
	"testing"

	"digest"
	"digest/store"
)

// TestPublisherNumbers checks that the owner and the editors see the statistics, without any address.
func TestPublisherNumbers(t *testing.T) {
	each(t, func(r *room) {
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		ben, _ := r.publishing("ben@example.org", "ben-writes", "The dog")
		const page = "/newsletters/anna-writes/numbers"
		anna.get(page).status(http.StatusOK).contains(".sheet", "No activity yet").contains(".rules",
			"Replies go to the operator")
		m, _, err := r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		_, _, err = r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "li@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		r.must(r.store.SetDigestState(r.t.Context(), m.DigestID, digest.DigestLeft, r.now))
		got := anna.get(page).status(http.StatusOK).contains(".sheet", "1 member today.").shows(".facts dd", "2", "1",
			"0", "0", "0").
			contains("tbody th", "November 2026")
		got.has("svg", "role", "img")
		for _, private := range []string{"mo@", "li@"} {
			if strings.Contains(strings.Split(got.body, "</main>")[0], private) {
				r.t.Errorf("the page has %q in it", private)
			}
		}
		n.ReplyTo = "anna@anna.example"
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		anna.get(page).contains(".rules", "Replies go to anna@anna.example. We don’t count them.")
		ben.get(page).status(http.StatusNotFound)
		r.visitor().get(page).status(http.StatusSeeOther)
		ben.get("/newsletters/ben-writes/numbers").contains(".sheet", "No activity yet")
	})
}
