package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// flood adds a feed with one post a day for 20 days, and then 12 posts on one day, by another author.
func (r *room) flood(d digest.Digest, title string) digest.FeedID {
	r.t.Helper()
	var past []digest.Post
	for i := range 20 {
		p := post(fmt.Sprint("Day ", i))
		p.Author, p.PublishedAt = "Ann", r.now.AddDate(0, 0, -i)
		past = append(past, p)
	}
	r.brings(digest.Subscription{DigestID: d.ID}, title, past...)
	f := feedAt(r, fmt.Sprintf("https://site.example/%d", r.feeds))
	r.midnight()
	r.now = r.now.Add(time.Hour)
	f.ParsedAt, f.LastOKAt = r.now, r.now
	polled := store.Polled{Feed: f}
	for i := range 12 {
		p := post(fmt.Sprint("Win at cards ", i))
		p.FeedID, p.Author, p.SeenAt, p.PublishedAt = f.ID, "Casino", r.now, r.now
		polled.Posts, polled.Listed = append(polled.Posts, p), append(polled.Listed, p.Identity)
	}
	_, err := r.store.Feeds.Record(r.t.Context(), r.now, []store.Polled{polled})
	r.must(err)
	r.midnight()
	return f.ID
}

// TestFold: far more posts than usual are one line that opens, with a warning and two buttons. One button always shows
// the site's posts; on the site's page the reader changes it again. The link in the email opens the posts.
func TestFold(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		id := r.flood(d, "Zebra")
		const line = "Zebra published 12 posts today (usually at most 1 a day)"
		a := v.get("/").status(http.StatusOK).contains(".fold", line, "taken over", "Unfollow")
		if n := len(a.find(".fold article")); n != 12 {
			t.Errorf("%d posts are folded, want 12", n)
		}
		why := v.get("/editions/" + r.edition(d).LocalDate.String() + "/why")
		if n := strings.Count(why.body, "far more than usual"); n != 1 {
			t.Errorf("the reason for 12 folded posts is on the page %d times", n)
		}
		linked := r.visitor().get(fmt.Sprintf("/e/%s?site=%d",
			r.signer.Sign(digest.ForEdition, int64(r.edition(d).ID)), id)).contains(".fold", line).has(".fold",
			"open", "")
		if len(linked.find(".fold form")) > 0 {
			t.Error("without a sign-in the page has forms")
		}
		form := a.find(".fold form")[0]
		from, _ := attr(a.find(".fold form input[name=from]")[0], "value")
		action, _ := attr(form, "action")
		v.post(action, url.Values{"from": {from}}).status(http.StatusSeeOther).leads(from)
		if n := len(v.get("/").find(".fold")); n > 0 {
			t.Error("the posts are still folded")
		}
		menu := fmt.Sprint("/feeds/", id)
		v.get(menu).has("[name=unfolded]", "checked", "")
		v.post(menu, url.Values{"display": {""}, "title": {""}, "folder": {""}}).status(http.StatusSeeOther)
		v.get("/").contains(".fold", line)
	})
}
