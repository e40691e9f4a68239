package edition

import (
	"digest/internal/catalogue"
	"digest/render"
)

const (
	// mostPosts is the number of posts of one feed that an email shows or lists.
	mostPosts = 50
	// floodPosts is the number that it shows of a feed with more.
	floodPosts = 10
)

// leave moves most posts of very busy feeds to the web edition, and adds a note about them, so that one feed does not
// bury the others. A bound edition shows few posts of each feed anyway.
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
		s.Places = s.Places[:min(len(s.Places), floodPosts)]
		left = append(left, catalogue.Key("%d more from %s").With(s.Left, s.Title))
	}
	if len(left) > 0 {
		e.Note = catalogue.Key("Only on the web: %s.").With(left).In(l)
	}
}
