package digest_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestCollected: a roll-up brings the posts since its last day together, also on a day without another edition or after
// one. The posts since then wait.
func TestCollected(t *testing.T) {
	on := func(day, posts int) digest.DatedPosts { // 1 November 2026 is a Sunday
		return digest.DatedPosts{Date: digest.Date{Year: 2026, Month: time.November, Day: day}, Posts: posts}
	}
	week := []digest.DatedPosts{on(5, 2), on(6, 1), on(7, 0), on(8, 3), on(9, 1), on(10, 1), on(11, 1)}
	for name, c := range map[string]struct {
		rollUp  digest.Weekdays
		cadence digest.Cadence
		came    []digest.DatedPosts
		want    string
	}{
		"none":      {0, digest.Daily, week[:2], "5: 2, 6: 1, waiting 0"},
		"Sunday":    {1 << time.Sunday, digest.Daily, week, "8: 6, waiting 3"},
		"Wednesday": {1 << time.Wednesday, digest.Daily, week, "11: 9, waiting 0"},
		"Thursday":  {1 << time.Thursday, digest.Daily, week, "5: 2, waiting 7"},
		"no edition on the day": {1 << time.Sunday, digest.Daily, []digest.DatedPosts{on(6, 1), on(9, 2)},
			"8: 1, waiting 2"},
		"workdays": {1 << time.Sunday, digest.Workdays, []digest.DatedPosts{on(6, 1), on(9, 2)},
			"9: 3, waiting 0"},
		"no posts":    {1 << time.Sunday, digest.Daily, []digest.DatedPosts{on(8, 0)}, "waiting 0"},
		"no editions": {1 << time.Sunday, digest.Daily, nil, "waiting 0"},
	} {
		had, waiting := digest.Subscription{RollUp: c.rollUp}.Collected(c.cadence, c.came)
		got := ""
		for _, d := range had {
			got += fmt.Sprintf("%d: %d, ", d.Date.Day, d.Posts)
		}
		if got += fmt.Sprint("waiting ", waiting); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
