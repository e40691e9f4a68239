package web_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
)

// typedSettings returns the form of a newsletter's settings.
func typedSettings() url.Values {
	return url.Values{
		"name": {"Anna\nwrites"}, "description": {"Of boats.\r\n\r\nAnd kites."}, "site": {" https://anna.example/ "},
		"address": {"Anna, 1 Quay, Whitby"},
		"header":  {" Read\r\nslowly. "}, "footer": {"https://anna.example/books"}, "paper": {"#fff1e5"},
		"ink": {"#1F1D1A"}, "accent": {" #990F3D "}, "from": {"Anna"}, "reply": {"anna@anna.example"},
		"every": {"week"}, "days": {"sun"}, "month": {"monthly on 1"}, "at": {"07:30"},
		"approve": {"6"}, "clicks": {"1"}, "layout": {"excerpts"}, "images": {"linked"},
		"returns": {"https://anna.example/thanks\nhttps://anna.example/hello"},
	}
}

// TestPublisherSettings checks that the settings are stored for all members, and that an invalid form changes
// nothing.
func TestPublisherSettings(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const path = "/newsletters/anna-writes/settings"
		v.post(path, typedSettings()).status(http.StatusSeeOther)
		got, err := r.store.Newsletter(r.t.Context(), n.ID)
		r.must(err)
		want := n
		want.Name, want.Description, want.SiteURL, want.AddressLine = "Anna writes", "Of boats.\n\nAnd kites.",
			"https://anna.example/", "Anna, 1 Quay, Whitby"
		want.HeaderText, want.FooterText = "Read slowly.", "https://anna.example/books"
		want.Colours = digest.Colours{Paper: "#fff1e5", Accent: "#990f3d"}
		want.FromName, want.ReplyTo, want.Cadence, want.DeliverAt = "Anna", "anna@anna.example", 1<<time.Sunday,
			7*time.Hour+30*time.Minute
		want.CountClicks = true
		want.ApproveWithin, want.Layout, want.Images = 6*time.Hour, digest.Excerpts, digest.LinkedImages
		want.ReturnURLs = "https://anna.example/thanks\nhttps://anna.example/hello"
		if got != want {
			r.t.Errorf("stored\n%+v, want\n%+v", got, want)
		}
		page := v.get(path+"?saved=settings").contains(".notice", "Saved.")
		page.has("#name", "value", "Anna writes")
		page.contains("#header", "Read slowly.").contains("#footer", "https://anna.example/books")
		page.has("#paper", "value", "#fff1e5")
		page.has("#ink", "value", "")
		page.has("#ink", "placeholder", "#1f1d1a")
		page.has("#reply", "value", "anna@anna.example")
		page.has("#at", "value", "07:30")

		for field, c := range map[string]struct{ value, says string }{
			"name": {" ", "Enter a name"}, "reply": {"anna", "not an email address"},
			"from": {"a@b.example", "cannot contain @"}, "site": {"javascript:alert(1)", "https://"},
			"returns": {"https://anna.example", "return URL"}, "approve": {"19", "at most 18 hours"},
			"days": {"", "at least one day"}, "at": {"25:00", "Enter a time"},
			"layout": {"x", "layout is"},
			"accent": {"#ffcc00", "The accent colour #ffcc00 on the background #fff1e5 has a contrast of 1.3 to 1, but text needs 4.5 to 1; use #"},
			"paper":  {"white", "is not a colour"},
			"ink":    {"#fff1e5}body{display:none", "is not a colour"},
			"header": {strings.Repeat("x", 501), "“Header text” is too long"}, "footer": {strings.Repeat("x", 501),
				"“Footer text” is too long"}, "description": {strings.Repeat("x", 2001), "too long"},
		} {
			form := typedSettings()
			if form.Set(field, c.value); c.value == "" {
				form.Del(field)
			}
			v.post(path, form).status(http.StatusUnprocessableEntity).contains(".wrong", c.says).contains(".wrong",
				"Nothing was changed")
		}
		form := typedSettings()
		form.Set("approve", "x")
		v.post(path, form).status(http.StatusBadRequest)
		if again, err := r.store.Newsletter(r.t.Context(), n.ID); err != nil || again != want {
			r.t.Errorf("what was wrong has changed it: %+v, %v", again, err)
		}
	})
}

// TestPublisherFeeds finds a feed from its site, adds it to the newsletter for its members, and removes it.
func TestPublisherFeeds(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		b := r.blog(map[string]string{"/": offering, "/feed": rss("The blog itself", "One"),
			"/news.atom": rss("News", "Three"), "/none": "no feed"})
		const path = "/newsletters/anna-writes/feeds"
		v.post(path, url.Values{"address": {b.URL + "/feed"}}).status(http.StatusSeeOther)
		v.get(path+"?saved=added").contains(".notice", "Feed added").contains(".rows", "The blog itself")
		if got := r.subscribedTo(digest.Digest{ID: n.ArchiveID}); !strings.Contains(got, b.URL+"/feed") {
			r.t.Errorf("made of %s", got)
		}
		for _, address := range []string{"", "nowhere", b.URL + "/none", b.URL +
			"/gone", "http://anna:secret@site.example/feed", "javascript:alert(1)"} {
			if a := v.post(path, url.Values{"address": {address}}); a.StatusCode < 400 || a.StatusCode >= 500 ||
				len(a.texts(".wrong")) == 0 {
				r.t.Errorf("%q is answered with %d: %q", address, a.StatusCode, a.texts(".wrong"))
			}
		}
		id := strconv.FormatInt(int64(feedAt(r, b.URL+"/feed").ID), 10)
		v.post(path+"/"+id+"/remove", nil).status(http.StatusSeeOther)
		if got := r.subscribedTo(digest.Digest{ID: n.ArchiveID}); strings.Contains(got, b.URL) {
			r.t.Errorf("still made of %s", got)
		}
		v.post(path+"/"+id+"/remove", nil).status(http.StatusNotFound)
	})
}

// TestPublisherPeople checks that the owner appoints the publishers, and that an editor can only remove themselves.
func TestPublisherPeople(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		ed, _ := r.user("ed@example.org")
		flo, _ := r.user("flo@example.org")
		anna, err := r.store.UserByEmail(r.t.Context(), "anna@example.org")
		r.must(err)
		const path = "/newsletters/anna-writes/people"
		of := func(u digest.User) string { return path + "/" + strconv.FormatInt(int64(u.ID), 10) }
		v.post(path, url.Values{"email": {"nobody@example.org"}}).status(http.StatusUnprocessableEntity).contains(
			".wrong", "No reader here has that address")
		v.post(path, url.Values{"email": {"anna@example.org"}}).status(http.StatusUnprocessableEntity).contains(
			".wrong", "That’s you")
		v.post(path, url.Values{"email": {" Ed@example.org"}}).status(http.StatusSeeOther)
		v.post(of(flo)+"/owner", nil).status(http.StatusNotFound) // not an editor
		v.post(of(anna)+"/remove", nil).status(http.StatusConflict)

		editor := r.visitor().signIn(ed)
		editor.get(path).status(http.StatusOK).contains(".rows", "anna@example.org")
		for _, at := range []string{path, of(ed) + "/owner", of(ed) + "/withdraw", of(anna) +
			"/remove", "/newsletters/anna-writes/hold", "/newsletters/anna-writes/end"} {
			editor.post(at, url.Values{"email": {"flo@example.org"}, "slug": {n.Slug}}).status(http.StatusForbidden)
		}
		editor.post(path+"/accept", nil).status(http.StatusConflict)
		v.post(of(ed)+"/owner", nil).status(http.StatusSeeOther)
		v.post(path+"/accept", nil).status(http.StatusConflict)
		v.post(path+"/decline", nil).status(http.StatusSeeOther) // only the editor can decline it
		v.get(path).contains(".rows", "ed@example.orgeditor, transfer offered", "anna@example.orgowner")
		editor.get("/newsletters/anna-writes").contains(".notice",
			"The owner wants to transfer this newsletter to you.")
		editor.get(path).contains(".notice", "The owner wants to transfer this newsletter to you.")
		editor.post(path+"/decline", nil).status(http.StatusSeeOther)
		editor.post(path+"/accept", nil).status(http.StatusConflict)
		v.post(of(ed)+"/owner", nil).status(http.StatusSeeOther)
		v.post(of(ed)+"/withdraw", nil).status(http.StatusSeeOther)
		editor.post(path+"/accept", nil).status(http.StatusConflict)
		editor.get("/newsletters/anna-writes").shows(".notice")
		v.post(of(ed)+"/owner", nil).status(http.StatusSeeOther)
		editor.post(path+"/accept", nil).status(http.StatusSeeOther)
		editor.get(path+"?saved=owner").contains(".notice", "You’re the owner").contains(".rows",
			"ed@example.orgowner")
		v.post(path, url.Values{"email": {"flo@example.org"}}).status(http.StatusForbidden)
		v.post(of(anna)+"/remove", nil).status(http.StatusSeeOther)
		v.get(path).status(http.StatusNotFound)
	})
}

// TestHoldOnline checks that the owner can hold and release a newsletter, but not release the operator's hold, and
// that it ends after its slug was typed.
func TestHoldOnline(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		const path = "/newsletters/anna-writes"
		state := func(want digest.NewsletterState) {
			r.t.Helper()
			if got, err := r.store.Newsletter(r.t.Context(), n.ID); err != nil || got.State != want {
				r.t.Errorf("it is %s, want %s: %v", got.State, want, err)
			}
		}
		v.post(path+"/release", nil).status(http.StatusForbidden)
		v.post(path+"/hold", nil).status(http.StatusSeeOther)
		state(digest.NewsletterHeld)
		v.get(path).contains(".notice", "The owner put this newsletter on hold.").shows(".notice form button",
			"Resume newsletter")
		v.post(path+"/release", nil).status(http.StatusSeeOther)
		state(digest.NewsletterActive)
		r.must(r.store.SetNewsletterState(r.t.Context(), n.ID, digest.NewsletterHeld, "many complaints", r.now))
		v.get(path).contains(".notice", "many complaints").shows(".notice form button")
		v.post(path+"/release", nil).status(http.StatusForbidden)
		v.post(path+"/hold", nil).status(http.StatusBadRequest) // otherwise the owner could then release it
		state(digest.NewsletterHeld)
		v.post(path+"/end", url.Values{"slug": {"x"}}).status(http.StatusUnprocessableEntity).contains(".wrong",
			"Nothing was changed")
		state(digest.NewsletterHeld)
		v.post(path+"/end", url.Values{"slug": {n.Slug}}).status(http.StatusSeeOther)
		state(digest.NewsletterEnded)
		v.get(path).contains(".notice", "This newsletter has ended")
	})
}
