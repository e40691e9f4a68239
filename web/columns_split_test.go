package web

import (
	"fmt"
	"strings"
	"testing"

	"digest/render"
)

// pieces returns sections with the given numbers of equal posts.
func pieces(posts ...int) (sections []*editionSection) {
	for i, n := range posts {
		s := &editionSection{Section: render.Section{Title: fmt.Sprint(i), Folder: "F"}}
		for range n {
			s.Posts = append(s.Posts, &editionPost{Post: &render.Post{Title: "Fog",
				Excerpt: strings.Repeat("fog ", 40)},
				Depth: asExcerpt})
		}
		sections = append(sections, s)
	}
	return sections
}

// written returns columns as text: 2 for a section of two posts, +3 for one that continues.
func written(columns [][]*editionSection) string {
	var all []string
	for _, column := range columns {
		var words []string
		for _, s := range column {
			words = append(words, map[bool]string{true: "+"}[s.Again]+fmt.Sprint(len(s.Posts)))
		}
		all = append(all, strings.Join(words, " "))
	}
	return strings.Join(all, " | ")
}

func TestInTwo(t *testing.T) {
	for _, c := range []struct {
		posts []int
		want  string
	}{
		{[]int{1}, "1"},
		{[]int{2}, "1 | +1"},
		{[]int{1, 1}, "1 | 1"},
		{[]int{3, 3}, "3 | 3"},
		{[]int{8}, "4 | +4"},
		{[]int{8, 1}, "5 | +3 1"},
		{[]int{1, 8}, "1 3 | +5"},
		{[]int{2, 1, 3}, "2 1 | 3"},
	} {
		if got := written(inTwo(pieces(c.posts...)).Columns); got != c.want {
			t.Errorf("%v: %s, want %s", c.posts, got, c.want)
		}
	}
}

// TestRows checks that up to three short folders share a row.
func TestRows(t *testing.T) {
	for posts, want := range map[string]string{"1": "1", "11": "2", "111": "3", "1111": "2 2", "191": "1 1 1",
		"9119": "1 2 1"} {
		p := &editionPage{}
		for _, n := range posts {
			p.Folders = append(p.Folders, editionFolder{Name: "F", Sections: pieces(int(n - '0'))})
		}
		var sizes []string
		for _, row := range p.Rows() {
			sizes = append(sizes, fmt.Sprint(len(row)))
		}
		if got := strings.Join(sizes, " "); got != want {
			t.Errorf("%s: %s, want %s", posts, got, want)
		}
	}
}
