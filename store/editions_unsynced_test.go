package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestUnsynced: MarkEditionsUnsynced checks tokens as MarkEditions does, counts each edition once, and does not change
// the settings of the connection.
func TestUnsynced(t *testing.T) {
	each(t, func(w world) {
		w.released(6)
		now := parisMidnight
		got := w.claimEditions(now, 9, "t")
		dot := func(e digest.Delivery) digest.Dot {
			return digest.Dot{ID: e.ID, MessageID: fmt.Sprintf("%d@example.org", e.ID), Date: now, Recipient: e.Email}
		}
		sent := func(e digest.Delivery) digest.Mark {
			return digest.Mark{ID: e.ID, State: digest.EditionSent, Reply: "250 it's ok"}
		}
		soon := func(token string, marks []digest.Mark, dots ...digest.Dot) string {
			w.Helper()
			won := must(w.Editions.MarkEditionsUnsynced(w.ctx, now, token, marks, dots))
			return fmt.Sprint(won)
		}
		ids := func(list ...digest.EditionID) string { return fmt.Sprint(list) }
		w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: got[3].Email, Reason: digest.ForOperator}))

		want(w, "another's token", soon("u", nil, dot(got[0])), ids())
		want(w, "mine", soon("t", nil, dot(got[0])), ids(got[0].ID))
		want(w, "once", soon("t", nil, dot(got[0])), ids())
		want(w, "another's mark", soon("u", []digest.Mark{sent(got[0])}, dot(got[1])), ids())
		want(w, "the promise", w.edition(got[0].ID).State, digest.EditionDotting)
		for range 2 {
			soon("t", []digest.Mark{sent(got[0])}, dot(got[1]))
		}
		w.mark(now, "t", sent(got[0]))
		at := w.edition(got[0].ID)
		want(w, "sent", [3]string{string(at.State), at.Reply, at.MessageID},
			[3]string{"sent", "250 it's ok", dot(got[0]).MessageID})
		want(w, "when", at.SentAt, now)
		want(w, "the next", w.edition(got[1].ID).State, digest.EditionDotting)
		want(w, "suppressed", soon("t", nil, dot(got[2]), dot(got[3])), ids(got[2].ID))
		want(w, "unmailed", w.edition(got[3].ID).State, digest.EditionUnmailed)
		want(w, "a mark of what the dot of which was lost", soon("t", []digest.Mark{sent(got[4])}, dot(got[5])),
			ids(got[5].ID))
		want(w, "which is sent", w.edition(got[4].ID).State, digest.EditionSent)
		later := digest.Mark{ID: got[1].ID, State: digest.EditionReady, NextAt: now, Reply: "451 later"}
		soon("t", []digest.Mark{later}, dot(got[1]))
		want(w, "another mark", w.edition(got[1].ID).State, digest.EditionReady)

		// The worker dies. Another one records the accepted edition.
		want(w, "open", w.claims(), 3)
		w.recover(now.Add(time.Hour))
		want(w, "what was in doubt, and what is known",
			[2]digest.EditionState{w.edition(got[5].ID).State, w.edition(got[4].ID).State},
			[2]digest.EditionState{digest.EditionReady, digest.EditionSent})
		want(w, "accepted", w.edition(got[4].ID).SentAt, now)
		want(w, "over", w.claims(), 0)

		n := 0
		counts := must(w.Operator.HourCounters(w.ctx, now))
		for _, c := range counts {
			if c.Kind == store.CounterMail+"sent" {
				n += int(c.N)
			}
		}
		want(w, "counted", n, 2)
		inside, after := must2(w.Synced(w.ctx))
		want(w, "waits inside, and afterwards", [2]bool{inside, after}, [2]bool{false, true})
	})
}
