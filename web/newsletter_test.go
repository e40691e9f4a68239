package web_test

import (
	"net/http"
	"net/url"
	"testing"

	"digest"
	reader "digest/feed"
)

// newsletter adds a newsletter of a reader in Paris.
func (r *room) newsletter(owner digest.User) digest.Newsletter {
	r.t.Helper()
	n, err := r.store.Newsletters.AddNewsletter(r.t.Context(), digest.Newsletter{
		Slug: "anna-writes", Name: "Anna & co", Description: "Of boats.\n\nAnd <b>kites</b>.",
		SiteURL: "https://anna.example/",
		Cadence: digest.Daily, State: digest.NewsletterActive, ReturnURLs: "https://anna.example/thanks",
		Look: digest.Look{Layout: digest.FullText, Images: digest.ProxiedImages},
	}, owner.ID, r.now)
	r.must(err)
	return n
}

// joins submits the form of a newsletter from another site.
func (r *room) joins(form url.Values, origin string) answer {
	v := r.visitor()
	v.header["Origin"], v.header["Sec-Fetch-Site"] = origin, "cross-site"
	return v.post("/n/anna-writes/join", form)
}

// TestNewsletterFeedIsRead checks that a feed reader reads the feed of a newsletter, and gets no second copy of it.
func TestNewsletterFeedIsRead(t *testing.T) {
	each(t, func(r *room) {
		anna, _ := r.user("anna@example.org")
		n, v := r.newsletter(anna), r.visitor()
		r.brings(digest.Subscription{DigestID: n.ArchiveID}, "Anna's site", post("The boat"))
		r.midnight()
		feed := v.get("/n/anna-writes/feed.xml").status(http.StatusOK)
		v.header["If-None-Match"] = feed.Header.Get("ETag")
		v.get("/n/anna-writes/feed.xml").status(http.StatusNotModified)
		doc, err := reader.Parse([]byte(feed.body), feed.Header.Get("Content-Type"), r.base+"/n/anna-writes/feed.xml")
		if err != nil || len(doc.Posts) != 1 || len(doc.Hubs) != 0 || doc.Self != r.base+"/n/anna-writes/feed.xml" {
			r.t.Errorf("the feed is read as %+v, %v", doc, err)
		}
	})
}
