package edition

import (
	"digest/internal/catalogue"
	"digest/render"
)

const (
	// mostPosts is how many posts of one feed a mail shows, or lists.
	mostPosts = 50
	// floodPosts is how many it shows of a feed that has more.
	floodPosts = 10
)

// leave leaves posts of feeds that have brought very many to the web edition, and says
// so: one feed must not bury the others. A bound edition shows few of each
// anyway.
func leave(e *render.Edition, l *catalogue.Language) {
	if e.Bound {
		return
	}
	var left catalogue.List
	for i := range e.Sections {
		s := &e.Sections[i]
		n := len(s.Posts)
		if n <= mostPosts {
			continue
		}
		s.Left = n - floodPosts
		s.Late = max(0, s.Late-s.Left)
		s.Posts = s.Posts[:floodPosts:floodPosts]
		left = append(left, catalogue.Key("%d of %s").With(s.Left, s.Title))
	}
	if len(left) > 0 {
		e.Note = catalogue.Key("In the web edition alone: %s.").With(left).In(l)
	}
}
