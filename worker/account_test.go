package worker

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"digest/mailer"
	"digest/poller"
)

// TestAccount holds that each hour with a step has one log line with all counts, and that other hours have
// none.
func TestAccount(t *testing.T) {
	begin := time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	now := begin
	var log bytes.Buffer
	reported := 0
	j := New(Options{Log: slog.New(slog.NewTextHandler(&log, nil)), Now: func() time.Time { return now },
		Report: func(Event) { reported++ }})
	at := func(after time.Duration, events ...Event) {
		now = begin.Add(after)
		for _, e := range events {
			j.report(e)
		}
	}
	said := func(want string) {
		t.Helper()
		_, line, _ := strings.Cut(strings.TrimSpace(log.String()), "level=INFO msg=")
		if log.Reset(); line != want {
			t.Errorf("%q, want %q", line, want)
		}
	}
	polled := func(o poller.Outcome) Event { return Event{Kind: EventPolled, Result: poller.Result{Outcome: o}} }
	j.tellHour(begin)
	said("")
	at(time.Second, Event{Kind: EventPlanned, Digests: 3, Feeds: 4}, polled(poller.Changed), polled(poller.Unchanged),
		polled(poller.Unchanged), polled(poller.Failed))
	at(time.Minute, Event{Kind: EventStored, Posts: 7, Hidden: 21}, Event{Kind: EventReleased, Digests: 2},
		Event{Kind: EventDelivered, Mail: mailer.Stats{Sent: 1, Failed: 1}}, Event{Kind: EventReleased, Digests: 1})
	at(2*time.Minute, Event{Kind: EventDelivered, Mail: mailer.Stats{Sent: 1, Retried: 2, InDoubt: 1}})
	j.tellHour(begin.Add(59 * time.Minute))
	said("")
	j.tellHour(begin.Add(time.Hour))
	said(`"hour summary" hour=2026-11-20T00:00:00Z due=3 queued=4 changed=1 unchanged=2 failed=1 stored=7 ` +
		`released=3 sent=2 refused=1 put_off=2 in_doubt=1 took=1m59s`)
	j.tellHour(begin.Add(3 * time.Hour))
	said("")
	at(3*time.Hour, Event{Kind: EventStored, Posts: 1})
	at(4*time.Hour, Event{Kind: EventStored, Posts: 2}) // a step of the next hour ends the hour
	said(`"hour summary" hour=2026-11-20T03:00:00Z due=0 queued=0 stored=1 released=0 sent=0 took=0s`)
	at(time.Hour, Event{Kind: EventStored, Posts: 3}) // the clock went back
	said(`"hour summary" hour=2026-11-20T04:00:00Z due=0 queued=0 stored=2 released=0 sent=0 took=0s`)
	if reported != 13 {
		t.Errorf("%d steps were reported", reported)
	}
}
