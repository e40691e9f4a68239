package render

import "digest/internal/catalogue"

// Dateline returns the date of an edition with its year, or the days of an edition of several days.
func (e *Edition) Dateline() catalogue.Sayable {
	if e.First.IsZero() {
		return catalogue.Day("Monday 2 January 2006", e.Date)
	}
	return catalogue.DaysOfYear(e.First, e.Last)
}

// day is like Dateline, without the year unless the days belong to two years.
func (e *Edition) day() catalogue.Sayable {
	if e.First.IsZero() {
		return catalogue.Day("Monday 2 January", e.Date)
	}
	return catalogue.Days(e.First, e.Last)
}
