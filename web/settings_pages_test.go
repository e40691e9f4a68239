package web_test

import (
	"net/http"
	"strings"
	"testing"

	"digest"
)

// TestPagesDifferFromTheMail: layout, pictures and folders of an edition are those that were chosen for pages.
func TestPagesDifferFromTheMail(t *testing.T) {
	each(t, func(r *room) {
		u, d := r.user("ann@example.org")
		p := post("Fog")
		p.Content = "<p>" + strings.Repeat("Nothing was seen of the sea. ", 40) + `</p><p><img src="https://a.example/fog.png" alt="A wall of fog" width="900" height="600"></p>`
		r.brings(digest.Subscription{DigestID: d.ID, Folder: "Zoo"}, "A", p)
		r.midnight()
		v := r.visitor().signIn(u)
		front := v.get("/").shows(".folder h2", "Zoo")
		if len(front.find(".excerpt"))+len(front.find(".shot img")) != 2 {
			r.t.Error("an edition as in the mail has no excerpt and picture")
		}
		arrangement := d.Arrangement
		arrangement.WebLayout, arrangement.WebImages, arrangement.WebGrouping = digest.FullText, digest.NoImages, digest.BySites
		r.must(r.store.SetArrangement(r.t.Context(), d.ID, arrangement))
		for _, path := range []string{"/", front.postPaths()[0]} {
			a := v.get(path).status(http.StatusOK).shows(".folder h2").contains(".text", "[Picture: A wall of fog]")
			if len(a.find("img")) != 0 {
				r.t.Errorf("%s shows a picture", path)
			}
		}
		arrangement.WebLayout = digest.Headlines
		r.must(r.store.SetArrangement(r.t.Context(), d.ID, arrangement))
		if got := v.get("/"); len(got.find(".excerpt"))+len(got.find(".text")) != 0 || len(got.find("article.brief")) != 1 {
			r.t.Error("headlines are more than headlines")
		}
	})
}
