package store

import (
	"fmt"
	"time"
)

// An instant is a time as it is stored: Unix seconds in UTC, 0 for none. Every
// time passes through it on its way in and out.
type instant int64

// at makes an instant of a time; fractions of a second are cut off.
func at(t time.Time) instant {
	if t.IsZero() {
		return 0
	}
	return instant(t.Unix())
}

// from makes an instant of a time before which something must not happen:
// fractions of a second are rounded up.
func from(t time.Time) instant {
	i := at(t)
	if t.Nanosecond() > 0 {
		i++
	}
	return i
}

// time gives the time, the zero time for none.
func (i instant) time() time.Time {
	if i == 0 {
		return time.Time{}
	}
	return time.Unix(int64(i), 0).UTC()
}

// plus adds a duration, in whole seconds.
func (i instant) plus(d time.Duration) instant { return i + instant(d/time.Second) }

// Scan reads a column; NULL is no time.
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

// span makes a duration of stored seconds, and seconds stores one; what is
// left of a second is rounded up, for these are times to wait.
func span(n int64) time.Duration { return time.Duration(n) * time.Second }

func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }

// bit stores a truth.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}
