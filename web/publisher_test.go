package web_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"digest"
	"digest/store"
	"digest/web"
)

// publishing adds a reader who publishes a newsletter with a waiting post.
func (r *room) publishing(email, slug, title string) (*visitor, digest.Newsletter) {
	r.t.Helper()
	u, _ := r.user(email)
	n, err := r.store.Newsletters.AddNewsletter(r.t.Context(), digest.Newsletter{
		Slug: slug, Name: "Letters of " + slug, Cadence: digest.Daily, State: digest.NewsletterActive,
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, u.ID, r.now)
	r.must(err)
	r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Site of "+slug, post(title))
	return r.visitor().signIn(u), n
}

// TestPublishersSeeTheirOwn requests every address of a newsletter as its owner, an editor, another publisher, a
// member, and without a session.
func TestPublishersSeeTheirOwn(t *testing.T) {
	each(t, func(r *room) {
		anna, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		foreign := &visitor{r, anna.cookies,
			map[string]string{"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}}
		other, _ := r.publishing("ben@example.org", "ben-writes", "The dog")
		ed, _ := r.user("ed@example.org")
		r.must(r.store.Newsletters.SetRole(r.t.Context(), n.ID, ed.ID, digest.RoleEditor, r.now))
		editor := r.visitor().signIn(ed)
		member, _ := r.reader("mo@example.org")
		m, _, err := r.store.Members.Join(r.t.Context(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		ofMember := strconv.FormatInt(int64(m.DigestID), 10)
		other.get("/newsletters/ben-writes/members/" + ofMember).status(http.StatusNotFound)
		other.post("/newsletters/ben-writes/members/"+ofMember+"/leave", nil).status(http.StatusNotFound)
		for _, pattern := range web.Routes("publisher") {
			method, path, _ := strings.Cut(pattern, " ")
			if !strings.Contains(path, "{slug}") {
				continue
			}
			path = strings.NewReplacer("{slug}", n.Slug, "members/{id}", "members/"+ofMember, "{id}", "1", "{date}",
				"2026-11-21").Replace(path)
			for who, v := range map[string]*visitor{"another publisher": other, "a reader": member} {
				if got := v.do(method, path, "application/x-www-form-urlencoded",
					strings.NewReader("date=2026-11-21&subject=x")); got.StatusCode != http.StatusNotFound {
					r.t.Errorf("%s: %s %s answers %d", who, method, path, got.StatusCode)
				}
			}
			nobody := r.visitor().do(method, path, "application/x-www-form-urlencoded", nil)
			if method == "GET" {
				nobody.leads("/sign-in")
			} else {
				nobody.status(http.StatusForbidden).shows("h1", "You were signed out")
			}
			if got := foreign.do(method, path, "application/x-www-form-urlencoded", nil); method == "POST" &&
				got.StatusCode != http.StatusForbidden {
				r.t.Errorf("the form of another site: %s answers %d", path, got.StatusCode)
			}
			notMade := strings.HasSuffix(pattern, "/letters/{date}/preview") ||
				strings.HasSuffix(pattern, "/logo/{file}")
			if method == "GET" && !notMade {
				anna.get(path).status(http.StatusOK)
				editor.get(path)
			}
		}
		if m, err := r.store.Members.Member(r.t.Context(), n.ID, "mo@example.org"); err != nil ||
			m.State != digest.DigestActive {
			r.t.Errorf("after all this the member stands so: %+v, %v", m, err)
		}
		anna.get("/newsletters").shows(".groups a", "Letters of anna-writes")
		editor.get("/newsletters").shows(".groups a", "Letters of anna-writes")
		member.get("/newsletters").status(http.StatusOK).contains(".sheet", "No newsletters yet.")
		anna.get("/").contains(".top nav", "Newsletters")
		if page := member.get("/"); strings.Contains(page.body, `href="/newsletters"`) {
			r.t.Error("who publishes nothing is led to what they publish")
		}
		for _, slug := range []string{"nobody", "ANNA-WRITES", "anna-writes%00", "%2e%2e"} {
			anna.get("/newsletters/" + slug).status(http.StatusNotFound)
		}
	})
}
