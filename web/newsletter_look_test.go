package web_test

import (
	"net/http"
	"strings"
	"testing"

	"digest"
)

// TestNewsletterSheet: all public pages of a newsletter have its colours, by an address that changes with them.
func TestNewsletterSheet(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n, v := r.newsletter(anna), r.visitor()
		if page := v.get("/n/anna-writes"); strings.Contains(page.body, "/look/") {
			r.t.Error("without colours there is a style sheet")
		}
		r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Anna's site", post("The boat"))
		r.midnight()
		sheet := func(accent string) string {
			n.Accent = accent
			r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
			var address string
			for _, path := range []string{"", "/letters", "/2026-11-21"} {
				page := v.get("/n/anna-writes" + path).status(http.StatusOK)
				found := page.attrs("link[rel=stylesheet]", "href")
				if len(found) != 2 || address != "" && found[1] != address {
					r.t.Fatalf("%s: the style sheets are %q", path, found)
				}
				address = found[1]
			}
			return address
		}
		green, red := sheet("#0b5d4a"), sheet("#990f3d")
		if green == red {
			r.t.Errorf("both colours are at %s", green)
		}
		css := v.get(red).status(http.StatusOK)
		if !strings.Contains(css.body, "--accent:#990f3d;") || css.Header.Get("Content-Type") != "text/css; charset=utf-8" || !strings.Contains(css.Header.Get("Cache-Control"), "immutable") {
			r.t.Errorf("%s: %q\n%s", red, css.Header, css.body)
		}
		v.get(green).status(http.StatusNotFound)
		v.get("/n/anna-writes/look/colours-.css").status(http.StatusNotFound)
		r.must(r.store.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterPending, "", r.now))
		v.get(red).status(http.StatusNotFound)
	})
}
