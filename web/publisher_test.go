package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/web"
)

// publishing adds a reader who publishes a newsletter with a waiting post.
func (r *room) publishing(email, slug, title string) (*visitor, digest.Newsletter) {
	r.t.Helper()
	u, _ := r.user(email)
	n, err := r.store.AddNewsletter(r.t.Context(), digest.Newsletter{
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
		r.must(r.store.SetRole(r.t.Context(), n.ID, ed.ID, digest.RoleEditor, r.now))
		editor := r.visitor().signIn(ed)
		member, _ := r.reader("mo@example.org")
		m, _, err := r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		ofMember := strconv.FormatInt(int64(m.DigestID), 10)
		other.get("/newsletters/ben-writes/members/" + ofMember).status(http.StatusNotFound)
		other.post("/newsletters/ben-writes/members/"+ofMember+"/leave", nil).status(http.StatusNotFound)
		for _, pattern := range web.PublisherRoutes() {
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
		if m, err := r.store.Member(r.t.Context(), n.ID, "mo@example.org"); err != nil ||
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

// TestNextLetter checks that a publisher can preview the next issue in each layout, and change it.
func TestNextLetter(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The <i>boat</i> & I")
		v.get("/newsletters/anna-writes").contains(".groups", "Saturday 21 November 2026",
			"Posts: “The <i>boat</i> & I”").contains(".groups", "0 members").contains(".groups",
			"Site of anna-writes")
		const next = "/newsletters/anna-writes/next"
		page := v.get(next+"?layout=headlines&on=desk&in=dark&x=%22%3E").status(http.StatusOK).shows(".waiting a",
			"The <i>boat</i> & I")
		page.has("iframe.dark", "src", next+"/preview?layout=headlines&on=desk&in=dark")
		page.has("iframe", "sandbox", "allow-popups allow-popups-to-escape-sandbox")
		for _, view := range []string{"layout=full", "layout=excerpts", "layout=headlines", "layout=%3Cscript%3E"} {
			shown := v.get(next + "/preview?" + view).status(http.StatusOK)
			if policy := shown.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "sandbox") ||
				strings.Contains(policy, "allow-scripts") || strings.Contains(policy, "script-src") {
				r.t.Errorf("the letter is shown under %q", policy)
			}
			if !strings.Contains(shown.body, "The &lt;i&gt;boat&lt;/i&gt; &amp; I") ||
				strings.Contains(shown.body, "/unsubscribe/") {
				r.t.Errorf("%s shows %s", view, shown.body)
			}
		}
		if text := v.get(next + "/preview?on=text"); !strings.Contains(text.body, "<pre") ||
			!strings.Contains(text.body, "The &lt;i&gt;boat&lt;/i&gt; &amp; I") {
			r.t.Errorf("as text: %s", text.body)
		}

		form := url.Values{"date": {"2026-11-21"}, "subject": {"Of boats\r\nBcc: x@example.org"},
			"note": {"Back again.\r\n\r\nAt last."}}
		v.post(next, form).status(http.StatusSeeOther)
		l, err := r.store.NewsletterLetter(r.t.Context(), n.ID, digest.Date{Year: 2026, Month: 11, Day: 21})
		r.must(err)
		if l.Subject != "Of boats Bcc: x@example.org" || l.Note != "Back again.\n\nAt last." || l.Skipped {
			r.t.Errorf("decided: %+v", l)
		}
		v.get(next+"?saved=letter").contains(".notice", "Saved.").has("#subject", "value", l.Subject)
		if shown := v.get(next + "/preview"); !strings.Contains(shown.body, "At last.") {
			r.t.Error("the letter is shown without its note")
		}
		v.post(next, url.Values{"date": {"2026-11-21"}, "subject": {strings.Repeat("x", 151)}}).status(
			http.StatusUnprocessableEntity).contains(".wrong", "“Subject” is too long")
		v.post(next, url.Values{"date": {"2026-11-20"}, "skip": {"1"}}).status(http.StatusConflict).contains(".wrong",
			"It’s past midnight, so that issue was already created")
		v.post(next, url.Values{"date": {"2026-11-21"}, "skip": {"1"}}).status(http.StatusSeeOther)
		v.get("/newsletters/anna-writes").contains(".groups", "· skipped")
	})
}

// TestPullOnline pulls a post and restores it. Only posts that wait for this newsletter can be pulled.
func TestPullOnline(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		_, d := r.reader("mo@example.org")
		r.arrives(d, post("Another's"))
		const next = "/newsletters/anna-writes/next"
		id := v.get(next).attrs(".waiting form", "action")[0]
		v.post(id, nil).status(http.StatusSeeOther)
		v.get(next+"?saved=pulled").contains(".sheet", "No posts yet").shows(".pulled a", "The boat")
		v.post(strings.Replace(id, "/pull", "/unpull", 1), nil).status(http.StatusSeeOther)
		v.get(next).shows(".waiting a", "The boat")
		refs, err := r.store.WaitingPosts(r.t.Context(), d.ID)
		r.must(err)
		v.post("/newsletters/anna-writes/posts/"+strconv.FormatInt(int64(refs[0].PostID), 10)+
			"/pull", nil).status(http.StatusNotFound)
		v.post("/newsletters/anna-writes/posts/x/pull", nil).status(http.StatusNotFound)
		pulled, err := r.store.PulledPosts(r.t.Context(), n.ID)
		r.must(err)
		if len(pulled) != 0 {
			r.t.Errorf("pulled: %v", pulled)
		}
	})
}

// TestTestLetter checks that a test email goes only to the publisher who requested it, and that tests are rate
// limited.
func TestTestLetter(t *testing.T) {
	each(t, func(r *room) {
		v, _ := r.publishing("anna@example.org", "anna-writes", "The boat")
		const test = "/newsletters/anna-writes/next/test?layout=headlines"
		v.post(test, url.Values{"email": {"mo@example.org"}, "to": {"mo@example.org"}}).status(http.StatusSeeOther)
		l := r.letter()
		if l.to != "anna@example.org" || l.subject != "Test: Letters of anna-writes: The boat" ||
			!strings.Contains(l.text, "The boat") {
			r.t.Errorf("mailed to %s: %q\n%s", l.to, l.subject, l.text)
		}
		u, err := r.store.UserByEmail(t.Context(), "anna@example.org")
		r.must(err)
		r.must(r.store.SetLanguage(t.Context(), u.ID, "de"))
		v.post(test, nil).status(http.StatusSeeOther)
		if l := r.letter(); !strings.Contains(l.text, "Samstag, 21. November 2026") ||
			!strings.Contains(l.text, "Abbestellen") {
			r.t.Errorf("in German it says %s", l.text)
		}
		refused := false
		for range 10 {
			refused = refused || v.post(test, nil).StatusCode == http.StatusTooManyRequests
		}
		if !refused {
			r.t.Error("however many are asked for, they are mailed")
		}
	})
}

// TestApproveOnline checks that the overview shows the waiting issue, and that its button approves it.
func TestApproveOnline(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		n.ApproveWithin = 6 * time.Hour
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		r.midnight()
		r.visitor().get("/n/anna-writes/2026-11-21").status(http.StatusNotFound)
		page := v.get("/newsletters/anna-writes").contains(".notice",
			"The issue of Saturday 21 November 2026 is waiting for your approval")
		v.post(page.attrs(".notice form", "action")[0], nil).status(http.StatusSeeOther)
		v.get("/newsletters/anna-writes?saved=approved").contains(".notice", "Issue approved").shows(".letters a",
			"Saturday 21 November 2026")
		r.visitor().get("/n/anna-writes/2026-11-21").status(http.StatusOK)
		v.post("/newsletters/anna-writes/letters/x/approve", nil).status(http.StatusNotFound)
	})
}
