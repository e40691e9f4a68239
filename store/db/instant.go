package db

import (
	"fmt"
	"time"
)

// An Instant is a time as stored: Unix seconds in UTC, with 0 for no time.
type Instant int64

// At converts a time and truncates fractions of a second.
func At(t time.Time) Instant {
	if t.IsZero() {
		return 0
	}
	return Instant(t.Unix())
}

// From converts a time before which something must not happen. It rounds fractions of a second up.
func From(t time.Time) Instant {
	i := At(t)
	if t.Nanosecond() > 0 {
		i++
	}
	return i
}

// Time returns the time, or the zero time for 0.
func (i Instant) Time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.Unix(int64(i), 0).UTC()
}

// Plus adds a duration, in whole seconds.
func (i Instant) Plus(d time.Duration) Instant { return i + Instant(d/time.Second) }

// Scan reads a column; NULL is 0.
func (i *Instant) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*i = 0
	case int64:
		*i = Instant(v)
	default:
		return fmt.Errorf("a time is stored as %T", value)
	}
	return nil
}

// Span converts stored seconds to a duration.
func Span(n int64) time.Duration { return time.Duration(n) * time.Second }

// Seconds converts a duration and rounds up, because stored durations are waits.
func Seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// Bit converts a bool for storage.
func Bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
