package web

import (
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// TestConditions: a reader is told in words and by their own clock what is wrong, and nothing where all is well.
func TestConditions(t *testing.T) {
	paris, err := time.LoadLocation("Europe/Paris")
	if err != nil {
		t.Fatal(err)
	}
	at := func(day, hour, minute int) time.Time { return time.Date(2026, 11, day, hour, minute, 0, 0, paris) }
	now := at(20, 9, 0)
	tonight := at(21, 0, 4)
	well := digest.Feed{State: digest.FeedActive, Schedule: digest.Schedule{ParsedAt: now}}
	failing := func(since time.Time, times, status int, why string) digest.Feed {
		f := well
		f.Failures = digest.Failures{Errors: times, FirstErrorAt: since, FailingSince: since, LastStatus: status, LastError: why}
		return f
	}
	of := func(f digest.Feed, change func(*digest.Feed)) digest.Feed {
		change(&f)
		return f
	}
	for _, c := range []struct {
		name    string
		feed    digest.Feed
		again   time.Time
		words   string
		trouble bool
	}{
		{"well", well, tonight, "", false},
		{"quiet for years", of(well, func(f *digest.Feed) { f.NewestAt, f.OwnInterval = now.AddDate(-3, 0, 0), 7*24*time.Hour }), at(26, 0, 4), "", false},
		{"asked to wait", of(well, func(f *digest.Feed) { f.NotBefore = at(24, 0, 0) }), at(24, 0, 4), "", false},
		{"skips hours", of(well, func(f *digest.Feed) { f.SkipHours = 1 << 9 }), tonight, "", false},
		{"one bad night", failing(at(20, 0, 5), 1, 503, "503"), tonight, "Could not be read last night. We ask again tonight.", false},
		{"a bad evening", failing(at(19, 23, 5), 1, 503, "503"), tonight, "Could not be read last night. We ask again tonight.", false},
		{"a bad morning", failing(at(20, 7, 5), 1, 503, "503"), at(20, 15, 0), "Could not be read today. We ask again today.", false},
		{"three days", failing(at(17, 0, 5), 3, 503, "503"), at(22, 0, 5), "Could not be read for 3 days. We ask again tomorrow night.", false},
		{"a week", failing(at(13, 0, 5), 7, 0, "no answer"), tonight, "Has not answered for a week. We ask again tonight.", true},
		{"nearly a week", failing(at(13, 15, 5), 7, 502, "502"), at(24, 0, 3), "Its site has reported errors for a week. We ask again on Monday night.", true},
		{"a month", failing(now.AddDate(0, -1, 0), 9, 404, "404"), at(30, 9, 0), "Has not been at its address for a month. We ask again on 30 November.", true},
		{"five weeks", failing(now.AddDate(0, 0, -36), 9, 403, "403"), tonight, "Its site has not let us in for a month. We ask again tonight.", true},
		{"ten days", failing(now.AddDate(0, 0, -10), 9, 429, "429"), now.Add(-time.Hour), "Its site has asked us to wait for a week. We ask again today.", true},
		{"a password at once", failing(at(20, 0, 5), 1, 401, "401"), tonight, "Its feed asks for a password.", true},
		{"not public", failing(at(20, 0, 5), 1, 0, "refused: the address is not public; whoever runs this reader can allow its network"), tonight, "Its address is not public; whoever runs this reader can allow its network.", true},
		{"given up", of(failing(now.AddDate(0, -3, -2), 40, 0, "no such host"), func(f *digest.Feed) { f.State = digest.FeedDead }), time.Time{}, "Has not answered for 3 months. We no longer ask.", true},
		{"tried again", of(well, func(f *digest.Feed) { f.State = digest.FeedTrial }), tonight, "It was given up; we try it once more.", true},
		{"gone", of(well, func(f *digest.Feed) { f.State, f.GoneAt = digest.FeedGone, now }), time.Time{}, "Its site says that it is gone for good.", true},
		{"never read", of(well, func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight, "Not read yet. We ask again tonight.", false},
		{"never read, failed once", of(failing(at(20, 0, 5), 1, 404, "404"), func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight, "There is nothing at its address. We ask again tonight.", true},
		{"never read, a web page", of(failing(at(20, 0, 5), 1, 200, "the answer is not a feed but a web page"), func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight, "There is a web page at its address, and no feed. We ask again tonight.", true},
		{"never read, a teapot", of(failing(at(20, 0, 5), 1, 418, "418"), func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight, "Could not be read last night. We ask again tonight.", true},
		{"never read for days", of(failing(at(17, 0, 5), 3, 503, "503"), func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight, "Its site reports an error. We ask again tonight.", true},
		{"not asked", failing(at(13, 0, 5), 7, 0, "no answer"), time.Time{}, "Has not answered for a week.", true},
		{"too much", of(well, func(f *digest.Feed) { f.PostsWaiting = 3 }), tonight, "It brought more than comes in in one day; the rest follows.", false},
	} {
		got := conditionOf(c.feed, c.again, now, paris)
		if got.Words.String() != c.words || got.Trouble != c.trouble {
			t.Errorf("%s: %q (trouble %v), want %q", c.name, got.Words, got.Trouble, c.words)
		}
	}
}

// TestDayOrNight: the night to Saturday is Friday's, and just after midnight it is the same one.
func TestDayOrNight(t *testing.T) {
	zone := time.FixedZone("", -9*3600-1800)
	at := func(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 30, 0, 0, zone) }
	for _, c := range []struct {
		at, now time.Time
		want    string
	}{
		{at(21, 0), at(20, 12), "tonight"},
		{at(21, 0), at(21, 0), "tonight"},
		{at(21, 5), at(20, 12), "tonight"},
		{at(21, 6), at(20, 12), "tomorrow"},
		{at(20, 18), at(20, 12), "tonight"},
		{at(20, 17), at(20, 12), "today"},
		{at(22, 0), at(20, 12), "tomorrow night"},
		{at(20, 0), at(20, 12), "last night"},
		{at(19, 12), at(20, 12), "yesterday"},
		{at(18, 12), at(20, 12), "on Wednesday"},
		{at(25, 1), at(20, 12), "on Tuesday night"},
		{at(28, 1), at(20, 12), "on 27 November"},
		{at(20, 12).AddDate(2, 0, 0), at(20, 12), "on 20 November 2028"},
	} {
		if got := dayOrNight(c.at, c.now, zone).In(catalogue.English()); got != c.want {
			t.Errorf("%s at %s is %q, want %q", c.at, c.now, got, c.want)
		}
	}
}
