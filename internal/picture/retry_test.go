package picture

import (
	"testing"
	"time"
)

func TestRetry(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for gone, waits := range map[bool][]time.Duration{
		false: {time.Hour, day, 7 * day, 7 * day}, true: {day, 7 * day, 7 * day},
	} {
		for i, wait := range waits {
			if got := Retry(i+1, gone, now); !got.Equal(now.Add(wait)) {
				t.Errorf("gone: %v, %d failures: %v", gone, i+1, got)
			}
		}
		if got := Retry(len(waits)+1, gone, now); !got.IsZero() {
			t.Errorf("gone: %v, the last: %v", gone, got)
		}
	}
}
