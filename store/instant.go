package store

import (
	"fmt"
	"time"
)

// An instant is a time as stored: Unix seconds in UTC, with 0 for no time.
type instant int64

// at converts a time and truncates fractions of a second.
func at(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return instant(t.Unix())
}

// from converts a time before which something must not happen. It rounds fractions of a second up.
func from(t time.Time) instant {
	i := at(t)
	if t.Nanosecond() > 0 {
		i++
	}
	return i
}

// time returns the time, or the zero time for 0.
func (i instant) time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.Unix(int64(i), 0).UTC()
}

func (i instant) plus(d time.Duration) instant { return i + instant(d/time.Second) }

// Scan reads a column; NULL is 0.
func (i *instant) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*i = 0
	case int64:
		*i = instant(v)
	default:
		return fmt.Errorf("a time is stored as %T", value)
	}
	return nil
}

// span converts stored seconds to a duration. seconds converts a duration and rounds up, because stored durations are
// waits.
func span(n int64) time.Duration { return time.Duration(n) * time.Second }

func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// bit converts a bool for storage.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
