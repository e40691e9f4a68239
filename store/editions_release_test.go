package store_test

import (
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func TestPlan(t *testing.T) {
	each(t, func(w world) {
		paris, tokyo := w.reader("ada", "Europe/Paris"), w.reader("bob", "Asia/Tokyo") // 23:00 and 15:00 UTC
		both, one, idle := w.feed("both.example"), w.feed("one.example"), w.feed("idle.example")
		dead := w.feed("dead.example")
		dead.State = digest.FeedDead
		w.record(noon, dead, nil)
		w.subscribe(paris, both, one, dead)
		w.subscribe(tokyo, both)
		_ = idle

		asked := map[digest.FeedID]time.Time{}
		poll := parisMidnight.Add(2 * time.Minute)
		plan := func(now time.Time) store.PlanResult {
			clear(asked)
			r, err := w.Feeds.Plan(w.ctx(), now, func(f digest.Feed, due time.Time) (time.Time, bool) {
				asked[f.ID] = due
				return poll, f.ID != one.ID
			})
			w.ok(err)
			return r
		}
		want(w.t, "nothing is due", plan(noon), store.PlanResult{})
		want(w.t, "both are due", plan(parisMidnight), store.PlanResult{Digests: 2, Feeds: 1})
		want(w.t, "feeds asked about", len(asked), 2)
		want(w.t, "the latest midnight", asked[both.ID], parisMidnight)
		want(w.t, "queued", w.feedAgain(both).PollAt, poll)
		want(w.t, "not for this midnight", w.feedAgain(one).PollAt, time.Time{})
		want(w.t, "once per midnight", plan(parisMidnight.Add(time.Hour)), store.PlanResult{})

		at, ok, err := w.Feeds.OldestPlan(w.ctx(), parisMidnight)
		w.ok(err)
		want(w.t, "planned, and not released", ok && at.Equal(parisMidnight), true)
		w.ok(w.Enqueue(w.ctx(), both.ID, poll.Add(-time.Minute)))
		w.ok(w.Readers.SetTimeZone(w.ctx(), paris.UserID, "Europe/London", parisMidnight))
		plan(parisMidnight.Add(time.Hour))
		want(w.t, "the earlier time stays", w.feedAgain(both).PollAt, poll.Add(-time.Minute))
	})
}

func TestReleaseMakesEditions(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetDeliverAt(w.ctx(), ada.ID, 7*time.Hour))
		w.record(noon, f, posts(noon, "1", "2"))
		want(w.t, "not before midnight (I2)", w.hour(parisMidnight.Add(-time.Second)), 0)
		want(w.t, "not before Plan", w.release(parisMidnight), 0)
		now := parisMidnight.Add(4 * time.Minute)
		want(w.t, "one edition: bob has nothing new", w.hour(now), 1)
		want(w.t, "ada's", w.editions(ada), "2026-11-20 1 2")
		want(w.t, "bob's", w.editions(bob), "")
		want(w.t, "not twice", w.hour(now), 0)

		list, err := w.Editions.Editions(w.ctx(), ada.ID, 1)
		w.ok(err)
		e := list[0]
		send := parisMidnight.Add(7 * time.Hour)
		want(w.t, "edition", e, digest.Edition{
			ID: e.ID, DigestID: ada.ID, LocalDate: digest.Date{Year: 2026, Month: 11, Day: 20}, DueAt: parisMidnight,
			SendAt: send, Number: 1, State: digest.EditionReady, Date: send, NextAt: send,
			ExpiresAt: parisMidnight.Add(20 * time.Hour),
		})
		for _, d := range []digest.Digest{w.again(ada), w.again(bob)} {
			want(w.t, "next midnight", d.NextDueAt, parisMidnight.Add(24*time.Hour))
			want(w.t, "last midnight", d.LastDueAt, parisMidnight)
		}
		want(w.t, "counted", w.again(ada).Editions*10+w.again(bob).Editions, 10)

		w.send(send)
		e = w.edition(e.ID)
		w.record(now, f, posts(now, "3"))
		want(w.t, "next day", w.hour(parisMidnight.Add(24*time.Hour)), 1)
		want(w.t, "both", w.editions(ada), "2026-11-20 1 2; 2026-11-21 3")
		want(w.t, "numbered", w.again(ada).Editions, 2)
		one, err := w.Editions.Edition(w.ctx(), e.ID)
		w.ok(err)
		want(w.t, "by key", one, e)
	})
}

// TestReleaseOfOthers: a digest whose release fails does not delay others.
func TestReleaseOfOthers(t *testing.T) {
	each(t, func(w world) {
		lost, ada := w.reader("lost", "Africa/Algiers"), w.reader("ada", "Europe/Paris") // the same midnight in winter
		f := w.feed("f.example")
		w.subscribe(lost, f)
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		_, err := w.Feeds.Plan(w.ctx(), parisMidnight, func(digest.Feed, time.Time) (time.Time, bool) {
			return time.Time{},
				false
		})
		w.ok(err)
		w.ok(w.Exec(w.ctx(), `UPDATE users SET time_zone = 'Africa/Atlantis' WHERE id = ?`, lost.UserID))
		n, err := w.Editions.Release(w.ctx(), parisMidnight, deadline)
		want(w.t, "editions", n, 1)
		want(w.t, "says what is wrong", err != nil && strings.Contains(err.Error(), "Africa/Atlantis"), true)
		want(w.t, "ada's", w.editions(ada), "2026-11-20 p")
	})
}

func TestReleaseWaitsForFeeds(t *testing.T) {
	for _, c := range []struct {
		name     string
		poll     time.Duration // after midnight
		releases time.Duration
	}{
		{"queued within the deadline", 10 * time.Minute, deadline},
		{"queued for the deadline itself", deadline, deadline},
		{"queued for later", deadline + time.Second, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(w world) {
				ada := w.reader("ada", "Europe/Paris")
				f := w.feed("f.example")
				w.subscribe(ada, f)
				w.record(noon, f, posts(noon, "p"))
				_, err := w.Feeds.Plan(w.ctx(), parisMidnight, func(digest.Feed, time.Time) (time.Time, bool) {
					return parisMidnight.Add(c.poll), true
				})
				w.ok(err)
				if c.releases > 0 {
					want(w.t, "too early", w.release(parisMidnight.Add(c.releases-time.Second)), 0)
				}
				want(w.t, "then", w.release(parisMidnight.Add(c.releases)), 1)
			})
		})
	}
}

func TestReleaseWaitsForAFeedInFlight(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f)
		w.subscribe(bob, g)
		w.record(noon, f, posts(noon, "p"))
		w.record(noon, g, posts(noon, "q"))
		now := parisMidnight.Add(2 * time.Minute)
		_, err := w.Feeds.Plan(w.ctx(), now, func(feed digest.Feed, _ time.Time) (time.Time, bool) {
			return now,
				feed.ID == f.ID
		})
		w.ok(err)
		claimed := w.claim(now, 1, "t")
		want(w.t, "bob need not wait for ada's feed", w.release(now), 1)
		rec := claimed[0].Feed
		rec.PollAt = time.Time{}
		_, err = w.Feeds.Record(w.ctx(), now,
			[]store.Polled{{Feed: rec, Token: "t", Posts: posts(now, "late"), Listed: []string{"late"}}})
		w.ok(err)
		want(w.t, "ada", w.release(now), 1)
		want(w.t, "with the post stored after midnight", w.editions(ada), "2026-11-20 p late")
	})
}

// After a machine slept through midnight it polls first: the deadline counts from Plan.
func TestReleaseOfALateHour(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		now := parisMidnight.Add(6 * time.Hour)
		_, err := w.Feeds.Plan(w.ctx(), now, func(digest.Feed, time.Time) (time.Time, bool) {
			return now.Add(time.Minute),
				true
		})
		w.ok(err)
		want(w.t, "not yet", w.release(now.Add(deadline-time.Second)), 0)
		want(w.t, "the deadline", w.release(now.Add(deadline)), 1)
		want(w.t, "its own date", w.editions(ada), "2026-11-20 p")
	})
}

func TestReleaseAfterAnOutage(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		back := parisMidnight.Add(3*24*time.Hour + 5*time.Hour)
		w.record(back, f, posts(back, "q"))
		want(w.t, "one edition for all days", w.hour(back), 1)
		want(w.t, "of the last day", w.editions(ada), "2026-11-23 p q")
		want(w.t, "next", w.again(ada).NextDueAt, parisMidnight.Add(4*24*time.Hour))
		want(w.t, "no more", w.hour(back), 0)
	})
}

func TestReleaseByCadence(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.SetCadence(w.ctx(), ada.ID, 1<<time.Sunday, noon))
		sunday := parisMidnight.Add(2 * 24 * time.Hour) // 22 November
		want(w.t, "due on Sunday", w.again(ada).NextDueAt, sunday)
		want(w.t, "the post waits for it", w.waiting(ada), "p")
		want(w.t, "late, on Tuesday", w.hour(sunday.Add(50*time.Hour)), 1)
		want(w.t, "it is Sunday's", w.editions(ada), "2026-11-22 p")
		next := sunday.Add(7 * 24 * time.Hour)
		want(w.t, "next Sunday", w.again(ada).NextDueAt, next)
		list, err := w.Editions.Editions(w.ctx(), ada.ID, 1)
		w.ok(err)
		want(w.t, "worth sending all week", list[0].ExpiresAt, next.Add(-4*time.Hour))
		if err := w.Readers.SetCadence(w.ctx(), ada.ID, 0, noon); digest.KindOf(err) != digest.Invalid {
			w.t.Errorf("no day at all: %v", err)
		}
	})
}

// For a traveller, one date begins twice and another is skipped (I1).
func TestReleaseAcrossTheDateLine(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Pacific/Auckland") // the 20th begins at 11:00 UTC, before noon
		f := w.feed("f.example")
		w.subscribe(ada, f)
		auckland := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC) // start of the 21st
		want(w.t, "due", w.again(ada).NextDueAt, auckland)
		w.record(noon, f, posts(noon, "p"))
		w.hour(auckland)
		want(w.t, "the 21st in Auckland", w.editions(ada), "2026-11-21 p")
		landed := auckland.Add(12 * time.Hour) // still the 20th in Honolulu
		w.record(landed, f, posts(landed, "q"))
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "Pacific/Honolulu", landed))
		due := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
		want(w.t, "the 21st was had: the 22nd", w.again(ada).NextDueAt, due)
		want(w.t, "its post moved along", w.waiting(ada), "q")
		want(w.t, "not before (I2)", w.hour(due.Add(-time.Second)), 0)
		w.hour(due)
		want(w.t, "both", w.editions(ada), "2026-11-21 p; 2026-11-22 q")
	})
}

// The edition of a date may exist before its midnight, if the rules of a zone changed after scheduling.
func TestReleasePostponesWhatCannotBe(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		w.record(parisMidnight, f, posts(parisMidnight, "q"))
		w.ok(w.Readers.SetDigestState(w.ctx(), bob.ID, digest.DigestPaused, noon))
		// one of the notices waits for a midnight that was moved since
		for _, after := range []time.Duration{time.Hour, 24 * time.Hour} {
			w.ok(w.Exec(w.ctx(), `INSERT INTO notices (digest_id, visible_at, feed_id, kind, title)
				VALUES (?, ?, ?, 'dead', 'f')`,
				ada.ID, parisMidnight.Add(after).Unix(), f.ID))
		}
		w.move(ada, parisMidnight.Add(time.Hour)) // still the 20th
		want(w.t, "no second edition of the 20th", w.hour(parisMidnight.Add(2*time.Hour)), 0)
		want(w.t, "nothing lost", w.waiting(ada), "q")
		want(w.t, "told once", w.told(ada), "dead f")
		want(w.t, "next", w.again(ada).NextDueAt, parisMidnight.Add(24*time.Hour))
		w.hour(parisMidnight.Add(24 * time.Hour))
		want(w.t, "it came a day later", w.editions(ada), "2026-11-20 p; 2026-11-21 q")
	})
}

func TestZoneChangeMovesTheMidnight(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "Asia/Tokyo", noon))
		due := time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC)
		want(w.t, "earlier", w.again(ada).NextDueAt, due)
		want(w.t, "released", w.hour(due), 1)
		want(w.t, "edition", w.editions(ada), "2026-11-20 p")
		for _, zone := range []string{"Mars/Olympus", "Local", ""} {
			if err := w.Readers.SetTimeZone(w.ctx(), ada.UserID, zone, noon); digest.KindOf(err) != digest.Invalid {
				w.t.Errorf("zone %q: %v", zone, err)
			}
		}
		if err := w.Readers.SetTimeZone(w.ctx(), 999, "UTC", noon); digest.KindOf(err) != digest.NotFound {
			w.t.Errorf("nobody's zone: %v", err)
		}
	})
}

func TestDigestStates(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Europe/Paris")
		f := w.feed("f.example")
		w.subscribe(ada, f)
		set := func(state digest.DigestState, now time.Time) {
			w.t.Helper()
			w.ok(w.Readers.SetDigestState(w.ctx(), ada.ID, state, now))
		}
		w.record(noon, f, posts(noon, "p"))
		set(digest.DigestPaused, noon)
		want(w.t, "paused", w.hour(parisMidnight.Add(time.Hour)), 0)
		w.record(parisMidnight, f, posts(parisMidnight, "while paused"))
		set(digest.DigestActive, parisMidnight.Add(time.Hour))
		want(w.t, "what waited still does", w.waiting(ada), "p")
		want(w.t, "next midnight", w.again(ada).NextDueAt, parisMidnight.Add(24*time.Hour))
		w.hour(parisMidnight.Add(24 * time.Hour))
		want(w.t, "edition", w.editions(ada), "2026-11-21 p")

		now := parisMidnight.Add(25 * time.Hour)
		w.record(now, f, posts(now, "q"))
		set(digest.DigestLeft, now)
		want(w.t, "waits in case they come back", w.waiting(ada), "q")
		list, err := w.Editions.Editions(w.ctx(), ada.ID, 1)
		w.ok(err)
		want(w.t, "not sent any more", list[0].State, digest.EditionFailed)
		want(w.t, "why", list[0].Error, "unsubscribed")
		set(digest.DigestLeft, now)
		set(digest.DigestActive, now)
		want(w.t, "a midnight ahead stays", w.again(ada).NextDueAt, parisMidnight.Add(48*time.Hour))
		want(w.t, "with what waits", w.waiting(ada), "q")
		set(digest.DigestLeft, now)
		want(w.t, "nothing comes", w.hour(parisMidnight.Add(48*time.Hour)), 0)
		for _, after := range []struct {
			hours int
			waits string
		}{{72, "q"}, {73, ""}} {
			_, err := w.Operator.Prune(w.ctx(), parisMidnight.Add(time.Duration(after.hours)*time.Hour),
				30*24*time.Hour, 100)
			w.ok(err)
			want(w.t, "kept for a day", w.waiting(ada), after.waits)
		}
		if err := w.Readers.SetDigestState(w.ctx(), ada.ID, "odd", now); digest.KindOf(err) != digest.Invalid {
			w.t.Errorf("an odd state: %v", err)
		}
	})
}
