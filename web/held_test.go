package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestHeld checks that filtered posts are listed by the date of their edition, with short titles,
// and only after midnight (I2).
func TestHeld(t *testing.T) {
	each(t, func(r *room) {
		v, d := r.reader("ann@example.org")
		_, err := r.store.Subscriptions.AddFilter(t.Context(), digest.Filter{DigestID: d.ID, Words: "puzzle"}, r.now)
		r.must(err)
		long := "A puzzle " + strings.Repeat("of letters ", 100)
		r.arrives(d, digest.Post{Identity: "p", Title: long + "\u202e", URL: "https://site.example/p", ContentHash: "h",
			Language: "en"})
		r.midnight()
		a := v.get("/filtered").status(http.StatusOK).shows("h2", "Saturday 21 November 2026").shows(".rows .why",
			site).contains(".word", "puzzle")
		a.has(".rows a", "lang", "en")
		a.has("nav [aria-current=true]", "href", "/feeds")
		if titles := a.texts(".rows a"); len(titles) != 1 || len(titles[0]) > 310 ||
			strings.ContainsRune(titles[0], '\u202e') {
			r.t.Errorf("it is called %q", titles)
		}
		r.now = r.now.Add(-time.Second)
		if titles := v.get("/filtered").status(http.StatusOK).texts(".rows a"); len(titles) != 0 {
			r.t.Errorf("before midnight it is listed: %q", titles)
		}
	})
}

// TestOperatorIsToldShortly checks that the operator's page shortens texts of servers and readers,
// and shows a server's reply if there is no other reason.
func TestOperatorIsToldShortly(t *testing.T) {
	each(t, func(r *room) {
		op, endless := r.operator(), strings.Repeat("long ", 1000)
		for i, l := range []digest.Lane{{Alarm: true, Reason: "bad " + endless},
			{Until: r.now.Add(48 * time.Hour), Reason: endless}, {Width: 1}} {
			_, err := r.store.Editions.ChangeLane(t.Context(), r.now, fmt.Sprintf("lane%d.example", i),
				func(was digest.Lane) digest.Lane {
					was.Alarm, was.Until, was.Reason, was.Width = l.Alarm, l.Until, l.Reason, l.Width
					return was
				})
			r.must(err)
		}
		a := op.get("/operator").status(http.StatusOK)
		a.contains(".troubles .head", "Email to lane0.example: stopped",
			"Email to lane1.example: paused until 22 Nov 2026", "Email to lane2.example: recovering")
		if len(a.body) > 30_000 {
			r.t.Errorf("a page of %d bytes", len(a.body))
		}
		_, d := r.user("bob@example.org")
		r.arrives(d, digest.Post{Identity: "p", Title: "One", ContentHash: "h"})
		r.beforeMidnight(0)
		_, err := r.store.Feeds.Plan(t.Context(), r.now, func(digest.Feed, time.Time) (time.Time, bool) {
			return time.Time{},
				false
		})
		r.must(err)
		_, err = r.store.Editions.Release(t.Context(), r.now, time.Minute)
		r.must(err)
		claimed, err := r.store.Editions.ClaimEditions(t.Context(), r.now,
			digest.Claim{Most: 9, Lease: time.Minute, Token: "t"})
		r.must(err)
		for _, e := range claimed {
			_, err = r.store.Editions.MarkEditions(t.Context(), r.now, "t",
				[]digest.Mark{{ID: e.ID, State: digest.EditionFailed, Reply: "452 4.2.2 over quota"}}, nil)
			r.must(err)
		}
		a = op.get("/operator").status(http.StatusOK).contains(".troubles .why", "452 4.2.2 over quota")
		a.contains("main", "Last 48 hours: 1 rejected, 0 unconfirmed, 0 expired.")
	})
}

// TestStatusTellsTheLastPolls checks that the status page lists the last ten polls, newest first.
func TestStatusTellsTheLastPolls(t *testing.T) {
	each(t, func(r *room) {
		f := r.knows(digest.Feed{URL: feedURL, Title: "Site"})
		for i := range 12 {
			at := r.now.Add(time.Duration(i-12) * time.Hour)
			r.polled(well(f, at), store.PollRecord{At: at, Outcome: "unchanged", Status: 304,
				Note: fmt.Sprintf("poll %d.", i)})
		}
		got := r.visitor().get(statusOf(feedURL)).status(http.StatusOK).texts(".answers li")
		if len(got) != 10 || !strings.Contains(got[0], "poll 11.") || !strings.Contains(got[9], "poll 2.") {
			r.t.Errorf("it tells %q", got)
		}
	})
}
