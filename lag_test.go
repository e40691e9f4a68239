package digest

import (
	"testing"
	"time"
)

// TestLags checks each limit to the second, and that nothing is late if nothing waits.
func TestLags(t *testing.T) {
	now := time.Date(2026, 11, 20, 1, 0, 0, 0, time.UTC)
	limits := LimitsOfLags(30 * time.Minute)
	before := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct{ lags, want Lags }{
		"nothing waits": {},
		"at the limits": {lags: Lags{Polls: before(40 * time.Minute), Editions: before(10 * time.Minute),
			Mail: before(2 * time.Hour)}},
		"beyond them": {
			lags: Lags{Polls: before(40*time.Minute + 1), Editions: before(10*time.Minute + 1),
				Mail: before(2*time.Hour + 1)},
			want: Lags{Polls: before(40*time.Minute + 1), Editions: before(10*time.Minute + 1),
				Mail: before(2*time.Hour + 1)},
		},
		"one of them": {
			lags: Lags{Polls: before(time.Minute), Editions: before(time.Hour), Mail: before(time.Minute)},
			want: Lags{Editions: before(time.Hour)},
		},
	} {
		if got := c.lags.Late(limits, now); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}
