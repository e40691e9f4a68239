package edition

import (
	"fmt"
	"testing"

	"digest"
	"digest/rank"
	"digest/render"
)

// TestAfterReading: posts beyond the reading time are headlines at the end, below their sites' names. None is lost, and
// a site keeps its late posts and its other headlines.
func TestAfterReading(t *testing.T) {
	posts := make([]*render.Post, 8)
	for i := range posts {
		posts[i] = &render.Post{ID: digest.PostID(i)}
	}
	places := []rank.Place{{Rank: rank.Lead}, {}, {Rank: rank.Brief}}
	sections := []render.Section{
		{Title: "A", Folder: "News", Posts: posts[:3], Places: places, Late: 2, Rest: posts[3:4], Beyond: 5},
		{Title: "B", Posts: posts[4:6], Late: 1, Rest: posts[6:7], Left: 1},
		{Title: "C", Posts: posts[7:]},
	}
	got := ""
	for _, s := range afterReading(sections, map[digest.PostID]bool{2: true, 4: true, 5: true}, "Also today") {
		got += fmt.Sprint(s.Title, " ", s.Folder, " ", s.Display, ":")
		for i, p := range s.Posts {
			got += fmt.Sprint(" ", p.ID, "/", s.Place(i).Rank)
		}
		got += fmt.Sprintf(" late %d rest %d beyond %d left %d; ", s.Late, len(s.Rest), s.Beyond, s.Left)
	}
	if want := "A News : 0/3 1/0 late 1 rest 1 beyond 5 left 0; C  : 7/0 late 0 rest 0 beyond 0 left 0; " +
		"A Also today headlines: 2/1 late 1 rest 0 beyond 0 left 0; " +
		"B Also today headlines: 4/1 5/1 late 1 rest 1 beyond 0 left 1; "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if all := afterReading(sections, nil, "Also today"); len(all) != 3 {
		t.Errorf("without a limit: %d sections", len(all))
	}
}
