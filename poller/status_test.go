package poller

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"digest"
	"digest/feed"
	"digest/internal/catalogue"
)

func TestStatus(t *testing.T) {
	now := midnight()
	later, before := now.Add(3*time.Hour), now.Add(-2*oneDay)
	read := digest.Feed{Schedule: digest.Schedule{ParsedAt: before, LastAttemptAt: now.Add(-time.Hour)}, Validators: digest.Validators{ETag: `"1"`}}
	with := func(change func(*digest.Feed)) digest.Feed {
		f := read
		change(&f)
		return f
	}
	failing := func(f digest.Feed, status int, text string, errors int) digest.Feed {
		f.LastStatus, f.LastError, f.Errors, f.FailingSince, f.FirstErrorAt = status, text, errors, before, before
		return f
	}
	tests := []struct {
		f      digest.Feed
		state  string
		reason string
	}{
		{digest.Feed{}, StateActive, "not read yet"},
		{read, StateActive, "asked at each midnight of a reader"},
		{with(func(f *digest.Feed) { f.FreshUntil = later }), StateWaiting, "by its own word nothing new before 2026-11-20 03:00 UTC"},
		{with(func(f *digest.Feed) { f.NotBefore = later }), StateWaiting, "the site asked to wait until 2026-11-20 03:00 UTC"},
		{with(func(f *digest.Feed) { f.HostInterval = 48 * time.Hour }), StateWaiting, "asked every 48 hours at most, as the rule for its host says: not before 2026-11-21 23:00 UTC"},
		{with(func(f *digest.Feed) { f.HostInterval, f.LastAttemptAt = 48*time.Hour, before }), StateActive, "asked at each midnight of a reader, every 48 hours at most, as the rule for its host says"},
		{with(func(f *digest.Feed) { f.OwnInterval, f.NewestAt = 36*time.Hour, now.AddDate(-3, 0, 0) }), StateWaiting, "asked every 36 hours at most, as its newest post is of 2023-11-20: not before 2026-11-21 11:00 UTC"},
		{with(func(f *digest.Feed) {
			f.OwnInterval, f.NewestAt, f.LastAttemptAt = 5*oneDay, now.AddDate(-10, 0, 0), now.AddDate(0, 0, -6)
		}), StateActive, "asked at each midnight of a reader, every 5 days at most, as its newest post is of 2016-11-20"},
		{with(func(f *digest.Feed) { f.OwnInterval, f.ETag = oneDay, "" }), StateActive, "asked at each midnight of a reader, every 24 hours at most, since its server sends all of it each time"},
		{with(func(f *digest.Feed) { f.OwnInterval, f.URL = oneDay/2, "http://me:secret@a.example/" }), StateActive, "asked at each midnight of a reader, every 12 hours at most, since it is made for one reader"},
		{with(func(f *digest.Feed) { f.BusyInterval = 2 * time.Hour }), StateActive, "posts may be lost between the midnights of its readers: asked every 2 hours until they no longer are"},
		{with(func(f *digest.Feed) { f.PostsWaiting, f.LastOKAt, f.BusyInterval = 3, now.Add(-time.Hour), time.Hour }), StateWaiting,
			"3 of its posts wait since 2026-11-19 23:00 UTC, as more came than is stored in one day; the rest comes with the first poll from 2026-11-20 00:00 UTC on, as far as the feed still lists it"},
		{with(func(f *digest.Feed) { f.PostsWaiting, f.LastOKAt, f.FreshUntil = 1, now, later }), StateWaiting,
			"one of its posts waits since 2026-11-20 00:00 UTC, as more came than is stored in one day; the rest comes with the first poll from 2026-11-21 00:00 UTC on, as far as the feed still lists it"},
		{with(func(f *digest.Feed) { f.BusyInterval = time.Hour }), StateActive, "posts may be lost between the midnights of its readers: asked every hour until they no longer are"},
		{with(func(f *digest.Feed) { f.SkipHours = 1 | 1<<1 | 1<<22 }), StateWaiting, "wants to be left alone at this time (00-01h, 22h UTC); asked before and after it"},
		{with(func(f *digest.Feed) { f.SkipDays, f.SkipHours = 1, 1<<5|1<<23 }), StateActive, "asked at each midnight of a reader, or before the times at which it wants to be left alone (05h, 23h, Sunday UTC)"},
		{failing(digest.Feed{Schedule: digest.Schedule{NotBefore: later}}, 404, "404 Not Found", 1), StatePenalised, "404 Not Found; left alone until 2026-11-20 03:00 UTC"},
		{failing(digest.Feed{Schedule: digest.Schedule{NotBefore: later}}, 500, "500 Internal Server Error", 3), StatePenalised,
			"500 Internal Server Error; failing since 2026-11-18 00:00 UTC, 3 times in a row; left alone until 2026-11-20 03:00 UTC"},
		{failing(digest.Feed{Schedule: digest.Schedule{NotBefore: now}}, 404, "404 Not Found", 1), StateActive, "404 Not Found; asked again at the next midnight of a reader"},
		{failing(digest.Feed{Schedule: digest.Schedule{NotBefore: now, PollAt: later}}, 0, "connection refused", 1), StateActive, "connection refused; asked again at 2026-11-20 03:00 UTC"},
		{failing(digest.Feed{Schedule: digest.Schedule{NotBefore: later}, Failures: digest.Failures{GoneAt: before}}, 410, "410 Gone", 1), StatePenalised,
			"410 Gone; said since 2026-11-18 00:00 UTC, and gone for good unless all of its host says so; left alone until 2026-11-20 03:00 UTC"},
		{failing(digest.Feed{State: digest.FeedDead}, 404, "404 Not Found", 90), StateDead, "failing since 2026-11-18 00:00 UTC, asked no more until a ping or a reader speaks for it: 404 Not Found"},
		{failing(digest.Feed{State: digest.FeedTrial}, 404, "404 Not Found", 90), StateWaiting, "given up after failing since 2026-11-18 00:00 UTC; somebody wants it, so it is asked once more"},
		{failing(digest.Feed{State: digest.FeedGone, Failures: digest.Failures{GoneAt: before}}, 410, "410 Gone", 2), StateGone, "the site says that this feed is gone for good (410), since 2026-11-18 00:00 UTC"},
		{digest.Feed{State: digest.FeedGone}, StateGone, "the site says that this feed is gone for good (410)"},
	}
	for _, test := range tests {
		state, words := Status(test.f, now)
		reason := words.In(catalogue.English())
		if state != test.state || reason != test.reason || strings.Contains(reason, "\n") {
			t.Errorf("got  %s: %s\nwant %s: %s", state, reason, test.state, test.reason)
		}
	}
}

// TestStatus_NoSecret: what a feed's address holds is not told.
func TestStatus_NoSecret(t *testing.T) {
	f := digest.Feed{URL: "http://me:secret@a.example/"}
	f.Errors, f.LastError, f.FirstErrorAt, f.FailingSince = 3, `Get "http://me:secret@a.example/feed": broken`, midnight(), midnight()
	for _, state := range []digest.FeedState{digest.FeedActive, digest.FeedDead} {
		f.State = state
		_, words := Status(f, midnight())
		if got := words.In(catalogue.English()); !strings.Contains(got, "broken") || strings.Contains(got, "secret") || strings.Contains(got, "me:") {
			t.Error(got)
		}
	}
}

// TestOwnWordsAreSaidInEachLanguage: what this program itself stored of a failed poll is recognised as it is stored, and what
// stands in it of others stays.
func TestOwnWordsAreSaidInEachLanguage(t *testing.T) {
	german := catalogue.Of("de")
	timedOut := describe(context.DeadlineExceeded, true, 30*time.Second)
	for stored, foreign := range map[string]string{
		errTooLarge.Error(): "10 MiB", errNotPublic.Error(): "", errPort.Error(): "1024", errBusy.Error(): "", errNoRoom.Error(): "", errNoPlace.Error(): "", ErrOverran.Error(): "",
		timedOut: "30s", describe(syscall.ECONNREFUSED, true, 0): "", badBody(io.ErrUnexpectedEOF, 200, 0).text: "", noSuchHost: "", byRobots: "",
		badCertificate + "x509: expired": "x509: expired", notFeed + webPage: "", notFeed + kindName(feed.OPML): "OPML",
		(&meter{}).blame(errors.New("x"), []string{"gzip"}).Error(): "gzip",
	} {
		got := Noted(stored).In(german)
		if got == stored || !strings.Contains(got, foreign) || strings.Contains(got, "%") {
			t.Errorf("%q is said as %q", stored, got)
		}
		if again := Noted(stored).In(catalogue.English()); again != stored {
			t.Errorf("%q is said as %q in English", stored, again)
		}
	}
	for _, theirs := range []string{"503 Service Unavailable", "no complete answer within ", "unchanged: HEAD %s 100%"} {
		if got := Noted(theirs).In(german); strings.Contains(got, "MISSING") || theirs != "unchanged: HEAD %s 100%" && got != theirs {
			t.Errorf("%q is said as %q", theirs, got)
		}
	}
}

func TestEvery(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "every minute", time.Minute: "every minute", 10*time.Minute + time.Second: "every 11 minutes", 90 * time.Minute: "every 90 minutes",
		100 * time.Minute: "every 2 hours", 24 * time.Hour: "every 24 hours", 36 * time.Hour: "every 36 hours", 71 * time.Hour: "every 71 hours",
		72 * time.Hour: "every 3 days", 7 * 24 * time.Hour: "every 7 days",
	} {
		if got := every(d).In(catalogue.English()); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestLength(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second * 30: "30 seconds", 5 * time.Minute: "5 minutes", time.Hour: "one hour", day1: "24 hours", 7 * day1: "7 days",
	} {
		if got := length(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// TestNoted: what polls noted is said in each language as far as it is ours.
func TestNoted(t *testing.T) {
	german := catalogue.Of("de")
	for stored, want := range map[string]string{
		"changed: 8 entries": "geändert: 8 Einträge", "changed: 1 entry": "geändert: 1 Eintrag", "unchanged: HEAD 304": "unverändert: HEAD 304",
		"unchanged: 304": "unverändert: 304", "connection refused": "die Verbindung wurde abgelehnt", "404 Not Found": "404 Not Found",
	} {
		if got := Noted(stored).In(german); got != want {
			t.Errorf("%q is said as %q, want %q", stored, got, want)
		}
		if got := Noted(stored).In(catalogue.English()); got != stored {
			t.Errorf("%q is said in English as %q", stored, got)
		}
	}
	state, reason := Status(digest.Feed{State: digest.FeedDead, Failures: digest.Failures{LastError: "connection refused", FirstErrorAt: midnight()}}, midnight())
	if got := reason.In(german); state != StateDead || got != "scheitert seit 20. Nov. 2026, 00:00 UTC, nicht mehr abgefragt, bis ein Ping oder eine Leserin oder ein Leser für ihn spricht: die Verbindung wurde abgelehnt" {
		t.Error(got)
	}
}
