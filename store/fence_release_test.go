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
		undo := must(w.Operator.FenceSource(w.ctx, "a copy was begun"))
		want(w, "one that nobody has worked on yet", w.beat(home, noon).Reason, "a copy was begun")
		w.ok(undo(w.ctx))
		want(w, "whose copy failed", w.beat(home, noon).Reason, "")

		undo = must(w.Operator.FenceSource(w.ctx, "a copy was begun"))
		for _, base := range []string{home, "https://other.example.org"} {
			f := w.beat(base, noon.Add(time.Minute))
			want(w, base, f.Reason, "a copy was begun")
			want(w, "last used", f.BaseURL+" "+f.Beat.String(), home+" "+noon.String())
		}
		again := must(w.Operator.FenceSource(w.ctx, "it moved"))
		want(w, "moved", w.beat(home, noon.Add(2*time.Minute)).Reason, "it moved")
		w.ok(undo(w.ctx))
		want(w, "undone too late", w.beat(home, noon.Add(2*time.Minute)).Reason, "it moved")
		w.ok(again(w.ctx))
		want(w, "a second copy failed", w.beat(home, noon.Add(2*time.Minute)).Reason, "a copy was begun")
		w.ok(w.Operator.Unfence(w.ctx, home, noon.Add(3*time.Minute)))
		w.ok(undo(w.ctx))
		want(w, "released", w.beat(home, noon.Add(3*time.Minute)).Reason, "")
	})
}

// TestUnfenceAfter: editions that were due before the instant stay on the web, in every state of delivery. Later
// ones are mailed.
func TestUnfenceAfter(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		digests := map[string]digest.Digest{}
		for _, name := range []string{"ready", "leased", "dotting", "taken", "lost", "later"} {
			digests[name] = w.reader(name)
			w.subscribe(digests[name], f)
		}
		w.ok(w.Readers.SetDeliverAt(w.ctx, digests["later"].ID, 7*time.Hour)) // 06:00 UTC
		w.posted(f, "old")
		want(w, "sealed", w.hour(parisMidnight), 6)
		ids := map[string]digest.EditionID{}
		for name, d := range digests {
			all := w.latest(d)
			ids[name] = all.ID
		}
		w.claimEditions(parisMidnight, 5, "dead")
		w.dot(parisMidnight, "dead", ids["dotting"], ids["taken"])
		w.mark(parisMidnight, "dead", digest.Mark{ID: ids["taken"], State: digest.EditionSent})
		for name, state := range map[string]string{"ready": "ready", "lost": "expired"} {
			w.exec(`DELETE FROM mail_claims WHERE edition_id = ?`, ids[name])
			w.exec(`UPDATE editions SET state = ?, undelivered = CASE WHEN ? = 'expired' THEN 1
				ELSE 0 END WHERE id = ?`, state, state, ids[name])
		}

		lost := parisMidnight.Add(4 * time.Hour) // 03:00 UTC, when the machine was lost
		sealed := must(w.Operator.UnfenceAfter(w.ctx, home, lost.Add(time.Hour), lost))
		want(w, "sealed and not mailed", sealed, 4)
		for name, state := range map[string]digest.EditionState{
			"ready": "unmailed", "leased": "unmailed", "dotting": "unmailed",
			"taken": "sent", "lost": "unmailed", "later": "ready",
		} {
			e := w.edition(ids[name])
			want(w, name, e.State, state)
			want(w, name+" has a reason", e.Error != "", state == digest.EditionUnmailed)
		}
		now := lost.Add(time.Hour)
		want(w, "mailed at once", len(w.send(now)), 0)
		w.recoverDead(now.Add(time.Hour))
		want(w, "mailed later", len(w.send(parisMidnight.Add(8*time.Hour))), 1)
		for _, name := range []string{"ready", "lost"} {
			want(w, name+" on the web", w.shown(digests[name]), "2026-11-20 old")
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
					d := w.reader(fmt.Sprint("reader", i))
					w.subscribe(d, f)
					w.ok(w.Readers.SetDeliverAt(w.ctx, d.ID, hour))
					digests = append(digests, d)
				}
				w.posted(f, "old")
				now := parisMidnight.Add(tt.released)
				sealed := must(w.Operator.UnfenceAfter(w.ctx, home, now, parisMidnight.Add(tt.before)))
				want(w, "sealed", sealed, 0)
				want(w, "made", w.hour(now), 2)
				var states []string
				for _, d := range digests {
					all := must(w.Editions.Editions(w.ctx, d.ID, 1))
					states = append(states, string(all[0].State))
				}
				want(w, "states", strings.Join(states, " "), tt.want)
				next := now.Add(day)
				w.record(next.Add(-time.Hour), f, posts(next, "new"))
				w.hour(next)
				for _, d := range digests {
					want(w, "the next one", must(w.Editions.Editions(w.ctx, d.ID, 1))[0].State, digest.EditionReady)
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
				w.subscribe(w.reader(name), f)
			}
			if sealed {
				w.posted(f, "old")
				w.hour(parisMidnight)
				w.exec(`UPDATE digests SET next_due_at = next_due_at + 8640000`)
			}
		}
		now := parisMidnight.Add(time.Hour)
		for i, name := range []string{"webonly", "suppressed", "paused", "left", "late"} {
			for _, suffix := range []string{"", "-due"} {
				u := must(w.Readers.UserByEmail(w.ctx, name+suffix+"@example.org"))
				d := must(w.Readers.DigestOf(w.ctx, u.ID))
				w.ok([]func() error{
					func() error { return w.Exec(w.ctx, `UPDATE digests SET mailed = 0 WHERE id = ?`, d.ID) },
					func() error {
						complaint := digest.Suppression{Email: u.Email, Reason: digest.ForComplaint, CreatedAt: noon}
						return w.Editions.Suppress(w.ctx, complaint)
					},
					func() error { return w.Readers.SetDigestState(w.ctx, d.ID, digest.DigestPaused, now) },
					func() error {
						return w.Exec(w.ctx, fmt.Sprintf(`UPDATE digests SET state = 'left' WHERE id = %d`, d.ID))
					},
					func() error {
						return w.Exec(w.ctx, `UPDATE editions SET expires_at = ? WHERE digest_id = ?`, now.Unix(),
							d.ID)
					},
				}[i]())
			}
		}
		silent := w.feed("silent.example")
		w.reader("no-feeds")
		w.subscribe(w.reader("nothing-new"), silent)
		allPaused, told := w.reader("all-feeds-paused"), w.reader("notice-due")
		w.subscribe(allPaused, silent)
		w.pauseFeed(allPaused, silent)
		w.exec(`INSERT INTO notices (digest_id, visible_at, feed_id, kind) VALUES (?, ?, ?, 'gone')`,
			told.ID, parisMidnight.Unix(), f.ID)

		waiting := must(w.Operator.WaitingReaders(w.ctx, now, 100))
		want(w, "counted", must(w.Operator.CountWaiting(w.ctx, now)), store.FenceCounts{Editions: 5, IfNews: 1})
		var names []string
		for _, r := range waiting {
			names = append(names, fmt.Sprintf("%s %d", strings.TrimSuffix(r.Email, "@example.org"), r.Editions()))
		}
		// The edition of a paused digest was made before the pause, so it is mailed. The next edition carries one
		// that is too late.
		want(w, "who waits", strings.Join(names, ", "), "late-due 1, mailed-due 1, mailed 1, notice-due 1, paused 1")
		w.hour(now)
		var sent []string
		for _, d := range w.send(now) {
			sent = append(sent, strings.TrimSuffix(d.Email, "@example.org")+" 1")
		}
		slices.Sort(sent)
		slices.Sort(names)
		want(w, "who is mailed", strings.Join(sent, ", "), strings.Join(names, ", "))
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
			counts := must(w.Operator.CountWaiting(w.ctx, now))
			want(w, fmt.Sprint("counted, recovered: ", recovered), counts, store.FenceCounts{Editions: 1})
			want(w, "who waits", fmt.Sprint(must(w.Operator.WaitingReaders(w.ctx, now, 100))),
				fmt.Sprint([]store.FenceReader{{Email: "reader0@example.org", DueAt: now}}))
		}
		w.hour(now)
		want(w, "sent", len(w.send(now)), 1)
	})
}
