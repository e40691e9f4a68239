package timezone

import (
	"testing"
	"time"
)

func TestBegin(t *testing.T) {
	tests := []struct {
		zone, date, want string
		exists           bool
	}{
		{"Europe/Paris", "2026-10-25", "2026-10-24T22:00:00Z", true},
		{"America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z", true}, // 00:00 does not exist
		{"America/Havana", "2024-11-03", "2024-11-03T04:00:00Z", true},    // 00:00 comes twice
		{"Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z", true},
		{"Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z", false}, // the 31st
		{"Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z", true},
		{"Pacific/Kiritimati", "2026-11-21", "2026-11-20T10:00:00Z", true},
		{"Etc/GMT+12", "2026-11-21", "2026-11-21T12:00:00Z", true},
		{"UTC", "2024-02-29", "2024-02-29T00:00:00Z", true},
		{"UTC", "1969-07-20", "1969-07-20T00:00:00Z", true},
		{"UTC", "9999-12-31", "9999-12-31T00:00:00Z", true},
	}
	for _, tt := range tests {
		d, err := time.Parse(time.DateOnly, tt.date)
		if err != nil {
			t.Fatal(err)
		}
		got, exists := Begin(d.Year(), d.Month(), d.Day(), mustLoad(t, tt.zone))
		if s := got.UTC().Format(time.RFC3339); s != tt.want || exists != tt.exists {
			t.Errorf("%s in %s begins %s, %v; want %s, %v", tt.date, tt.zone, s, exists, tt.want, tt.exists)
		}
	}
}

// TestBeginIsAMidnight: whatever the zone does, a date begins where NextMidnight says.
func TestBeginIsAMidnight(t *testing.T) {
	for _, name := range []string{"Pacific/Apia", "America/St_Johns", "Africa/Cairo", "Asia/Kathmandu", "Pacific/Kwajalein"} {
		loc := mustLoad(t, name)
		for at := time.Date(2010, 12, 1, 12, 0, 0, 0, time.UTC); at.Year() < 2013; {
			at = NextMidnight(at, loc)
			y, m, d := at.In(loc).Date()
			if got, ok := Begin(y, m, d, loc); !ok || !got.Equal(at) {
				t.Fatalf("%s: %d-%d-%d begins %v, %v; want %v", name, y, m, d, got, ok, at)
			}
		}
	}
}
