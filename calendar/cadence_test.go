package calendar_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/calendar"
)

func cadence(t *testing.T, text string) digest.Cadence {
	t.Helper()
	c, err := digest.ParseCadence(text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestNextByCadence compares consecutive midnights of cadences in local time.
func TestNextByCadence(t *testing.T) {
	for _, test := range []struct{ zone, cadence, after, want string }{
		{"Europe/Paris", "monthly", "2026-11-20T12:00", "2026-12-01T00:00 2027-01-01T00:00 2027-02-01T00:00"},
		{"Europe/Paris", "monthly", "2026-11-30T23:59", "2026-12-01T00:00"},
		{"Europe/Paris", "monthly", "2026-12-01T00:00", "2027-01-01T00:00"},
		// 23 hours
		{"Europe/Paris", "monthly on 28", "2027-02-27T12:00", "2027-02-28T00:00 2027-03-28T00:00 2027-04-28T00:00"},
		{"Europe/Paris", "monthly on last day", "2028-01-31T12:00",
			"2028-02-29T00:00 2028-03-31T00:00 2028-04-30T00:00"},
		{"Europe/Paris", "monthly on first mon", "2026-11-20T12:00",
			"2026-12-07T00:00 2027-01-04T00:00 2027-02-01T00:00 2027-03-01T00:00"},
		{"Europe/Paris", "monthly on first mon", "2027-03-01T00:00", "2027-04-05T00:00"}, // five weeks
		{"America/Sao_Paulo", "monthly on 4", "2018-10-20T12:00", "2018-11-04T01:00"},    // 00:00 does not exist
		{"America/Havana", "monthly on first sun", "2024-10-20T12:00", "2024-11-03T00:00 2024-12-01T00:00"},
		{"America/Sao_Paulo", "monthly on 18", "2018-02-17T23:30", "2018-02-18T00:00 2018-03-18T00:00"},
		{"Pacific/Apia", "monthly on last day", "2011-12-28T12:00", "2011-12-31T00:00 2012-01-31T00:00"},
		// the zone skipped 31 December 1994
		{"Pacific/Kiritimati", "monthly on last day", "1994-12-20T12:00", "1995-01-01T00:00 1995-01-31T00:00"},
		{"Pacific/Kiritimati", "monthly", "1994-12-20T12:00", "1995-01-01T00:00 1995-02-01T00:00"},
		{"Pacific/Apia", "fri", "2011-12-28T12:00", "2012-01-06T00:00"}, // the zone skipped Friday 30 December 2011
		{"UTC", "fri", "2026-11-20T05:00", "2026-11-27T00:00"},
		{"Europe/Paris", "weekdays", "2026-11-19T12:00", "2026-11-20T00:00 2026-11-23T00:00"},
	} {
		loc := zone(t, test.zone)
		midnight := at(t, test.after, loc)
		for want := range strings.FieldsSeq(test.want) {
			midnight = calendar.Next(midnight, loc, cadence(t, test.cadence))
			if got := midnight.Format("2006-01-02T15:04"); got != want {
				t.Errorf("%s, %s: %s, want %s", test.zone, test.cadence, got, want)
			}
		}
	}
}

// TestNoDay: Next ends for a cadence without days, or with all bits.
func TestNoDay(t *testing.T) {
	now := at(t, "2026-11-20T12:00", time.UTC)
	for _, c := range []digest.Cadence{0, 1 << 7, 1 << 40, 1<<63 - 1, -1, -1 << 63} {
		next := calendar.Next(now, time.UTC, c)
		if !next.After(now) || next.Sub(now) > 40*24*time.Hour {
			t.Errorf("%d: the next one is at %s", int64(c), next)
		}
		last, after := calendar.Passed(now.AddDate(-1, 0, 0), now, time.UTC, c)
		if last.After(now) || !after.After(now) {
			t.Errorf("%d: passed %s, then %s", int64(c), last, after)
		}
	}
}

// TestCadencesAgainstJava compares all midnights of cadences in fifteen years with the midnights of java.time. The file
// is not part of the project.
func TestCadencesAgainstJava(t *testing.T) {
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
			name, times, _ := strings.Cut(line, "\t")
			midnights := javaMidnights(t, times)
			for _, c := range []string{"monthly", "monthly on 28", "monthly on last day", "monthly on first fri",
				"mon"} {
				compareCadence(t, zone(t, name), cadence(t, c), midnights)
			}
			zones++
		}
	}
	if zones < 250 {
		t.Errorf("only %d zones compared", zones)
	}
}

// javaMidnights returns all midnights that a line of the table describes.
func javaMidnights(t *testing.T, times string) (all []time.Time) {
	t.Helper()
	var odd []int64
	for s := range strings.SplitSeq(times, "\t") {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		odd = append(odd, n)
	}
	end := time.Date(2024, 12, 30, 0, 0, 0, 0, time.UTC).Unix()
	for at, odd := odd[0], odd[1:]; at < end; {
		all = append(all, time.Unix(at, 0))
		at += 24 * 60 * 60
		if len(odd) > 0 && odd[0] <= at+12*60*60 {
			at, odd = odd[0], odd[1:]
		}
	}
	return all
}

// compareCadence checks that Next returns the midnights that begin a date of the cadence, or the first date after a
// skipped day of a month.
func compareCadence(t *testing.T, loc *time.Location, c digest.Cadence, midnights []time.Time) {
	t.Helper()
	var want []time.Time
	for i, m := range midnights[1:] {
		date := digest.DateOf(m.In(loc))
		comes := c.Has(date)
		for d := digest.DateOf(midnights[i].In(loc)).Plus(1); c.IsMonthly() && d != date; d = d.Plus(1) {
			comes = comes || c.Has(d)
		}
		if comes {
			want = append(want, m)
		}
	}
	if months := 15 * 12; c.IsMonthly() && (len(want) < months-1 || len(want) > months) {
		t.Errorf("%s, %s: %d editions in %d months", loc, c, len(want), months)
	}
	at := midnights[0]
	for _, w := range want {
		if at = calendar.Next(at, loc, c); !at.Equal(w) {
			t.Errorf("%s, %s: %s, want %s", loc, c, at, w.In(loc))
			return
		}
	}
}

// TestGathered: the feeds of a digest that appears once a week or less are polled at each midnight of its reader, also
// during a pause with an end.
func TestGathered(t *testing.T) {
	paris, tokyo := zone(t, "Europe/Paris"), zone(t, "Asia/Tokyo")
	now := at(t, "2026-11-20T12:00", paris)
	monthly, weekly, days := cadence(t, "monthly"), cadence(t, "sat"), cadence(t, "tue,fri")
	active := calendar.Schedule{
		Zone: paris, Cadence: monthly, State: digest.DigestActive,
		NextDueAt: at(t, "2026-12-01T00:00", paris), NextPollAt: at(t, "2026-11-21T00:00", paris),
	}
	late := active
	late.NextPollAt = at(t, "2026-11-20T00:00", paris)
	often := calendar.Schedule{Zone: paris, Cadence: days, State: digest.DigestActive,
		NextDueAt: at(t, "2026-11-27T00:00", paris)}
	until := at(t, "2026-12-20T00:00", paris)
	for _, test := range []struct {
		why  string
		got  calendar.Schedule
		want string // in Paris
	}{
		{"often becomes monthly", often.On(monthly, now), "2026-11-21T00:00"},
		{"often becomes weekly", often.On(weekly, now), "2026-11-21T00:00"},
		{"monthly becomes weekly", active.On(weekly, now), "2026-11-21T00:00"},
		{"monthly becomes often", active.On(days, now), ""},
		{"monthly becomes often, late", late.On(days, now), ""},
		{"another day of the month", active.On(digest.LastDay, now), "2026-11-21T00:00"},
		{"what has passed is still asked", late.On(digest.LastDay, now), "2026-11-20T00:00"},
		{"elsewhere", active.In(tokyo, now), "2026-11-20T16:00"},
		{"often elsewhere", often.In(tokyo, now), ""},
		{"paused until a time", active.Pause(until, now), "2026-11-21T00:00"},
		{"paused so, then often", active.Pause(until, now).On(days, now), "2026-11-24T00:00"},
		{"paused without an end", active.Pause(time.Time{}, now), ""},
		{"paused without an end elsewhere", active.Pause(time.Time{}, now).In(tokyo, now), ""},
		{"and then with one", active.Pause(time.Time{}, now).Pause(until, now), "2026-11-21T00:00"},
		{"back", active.Pause(time.Time{}, now).Resume(now, now), "2026-11-21T00:00"},
		{"back, often", often.Pause(until, now).Resume(now, now), ""},
		{"left", active.Leave(), ""},
		{"left, then elsewhere", active.Leave().In(tokyo, now), ""},
		{"left, then on another day", active.Leave().On(digest.LastDay, now), ""},
	} {
		same(t, test.why, test.got.NextPollAt, at(t, test.want, paris))
	}
}
