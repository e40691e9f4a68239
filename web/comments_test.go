package web_test

import (
	"fmt"
	"net/http"
	"testing"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// TestComments: the byline of a post links to the page with comments on it, and so does the page of the post. An
// excerpt has its own direction.
func TestComments(t *testing.T) {
	storetest.Each(t, func(t *testing.T, s *store.Store) {
		r := newRoom(t, s)
		r.open("")
		ada, d := r.reader("ada@example.org")
		const comments = "https://news.example/item?id=1"
		r.arrives(d, digest.Post{Identity: "1", Title: "המפה החדשה של העיר העתיקה",
			URL:     "https://x.example/1",
			Summary: "In English.", Author: "Ann", Comments: comments})
		r.midnight()
		today := ada.get("/").status(http.StatusOK)
		today.has(".byline a", "href", comments).contains(".byline", "Ann").shows(".byline a", "Comments")
		today.has("p.excerpt", "dir", "ltr")
		page := ada.get(fmt.Sprint("/posts/", r.idOf(d,
			"המפה החדשה של העיר העתיקה"))).status(http.StatusOK)
		page.has(".files a", "href", comments).has("p.excerpt", "dir", "ltr")
	})
}
