package web

import (
	"testing"
	"time"

	"digest"
	"digest/internal/catalogue"
)

// TestConditions checks that a problem of a feed is described in the reader's time zone, and that a
// healthy feed has no description.
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
		f.Failures = digest.Failures{Errors: times, FirstErrorAt: since, FailingSince: since, LastStatus: status,
			LastError: why}
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
		{"quiet for years", of(well, func(f *digest.Feed) {
			f.NewestAt, f.OwnInterval = now.AddDate(-3, 0, 0),
				7*24*time.Hour
		}), at(26, 0, 4), "", false},
		{"asked to wait", of(well, func(f *digest.Feed) { f.NotBefore = at(24, 0, 0) }), at(24, 0, 4), "", false},
		{"skips hours", of(well, func(f *digest.Feed) { f.SkipHours = 1 << 9 }), tonight, "", false},
		{"one bad night", failing(at(20, 0, 5), 1, 503, "503"), tonight,
			"We haven’t been able to read this feed since 20 November. We’ll check again tonight.", false},
		{"a bad evening", failing(at(19, 23, 5), 1, 503, "503"), tonight,
			"We haven’t been able to read this feed since 19 November. We’ll check again tonight.", false},
		{"a bad morning", failing(at(20, 7, 5), 1, 503, "503"), at(20, 15, 0),
			"We haven’t been able to read this feed since 20 November. We’ll check again today.", false},
		{"three days", failing(at(17, 0, 5), 3, 503, "503"), at(22, 0, 5),
			"We haven’t been able to read this feed since 17 November. We’ll check again tomorrow night.", false},
		{"a week", failing(at(13, 0, 5), 7, 0, "no answer"), tonight,
			"The site doesn’t respond (since 13 November). We’ll check again tonight.", true},
		{"nearly a week", failing(at(13, 15, 5), 7, 502, "502"), at(24, 0, 3),
			"The site’s server has an error (since 13 November). We’ll check again on Monday night.", true},
		{"a month", failing(now.AddDate(0, -1, 0), 9, 404, "404"), at(30, 9, 0),
			"Nothing was found at its address (since 20 October). We’ll check again on 30 November.", true},
		{"five weeks", failing(now.AddDate(0, 0, -36), 9, 403, "403"), tonight,
			"The site blocks us (since 15 October). We’ll check again tonight.", true},
		{"ten days", failing(now.AddDate(0, 0, -10), 9, 429, "429"), now.Add(-time.Hour),
			"The site asks us to wait (since 10 November). We’ll check again today.", true},
		{"a password at once", failing(at(20, 0, 5), 1, 401, "401"), tonight, "The feed needs a username and password.",
			true},
		{"not public", failing(at(20, 0, 5), 1, 0,
			"not allowed: the address is private; the operator can allow its network"), tonight,
			"Not allowed: the address is private; the operator can allow its network.", true},
		{"not public, by an older version",
			failing(at(20, 0, 5), 1, 0,
				"refused: the address is not public; whoever runs this reader can allow its network"), tonight,
			"Not allowed: the address is private; the operator can allow its network.", true},
		{"dead", of(failing(now.AddDate(0, -3, -2), 40, 0, "connection refused"),
			func(f *digest.Feed) { f.State = digest.FeedDead }), time.Time{},
			"The site doesn’t respond (since 18 August). We stopped checking.", true},
		{"tried again", of(well, func(f *digest.Feed) { f.State = digest.FeedTrial }), tonight,
			"Not checked yet. We’ll check again tonight.", true},
		{"gone", of(well, func(f *digest.Feed) { f.State, f.GoneAt = digest.FeedGone, now }), time.Time{},
			"The site says the feed is permanently gone.", true},
		{"never read", of(well, func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight,
			"Not checked yet. We’ll check again tonight.", false},
		{"never read, failed once",
			of(failing(at(20, 0, 5), 1, 404, "404"), func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight,
			"Nothing was found at its address. We’ll check again tonight.", true},
		{"never read, a web page", of(failing(at(20, 0, 5), 1, 200, "the answer is not a feed but a web page"),
			func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight,
			"Its address is a web page, not a feed. We’ll check again tonight.", true},
		{"never read, a teapot",
			of(failing(at(20, 0, 5), 1, 418, "418"), func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight,
			"We haven’t been able to read this feed since 20 November. We’ll check again tonight.", true},
		{"never read for days", of(failing(at(17, 0, 5), 3, 503, "503"),
			func(f *digest.Feed) { f.ParsedAt = time.Time{} }), tonight,
			"The site’s server has an error. We’ll check again tonight.", true},
		{"not asked", failing(at(13, 0, 5), 7, 0, "no answer"), time.Time{},
			"The site doesn’t respond (since 13 November).", true},
		{"too much", of(well, func(f *digest.Feed) { f.PostsWaiting = 3 }), tonight,
			"The feed has more new posts than we store in one day. The others come tomorrow.", false},
	} {
		got := conditionOf(c.feed, c.again, now, paris)
		if got.Words.String() != c.words || got.Trouble != c.trouble {
			t.Errorf("%s: %q (trouble %v), want %q", c.name, got.Words, got.Trouble, c.words)
		}
	}
}

// TestDayOrNight checks that the hours after midnight count as the night of the day before.
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
		{at(25, 1), at(20, 12), "on Tuesday night"},
		{at(28, 1), at(20, 12), "on 27 November"},
		{at(20, 12).AddDate(2, 0, 0), at(20, 12), "on 20 November 2028"},
	} {
		if got := dayOrNight(c.at, c.now, zone).In(catalogue.English()); got != c.want {
			t.Errorf("%s at %s is %q, want %q", c.at, c.now, got, c.want)
		}
	}
}
