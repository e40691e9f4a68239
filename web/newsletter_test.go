package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	reader "digest/feed"
	"digest/store"
)

// newsletter adds a newsletter of a reader in Paris.
func (r *room) newsletter(owner digest.User) digest.Newsletter {
	r.t.Helper()
	n, err := r.store.AddNewsletter(r.t.Context(), digest.Newsletter{
		Slug: "anna-writes", Name: "Anna & co", Description: "Of boats.\n\nAnd <b>kites</b>.",
		SiteURL: "https://anna.example/",
		Cadence: digest.Daily, State: digest.NewsletterActive, ReturnURLs: "https://anna.example/thanks",
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, owner.ID, r.now)
	r.must(err)
	return n
}

// TestNewsletterPage checks the public pages of a newsletter and of its sent issues.
func TestNewsletterPage(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		v := r.visitor()
		page := v.get("/n/anna-writes").status(http.StatusOK)
		page.contains(".sheet", "Of boats.", "And <b>kites</b>.", "No issues yet.",
			"Sent every day, in your own time zone.")
		page.has(`meta[property=og:title]`, "content", "Anna & co")
		page.has(`link[rel=alternate]`, "href", "/n/anna-writes/feed.xml")
		if strings.Contains(page.Header.Get("X-Robots-Tag"), "noindex") {
			r.t.Error("search engines may not find it")
		}
		r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Anna's site", post("The boat"))
		v.get("/n/anna-writes/2026-11-21").status(http.StatusNotFound)
		r.midnight()
		if feed := v.get("/n/anna-writes/feed.xml"); !strings.Contains(feed.body,
			"<title>Saturday 21 November 2026</title>") {
			r.t.Errorf("the feed has %s", feed.body)
		}
		r.must(r.store.SetLanguage(r.t.Context(), anna.ID, "de"))
		if feed := v.get("/n/anna-writes/feed.xml"); !strings.Contains(feed.body,
			"<title>Samstag, 21. November 2026</title>") {
			r.t.Errorf("the feed of who speaks German has %s", feed.body)
		}
		r.must(r.store.SetNewsletterLetter(r.t.Context(), digest.NewsletterLetter{NewsletterID: n.ID,
			LocalDate: digest.Date{Year: 2026, Month: 11, Day: 21}, Subject: "Of boats & seams", Note: "Back again."}))
		v.get("/n/anna-writes").shows(".letters a", "Saturday 21 November 2026")
		v.get("/n/anna-writes/letters").status(http.StatusOK).shows(".letters a", "Saturday 21 November 2026")
		letter := v.get("/n/anna-writes/2026-11-21").status(http.StatusOK).contains("h3",
			"The boat").contains(".notice", "Back again.")
		n.HeaderText, n.FooterText = "Hello <i>you</i>.", "My books: https://anna.example/books?a=1&b=2."
		r.must(r.store.SetNewsletter(r.t.Context(), n, r.now))
		around := v.get("/n/anna-writes/2026-11-21").status(http.StatusOK).contains("main p",
			"Hello <i>you</i>.").contains(".aside", "My books: https://anna.example/books?a=1&b=2.")
		around.has(".aside a", "href", "https://anna.example/books?a=1&b=2")
		v.get("/n/anna-writes").contains(".aside", "My books:").has(".aside[dir] a", "href",
			"https://anna.example/books?a=1&b=2")
		letter.has(".back a", "href", "/n/anna-writes")
		for _, own := range []string{"/posts/", "Unsubscribe", "/editions/", "Save"} {
			if strings.Contains(letter.body, own) {
				r.t.Errorf("the public letter holds %q", own)
			}
		}
		feed := v.get("/n/anna-writes/feed.xml").status(http.StatusOK)
		for _, want := range []string{"<title>Anna &amp; co</title>", "<title>Of boats &amp; seams</title>",
			"<summary>The boat</summary>", "/n/anna-writes/2026-11-21"} {
			if !strings.Contains(feed.body, want) {
				r.t.Errorf("the feed has no %s:\n%s", want, feed.body)
			}
		}
		v.header["If-None-Match"] = feed.Header.Get("ETag")
		v.get("/n/anna-writes/feed.xml").status(http.StatusNotModified)
		delete(v.header, "If-None-Match")
		doc, err := reader.Parse([]byte(feed.body), feed.Header.Get("Content-Type"), r.base+"/n/anna-writes/feed.xml")
		if err != nil || len(doc.Posts) != 1 || len(doc.Hubs) != 0 || doc.Self != r.base+"/n/anna-writes/feed.xml" ||
			feed.Header.Get("Link") != "" {
			r.t.Errorf("the feed is read as %+v, %v", doc, err)
		}
		for _, path := range []string{"/n/nobody", "/n/anna-writes/x", "/n/anna-writes/2026-11-20", "/n/ANNA-WRITES"} {
			v.get(path).status(http.StatusNotFound)
		}
		r.must(r.store.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterPending, "", r.now))
		v.get("/n/anna-writes").status(http.StatusNotFound)
		v.get("/n/anna-writes/2026-11-21").status(http.StatusNotFound)
	})
}

// joins submits the form of a newsletter from another site.
func (r *room) joins(form url.Values, origin string) answer {
	v := r.visitor()
	v.header["Origin"], v.header["Sec-Fetch-Site"] = origin, "cross-site"
	return v.post("/n/anna-writes/join", form)
}

// TestJoin checks that the form works from another site, that nothing happens before the
// confirmation, and that the proof of consent is stored.
func TestJoin(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		got := r.joins(url.Values{"email": {"Mo@Example.org"}, "return": {"https://anna.example/thanks?x=1"}},
			"https://anna.example").status(http.StatusSeeOther)
		if to := got.Header.Get("Location"); to != "https://anna.example/thanks?x=1" {
			r.t.Errorf("leads back to %q", to)
		}
		l := r.letter()
		if l.to != "Mo@example.org" || strings.Contains(l.text, "anna.example/thanks") {
			r.t.Errorf("letter to %s: %s", l.to, l.text)
		}
		link := "/n/anna-writes/confirm?token=" + l.token
		if _, err := r.store.Member(r.t.Context(), n.ID, "mo@example.org"); digest.KindOf(err) != digest.NotFound {
			r.t.Errorf("a member before the button: %v", err)
		}
		v := r.visitor()
		v.get(link).status(http.StatusOK).contains(".sheet", "Mo@example.org", "Europe/Paris")
		v.post(link, nil).status(http.StatusForbidden).shows("h1", "Please press the button")
		r.now = r.now.Add(time.Minute)
		form := url.Values{"token": {l.token}}
		v.post("/n/anna-writes/confirm", form).status(http.StatusOK).contains(".sheet",
			"Your first issue comes on Saturday 21 November", "Back to the website")
		m, err := r.store.Member(r.t.Context(), n.ID, "mo@example.org")
		r.must(err)
		if m.Form != "a form at anna.example" || m.Address != "192.0.2.1" || !m.At.Equal(r.now) ||
			!m.AskedAt.Equal(r.now.Add(-time.Minute)) || m.TimeZone != "Europe/Paris" {
			r.t.Errorf("the proof is %+v", m)
		}
		v.post("/n/anna-writes/confirm", form).status(http.StatusForbidden)
		v.get(link).status(http.StatusForbidden)
	})
}

// TestJoinWhenFull checks that a full newsletter sends no confirmation emails, and that an earlier
// link works again when there is room.
func TestJoinWhenFull(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		r.joins(url.Values{"email": {"mo@example.org"}}, "https://anna.example").status(http.StatusSeeOther)
		form := url.Values{"token": {r.letter().token}}
		_, _, err := r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "li@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		r.must(r.store.SetMemberLimit(r.t.Context(), n.ID, 1))
		r.joins(url.Values{"email": {"kim@example.org"}}, "https://anna.example").status(http.StatusConflict).contains(
			".sheet", "This newsletter is full")
		r.noLetter()
		v := r.visitor()
		v.post("/n/anna-writes/confirm", form).status(http.StatusConflict).contains(".sheet", "This newsletter is full")
		r.must(r.store.SetMemberLimit(r.t.Context(), n.ID, 2))
		v.post("/n/anna-writes/confirm", form).status(http.StatusOK)
	})
}

// TestJoinFromItsPage checks time zones, invalid addresses, robots and existing members.
func TestJoinFromItsPage(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n := r.newsletter(anna)
		v := r.visitor()
		join := func(form url.Values) answer { return v.post("/n/anna-writes/join", form) }
		join(url.Values{"email": {"mo"}, "zone": {"Asia/Tokyo"}}).status(http.StatusUnprocessableEntity).contains(
			".wrong", "isn’t an email address")
		join(url.Values{"email": {"mo@example.org"}, "zone": {"Asia/Tokio"}}).status(
			http.StatusUnprocessableEntity).contains(".wrong", "Asia/Tokyo")
		if to := join(url.Values{"email": {"robot@example.org"}, "website": {"https://spam.example/"}}).status(
			http.StatusSeeOther).Header.Get("Location"); to != "/n/anna-writes?asked=1" {
			r.t.Errorf("a robot is led to %q", to)
		}
		r.noLetter()
		for _, back := range []string{"https://evil.example/", "https://anna.example/thank", "//evil.example/",
			"javascript:alert(1)", "https://anna.example@evil.example/thanks"} {
			r.now = r.now.Add(25 * time.Hour)
			if to := join(url.Values{"email": {"x@example.org"}, "zone": {"UTC"}, "return": {back}}).status(
				http.StatusSeeOther).Header.Get("Location"); to != "/n/anna-writes?asked=1" {
				r.t.Errorf("%s leads to %q", back, to)
			}
		}
		v.get("/n/anna-writes?asked=1").contains(".notice", "Check your email")

		_, _, err := r.store.Join(r.t.Context(), n.ID,
			store.Joining{Email: "mo@example.org", TimeZone: "UTC", Asked: true}, r.now)
		r.must(err)
		r.now = r.now.Add(25 * time.Hour)
		join(url.Values{"email": {"mo@example.org"}, "zone": {"UTC"}}).status(http.StatusSeeOther)
		for _, l := range r.letters() {
			if already := strings.Contains(l.subject, "You already subscribe to"); already !=
				(l.to == "mo@example.org") {
				r.t.Errorf("%s is sent %q", l.to, l.subject)
			}
		}
		r.must(r.store.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterEnded, "", r.now))
		join(url.Values{"email": {"mo@example.org"}, "zone": {"UTC"}}).status(http.StatusNotFound)
		v.get("/n/anna-writes").status(http.StatusOK).contains(".notice", "This newsletter has ended")
	})
}
