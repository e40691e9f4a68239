package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"digest"
)

func (w world) claims() int {
	w.Helper()
	n := w.count(`SELECT count(*) FROM mail_claims`)
	return n
}

// recover runs RecoverEditions as a mailer does.
func (w world) recover(now time.Time) {
	w.Helper()
	must2(w.Editions.RecoverEditions(w.ctx, now, false))
}

// If a reader leaves during a claim, no dot follows, whichever is first.
func TestNoDotAfterLeaving(t *testing.T) {
	each(t, func(w world) {
		ways := []struct {
			what string
			end  func(digest.DigestID, int) error
			want digest.EditionState
		}{
			{"left", func(id digest.DigestID, _ int) error {
				return w.Readers.SetDigestState(w.ctx, id, digest.DigestLeft, parisMidnight)
			}, digest.EditionFailed},
			{"mail off", func(id digest.DigestID, _ int) error {
				return w.Readers.SetMailed(w.ctx, id, false, parisMidnight)
			}, digest.EditionUnmailed},
			{"suppressed", func(_ digest.DigestID, i int) error {
				return w.Editions.Suppress(w.ctx, digest.Suppression{Email: fmt.Sprintf("reader%d@example.org", i),
					Reason: digest.ForOperator})
			}, digest.EditionUnmailed},
		}
		ds := w.released(8 * len(ways))
		var workers sync.WaitGroup
		for i := range ds { // as many claims as editions
			workers.Go(func() {
				if _, err := w.Editions.ClaimEditions(w.ctx, parisMidnight,
					digest.Claim{Most: 1, Lease: time.Minute, Token: "t"}); err != nil {
					w.Error(err)
				}
			})
			workers.Go(func() {
				if err := ways[i%len(ways)].end(ds[i].ID, i); err != nil {
					w.Error(err)
				}
			})
		}
		workers.Wait()
		w.claimEditions(parisMidnight, 99, "t") // ends the waiting editions
		for i, d := range ds {
			e := w.last(d)
			want(w, ways[i%len(ways)].what+": a dot", len(w.dot(parisMidnight, "t", e.ID)), 0)
			want(w, ways[i%len(ways)].what, w.edition(e.ID).State, ways[i%len(ways)].want)
		}
		want(w, "held", w.claims(), 0)
	})
}

// A claim may begin behind a place. If limits keep editions back before it, the claim reads the whole queue.
func TestClaimBehindAPlace(t *testing.T) {
	each(t, func(w world) {
		w.released(4)
		claim := digest.Claim{Most: 1, Lease: time.Minute, Token: "t"}
		first := must(w.Editions.ClaimEditions(w.ctx, parisMidnight, claim))
		place := digest.QueuePlace{NextAt: first[0].NextAt, ID: first[0].ID}
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		claim.After = place
		behind := must(w.Editions.ClaimEditions(w.ctx, parisMidnight, claim))
		want(w, "behind", behind[0].ID > first[0].ID, true)
		claim.Domain.Connections = 3
		want(w, "with limits", must(w.Editions.ClaimEditions(w.ctx, parisMidnight, claim))[0].ID, first[0].ID)
		claim.Domain.Connections = 0
		claim.Most = 9
		rest := must(w.Editions.ClaimEditions(w.ctx, parisMidnight, claim))
		want(w, "the rest", len(rest), 2)
	})
}

// Claims remain valid during a migration.
func TestUpgradeOfClaims(t *testing.T) {
	upgrade(t, 26, func(w world) {
		w.exec(`INSERT INTO users (email, email_key, time_zone, created_at)
			VALUES ('a@example.org', 'a@example.org', 'UTC', 1)`)
		w.exec(fmt.Sprintf(
			`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`,
			noon.Add(day).Unix()))
		for i, state := range []string{"leased", "dotting", "dotting"} {
			w.exec(fmt.Sprintf(
				`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, attempt, message_id, date,
				next_at, expires_at, lease_token, lease_until, dot_at, recipient)
				VALUES (1, '2026-01-0%[1]d', %[1]d, 1, %[1]d, '%[2]s', 1, 'm%[1]d', 7, 1, %[3]d, 't',
				%[4]d, %[4]d, 'a@example.org')`,
				i+1, state, noon.Add(day).Unix(), noon.Unix()))
		}
		w.ok(w.Migrate(w.ctx))
		want(w, "claims", w.claims(), 3)
		w.mark(noon, "t", digest.Mark{ID: 3, State: digest.EditionSent, Reply: "250 ok"})
		want(w, "sent", [2]string{string(w.edition(3).State), w.edition(3).MessageID}, [2]string{"sent", "m3"})
		want(w, "before the dot, and after it", [2]digest.EditionState{w.edition(1).State, w.edition(2).State},
			[2]digest.EditionState{digest.EditionLeased, digest.EditionDotting})
		w.recover(noon.Add(time.Minute))
		want(w, "not begun", [2]any{w.edition(1).State, w.edition(1).Attempt}, [2]any{digest.EditionReady, 0})
		want(w, "not known yet", w.edition(2).State, digest.EditionDotting)
		w.recover(noon.Add(15 * time.Minute))
		want(w, "in doubt", [2]any{w.edition(2).State, w.edition(2).Attempt}, [2]any{digest.EditionReady, 1})
	})
}
