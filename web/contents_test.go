package web

import (
	"fmt"
	"slices"
	"testing"

	"digest/rank"
	"digest/render"
)

// TestOutline checks that the contents of an edition with several pages link to all folders and
// sites, by their positions on each page.
func TestOutline(t *testing.T) {
	posts := func(n int) []*render.Post { return make([]*render.Post, n) }
	foldered := []render.Section{
		// on pages 1 and 2
		{Title: "a", Folder: "A", Posts: posts(2)}, {Title: "b", Folder: "A", Posts: posts(1), Rest: posts(3)},
		{Title: "none", Folder: "A"},
		{Title: "c", Folder: "B", Posts: posts(4)}, // on pages 2 and 3
		{Title: "d", Folder: "B", Posts: posts(1)},
		{Title: "e", Posts: posts(2)},              // without a folder, on pages 3 and 4
		{Title: "f", Folder: "C", Posts: posts(8)}, // on pages 4, 5 and 6
	}
	bare := []render.Section{{Title: "a", Posts: posts(4)}, {Title: "b", Posts: posts(4)}}
	at := func(part int) string { return fmt.Sprint("?", part) }
	for _, c := range []struct {
		sections []render.Section
		here     int
		want     []string
	}{
		{foldered, 1, []string{"A #folder-0: a #site-0, b #site-1", "B ?2#folder-1:", " sheet 3 ?3#folder-1:",
			"C ?4#folder-1:"}},
		{foldered, 2, []string{"A #folder-0: b #site-0", "B #folder-1: c #site-1", " sheet 3 ?3#folder-1:",
			"C ?4#folder-1:"}},
		{foldered, 3, []string{"A ?1#folder-0:", "B #folder-0: c #site-0, d #site-1", " #folder-1: e #site-2",
			"C ?4#folder-1:"}},
		{foldered, 5, []string{"A ?1#folder-0:", "B ?2#folder-1:", " sheet 3 ?3#folder-1:", "C #folder-0: f #site-0"}},
		{bare, 1, []string{" #folder-0: a #site-0", " sheet 2 ?2#folder-0:"}},
		{bare, 2, []string{" sheet 1 ?1#folder-0:", " #folder-0: b #site-0"}},
		{nil, 1, nil},
	} {
		var got []string
		for _, f := range outline(c.sections, 4, c.here, at) {
			line, between := f.Name+" "+f.Path+":", " "
			if f.Part != 0 {
				line = fmt.Sprintf(" sheet %d %s:", f.Part, f.Path)
			}
			for _, s := range f.Sites {
				line += between + s.Title + " " + s.Path
				between = ", "
			}
			got = append(got, line)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("on sheet %d\n%q, want\n%q", c.here, got, c.want)
		}
	}
}

// TestContentsNames: the line of contents names folders, or else sites. The heading of the posts beyond the reading time
// is no folder of the reader.
func TestContentsNames(t *testing.T) {
	beyond := rank.Place{Rank: rank.Brief, Reason: rank.OverTime}
	posts := []*render.Post{{}}
	sections := []render.Section{{Title: "a", Posts: posts}, {Title: "b", Posts: posts},
		{Title: "c", Folder: "Also today", Posts: posts, Places: []rank.Place{beyond}}}
	at := func(part int) string { return fmt.Sprint("?", part) }
	if got := contentsNames(outline(sections, 10, 1, at), minContents); !slices.Equal(got,
		[]string{"a", "b", "Also today"}) {
		t.Errorf("without folders: %q", got)
	}
	sections[0].Folder = "Sea"
	if got := contentsNames(outline(sections, 10, 1, at), minContents); !slices.Equal(got,
		[]string{"Sea", "Also today"}) {
		t.Errorf("with a folder: %q", got)
	}
}
