package edition

import (
	"slices"
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// A pause is the pause whose posts an edition collects. The zero value means no pause. to is zero while it lasts.
type pause struct{ from, to time.Time }

// bind makes e bound, with a note about its sections.
func (p pause) bind(e *render.Edition, zone *time.Location, l *catalogue.Language) {
	if p.from.IsZero() {
		return
	}
	folded := func(s render.Section) bool { return s.RestLabel == render.MoreHeadlines }
	e.Bound = true
	e.Note = p.note(!slices.ContainsFunc(e.Sections, folded), e.Date, zone).In(l)
}

// note returns the sentences about the pause: its dates by the reader's clock, and how much of its posts is shown.
func (p pause) note(all bool, edition digest.Date, zone *time.Location) catalogue.Sayable {
	shown := catalogue.Key("This edition has up to three posts from each site, and headlines for the rest.")
	if all {
		shown = catalogue.Key("This edition has all posts from that time.")
	}
	if zone == nil {
		return shown
	}
	from, to := p.days(edition, zone)
	if from == to {
		return catalogue.Key("%s %s").With(
			catalogue.Key("Your editions were paused on %s.").With(catalogue.Day("2 January", from)), shown)
	}
	first, last := "2", "2 January"
	switch {
	case from.Year != to.Year:
		first, last = "2 January 2006", "2 January 2006"
	case from.Month != to.Month:
		first = last
	}
	paused := catalogue.Key("Your editions were paused from %s to %s.").With(catalogue.Day(first, from),
		catalogue.Day(last, to))
	return catalogue.Key("%s %s").With(paused, shown)
}

// days returns the first and the last day by the reader's clock.
func (p pause) days(edition digest.Date, zone *time.Location) (from, to digest.Date) {
	from, to = digest.DateOf(p.from.In(zone)), edition
	if !p.to.IsZero() {
		to = digest.DateOf(p.to.In(zone))
	}
	return from, to
}
