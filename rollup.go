package digest

import "strings"

// RollsUp reports whether an edition has the collected posts of a roll-up: if its date or a date since the midnight
// before is on their day. after is zero if there was no midnight before.
func (s Subscription) RollsUp(after, date Date) bool {
	if after.IsZero() {
		after = date
	}
	return s.RollUp == 0 || s.RollUp.Within(after, date)
}

// ParseRollUp parses the name of the day of a roll-up, such as "sun"; an empty name is no roll-up.
func ParseRollUp(name string) (Weekdays, bool) {
	if name == "" {
		return 0, true
	}
	d, ok := parseWeekday(strings.ToLower(name))
	return 1 << d, ok
}

// Name returns the name that ParseRollUp parses.
func (w Weekdays) Name() string {
	if w == 0 {
		return ""
	}
	return Cadence(w).String()
}

// DatedPosts counts the posts of one site for the date of an edition.
type DatedPosts struct {
	Date  Date
	Posts int
}

// Collected returns the editions that would have had the posts of a site, with a digest's cadence and the posts that
// came for each edition, earliest first. waiting counts the posts that would still wait for the day of the roll-up.
func (s Subscription) Collected(c Cadence, came []DatedPosts) (had []DatedPosts, waiting int) {
	if s.RollUp == 0 || len(came) == 0 {
		return came, 0
	}
	var before Date
	for date := came[0].Date; len(came) > 0; date = date.Plus(1) {
		isEdition := came[0].Date == date
		if isEdition {
			waiting += came[0].Posts
			came = came[1:]
		}
		if !isEdition && !c.Has(date) {
			continue
		}
		if s.RollsUp(before, date) && waiting > 0 {
			had, waiting = append(had, DatedPosts{date, waiting}), 0
		}
		before = date
	}
	return had, waiting
}
