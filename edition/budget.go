package edition

import (
	"digest"
	"digest/internal/catalogue"
	"digest/rank"
	"digest/render"
)

// alsoToday is the heading of the posts for which the reader's reading time is too short.
const alsoToday = catalogue.Key("Also today")

// afterReading moves posts from their sections to the end of the edition, as headlines under a heading and the names of
// their sites.
func afterReading(sections []render.Section, beyond map[digest.PostID]bool, heading string) []render.Section {
	if len(beyond) == 0 {
		return sections
	}
	var stay, also []render.Section
	for _, s := range sections {
		kept, moved := s, s
		kept.Posts, kept.Places, kept.Late = nil, nil, 0
		moved.Posts, moved.Places, moved.Late, moved.Folder, moved.Display = nil, nil, 0, heading, digest.Headlines
		for i, p := range s.Posts {
			to, place := &kept, s.Place(i)
			if beyond[p.ID] {
				to, place = &moved, rank.Place{Rank: rank.Brief, Reason: rank.OverTime}
			}
			to.Posts, to.Places = append(to.Posts, p), append(to.Places, place)
			if i >= len(s.Posts)-s.Late {
				to.Late++
			}
		}
		if len(kept.Posts) > 0 {
			moved.Rest, moved.RestLabel, moved.Beyond, moved.Left = nil, nil, 0, 0
			stay = append(stay, kept)
		}
		if len(moved.Posts) > 0 {
			also = append(also, moved)
		}
	}
	return append(stay, also...)
}
