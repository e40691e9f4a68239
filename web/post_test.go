package web_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// edited stores a new version of the post in the feed at an address.
func (r *room) edited(address, title, content string) {
	r.t.Helper()
	f, err := r.store.Feeds.FeedByURL(r.t.Context(), address)
	r.must(err)
	p := digest.Post{FeedID: f.ID, Identity: "p", Title: title, Content: content, ContentHash: title + content,
		SeenAt: r.now, PublishedAt: noon, URL: "https://site.example/p"}
	_, err = r.store.Feeds.Record(r.t.Context(), r.now,
		[]store.Polled{{Feed: f, Posts: []digest.Post{p}, Listed: []string{"p"}}})
	r.must(err)
}

// TestLaterVersions checks that a delivered post links to its later version from the reader's next midnight on, only
// for readers who may see the post. The delivered version stays.
func TestLaterVersions(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		other, others := r.reader("bob@example.org")
		r.arrives(d, digest.Post{Identity: "p", Title: "It is so", URL: "https://site.example/p",
			Content: "<p>One two three four five.</p>", ContentHash: "1"})
		r.midnight()
		r.arrives(others, post("Another"))
		id := r.idOf(d, "It is so")
		page := fmt.Sprintf("/posts/%d", id)
		unix := func(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }
		v.get(page).status(http.StatusOK).shows(".changes")
		r.now = r.now.Add(10 * time.Hour)
		seen := r.now
		r.edited("https://site.example/1", "It is not so",
			"<p>It was all wrong, <b>as we know</b> now.</p><script>alert(1)</script>")
		later := page + "/versions/" + unix(seen)
		v.get(page).status(http.StatusOK).shows(".changes") // no link before the next midnight
		v.get(later).status(http.StatusNotFound)
		r.arrives(d, post("News"))
		r.midnight()
		if got := v.get("/").body + v.get("/editions/2026-11-21").body; strings.Contains(got, "It is not so") ||
			strings.Contains(got, "all wrong") || !strings.Contains(got, "It is so") {
			r.t.Error("an edition has changed")
		}
		v.get(page).status(http.StatusOK).shows("h1", "It is so").shows(".changes",
			"Changed: 21 November 2026, 10:00").has(".changes a", "href", later)
		a := v.get(later).status(http.StatusOK).shows("h1", "It is not so").contains(".notice",
			"This is the version from 21 November 2026")
		a.has(".notice a", "href", page)
		if !strings.Contains(a.body, "<b>as we know</b>") && !strings.Contains(a.body, "as we know") ||
			strings.Contains(a.body, "alert(1)") || strings.Contains(a.body, "three four five") {
			r.t.Errorf("shows %s", a.body)
		}
		for _, path := range []string{page, later} {
			other.get(path).status(http.StatusNotFound)
			if to := r.visitor().get(path).status(http.StatusSeeOther).Header.Get("Location"); to != "/sign-in" {
				r.t.Errorf("leads to %s", to)
			}
		}
		for _, at := range []string{"0", "-1", "x", unix(seen.Add(time.Second)), "99999999999999999999"} {
			v.get(page + "/versions/" + at).status(http.StatusNotFound)
		}
	})
}

// TestFilm checks that the page of a film, and its picture, link to the page that plays it.
func TestFilm(t *testing.T) {
	each(t, func(r *room) {
		r.pictures = &gallery{}
		r.open("")
		ada, d := r.reader("ada@example.org")
		const film = "https://site.example/w/rf7NYGY8yDe3MPBEEDjqKi"
		r.brings(digest.Subscription{DigestID: d.ID}, "A channel", digest.Post{Identity: "1", Title: "Fog", URL: film,
			Content: `<p><img src="https://i.example/a.jpg" width="480" height="360"></p><p>Words.</p>`})
		r.midnight()
		page := ada.get(ada.get("/").postPaths()[0]).status(http.StatusOK)
		page.has("a.film", "href", film)
		if !strings.Contains(strings.Join(page.texts("a.button"), "|"), "Watch on site.example") {
			t.Errorf("it is read at %q", page.texts("a.button"))
		}
	})
}
