package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"digest"
	"digest/feed"
)

// pointing returns a post with links to addresses.
func pointing(title, at string, to ...string) digest.Post {
	p := post(title)
	p.URL, p.Content = at, "<p>See "
	for _, address := range to {
		p.Content += `<a href="` + strings.ReplaceAll(address, "&", "&amp;") + `">this</a> `
	}
	p.Links = feed.Links(p, at, at)
	return p
}

// askLinks sends a request like a program.
func (r *room) askLinks(method, address, authorization string) *httptest.ResponseRecorder {
	req := httptest.NewRequest(method, "/links?url="+url.QueryEscape(address), nil)
	req.Header.Set("Origin", "https://evil.example")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	return w
}

// TestLinks checks that readers see only their own posts with a link to a post, an address or a
// site. It also checks the list of addresses that several of their sites link to.
func TestLinks(t *testing.T) {
	each(t, func(r *room) {
		const far = "https://far.example/x?a=1&b=2"
		ann, d := r.reader("ann@example.org")
		bob, other := r.reader("bob@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Boats", pointing("Boats", "https://boats.example/1", far))
		r.brings(digest.Subscription{DigestID: d.ID}, "Kites", pointing("Kites", "https://kites.example/1",
			"https://www.far.example/x?a=1&b=2&utm_source=k#top", "https://boats.example/1"))
		r.brings(digest.Subscription{DigestID: other.ID}, "Bob's own",
			pointing("Bob's", "https://bob.example/1", "https://boats.example/1", far))
		ann.get("/links?url="+url.QueryEscape(far)).status(http.StatusOK).contains(".notice",
			"None of your posts link there.")
		r.midnight()

		page := ann.get("/links").status(http.StatusOK)
		page.shows(".pointed h2 a", "https://www.far.example/x?a=1&b=2")
		page.contains(".pointed ul", "Boats").contains(".pointed ul", "Kites")
		if strings.Contains(page.body, "Bob") {
			r.t.Errorf("she sees what came to another reader: %s", page.body)
		}
		ann.get("/links?url="+url.QueryEscape(far)).status(http.StatusOK).shows("h2", "Kites", "Boats")
		ann.get("/links?site=boats.example").shows("h1", "Posts that link to boats.example").shows("h2", "Kites")
		ann.get("/links?site=nobody.example").contains(".notice", "None of your posts link there.")
		ann.get("/links?site=%3Cscript%3E").status(http.StatusUnprocessableEntity).contains(".wrong", "Enter a site")
		ann.get("/links?site=" + strings.Repeat("x", 5000)).status(http.StatusUnprocessableEntity)
		if got := ann.get("/search?q=links%3A+boats.example").status(http.StatusSeeOther).Header.Get(
			"Location"); got != "/links?site=boats.example" {
			r.t.Errorf("a search for links leads to %q", got)
		}
		post := fmt.Sprintf("/posts/%d", r.idOf(d, "Boats"))
		ann.get(post).status(http.StatusOK).contains(".pointed", "Posts that link here").shows(".pointed li",
			"Kites: Kites")
		bob.get("/links").contains(".notice", "No two of your sites linked to the same page recently")
		if got := r.visitor().get("/links").status(http.StatusSeeOther).Header.Get("Location"); !strings.HasPrefix(got,
			"/sign-in") {
			r.t.Errorf("a stranger is led to %q", got)
		}
	})
}

// TestOthersPointHere checks that the page of a post lists posts of other sites that link to it.
// Posts of the same site are not listed, even from another host.
func TestOthersPointHere(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.reader("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Boats", pointing("Boats", "https://boats.example/1",
			"https://far.example/"), pointing("Boats again", "https://elsewhere.example/2", "https://boats.example/1"))
		r.midnight()
		path := fmt.Sprintf("/posts/%d", r.idOf(d, "Boats"))
		ann.get(path).status(http.StatusOK).shows(".pointed li")
		r.brings(digest.Subscription{DigestID: d.ID}, "Kites",
			pointing("Kites", "https://kites.example/1", "https://boats.example/1"))
		r.midnight()
		ann.get(path).status(http.StatusOK).shows(".pointed h2", "Posts that link here").shows(".pointed li",
			"Kites: Kites")
	})
}

// TestLinksOfPrograms checks that a program needs a token, which the reader can replace, and that
// cookies and scripts of other sites get nothing.
func TestLinksOfPrograms(t *testing.T) {
	each(t, func(r *room) {
		ann, d := r.reader("ann@example.org")
		r.brings(digest.Subscription{DigestID: d.ID}, "Boats",
			pointing("Boats & <b>", "https://boats.example/1", "https://far.example/x"))
		r.midnight()
		ann.get("/settings/token").status(http.StatusOK).shows(".settings form button", "Create token")
		token := func() string {
			return ann.post("/settings/token", nil).status(http.StatusOK).texts(".notice code")[0]
		}
		first := token()
		ann.get("/settings/token").contains("p", "You created a token on")
		if page := ann.get("/settings/token"); strings.Contains(page.body, first) {
			r.t.Error("the token is shown again")
		}
		second := token()
		for authorization, want := range map[string]int{
			"Bearer " + second: http.StatusOK, "Bearer " + first: http.StatusUnauthorized,
			"Bearer x": http.StatusUnauthorized,
			second:     http.StatusUnauthorized, "Basic " + second: http.StatusUnauthorized,
			"Bearer ": http.StatusUnauthorized,
		} {
			w := r.askLinks("GET", "http://www.far.example/x/?utm_source=y", authorization)
			if w.Code != want || w.Header().Get("Access-Control-Allow-Origin") != "*" ||
				w.Header().Get("Cache-Control") != "private, no-store" ||
				w.Header().Get("Access-Control-Allow-Credentials") != "" {
				r.t.Errorf("%s: status %d, %v, %s", authorization, w.Code, w.Header(), w.Body)
			}
			var answer struct {
				Posts []struct{ Title, URL, Here, Site, Date string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || want == http.StatusOK &&
				(len(answer.Posts) != 1 ||
					answer.Posts[0].Title != "Boats & <b>" || answer.Posts[0].Site != "Boats" ||
					answer.Posts[0].Date != "2026-11-21" || !strings.Contains(answer.Posts[0].Here, "/posts/")) {
				r.t.Errorf("%v, %s", err, w.Body)
			}
		}
		for _, address := range []string{"", "javascript:alert(1)", "x", "https://x.example/" +
			strings.Repeat("x", 3000)} {
			if w := r.askLinks("GET", address, "Bearer "+second); w.Code != http.StatusBadRequest {
				r.t.Errorf("%.40q: status %d", address, w.Code)
			}
		}
		w := r.askLinks("OPTIONS", "https://far.example/x", "")
		if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Headers") != "Authorization" {
			r.t.Errorf("preflight: status %d, %v", w.Code, w.Header())
		}
		if page := ann.get("/links?url=https%3A%2F%2Ffar.example%2Fx"); page.Header.Get(
			"Access-Control-Allow-Origin") != "" {
			r.t.Error("another page's script may read what a cookie opens")
		}
		ann.post("/settings/token/remove", nil).status(http.StatusSeeOther)
		if w := r.askLinks("GET", "https://far.example/x", "Bearer "+second); w.Code != http.StatusUnauthorized {
			r.t.Errorf("after it was made void: status %d", w.Code)
		}
	})
}
