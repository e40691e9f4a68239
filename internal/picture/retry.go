package picture

import "time"

const day = 24 * time.Hour

// Retry returns when to request a picture again after failures in a row, the last of them at now. gone means that its
// site answered and has no such picture. It returns the zero time for a picture that is not requested again.
func Retry(failures int, gone bool, now time.Time) time.Time {
	waits := []time.Duration{time.Hour, day, 7 * day, 7 * day}
	if gone {
		waits = waits[1:]
	}
	if failures < 1 || failures > len(waits) {
		return time.Time{}
	}
	return now.Add(waits[failures-1])
}
