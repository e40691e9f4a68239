package edition

import (
	"time"

	"digest"
	"digest/internal/catalogue"
	"digest/render"
)

// isLong reports whether an edition collects the posts of several days. An issue of a newsletter has one date.
func isLong(d *digest.Delivery) bool {
	first, last := d.Days()
	return isRanked(d) && first != last
}

// setDays sets the days that a longer edition collects.
func setDays(e *render.Edition, d *digest.Delivery) {
	if isLong(d) {
		e.First, e.Last = d.Days()
	}
}

// dayOf returns the day of a post by the reader's clock: the weekday within the last seven days of the edition, or else
// the date. Posts whose own byline has a date have none here.
func dayOf(p *post, d *digest.Delivery, zone *time.Location) (m catalogue.Moment) {
	if time.Duration(p.seen-p.at())*time.Second > render.OldAfter {
		return m
	}
	const week = 7
	first, last := d.Days()
	at := digest.DateOf(time.Unix(min(p.at(), p.seen), 0).In(zone))
	if at.Before(first) || at.Before(last.Plus(1-week)) || last.Before(at) {
		return catalogue.Day("2 January", at)
	}
	return catalogue.Day("Monday", at)
}
