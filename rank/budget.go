package rank

import (
	"cmp"
	"slices"

	"digest"
)

// WordsAMinute is the reading speed.
const WordsAMinute = 230

const leastWords = WordsAMinute / 4 // of a post: reading its headline and looking at it takes time too

// Beyond returns the posts for which a reading time of some minutes is too short. The posts get their time in the order
// of their ranks and scores. A post that is too long for the rest of the time is beyond it, and a shorter one after it
// may still fit. The first post always fits. Posts of folded sites and of sites with only headlines take no time.
func Beyond(sites []Site, places map[digest.PostID]Place, minutes int) map[digest.PostID]bool {
	type reading struct {
		Post
		Place
		at, folder int // position in the site, position of the site's folder
	}
	var all []reading
	for _, s := range sites {
		for i, p := range s.Posts {
			if !s.Lines && !s.Folded {
				all = append(all, reading{p, places[p.ID], i, s.Folder})
			}
		}
	}
	slices.SortStableFunc(all, func(x, y reading) int {
		return cmp.Or(cmp.Compare(order(x.Rank), order(y.Rank)), cmp.Compare(y.score, x.score), cmp.Compare(x.at, y.at),
			cmp.Compare(x.folder, y.folder), cmp.Compare(x.ID, y.ID))
	})
	beyond, room := map[digest.PostID]bool{}, minutes*WordsAMinute
	for i, p := range all {
		if words := max(p.Words, leastWords); i == 0 || words <= room {
			room -= words
		} else {
			beyond[p.ID] = true
		}
	}
	return beyond
}

// order returns the position of a rank among all ranks, the most prominent first.
func order(r Rank) int { return slices.Index([]Rank{Lead, Second, Standard, Brief}, r) }
