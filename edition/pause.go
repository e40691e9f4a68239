package edition

import (
	"time"

	"digest"
	"digest/render"
)

// boundPosts is how many posts of a section a bound edition shows; it lists the others.
const boundPosts = 3

// A pause is the one of which an edition holds all that came; the zero one is
// none, and to is zero while it goes on.
type pause struct{ from, to time.Time }

// bind makes e bound: of each section that is not only listed anyway the newest
// posts stay, and the others become its rest.
func (p pause) bind(e *render.Edition, zone *time.Location) {
	if p.from.IsZero() {
		return
	}
	e.Bound = true
	how := "this is all that came."
	for i := range e.Sections {
		s := &e.Sections[i]
		if len(s.Posts) <= boundPosts || e.LayoutOf(*s) == digest.Headlines {
			continue
		}
		how = "the newest three of each site, the rest as headlines."
		s.Late = max(0, s.Late-(len(s.Posts)-boundPosts))
		s.Posts, s.Rest = s.Posts[:boundPosts:boundPosts], s.Posts[boundPosts:]
	}
	e.Note = "You were away" + p.dates(e.Date, zone) + ": " + how
}

// dates says from when to when, by the reader's clock.
func (p pause) dates(edition digest.Date, zone *time.Location) string {
	if zone == nil {
		return ""
	}
	from, to := digest.DateOf(p.from.In(zone)), edition
	if !p.to.IsZero() {
		to = digest.DateOf(p.to.In(zone))
	}
	const day, year = "2 January", "2 January 2006"
	switch {
	case from == to:
		return " on " + from.Format(day)
	case from.Year != to.Year:
		return " from " + from.Format(year) + " to " + to.Format(year)
	case from.Month != to.Month:
		return " from " + from.Format(day) + " to " + to.Format(day)
	}
	return " from " + from.Format("2") + " to " + to.Format(day)
}
