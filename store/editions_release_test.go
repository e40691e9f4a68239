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
		paris, tokyo := w.reader("ada"), w.reader("bob", "Asia/Tokyo") // 23:00 and 15:00 UTC
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
			r := must(w.Feeds.Plan(w.ctx, now, func(f digest.Feed, due time.Time) (time.Time, bool) {
				asked[f.ID] = due
				return poll, f.ID != one.ID
			}))
			return r
		}
		want(w, "nothing is due", plan(noon), store.PlanResult{})
		want(w, "both are due", plan(parisMidnight), store.PlanResult{Digests: 2, Feeds: 1})
		want(w, "feeds asked about", len(asked), 2)
		want(w, "the latest midnight", asked[both.ID], parisMidnight)
		want(w, "queued", w.feedAgain(both).PollAt, poll)
		want(w, "not for this midnight", w.feedAgain(one).PollAt, time.Time{})
		want(w, "once per midnight", plan(parisMidnight.Add(time.Hour)), store.PlanResult{})

		at, ok := must2(w.Feeds.OldestPlan(w.ctx, parisMidnight))
		want(w, "planned, and not released", ok && at.Equal(parisMidnight), true)
		w.ok(w.Enqueue(w.ctx, both.ID, poll.Add(-time.Minute)))
		w.setZone(paris, "Europe/London", parisMidnight)
		plan(parisMidnight.Add(time.Hour))
		want(w, "the earlier time stays", w.feedAgain(both).PollAt, poll.Add(-time.Minute))
	})
}

func TestReleaseMakesEditions(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.ok(w.Readers.SetDeliverAt(w.ctx, ada.ID, 7*time.Hour))
		w.posted(f, "1", "2")
		want(w, "not before midnight (I2)", w.hour(parisMidnight.Add(-time.Second)), 0)
		want(w, "not before Plan", w.release(parisMidnight), 0)
		now := parisMidnight.Add(4 * time.Minute)
		want(w, "one edition: bob has nothing new", w.hour(now), 1)
		want(w, "ada's", w.editions(ada), "2026-11-20 1 2")
		want(w, "bob's", w.editions(bob), "")
		want(w, "not twice", w.hour(now), 0)

		list := w.latest(ada)
		e := list
		send := parisMidnight.Add(7 * time.Hour)
		want(w, "edition", e, digest.Edition{
			ID: e.ID, DigestID: ada.ID, LocalDate: digest.Date{Year: 2026, Month: 11, Day: 20}, DueAt: parisMidnight,
			SendAt: send, Number: 1, State: digest.EditionReady, Date: send, NextAt: send,
			ExpiresAt: parisMidnight.Add(20 * time.Hour),
		})
		for _, d := range []digest.Digest{w.again(ada), w.again(bob)} {
			want(w, "next midnight", d.NextDueAt, parisMidnight.Add(day))
			want(w, "last midnight", d.LastDueAt, parisMidnight)
		}
		want(w, "counted", w.again(ada).Editions*10+w.again(bob).Editions, 10)

		w.send(send)
		e = w.edition(e.ID)
		w.record(now, f, posts(now, "3"))
		want(w, "next day", w.hour(parisMidnight.Add(day)), 1)
		want(w, "both", w.editions(ada), "2026-11-20 1 2; 2026-11-21 3")
		want(w, "numbered", w.again(ada).Editions, 2)
		want(w, "by key", must(w.Editions.Edition(w.ctx, e.ID)), e)
	})
}

// TestReleaseOfOthers: a digest whose release fails does not delay others.
func TestReleaseOfOthers(t *testing.T) {
	each(t, func(w world) {
		lost, ada := w.reader("lost", "Africa/Algiers"), w.reader("ada") // the same midnight in winter
		f := w.feed("f.example")
		w.subscribe(lost, f)
		w.subscribe(ada, f)
		w.posted(f, "p")
		_, err := w.Feeds.Plan(w.ctx, parisMidnight, func(digest.Feed, time.Time) (time.Time, bool) {
			return time.Time{},
				false
		})
		w.ok(err)
		w.exec(`UPDATE users SET time_zone = 'Africa/Atlantis' WHERE id = ?`, lost.UserID)
		n, err := w.Editions.Release(w.ctx, parisMidnight, deadline)
		want(w, "editions", n, 1)
		want(w, "says what is wrong", err != nil && strings.Contains(err.Error(), "Africa/Atlantis"), true)
		want(w, "ada's", w.editions(ada), "2026-11-20 p")
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
				_, f := w.follows()
				w.posted(f, "p")
				must(w.Feeds.Plan(w.ctx, parisMidnight, func(digest.Feed, time.Time) (time.Time, bool) {
					return parisMidnight.Add(c.poll), true
				}))
				if c.releases > 0 {
					want(w, "too early", w.release(parisMidnight.Add(c.releases-time.Second)), 0)
				}
				want(w, "then", w.release(parisMidnight.Add(c.releases)), 1)
			})
		})
	}
}

func TestReleaseWaitsForAFeedInFlight(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f, g := w.feed("f.example"), w.feed("g.example")
		w.subscribe(ada, f)
		w.subscribe(bob, g)
		w.posted(f, "p")
		w.posted(g, "q")
		now := parisMidnight.Add(2 * time.Minute)
		must(w.Feeds.Plan(w.ctx, now, func(feed digest.Feed, _ time.Time) (time.Time, bool) {
			return now,
				feed.ID == f.ID
		}))
		claimed := w.claim(now, 1, "t")
		want(w, "bob need not wait for ada's feed", w.release(now), 1)
		rec := claimed[0].Feed
		rec.PollAt = time.Time{}
		w.poll(now, store.Polled{Feed: rec, Token: "t", Posts: posts(now, "late"), Listed: []string{"late"}})
		want(w, "ada", w.release(now), 1)
		want(w, "with the post stored after midnight", w.editions(ada), "2026-11-20 p late")
	})
}

// After a machine slept through midnight it polls first: the deadline counts from Plan.
func TestReleaseOfALateHour(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "p")
		now := parisMidnight.Add(6 * time.Hour)
		must(w.Feeds.Plan(w.ctx, now, func(digest.Feed, time.Time) (time.Time, bool) {
			return now.Add(time.Minute),
				true
		}))
		want(w, "not yet", w.release(now.Add(deadline-time.Second)), 0)
		want(w, "the deadline", w.release(now.Add(deadline)), 1)
		want(w, "its own date", w.editions(ada), "2026-11-20 p")
	})
}

func TestReleaseAfterAnOutage(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "p")
		back := parisMidnight.Add(3*day + 5*time.Hour)
		w.record(back, f, posts(back, "q"))
		want(w, "one edition for all days", w.hour(back), 1)
		want(w, "of the last day", w.editions(ada), "2026-11-23 p q")
		want(w, "next", w.again(ada).NextDueAt, parisMidnight.Add(4*day))
		want(w, "no more", w.hour(back), 0)
	})
}

// For a traveller, one date begins twice and another is skipped (I1).
func TestReleaseAcrossTheDateLine(t *testing.T) {
	each(t, func(w world) {
		ada := w.reader("ada", "Pacific/Auckland") // the 20th begins at 11:00 UTC, before noon
		f := w.feed("f.example")
		w.subscribe(ada, f)
		auckland := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC) // start of the 21st
		want(w, "due", w.again(ada).NextDueAt, auckland)
		w.posted(f, "p")
		w.hour(auckland)
		want(w, "the 21st in Auckland", w.editions(ada), "2026-11-21 p")
		landed := auckland.Add(12 * time.Hour) // still the 20th in Honolulu
		w.record(landed, f, posts(landed, "q"))
		w.setZone(ada, "Pacific/Honolulu", landed)
		due := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
		want(w, "the 21st was had: the 22nd", w.again(ada).NextDueAt, due)
		want(w, "its post moved along", w.waiting(ada), "q")
		want(w, "not before (I2)", w.hour(due.Add(-time.Second)), 0)
		w.hour(due)
		want(w, "both", w.editions(ada), "2026-11-21 p; 2026-11-22 q")
	})
}

// The edition of a date may exist before its midnight, if the rules of a zone changed after scheduling.
func TestReleasePostponesWhatCannotBe(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.subscribe(bob, f)
		w.posted(f, "p")
		w.hour(parisMidnight)
		w.record(parisMidnight, f, posts(parisMidnight, "q"))
		w.setState(bob, digest.DigestPaused, noon)
		// one of the notices waits for a midnight that was moved since
		for _, after := range []time.Duration{time.Hour, day} {
			w.exec(`INSERT INTO notices (digest_id, visible_at, feed_id, kind, title)
				VALUES (?, ?, ?, 'dead', 'f')`,
				ada.ID, parisMidnight.Add(after).Unix(), f.ID)
		}
		w.move(ada, parisMidnight.Add(time.Hour)) // still the 20th
		want(w, "no second edition of the 20th", w.hour(parisMidnight.Add(2*time.Hour)), 0)
		want(w, "nothing lost", w.waiting(ada), "q")
		want(w, "told once", w.told(ada), "dead f")
		want(w, "next", w.again(ada).NextDueAt, parisMidnight.Add(day))
		w.hour(parisMidnight.Add(day))
		want(w, "it came a day later", w.editions(ada), "2026-11-20 p; 2026-11-21 q")
	})
}

func TestZoneChangeMovesTheMidnight(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		w.posted(f, "p")
		w.setZone(ada, "Asia/Tokyo", noon)
		due := time.Date(2026, 11, 19, 15, 0, 0, 0, time.UTC)
		want(w, "earlier", w.again(ada).NextDueAt, due)
		want(w, "released", w.hour(due), 1)
		want(w, "edition", w.editions(ada), "2026-11-20 p")
		for _, zone := range []string{"Mars/Olympus", "Local", ""} {
			oneLine(w, w.Readers.SetTimeZone(w.ctx, ada.UserID, zone, noon), digest.Invalid)
		}
		oneLine(w, w.Readers.SetTimeZone(w.ctx, 999, "UTC", noon), digest.NotFound)
	})
}

func TestDigestStates(t *testing.T) {
	each(t, func(w world) {
		ada, f := w.follows()
		set := func(state digest.DigestState, now time.Time) {
			w.Helper()
			w.setState(ada, state, now)
		}
		w.posted(f, "p")
		set(digest.DigestPaused, noon)
		want(w, "paused", w.hour(parisMidnight.Add(time.Hour)), 0)
		w.record(parisMidnight, f, posts(parisMidnight, "while paused"))
		set(digest.DigestActive, parisMidnight.Add(time.Hour))
		want(w, "what waited still does", w.waiting(ada), "p")
		want(w, "next midnight", w.again(ada).NextDueAt, parisMidnight.Add(day))
		w.hour(parisMidnight.Add(day))
		want(w, "edition", w.editions(ada), "2026-11-21 p")

		now := parisMidnight.Add(25 * time.Hour)
		w.record(now, f, posts(now, "q"))
		set(digest.DigestLeft, now)
		want(w, "waits in case they come back", w.waiting(ada), "q")
		list := w.latest(ada)
		want(w, "not sent any more", list.State, digest.EditionFailed)
		want(w, "why", list.Error, "unsubscribed")
		set(digest.DigestLeft, now)
		set(digest.DigestActive, now)
		want(w, "a midnight ahead stays", w.again(ada).NextDueAt, parisMidnight.Add(48*time.Hour))
		want(w, "with what waits", w.waiting(ada), "q")
		set(digest.DigestLeft, now)
		want(w, "nothing comes", w.hour(parisMidnight.Add(48*time.Hour)), 0)
		for _, after := range []struct {
			hours int
			waits string
		}{{72, "q"}, {73, ""}} {
			w.pruneOnce(parisMidnight.Add(time.Duration(after.hours)*time.Hour), 30*day, 100)
			want(w, "kept for a day", w.waiting(ada), after.waits)
		}
		oneLine(w, w.Readers.SetDigestState(w.ctx, ada.ID, "odd", now), digest.Invalid)
	})
}
