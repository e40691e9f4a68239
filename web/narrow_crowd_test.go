package web_test

import (
	"fmt"
	"net/http"
	"strings"

	"digest"
)

// crowdOf adds posts of many sites in folders and many languages to a digest.
func (r *room) crowdOf(d digest.Digest, sites int) {
	r.t.Helper()
	lines := []string{
		"The ferry is late again, and this time it is not the wind but the timetable that nobody has read since 1974",
		"Roggen",
		"دفتر النجوم: القمر يمشي فوق البحر هذه الليلة، ولا أحد " +
			"ينظر إليه", "東京の夜は長い、そして朝は早い。新しい新聞の一面を読む人々がいる街の話",
		endless[:90], "🏔️ Notes on a hill 👩‍👩‍👧 and the people who climb it 🏳️‍🌈",
		"מזג האוויר של מחר: רוח מן הים, וגשם אחרי הצהריים",
	}
	for i := range sites {
		var posts []digest.Post
		for j := range 1 + i%3 {
			posts = append(posts, digest.Post{
				Identity: fmt.Sprint(i, j), Title: lines[(i+j)%len(lines)],
				URL: fmt.Sprintf("https://a.example/%d/%d", i, j), Author: lines[i%len(lines)],
				Summary: strings.Repeat("It was a quiet day at the harbour. ", 5), Content: "<p>Nothing was seen.</p>",
				ContentHash: "h",
			})
		}
		folders := []string{"", "Sea", endless[:40], "料理と台所", "מטבח", "🏔️"}
		r.brings(digest.Subscription{DigestID: d.ID, Folder: folders[i%len(folders)]},
			fmt.Sprintf("%s %d", lines[i%len(lines)], i), posts...)
	}
}

// crowdedPages adds the pages of a reader with 150 sites.
func (p *pageShow) crowdedPages(direction digest.Direction) {
	p.t.Helper()
	u, d := p.user("crowd@example.org")
	p.must(p.store.Readers.SetPages(p.t.Context(), u.ID, pages(direction, false)))
	p.crowdOf(d, 150)
	p.midnight()
	p.indexed()
	me := p.visitor().signIn(u)
	for _, path := range me.get("/").postPaths()[:5] {
		me.post(path+"/save", nil).status(http.StatusSeeOther)
	}
	for _, path := range []string{"/", "/?view=headlines", "/feeds", "/feeds?all=1", "/settings/appearance",
		"/editions", "/saved", "/search?q=quiet", "/links"} {
		p.add("150 sites, "+path, me.get(path).status(http.StatusOK))
	}
}
