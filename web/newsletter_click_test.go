package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
	"digest/web"
)

// TestFollowClick checks that the link of a headline redirects to the post. A click counts once an
// hour per network, if the newsletter counts clicks, and leaves no trace of the reader.
func TestFollowClick(t *testing.T) {
	each(t, func(r *room) {
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		refs, err := r.store.Editions.WaitingPosts(r.t.Context(), n.ArchiveID)
		r.must(err)
		c := newsletter.Click{Newsletter: n.ID, Post: refs[0].PostID, URL: "https://site.example/post?a=1&b=2"}
		path := c.Path(r.signer)
		count := func(want int64) {
			r.t.Helper()
			got, err := r.store.Newsletters.ClickCounts(r.t.Context(), n.ID, 10)
			r.must(err)
			if want == 0 && len(got) == 0 {
				return
			}
			if len(got) != 1 || got[0].Clicks != want || got[0].Title != "The boat" ||
				got[0].Since.String() != "2026-11-20" {
				r.t.Errorf("counted %+v, want %d", got, want)
			}
		}
		leads := func(v *visitor, method string) {
			r.t.Helper()
			a := v.do(method, path, "", nil).status(http.StatusFound)
			if a.Header.Get("Location") != c.URL || a.Header.Get("Referrer-Policy") != "no-referrer" ||
				len(a.Header.Values("Set-Cookie")) > 0 || a.Header.Get("Cache-Control") != "no-store" {
				r.t.Errorf("leads on with %v", a.Header)
			}
		}
		leads(r.visitor(), "GET")
		count(0) // counting is off by default
		page := anna.get("/newsletters/anna-writes/settings").status(http.StatusOK)
		if strings.Contains(r.visitor().get("/n/anna-writes").body, "not who clicks") ||
			strings.Contains(page.body, `name="clicks" value="1" checked`) {
			r.t.Error("it is counted unasked")
		}
		n.CountClicks = true
		r.must(r.store.Newsletters.SetNewsletter(r.t.Context(), n, r.now))
		r.visitor().get("/n/anna-writes").contains(".ask", "not who clicks")
		from := func(address string) *visitor {
			v := r.visitor()
			v.header["X-Forwarded-For"] = address
			return v
		}
		leads(from("198.51.100.1"), "HEAD")
		for _, name := range []string{"Sec-Purpose", "Purpose", "X-Moz"} {
			v := from("198.51.100.1")
			v.header[name] = "Prefetch;prerender"
			leads(v, "GET")
		}
		count(0)
		leads(from("198.51.100.1"), "GET")
		leads(from("198.51.100.1"), "GET")
		count(1)
		leads(from("203.0.113.9"), "GET")
		count(2)
		anna.get("/newsletters/anna-writes/numbers").contains(".clicks .number", "2").contains(".clicks th", "The boat")
		for _, wrong := range []string{strings.Replace(path, "site.example", "evil.example", 1),
			strings.Replace(path, "/go/", "/go/1", 1), "/go/1.1/x", "/go/1.1/x?to=https://evil.example/"} {
			r.visitor().get(wrong).status(http.StatusNotFound)
		}
		r.must(r.store.Newsletters.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterEnded, "", r.now))
		r.must(r.store.Newsletters.RemoveNewsletter(r.t.Context(), n.ID))
		leads(from("203.0.113.10"), "GET")
	})
}

// TestClicksOfACrowd checks that each of many readers counts once an hour.
func TestClicksOfACrowd(t *testing.T) {
	first := web.FirstClicks()
	var crowd []string
	for i := range 20_000 {
		crowd = append(crowd, fmt.Sprint("192.0.2.1/", i))
	}
	for _, c := range []struct {
		at   time.Time
		want int
	}{{noon, len(crowd)}, {noon.Add(59 * time.Minute), 0}, {noon.Add(time.Hour), len(crowd)}} {
		if got := first(c.at, crowd...); got != c.want {
			t.Errorf("at %s %d count, want %d", c.at, got, c.want)
		}
	}
}
