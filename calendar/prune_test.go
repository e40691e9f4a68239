package calendar_test

import (
	"testing"
	"time"

	"digest/calendar"
)

func TestPruneTime(t *testing.T) {
	const day = 24 * time.Hour
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for what, c := range map[string]struct{ now, last, want time.Time }{
		"the first time":         {start, time.Time{}, start},
		"an hour later":          {start.Add(time.Hour), start, start.Add(time.Hour)},
		"a week of rest":         {start.Add(7 * day), start, start.Add(7 * day)},
		"a year of rest":         {start.Add(365 * day), start, start.Add(7 * day)},
		"a clock in 2150":        {start.AddDate(124, 0, 0), start, start.Add(7 * day)},
		"a clock that goes back": {start, start.Add(3 * day), start},
	} {
		if got := calendar.PruneTime(c.now, c.last); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
