package edition_test

import (
	"fmt"
	"strings"
	"testing"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// TestFlood: an email shows the ten newest posts of a feed with 300 posts, and says that the others are on the web. The
// web edition has all of them.
func TestFlood(t *testing.T) {
	for posts, want := range map[int]struct{ shown, left int }{50: {50, 0}, 51: {10, 41}, 300: {10, 290}} {
		s := stocked()
		refs := []digest.PostRef{{PostID: 30, FeedID: 3}}
		for i := range posts {
			id := digest.PostID(1000 + i)
			s.posts[id] = digest.Post{ID: id, FeedID: 1, Title: fmt.Sprintf("P%d.", i),
				URL: fmt.Sprintf("https://zebra.example/%d", i), SeenAt: noon(10)}
			refs = append(refs, digest.PostRef{PostID: id, FeedID: 1})
		}
		s.editions[100] = refs
		bld := builder(s)
		web, err := bld.Edition(t.Context(), deliveries()[0])
		if err != nil {
			t.Fatal(err)
		}
		if got, want := shape(web), fmt.Sprintf("A fruit of my own 1+0 late 0, Zebra %d+0 late 0, ",
			posts); got != want {
			t.Errorf("the web edition has %s, want %s", got, want)
		}
		letters, err := bld.Render(t.Context(), deliveries()[:1])
		if err != nil {
			t.Fatal(err)
		}
		mail := inARow(letters[0])
		note, more := fmt.Sprintf("Only on the web: %d more from Zebra.", want.left),
			fmt.Sprintf("%d more on the web", want.left)
		for _, words := range []string{note, more} {
			if strings.Contains(mail, words) != (want.left > 0) {
				t.Errorf("of %d posts: does the mail say %q? %t", posts, words, want.left == 0)
			}
		}
		all := render.Count(posts+1, 2).In(catalogue.English())
		if !strings.Contains(mail, all) {
			t.Errorf("the mail does not say that there are %s", all)
		}
		shown := 0
		for i := range posts {
			if strings.Contains(mail, fmt.Sprintf(">P%d.<", i)) {
				shown++
			}
		}
		if shown != want.shown {
			t.Errorf("of %d posts %d are shown, want %d", posts, shown, want.shown)
		}
	}
}
