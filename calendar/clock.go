package calendar

import "time"

// Believable reports whether a clock can be right: this program did not exist before 2026. A machine without a
// real-time clock starts in 1970 or 2000.
func Believable(now time.Time) bool { return now.Year() >= 2026 }

// pruneStep bounds the difference between the times of two prunings.
const pruneStep = 7 * 24 * time.Hour

// PruneTime returns the time from which pruning computes ages. last is the time of the previous pruning, zero if there
// was none. Pruning runs every hour, so the result is usually now. After a jump of the clock it advances by one week
// each time. So a clock that is years ahead deletes little before the operator notices, and an instance that was off
// for a year catches up within days.
func PruneTime(now, last time.Time) time.Time {
	if step := last.Add(pruneStep); !last.IsZero() && now.After(step) {
		return step
	}
	return now
}
