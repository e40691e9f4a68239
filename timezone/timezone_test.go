package timezone

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest/test/tier"
)

func mustLoad(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := Load(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestNextMidnight(t *testing.T) {
	tests := []struct{ zone, after, want, why string }{
		{"UTC", "2026-11-19T12:00:00Z", "2026-11-20T00:00:00Z", "an ordinary day"},
		{"UTC", "2026-11-20T00:00:00Z", "2026-11-21T00:00:00Z", "strictly after"},
		{"UTC", "2026-11-19T23:59:59.999999999Z", "2026-11-20T00:00:00Z", "a nanosecond before"},
		{"Asia/Kolkata", "2026-11-19T12:00:00Z", "2026-11-19T18:30:00Z", "half-hour zone"},
		{"Asia/Kathmandu", "2026-11-19T12:00:00Z", "2026-11-19T18:15:00Z", "quarter-hour zone"},
		{"Europe/Paris", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "a day of 23 hours"},
		{"Europe/Paris", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z", "a day of 25 hours"},
		{"America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z", "00:00 does not exist: begins at 01:00"},
		{"America/Havana", "2024-11-02T12:00:00Z", "2024-11-03T04:00:00Z", "00:00 comes twice: the first counts"},
		{"America/Havana", "2024-11-03T04:00:00Z", "2024-11-04T05:00:00Z", "and the second does not"},
		{"America/Havana", "2024-11-03T04:30:00Z", "2024-11-04T05:00:00Z", "nor from between the two"},
		{"America/St_Johns", "2009-11-01T02:00:00Z", "2009-11-01T02:30:00Z",
			"00:00 a minute before clocks go back to 23:01"},
		{"America/St_Johns", "2009-11-01T02:30:00Z", "2009-11-02T03:30:00Z",
			"the date that began for a minute does not begin again"},
		{"America/St_Johns", "2009-11-01T03:00:00Z", "2009-11-02T03:30:00Z",
			"even seen from the repeated hour of the day before"},
		{"Pacific/Apia", "2011-12-29T12:00:00Z", "2011-12-30T10:00:00Z", "30 December 2011 never was: the 31st begins"},
		{"Pacific/Kwajalein", "1969-09-30T12:30:00Z", "1969-10-01T12:00:00Z",
			"clocks went back 23 hours just as 1 October was to begin"},
		{"Asia/Beirut", "2023-03-25T12:00:00Z", "2023-03-25T22:00:00Z", "the year of two Lebanese times"},
		{"Africa/Cairo", "2024-04-25T12:00:00Z", "2024-04-25T22:00:00Z", "00:00 does not exist"},
		{"America/Santiago", "2024-09-07T12:00:00Z", "2024-09-08T04:00:00Z", "00:00 does not exist"},
		{"Atlantic/Azores", "2024-03-30T12:00:00Z", "2024-03-31T01:00:00Z", "00:00 does not exist"},
		{"America/Asuncion", "2023-10-01T00:00:00Z", "2023-10-01T04:00:00Z", "00:00 does not exist"},
		{"Africa/Cairo", "2040-12-31T00:00:00Z", "2040-12-31T22:00:00Z", "where Go's ZoneBounds stands still"},
		{"Etc/GMT+12", "2026-11-20T11:00:00Z", "2026-11-20T12:00:00Z", "a fixed zone has no transitions"},
		{"Europe/London", "1800-06-01T12:00:00Z", "1800-06-02T00:01:15Z",
			"local mean time, before 1970 and before any transition"},
	}
	for _, tt := range tests {
		after, err := time.Parse(time.RFC3339Nano, tt.after)
		if err != nil {
			t.Fatal(err)
		}
		got := NextMidnight(after, mustLoad(t, tt.zone)).UTC().Format(time.RFC3339Nano)
		if got != tt.want {
			t.Errorf("%s after %s: got %s, want %s (%s)", tt.zone, tt.after, got, tt.want, tt.why)
		}
	}
}

// TestAgainstJava compares every midnight of 15 years with java.time, for half of the zones. The file is not part of
// the project.
func TestAgainstJava(t *testing.T) {
	shared := os.Getenv("DIGEST_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	f, err := os.Open(filepath.Join(shared, "midnights.tsv"))
	if err != nil {
		t.Skipf("the table of true midnights is not here: %v", err)
	}
	defer f.Close()
	zones := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if line := lines.Text(); !strings.HasPrefix(line, "#") {
			compareZone(t, strings.Split(line, "\t"))
			zones++
		}
	}
	if zones < 250 {
		t.Errorf("only %d zones compared", zones)
	}
}

func compareZone(t *testing.T, fields []string) {
	t.Helper()
	odd := make([]int64, 0, len(fields))
	for _, f := range fields[1:] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		odd = append(odd, n)
	}
	loc := mustLoad(t, fields[0])
	at, odd := odd[0], odd[1:]
	end := time.Date(2024, 12, 31, 0, 0, 0, 0, time.UTC).Unix()
	if got := NextMidnight(time.Unix(at-1, 0), loc).Unix(); got != at {
		t.Errorf("%s: first midnight %d, want %d", fields[0], got, at)
	}
	for at < end {
		want := at + secondsADay
		if len(odd) > 0 && odd[0] <= at+36*60*60 {
			want, odd = odd[0], odd[1:]
		}
		if got := NextMidnight(time.Unix(at, 0), loc).Unix(); got != want {
			t.Errorf("%s: after %s got %s, want %s", fields[0], stamp(at), stamp(got), stamp(want))
			return
		}
		at = want
	}
	if len(odd) > 0 {
		t.Errorf("%s: %d irregular midnights never came", fields[0], len(odd))
	}
}

func stamp(unix int64) string { return time.Unix(unix, 0).UTC().Format(time.RFC3339) }

// TestEveryZone checks every zone over years with transitions: it tests the definition at each hour between two
// midnights.
func TestEveryZone(t *testing.T) {
	tier.Alone(t)
	for _, name := range Names() {
		loc := mustLoad(t, name)
		for _, year := range []int{2011, 2024, 2040} {
			at := time.Date(year, 1, 1, 12, 0, 0, 0, time.UTC)
			for range 370 {
				next := NextMidnight(at, loc)
				if err := checkStep(at, next, loc); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				at = next
			}
		}
	}
}

func checkStep(at, next time.Time, loc *time.Location) error {
	began := day(next.In(loc))
	if !next.After(at) {
		return fmt.Errorf("NextMidnight(%v) = %v is not later", at, next)
	}
	for x := at; x.Before(next); x = x.Add(time.Hour) {
		if day(x.In(loc)) >= began {
			return fmt.Errorf("%v already has the date that begins at %v", x, next)
		}
	}
	if last := next.Add(-time.Second); last.After(at) && day(last.In(loc)) >= began {
		return fmt.Errorf("%v already has the date that begins at %v", last, next)
	}
	return nil
}

func TestLoadRefuses(t *testing.T) {
	for _, name := range []string{"Europe/Pariss", "paris", "europe/paris", "New York", "", " ", "Local",
		"../../etc/passwd", "right/Europe/Paris", "Factory"} {
		if loc, err := Load(name); err == nil {
			t.Errorf("Load(%q) = %v", name, loc)
		}
	}
}

func TestLoadEveryName(t *testing.T) {
	if n := len(Names()); n < 590 {
		t.Fatalf("only %d zones are known", n)
	}
	for _, name := range Names() {
		if _, err := Load(name); err != nil {
			t.Error(err)
		}
	}
}

func FuzzNextMidnight(f *testing.F) {
	f.Add("Europe/Paris", int64(1_800_000_000))
	f.Add("Pacific/Apia", int64(1_325_239_200))
	f.Fuzz(func(t *testing.T, name string, unix int64) {
		loc, err := Load(name)
		if err != nil || unix < -1<<33 || unix > 1<<34 {
			return
		}
		at := time.Unix(unix, 0)
		next := NextMidnight(at, loc)
		if !next.After(at) || next.Sub(at) > 50*time.Hour {
			t.Errorf("%s: after %v comes %v", name, at, next)
		}
	})
}

func BenchmarkNextMidnight(b *testing.B) {
	loc, err := Load("America/St_Johns")
	if err != nil {
		b.Fatal(err)
	}
	for at := time.Unix(1_800_000_000, 0); b.Loop(); {
		at = NextMidnight(at, loc)
	}
}
