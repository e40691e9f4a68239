package edition

import (
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// boundPosts is how many posts of a section a bound edition shows; it lists the others.
const boundPosts = 3

// A pause is the one of which an edition holds all that came; the zero one is
// none, and to is zero while it goes on.
type pause struct{ from, to time.Time }

// bind makes e bound: of each section that is not only listed anyway the newest
// posts stay, and the others become its rest.
func (p pause) bind(e *render.Edition, zone *time.Location, l *catalogue.Language) {
	if p.from.IsZero() {
		return
	}
	e.Bound = true
	all := true
	for i := range e.Sections {
		s := &e.Sections[i]
		if len(s.Posts) <= boundPosts || e.LayoutOf(*s) == digest.Headlines {
			continue
		}
		all = false
		s.Late = max(0, s.Late-(len(s.Posts)-boundPosts))
		s.RestLabel = catalogue.Key("Also from this time")
		s.Posts, s.Rest = s.Posts[:boundPosts:boundPosts], slices.Concat(s.Posts[boundPosts:], s.Rest)
	}
	e.Note = p.note(all, e.Date, zone).In(l)
}

// note tells of the pause: when it was by the reader's clock, and whether all that came is shown.
func (p pause) note(all bool, edition digest.Date, zone *time.Location) catalogue.Sayable {
	if zone == nil {
		if all {
			return catalogue.Key("You were away: this is all that came.")
		}
		return catalogue.Key("You were away: the newest three of each site, the rest as headlines.")
	}
	from, to := p.days(edition, zone)
	switch {
	case from == to && all:
		return catalogue.Key("You were away on %s: this is all that came.").With(catalogue.Day("2 January", from))
	case from == to:
		return catalogue.Key("You were away on %s: the newest three of each site, the rest as headlines.").With(catalogue.Day("2 January", from))
	}
	first, last := "2", "2 January"
	switch {
	case from.Year != to.Year:
		first, last = "2 January 2006", "2 January 2006"
	case from.Month != to.Month:
		first = last
	}
	if all {
		return catalogue.Key("You were away from %s to %s: this is all that came.").With(catalogue.Day(first, from), catalogue.Day(last, to))
	}
	return catalogue.Key("You were away from %s to %s: the newest three of each site, the rest as headlines.").With(catalogue.Day(first, from), catalogue.Day(last, to))
}

// days are the first and the last, by the reader's clock.
func (p pause) days(edition digest.Date, zone *time.Location) (from, to digest.Date) {
	from, to = digest.DateOf(p.from.In(zone)), edition
	if !p.to.IsZero() {
		to = digest.DateOf(p.to.In(zone))
	}
	return from, to
}
