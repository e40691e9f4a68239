package page

import "digest"

// A Month has the editions of a month.
type Month struct {
	Path     string // YYYY-MM
	Open     bool   // its dates are expanded
	Editions []digest.Edition
}

// ByMonth groups editions by month. They must be sorted by date.
func ByMonth(list []digest.Edition) []Month {
	var months []Month
	for _, e := range list {
		path := e.LocalDate.Format("2006-01")
		if n := len(months); n == 0 || months[n-1].Path != path {
			months = append(months, Month{Path: path, Open: n == 0})
		}
		last := &months[len(months)-1]
		last.Editions = append(last.Editions, e)
	}
	return months
}
