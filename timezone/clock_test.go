package timezone

import (
	"testing"
	"time"

	"digest/test/tier"
)

func TestAt(t *testing.T) {
	tests := []struct{ zone, local, want, why string }{
		{"UTC", "2026-11-20T07:00", "2026-11-20T07:00:00Z", "an ordinary day"},
		{"Europe/Paris", "2026-11-20T07:00", "2026-11-20T06:00:00Z", "in winter"},
		{"Europe/Paris", "2026-06-20T07:00", "2026-06-20T05:00:00Z", "in summer"},
		{"Europe/Paris", "2026-03-29T07:00", "2026-03-29T05:00:00Z", "six hours after midnight: the wall clock counts"},
		{"Europe/Paris", "2026-10-25T07:00", "2026-10-25T06:00:00Z", "eight hours after midnight"},
		{"Europe/Paris", "2026-03-29T02:30", "2026-03-29T01:00:00Z", "02:30 does not exist: the jump"},
		{"Europe/Paris", "2026-10-25T02:30", "2026-10-25T00:30:00Z", "02:30 comes twice: the first"},
		{"Asia/Kathmandu", "2026-11-20T07:00", "2026-11-20T01:15:00Z", "quarter-hour zone"},
		{"America/Santiago", "2024-09-08T00:00", "2024-09-08T04:00:00Z", "the day begins at 01:00"},
		{"America/Santiago", "2024-09-08T00:30", "2024-09-08T04:00:00Z", "and so does its 00:30"},
		{"America/Santiago", "2024-09-08T07:00", "2024-09-08T10:00:00Z", "but not its 07:00"},
		{"America/Havana", "2024-11-03T00:30", "2024-11-03T04:30:00Z", "00:30 comes twice"},
		{"America/St_Johns", "2009-11-01T00:00", "2009-11-01T02:30:00Z",
			"the minute before clocks go back over midnight"},
		{"America/St_Johns", "2009-11-01T00:30", "2009-11-01T04:00:00Z", "and after it has come again"},
		{"Pacific/Apia", "2011-12-31T07:00", "2011-12-30T17:00:00Z", "the day after the one that never was"},
		{"Pacific/Kiritimati", "2026-11-20T23:59", "2026-11-20T09:59:00Z", "far in the east"},
		{"Pacific/Niue", "2026-11-20T23:59", "2026-11-21T10:59:00Z", "far in the west"},
		{"Africa/Cairo", "2040-12-31T00:00", "2040-12-30T22:00:00Z", "where Go's ZoneBounds stands still"},
	}
	for _, tt := range tests {
		local, err := time.Parse("2006-01-02T15:04", tt.local)
		if err != nil {
			t.Fatal(err)
		}
		clock := local.Sub(local.Truncate(24 * time.Hour))
		got := At(local.Year(), local.Month(), local.Day(), clock, mustLoad(t, tt.zone)).UTC().Format(time.RFC3339)
		if got != tt.want {
			t.Errorf("%s in %s: got %s, want %s (%s)", tt.local, tt.zone, got, tt.want, tt.why)
		}
	}
}

// TestAtInEveryZone checks every zone over years with transitions: 00:00 is the beginning of the date, and clocks show
// or skip every later hour.
func TestAtInEveryZone(t *testing.T) {
	tier.Alone(t)
	for _, name := range Names() {
		loc := mustLoad(t, name)
		for _, year := range []int{2011, 2024, 2040} {
			midnight := time.Date(year, 1, 1, 12, 0, 0, 0, time.UTC)
			for range 370 {
				midnight = NextMidnight(midnight, loc)
				y, m, d := midnight.In(loc).Date()
				if at := At(y, m, d, 0, loc); !at.Equal(midnight) {
					t.Fatalf("%s: %v begins at %v, not %v", name, midnight.In(loc), midnight, at)
				}
				for _, clock := range []time.Duration{30 * time.Minute, 2*time.Hour + 30*time.Minute, 23 * time.Hour} {
					at := At(y, m, d, clock, loc)
					shown := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Add(clock).Format(time.DateTime)
					before := at.Add(-time.Second).In(loc).Format(time.DateTime)
					if now := at.In(loc).Format(time.DateTime); now < shown || before >= shown || at.Before(midnight) {
						t.Fatalf("%s: %s is %v", name, shown, at.In(loc))
					}
				}
			}
		}
	}
}

// TestAtMidnight: At and NextMidnight return the same beginning of each date.
func TestAtMidnight(t *testing.T) {
	for _, name := range []string{"Pacific/Apia", "America/St_Johns", "Africa/Cairo", "Asia/Kathmandu",
		"Pacific/Kwajalein"} {
		loc := mustLoad(t, name)
		for at := time.Date(2010, 12, 1, 12, 0, 0, 0, time.UTC); at.Year() < 2013; {
			at = NextMidnight(at, loc)
			y, m, d := at.In(loc).Date()
			if got := At(y, m, d, 0, loc); !got.Equal(at) {
				t.Fatalf("%s: %d-%d-%d begins %v; want %v", name, y, m, d, got, at)
			}
		}
	}
}
