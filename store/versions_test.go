package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
)

// TestVersions edits a post before and after its delivery. The delivered text stays. Later texts are stored as
// versions, within bounds, and are deleted with the post.
func TestVersions(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
		now := noon
		edit := func(title, content string) {
			now = now.Add(time.Hour)
			p := post("p", noon)
			p.Title, p.Content, p.ContentHash = title, content, title+content
			w.record(now, f, []digest.Post{p})
		}
		versions := func(what string, n int) {
			w.Helper()
			w.holds(what, n, `SELECT count(*) FROM post_versions`)
		}
		const text = "<p>One two three four five six seven.</p>"
		edit("Title", "<p>A draft.</p>")
		edit("Title", text)
		versions("before its midnight", 0)
		now = parisMidnight
		w.hour(now)
		edit("Title", text+" ")
		edit("Title", `<p class="new"><b>One</b> two three four five six sevn.</p>`)
		edit("TITLE", text)
		versions("nothing of substance", 0)
		edit("Title", text+"<p>It was all wrong, as we know now.</p>")
		versions("more of it", 1)
		edit("Title", text+"<p>It was all wrong, as we know now!</p>")
		versions("almost the same as its latest version", 1)
		edit("Another title", text)
		versions("another title", 2)
		edit("Another title", strings.Repeat("<p>Much too long.</p>", 5000))
		versions("too long", 2)
		for i := range 9 {
			edit(fmt.Sprint("Title number ", i), text)
		}
		versions("the latest five", 5)
		w.holds("the very latest", 1, `SELECT count(*) FROM post_versions WHERE title = 'Title number 8'`)
		w.holds("what was delivered", 1, `SELECT count(*) FROM posts WHERE title = 'Title' AND content = ?`, text)

		w.send(now)
		later := now.AddDate(2, 0, 0)
		w.record(later, f, posts(later, "q"))
		w.hour(later)
		w.send(later)
		w.prune(later)
		w.holds("is gone", 0, `SELECT count(*) FROM posts WHERE identity = 'p'`)
		versions("of posts that are gone", 0)
	})
}

// TestVersionsOfMany: a poll compares at most a megabyte of edits, so that a document that edits everything does
// not block others for long.
func TestVersionsOfMany(t *testing.T) {
	each(t, func(w world) {
		_, f := w.follows()
		edited := func(title string) (all []digest.Post) {
			for i := range 40 {
				p := post(fmt.Sprint("p", i), noon)
				p.Title, p.Content, p.ContentHash = title, strings.Repeat("<p>Word.</p>", 50_000/12), title
				all = append(all, p)
			}
			return all
		}
		w.record(noon.Add(time.Hour), f, edited("Title"))
		w.hour(parisMidnight)
		w.record(parisMidnight.Add(time.Hour), f, edited("Another title"))
		w.holds("versions", 20, `SELECT count(*) FROM post_versions`)
	})
}
