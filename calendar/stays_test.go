package calendar_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/calendar"
)

// stays parses trips in the form "ZONE FIRST..LAST", separated by "; ".
func stays(t *testing.T, text string) (stays []digest.Stay) {
	t.Helper()
	if text == "" {
		return nil
	}
	for s := range strings.SplitSeq(text, "; ") {
		zone, days, _ := strings.Cut(s, " ")
		from, to, _ := strings.Cut(days, "..")
		stays = append(stays, digest.Stay{ID: int64(len(stays) + 1), TimeZone: zone, From: date(t, from),
			To: date(t, to)})
	}
	return stays
}

// TestWhere checks that a travelling reader is in the zone of each day just before the day begins there, and that all
// trips end. It allows for a date that the date line skips.
func TestWhere(t *testing.T) {
	for _, test := range []struct{ home, stays, skips string }{
		{home: "Europe/Paris", stays: "Asia/Tokyo 2026-10-24..2026-10-26"},
		{home: "Europe/Paris", stays: "Asia/Tokyo 2026-10-25..2026-10-25"},
		{home: "Europe/Paris", stays: "America/Los_Angeles 2026-10-27..2026-10-28"},
		{home: "Europe/Paris", stays: "America/Los_Angeles 2026-10-24..2026-11-02"}, // both zones change their clocks
		{home: "Asia/Tokyo", stays: "Europe/Paris 2026-10-24..2026-10-26"},
		{home: "Pacific/Auckland", stays: "Pacific/Honolulu 2026-10-24..2026-10-26"},
		{home: "Pacific/Honolulu", stays: "Pacific/Auckland 2026-10-24..2026-10-26"},
		{home: "Pacific/Kiritimati", stays: "Pacific/Pago_Pago 2026-10-24..2026-10-26", skips: "2026-10-26"},
		{home: "Pacific/Pago_Pago", stays: "Pacific/Kiritimati 2026-10-24..2026-10-26", skips: "2026-10-23"},
		{home: "Pacific/Kiritimati", stays: "Pacific/Pago_Pago 2026-10-25..2026-10-25", skips: "2026-10-25"},
		{home: "Europe/Paris", stays: "Asia/Tokyo 2026-10-24..2026-10-25; America/Los_Angeles " +
			"2026-10-26..2026-10-27; Asia/Kathmandu 2026-10-29..2026-10-29"},
		{home: "Europe/Paris", stays: "Europe/Berlin 2026-10-24..2026-10-25"},
		{home: "Asia/Kolkata", stays: "America/St_Johns 2026-10-31..2026-11-01"},
		// Samoa skipped it
		{home: "Pacific/Auckland", stays: "Pacific/Apia 2011-12-29..2011-12-31", skips: "2011-12-30"},
	} {
		t.Run(test.home+" "+test.stays, func(t *testing.T) {
			planned := stays(t, test.stays)
			first, last := planned[0].From.Plus(-3), planned[len(planned)-1].To.Plus(3)
			for day := first; !last.Before(day); day = day.Plus(1) {
				if day.String() == test.skips {
					continue
				}
				want, stay := test.home, int64(0)
				for _, s := range planned {
					if !day.Before(s.From) && !s.To.Before(day) {
						want, stay = s.TimeZone, s.ID
					}
				}
				now := calendar.Begins(day, zone(t, want)).Add(-time.Second)
				w, err := calendar.Where(test.home, planned, now)
				if err != nil {
					t.Fatal(err)
				}
				if w.Zone != want || w.Begun != stay || (w.Home == test.home) != (stay > 0) {
					t.Errorf("just before %s begins in %s: %+v", day, want, w)
				}
				if !w.Next.IsZero() && !w.Next.After(now) {
					t.Errorf("%s: moves next at %s, which is past", day, w.Next)
				}
			}
			w, err := calendar.Where(test.home, planned, calendar.Begins(last, time.UTC))
			if err != nil || len(w.Over) != len(planned) || !w.Next.IsZero() {
				t.Errorf("in the end: %+v, %v", w, err)
			}
		})
	}
}

// TestStaysThatFollowEachOther: between two consecutive trips a reader does not return to the home zone.
func TestStaysThatFollowEachOther(t *testing.T) {
	planned := stays(t, "Asia/Tokyo 2026-12-03..2026-12-05; America/Los_Angeles 2026-12-06..2026-12-08")
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	var zones []string
	for range 4 {
		w, err := calendar.Where("Europe/Paris", planned, now)
		if err != nil {
			t.Fatal(err)
		}
		zones = append(zones, w.Zone)
		now = w.Next
	}
	if want := []string{"Europe/Paris", "Asia/Tokyo", "America/Los_Angeles", "Europe/Paris"}; !slices.Equal(zones,
		want) {
		t.Errorf("%v, want %v", zones, want)
	}
}

func TestRefusedStays(t *testing.T) {
	now := time.Date(2026, 11, 19, 12, 0, 0, 0, time.UTC)
	planned := stays(t, "Asia/Tokyo 2026-12-03..2026-12-17")
	for text, ok := range map[string]bool{
		"Asia/Tokio 2027-01-01..2027-01-02": false,
		"Asia/Seoul 2027-01-02..2027-01-01": false,
		"Asia/Seoul 0001-01-01..0001-01-02": false,
		"Asia/Seoul 2026-12-17..2026-12-20": false, // overlaps another trip
		"Asia/Seoul 2026-11-30..2026-12-03": false,
		"Asia/Seoul 2026-11-01..2026-12-30": false,
		"Asia/Seoul 2026-11-10..2026-11-18": false, // over
		"Asia/Seoul 2026-11-18..2026-11-20": true,  // begun
		"Asia/Seoul 2026-12-18..2026-12-18": true,
	} {
		st := stays(t, text)[0]
		err := calendar.CheckStay(st)
		if err == nil {
			err = calendar.AdmitStay("Europe/Paris", planned, st, now)
		}
		if (err == nil) != ok || err != nil && digest.KindOf(err) != digest.Invalid {
			t.Errorf("%s: %v", text, err)
		}
	}
	var many []string
	for i := range 20 {
		day := date(t, "2027-01-01").Plus(2 * i)
		many = append(many, fmt.Sprintf("Asia/Tokyo %s..%s", day, day))
	}
	one := stays(t, "Asia/Tokyo 2028-01-01..2028-01-01")[0]
	if err := calendar.AdmitStay("Europe/Paris", stays(t, strings.Join(many, "; ")), one,
		now); digest.KindOf(err) != digest.Invalid {
		t.Errorf("one too many: %v", err)
	}
}
