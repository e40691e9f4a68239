package digest_test

import (
	"testing"
	"time"

	"digest"
)

func cadences() (all []digest.Cadence) {
	for c := digest.Cadence(1); c <= digest.Daily; c++ {
		all = append(all, c)
	}
	for d := time.Sunday; d <= time.Saturday; d++ {
		all = append(all, digest.First(d))
	}
	for day := 1; day <= 28; day++ {
		all = append(all, digest.Monthly(day))
	}
	return append(all, digest.LastDay)
}

func TestCadenceAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		"daily": "daily", "weekdays": "weekdays", "mon,tue,wed,thu,fri": "weekdays", "Sunday": "sun",
		"thu, mon":                    "mon,thu",
		"sun,mon,tue,wed,thu,fri,sat": "daily", "saturday,sat": "sat", "sun,sat": "sat,sun",
		"monthly": "monthly", "monthly on 1": "monthly", " Monthly  on 15 ": "monthly on 15",
		"monthly on 28":       "monthly on 28",
		"monthly on last day": "monthly on last day", "monthly on first Monday": "monthly on first mon",
		"monthly on first sun": "monthly on first sun",
	} {
		got, err := digest.ParseCadence(text)
		if err != nil || got.String() != want {
			t.Errorf("ParseCadence(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "mo", "monday tuesday", "mon,", "8", "127", "month", "monthly on", "monthly on 0", "monthly on 29",
		"monthly on -1", "monthly on last",
		"monthly on first", "monthly on first mo", "monthly on first mon,tue", "monthly on mon", "monthly,mon",
		"monthly on 1,15", "monthly on 99999999999999999999",
	} {
		if got, err := digest.ParseCadence(text); err == nil {
			t.Errorf("ParseCadence(%q) = %v, want an error", text, got)
		}
	}
}

// TestCadences checks that each cadence is parsed from its own text, and that no two have the same text.
func TestCadences(t *testing.T) {
	seen := make(map[string]digest.Cadence)
	for _, c := range cadences() {
		got, err := digest.ParseCadence(c.String())
		if err != nil || got != c || c.Check() != nil {
			t.Errorf("%d is written %q, which is read as %d, %v; Check says %v", c, c, got, err, c.Check())
		}
		if other, twice := seen[c.String()]; twice {
			t.Errorf("%d and %d are both written %q", c, other, c)
		}
		seen[c.String()] = c
		if c.IsMonthly() != (c > digest.Daily) {
			t.Errorf("%s is monthly: %v", c, c.IsMonthly())
		}
	}
	if len(seen) != 127+7+28+1 {
		t.Errorf("there are %d", len(seen))
	}
}

// TestCadenceOfStrangers checks that invalid numbers, which the database may contain, are rejected and do no harm.
func TestCadenceOfStrangers(t *testing.T) {
	day := digest.Date{Year: 2026, Month: 11, Day: 20}
	for _, c := range []digest.Cadence{
		0, -1, -1 << 63, 1<<63 - 1, 128, 128 | 3, 255, digest.Monthly(1) | digest.Monthly(2), digest.Monthly(1) | 1,
		digest.LastDay | 1,
		digest.LastDay << 1, digest.LastDay | digest.Monthly(28), digest.First(time.Monday) | digest.Monthly(3),
		digest.Monthly(29), digest.Monthly(0), digest.Monthly(-8),
	} {
		if digest.KindOf(c.Check()) != digest.Invalid {
			t.Errorf("%d: Check says %v", int64(c), c.Check())
		}
		if got, err := digest.ParseCadence(c.String()); err == nil {
			t.Errorf("%d is written %q, which is read as %d", int64(c), c, got)
		}
		c.Has(day)
		c.FirstOf()
		if c.DayOfMonth() > 28 || !c.AsCalmAs(digest.Daily) {
			t.Errorf("%d is on day %d, as calm as daily: %v", int64(c), c.DayOfMonth(), c.AsCalmAs(digest.Daily))
		}
	}
}

// TestCadenceHas checks each day of five years, with a leap year.
func TestCadenceHas(t *testing.T) {
	for month := time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC); month.Year() < 2029; month = month.AddDate(0, 1, 0) {
		firsts := make(map[time.Weekday]bool)
		for day := month; day.Month() == month.Month(); day = day.AddDate(0, 0, 1) {
			date, last := digest.DateOf(day), day.AddDate(0, 0, 1).Month() != month.Month()
			for _, c := range cadences() {
				want := c == digest.LastDay && last || c == digest.Monthly(day.Day()) ||
					c == digest.First(day.Weekday()) && !firsts[day.Weekday()] || c <= digest.Daily &&
					c&(1<<day.Weekday()) != 0
				if c.Has(date) != want {
					t.Fatalf("%s has %s: %v", c, date, !want)
				}
			}
			firsts[day.Weekday()] = true
		}
	}
}

// TestCalmer checks which cadences a member may choose for a newsletter.
func TestCalmer(t *testing.T) {
	for _, test := range []struct {
		of             string
		calmer, busier []string
	}{
		{"daily", []string{"daily", "weekdays", "mon,thu", "sun", "monthly"}, nil},
		{"weekdays", []string{"weekdays", "tue,wed,thu,sat,sun", "sat,sun", "fri", "monthly on 15"},
			[]string{"daily", "mon,tue,wed,thu,fri,sat"}},
		{"mon,thu", []string{"sat,sun", "wed", "monthly on last day"}, []string{"daily", "weekdays", "mon,wed,fri"}},
		{"mon", []string{"mon", "thu", "monthly on first mon"}, []string{"daily", "weekdays", "mon,thu"}},
		{"monthly", []string{"monthly", "monthly on 15", "monthly on first sun", "monthly on last day"},
			[]string{"daily", "weekdays", "mon,thu", "sun"}},
		{"monthly on first sun", []string{"monthly", "monthly on 28"}, []string{"sun"}},
	} {
		of := cadence(t, test.of)
		for _, text := range test.calmer {
			if !cadence(t, text).AsCalmAs(of) {
				t.Errorf("%s is not as calm as %s", text, of)
			}
		}
		for _, text := range test.busier {
			if cadence(t, text).AsCalmAs(of) {
				t.Errorf("%s is as calm as %s", text, of)
			}
		}
	}
}

// TestCalmerIsAnOrder checks that AsCalmAs is a total order, and that a calmer cadence never has more days in five
// years.
func TestCalmerIsAnOrder(t *testing.T) {
	all := cadences()
	days := make(map[digest.Cadence]int)
	for _, c := range all {
		for d := (digest.Date{Year: 2024, Month: 1, Day: 1}); d.Year < 2029; d = d.Plus(1) {
			if c.Has(d) {
				days[c]++
			}
		}
	}
	for _, a := range all {
		for _, b := range all {
			if !a.AsCalmAs(b) && !b.AsCalmAs(a) {
				t.Errorf("neither of %s and %s is as calm", a, b)
			}
			if a.AsCalmAs(b) && days[a] > days[b]+5 { // years do not begin with a week
				t.Errorf("%s is as calm as %s, and comes on %d days against %d", a, b, days[a], days[b])
			}
			for _, c := range all[120:] {
				if a.AsCalmAs(b) && b.AsCalmAs(c) && !a.AsCalmAs(c) {
					t.Errorf("%s, %s, %s are in no order", a, b, c)
				}
			}
		}
	}
}

func cadence(t *testing.T, text string) digest.Cadence {
	t.Helper()
	c, err := digest.ParseCadence(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestClock(t *testing.T) {
	for clock, want := range map[string]time.Duration{"00:00": 0, "07:30": 7*time.Hour + 30*time.Minute,
		"23:59": 24*time.Hour - time.Minute} {
		if at, err := digest.ParseClock(clock); err != nil || at != want || digest.Clock(at) != clock {
			t.Errorf("%s is %v, %v", clock, at, err)
		}
	}
	for _, clock := range []string{"", "24:00", "07:60", "7 o'clock", "07:30:00", "-01:00"} {
		if at, err := digest.ParseClock(clock); err == nil {
			t.Errorf("%q is %v", clock, at)
		}
	}
}
