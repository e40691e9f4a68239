package edition

import (
	"time"

	"digest"
	"digest/render"
)

// boundPosts is how many posts of a site a bound edition shows; it lists the others.
const boundPosts = 3

// An away is the pause of which an edition holds all that came; the zero one
// is none, and to is zero while it goes on.
type away struct{ from, to time.Time }

// bind makes p bound: of each site that is not only listed anyway the newest
// posts stay, and the others become its rest.
func (w away) bind(p *render.Edition, zone *time.Location) {
	if w.from.IsZero() {
		return
	}
	p.Bound = true
	how := "this is all that came."
	for i := range p.Sections {
		s := &p.Sections[i]
		if len(s.Posts) <= boundPosts || p.LayoutOf(*s) == digest.Headlines {
			continue
		}
		how = "the newest three of each site, the rest as headlines."
		s.Late = max(0, s.Late-(len(s.Posts)-boundPosts))
		s.Posts, s.Rest = s.Posts[:boundPosts:boundPosts], s.Posts[boundPosts:]
	}
	p.Note = "You were away" + w.dates(p.Date, zone) + ": " + how
}

// dates says from when to when, by the reader's clock.
func (w away) dates(edition digest.Date, zone *time.Location) string {
	if zone == nil {
		return ""
	}
	from, to := digest.DateOf(w.from.In(zone)), edition
	if !w.to.IsZero() {
		to = digest.DateOf(w.to.In(zone))
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
