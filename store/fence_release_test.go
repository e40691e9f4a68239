package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestSourceIsFenced: a copied database does nothing, under any address, until it is released. A copy that fails
// does not change it.
func TestSourceIsFenced(t *testing.T) {
	each(t, func(w world) {
		w.reader("ann", "UTC")
		undo, err := w.Operator.FenceSource(w.ctx(), "a copy was begun")
		w.ok(err)
		want(w.t, "one that nobody has worked on yet", w.beat(home, noon).Reason, "a copy was begun")
		w.ok(undo(w.ctx()))
		want(w.t, "whose copy failed", w.beat(home, noon).Reason, "")

		undo, err = w.Operator.FenceSource(w.ctx(), "a copy was begun")
		w.ok(err)
		for _, base := range []string{home, "https://other.example.org"} {
			f := w.beat(base, noon.Add(time.Minute))
			want(w.t, base, f.Reason, "a copy was begun")
			want(w.t, "last used", f.BaseURL+" "+f.Beat.String(), home+" "+noon.String())
		}
		again, err := w.Operator.FenceSource(w.ctx(), "it moved")
		w.ok(err)
		want(w.t, "moved", w.beat(home, noon.Add(2*time.Minute)).Reason, "it moved")
		w.ok(undo(w.ctx()))
		want(w.t, "undone too late", w.beat(home, noon.Add(2*time.Minute)).Reason, "it moved")
		w.ok(again(w.ctx()))
		want(w.t, "a second copy failed", w.beat(home, noon.Add(2*time.Minute)).Reason, "a copy was begun")
		w.ok(w.Operator.Unfence(w.ctx(), home, noon.Add(3*time.Minute)))
		w.ok(undo(w.ctx()))
		want(w.t, "released", w.beat(home, noon.Add(3*time.Minute)).Reason, "")
	})
}

// TestUnfenceAfter: editions that were due before the instant stay on the web, in every state of delivery. Later
// ones are mailed.
func TestUnfenceAfter(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		digests := map[string]digest.Digest{}
		for _, name := range []string{"ready", "leased", "dotting", "taken", "lost", "later"} {
			digests[name] = w.reader(name, "Europe/Paris")
			w.subscribe(digests[name], f)
		}
		w.ok(w.Readers.SetDeliverAt(w.ctx(), digests["later"].ID, 7*time.Hour)) // 06:00 UTC
		w.record(noon, f, posts(noon, "old"))
		want(w.t, "sealed", w.hour(parisMidnight), 6)
		ids := map[string]digest.EditionID{}
		for name, d := range digests {
			all, err := w.Editions.Editions(w.ctx(), d.ID, 1)
			w.ok(err)
			ids[name] = all[0].ID
		}
		w.claimEditions(parisMidnight, 5, "dead")
		w.dot(parisMidnight, "dead", ids["dotting"], ids["taken"])
		w.mark(parisMidnight, "dead", digest.Mark{ID: ids["taken"], State: digest.EditionSent})
		for name, state := range map[string]string{"ready": "ready", "lost": "expired"} {
			w.ok(w.Exec(w.ctx(), `DELETE FROM mail_claims WHERE edition_id = ?`, ids[name]))
			w.ok(w.Exec(w.ctx(), `UPDATE editions SET state = ?, undelivered = CASE WHEN ? = 'expired' THEN 1
				ELSE 0 END WHERE id = ?`, state, state, ids[name]))
		}

		lost := parisMidnight.Add(4 * time.Hour) // 03:00 UTC, when the machine was lost
		sealed, err := w.Operator.UnfenceAfter(w.ctx(), home, lost.Add(time.Hour), lost)
		w.ok(err)
		want(w.t, "sealed and not mailed", sealed, 4)
		for name, state := range map[string]digest.EditionState{
			"ready": "unmailed", "leased": "unmailed", "dotting": "unmailed",
			"taken": "sent", "lost": "unmailed", "later": "ready",
		} {
			e := w.edition(ids[name])
			want(w.t, name, e.State, state)
			want(w.t, name+" has a reason", e.Error != "", state == digest.EditionUnmailed)
		}
		now := lost.Add(time.Hour)
		want(w.t, "mailed at once", len(w.send(now)), 0)
		w.recoverDead(now.Add(time.Hour))
		want(w.t, "mailed later", len(w.send(parisMidnight.Add(8*time.Hour))), 1)
		for _, name := range []string{"ready", "lost"} {
			want(w.t, name+" on the web", w.shown(digests[name]), "2026-11-20 old")
		}
	})
}

// TestDiscardedMidnights: a digest whose midnight has passed gets its edition. The edition is not mailed if it was
// due before the instant.
func TestDiscardedMidnights(t *testing.T) {
	hours := []time.Duration{0, 7 * time.Hour}
	tests := []struct {
		name     string
		released time.Duration // after the midnight in Paris
		before   time.Duration
		want     string // states of the editions of these hours
	}{
		{"before the midnight", time.Hour, -time.Hour, "ready ready"},
		{"at the midnight", time.Hour, 0, "ready ready"},
		{"behind the midnight", time.Hour, time.Minute, "unmailed ready"},
		{"behind both", 9 * time.Hour, 8 * time.Hour, "unmailed unmailed"},
		{"between, released behind both", 9 * time.Hour, 6 * time.Hour, "unmailed ready"},
		{"of the days before, of which there is one edition", 50 * time.Hour, 40 * time.Hour, "ready ready"},
		{"of today, after some days", 50 * time.Hour, 49 * time.Hour, "unmailed ready"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			each(t, func(w world) {
				f := w.feed("f.example")
				var digests []digest.Digest
				for i, hour := range hours {
					d := w.reader(fmt.Sprint("reader", i), "Europe/Paris")
					w.subscribe(d, f)
					w.ok(w.Readers.SetDeliverAt(w.ctx(), d.ID, hour))
					digests = append(digests, d)
				}
				w.record(noon, f, posts(noon, "old"))
				now := parisMidnight.Add(tt.released)
				sealed, err := w.Operator.UnfenceAfter(w.ctx(), home, now, parisMidnight.Add(tt.before))
				w.ok(err)
				want(w.t, "sealed", sealed, 0)
				want(w.t, "made", w.hour(now), 2)
				var states []string
				for _, d := range digests {
					all, err := w.Editions.Editions(w.ctx(), d.ID, 1)
					w.ok(err)
					states = append(states, string(all[0].State))
				}
				want(w.t, "states", strings.Join(states, " "), tt.want)
				next := now.Add(day)
				w.record(next.Add(-time.Hour), f, posts(next, "new"))
				w.hour(next)
				for _, d := range digests {
					all, err := w.Editions.Editions(w.ctx(), d.ID, 1)
					w.ok(err)
					want(w.t, "the next one", all[0].State, digest.EditionReady)
				}
			})
		})
	}
}

// TestWaitingNamesWhoIsMailed: the list behind a fence names exactly the readers who would get mail.
func TestWaitingNamesWhoIsMailed(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		for _, sealed := range []bool{true, false} {
			for _, name := range []string{"mailed", "webonly", "suppressed", "paused", "left", "late"} {
				if !sealed {
					name += "-due"
				}
				w.subscribe(w.reader(name, "Europe/Paris"), f)
			}
			if sealed {
				w.record(noon, f, posts(noon, "old"))
				w.hour(parisMidnight)
				w.ok(w.Exec(w.ctx(), `UPDATE digests SET next_due_at = next_due_at + 8640000`))
			}
		}
		now := parisMidnight.Add(time.Hour)
		for i, name := range []string{"webonly", "suppressed", "paused", "left", "late"} {
			for _, suffix := range []string{"", "-due"} {
				u, err := w.Readers.UserByEmail(w.ctx(), name+suffix+"@example.org")
				w.ok(err)
				d, err := w.Readers.DigestOf(w.ctx(), u.ID)
				w.ok(err)
				w.ok([]func() error{
					func() error { return w.Exec(w.ctx(), `UPDATE digests SET mailed = 0 WHERE id = ?`, d.ID) },
					func() error {
						complaint := digest.Suppression{Email: u.Email, Reason: digest.ForComplaint, CreatedAt: noon}
						return w.Editions.Suppress(w.ctx(), complaint)
					},
					func() error { return w.Readers.SetDigestState(w.ctx(), d.ID, digest.DigestPaused, now) },
					func() error {
						return w.Exec(w.ctx(), fmt.Sprintf(`UPDATE digests SET state = 'left' WHERE id = %d`, d.ID))
					},
					func() error {
						return w.Exec(w.ctx(), `UPDATE editions SET expires_at = ? WHERE digest_id = ?`, now.Unix(),
							d.ID)
					},
				}[i]())
			}
		}
		silent := w.feed("silent.example")
		w.reader("no-feeds", "Europe/Paris")
		w.subscribe(w.reader("nothing-new", "Europe/Paris"), silent)
		allPaused, told := w.reader("all-feeds-paused", "Europe/Paris"), w.reader("notice-due", "Europe/Paris")
		w.subscribe(allPaused, silent)
		w.ok(w.Subscriptions.PauseSubscription(w.ctx(), allPaused.ID, silent.ID))
		w.ok(w.Exec(w.ctx(), `INSERT INTO notices (digest_id, visible_at, feed_id, kind) VALUES (?, ?, ?, 'gone')`,
			told.ID, parisMidnight.Unix(), f.ID))

		waiting, err := w.Operator.WaitingReaders(w.ctx(), now, 100)
		w.ok(err)
		counts, err := w.Operator.CountWaiting(w.ctx(), now)
		w.ok(err)
		want(w.t, "counted", counts, store.FenceCounts{Editions: 5, IfNews: 1})
		var names []string
		for _, r := range waiting {
			names = append(names, fmt.Sprintf("%s %d", strings.TrimSuffix(r.Email, "@example.org"), r.Editions()))
		}
		// The edition of a paused digest was made before the pause, so it is mailed. The next edition carries one
		// that is too late.
		want(w.t, "who waits", strings.Join(names, ", "), "late-due 1, mailed-due 1, mailed 1, notice-due 1, paused 1")
		w.hour(now)
		var sent []string
		for _, d := range w.send(now) {
			sent = append(sent, strings.TrimSuffix(d.Email, "@example.org")+" 1")
		}
		slices.Sort(sent)
		slices.Sort(names)
		want(w.t, "who is mailed", strings.Join(sent, ", "), strings.Join(names, ", "))
	})
}

// TestWaitingCarries: a release sends an edition to a reader for whom only an edition that is too late waits.
func TestWaitingCarries(t *testing.T) {
	each(t, func(w world) {
		w.released(1)
		now := parisMidnight.Add(day)
		for _, recovered := range []bool{false, true} {
			if recovered {
				w.recoverDead(now)
			}
			counts, err := w.Operator.CountWaiting(w.ctx(), now)
			w.ok(err)
			want(w.t, fmt.Sprint("counted, recovered: ", recovered), counts, store.FenceCounts{Editions: 1})
			waiting, err := w.Operator.WaitingReaders(w.ctx(), now, 100)
			w.ok(err)
			want(w.t, "who waits", fmt.Sprint(waiting),
				fmt.Sprint([]store.FenceReader{{Email: "reader0@example.org", DueAt: now}}))
		}
		w.hour(now)
		want(w.t, "sent", len(w.send(now)), 1)
	})
}
