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
	const read = "parsed=-48h tried=-1h etag "
	failing := func(text, lastError string) digest.Feed {
		f := feedOf("failing=-48h " + text)
		f.LastError = lastError
		return f
	}
	for _, test := range []struct {
		f             digest.Feed
		state, reason string
	}{
		{digest.Feed{}, StateActive, "not read yet"},
		{feedOf(read), StateActive, "polled at each reader’s midnight"},
		{feedOf(read + "fresh=3h"), StateWaiting,
			"its cache headers say that nothing new comes before 2026-11-20 03:00 UTC"},
		{feedOf(read + "wait=3h"), StateWaiting, "the site asked us to wait until 2026-11-20 03:00 UTC"},
		{feedOf(read + "host=48h"), StateWaiting,
			"polled at each reader’s midnight, at most once every 48 hours, because of the rule for its host; " +
				"next poll at 2026-11-21 23:00 UTC"},
		{feedOf(read + "host=48h tried=-48h"), StateActive,
			"polled at each reader’s midnight, at most once every 48 hours, because of the rule for its host"},
		{feedOf(read + "own=36h newest=-26304h"), StateWaiting,
			"polled at each reader’s midnight, at most once every 36 hours, because its newest post is from " +
				"2023-11-20; next poll at 2026-11-21 11:00 UTC"},
		{feedOf(read + "own=120h newest=-87648h tried=-144h"), StateActive,
			"polled at each reader’s midnight, at most once every 5 days, because its newest post is from " +
				"2016-11-20"},
		{feedOf("parsed=-48h tried=-1h own=24h"), StateActive,
			"polled at each reader’s midnight, at most once every 24 hours, because its server sends the whole " +
				"feed each time"},
		{feedOf(read + "own=12h url=http://me:secret@a.example/"), StateActive,
			"polled at each reader’s midnight, at most once every 12 hours, because it’s one reader’s " +
				"private feed"},
		{feedOf(read + "busy=2h"), StateActive,
			"it publishes more than one poll can read, so we poll it every 2 hours for now"},
		{feedOf(read + "waiting=3 read=-1h busy=1h"), StateWaiting,
			"over the daily limit: 3 posts have been waiting since 2026-11-19 23:00 UTC; the first poll after " +
				"2026-11-20 00:00 UTC stores them if the feed still lists them"},
		{feedOf(read + "waiting=1 read=0 fresh=3h"), StateWaiting,
			"over the daily limit: one post has been waiting since 2026-11-20 00:00 UTC; the first poll after " +
				"2026-11-21 00:00 UTC stores it if the feed still lists it"},
		{feedOf(read + "busy=1h"), StateActive,
			"it publishes more than one poll can read, so we poll it every hour for now"},
		{feedOf(read + "skip=0-1,22"), StateWaiting,
			"polled at each reader’s midnight, except at times that the feed asks us to skip (00-01h, 22h UTC)"},
		{feedOf(read + "skipdays=0 skip=5,23"), StateActive,
			"polled at each reader’s midnight, except at times that the feed asks us to skip (05h, 23h, Sunday UTC)"},
		{failing("wait=3h status=404 errors=1", "404 Not Found"), StatePenalised,
			"404 Not Found; next poll at 2026-11-20 03:00 UTC"},
		{failing("wait=3h status=500 errors=3", "500 Internal Server Error"), StatePenalised,
			"500 Internal Server Error; failing since 2026-11-18 00:00 UTC (3 errors in a row); next poll at " +
				"2026-11-20 03:00 UTC"},
		{failing("wait=0 status=404 errors=1", "404 Not Found"), StateActive, "404 Not Found"},
		{failing("wait=0 queued=3h errors=1", "connection refused"), StateActive,
			"connection refused; next poll at 2026-11-20 03:00 UTC"},
		{failing("wait=3h gone=-48h status=410 errors=1", "410 Gone"), StatePenalised,
			"410 Gone; treated as permanently gone since 2026-11-18 00:00 UTC, unless every feed on its host " +
				"returns the same; next poll at 2026-11-20 03:00 UTC"},
		{failing("state=dead status=404 errors=90", "404 Not Found"), StateDead,
			"failing since 2026-11-18 00:00 UTC (404 Not Found); polled again only after a ping or a " +
				"reader’s request"},
		{failing("state=trial status=404 errors=90", "404 Not Found"), StateWaiting,
			"dead since 2026-11-18 00:00 UTC; will be polled one more time because somebody requested it"},
		{failing("state=gone gone=-48h status=410 errors=2", "410 Gone"), StateGone,
			"the site says this feed is gone permanently (410) since 2026-11-18 00:00 UTC"},
		{feedOf("state=gone"), StateGone, "the site says this feed is gone permanently (410)"},
	} {
		state, words := Status(test.f, midnight())
		reason := words.In(catalogue.English())
		if state != test.state || reason != test.reason || strings.Contains(reason, "\n") {
			t.Errorf("got  %s: %s\nwant %s: %s", state, reason, test.state, test.reason)
		}
	}
}

func TestStatus_NoSecret(t *testing.T) {
	f := digest.Feed{URL: "http://me:secret@a.example/"}
	f.Errors, f.LastError, f.FirstErrorAt, f.FailingSince = 3, `Get "http://me:secret@a.example/feed": broken`,
		midnight(), midnight()
	for _, state := range []digest.FeedState{digest.FeedActive, digest.FeedDead} {
		f.State = state
		_, words := Status(f, midnight())
		if got := words.In(catalogue.English()); !strings.Contains(got, "broken") || strings.Contains(got, "secret") ||
			strings.Contains(got, "me:") {
			t.Error(got)
		}
	}
}

// TestOwnWordsAreSaidInEachLanguage holds that the program's own stored errors are recognised and
// translated, and that foreign text in them stays.
func TestOwnWordsAreSaidInEachLanguage(t *testing.T) {
	german := catalogue.Of("de")
	timedOut := describe(context.DeadlineExceeded, true, 30*time.Second)
	for stored, foreign := range map[string]string{
		errTooLarge.Error(): "10 MiB", errNotPublic.Error(): "", errPort.Error(): "1024", errBusy.Error(): "",
		errNoRoom.Error(): "", errNoPlace.Error(): "", ErrOverran.Error(): "",
		timedOut: "30s", describe(syscall.ECONNREFUSED, true, 0): "", badBody(io.ErrUnexpectedEOF, 200, 0).text: "",
		noSuchHost: "", byRobots: "",
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
	for _, theirs := range []string{"503 Service Unavailable", "no complete answer within ",
		"unchanged: HEAD %s 100%"} {
		if got := Noted(theirs).In(german); strings.Contains(got, "MISSING") || theirs != "unchanged: HEAD %s 100%" &&
			got != theirs {
			t.Errorf("%q is said as %q", theirs, got)
		}
	}
}

func TestEvery(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "every minute", time.Minute: "every minute", 10*time.Minute + time.Second: "every 11 minutes",
		90 * time.Minute:  "every 90 minutes",
		100 * time.Minute: "every 2 hours", 24 * time.Hour: "every 24 hours", 36 * time.Hour: "every 36 hours",
		71 * time.Hour: "every 71 hours",
		72 * time.Hour: "every 3 days", 7 * 24 * time.Hour: "every 7 days",
	} {
		if got := every(d).In(catalogue.English()); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestLength(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second * 30: "30 seconds", 5 * time.Minute: "5 minutes", time.Hour: "one hour", day1: "24 hours",
		7 * day1: "7 days",
	} {
		if got := length(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

// TestNoted holds that notes of polls are translated, apart from foreign text.
func TestNoted(t *testing.T) {
	german := catalogue.Of("de")
	for stored, want := range map[string]string{
		"changed: 8 entries": "geändert: 8 Beiträge", "changed: 1 entry": "geändert: 1 Beitrag",
		"unchanged: HEAD 304": "unverändert: HEAD 304",
		"unchanged: 304":      "unverändert: 304", "found: 2 entries": "2 Beiträge",
		"unchanged: the same posts": "unverändert: dieselben Beiträge", "connection refused": "Verbindung abgelehnt",
		"404 Not Found": "404 Not Found",
		"the answer is not a feed but a web page": "die Antwort ist kein Feed, sondern eine Webseite",
	} {
		if got := Noted(stored).In(german); got != want {
			t.Errorf("%q is said as %q, want %q", stored, got, want)
		}
		english := strings.NewReplacer("found: ", "", "entries", "posts", "entry", "post").Replace(stored)
		if got := Noted(stored).In(catalogue.English()); got != english {
			t.Errorf("%q is said in English as %q", stored, got)
		}
	}
	if got := Noted("the answer is not a feed but a list of subscriptions (OPML)").In(
		catalogue.English()); got != "the answer is not a feed but OPML" {
		t.Errorf("an older version said %s", got)
	}
	state, reason := Status(digest.Feed{State: digest.FeedDead,
		Failures: digest.Failures{LastError: "connection refused", FirstErrorAt: midnight()}}, midnight())
	if got := reason.In(german); state != StateDead ||
		got != "funktioniert nicht seit 20. Nov. 2026, 00:00 UTC (Verbindung abgelehnt); keine Abfrage bis zu "+
			"einem Ping oder der Anfrage eines Lesers" {
		t.Error(got)
	}
}
