package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/store"
)

func TestMailQueue(t *testing.T) {
	each(t, func(w world) {
		w.released(8)
		got := w.claimEditions(parisMidnight, 9, "t")
		w.dot(parisMidnight, "t", got[0].ID)
		again := parisMidnight.Add(time.Hour)
		w.mark(parisMidnight, "t", []digest.Mark{
			{ID: got[0].ID, State: digest.EditionSent, Reply: "250 ok"},
			{ID: got[1].ID, State: digest.EditionReady, NextAt: again, Error: "451 later"},
			{ID: got[2].ID, State: digest.EditionFailed, Error: "554 no"},
			{ID: got[3].ID, State: digest.EditionFailed, Error: "554 never"},
			{ID: got[4].ID, State: digest.EditionUnconfirmed},
			{ID: got[5].ID, State: digest.EditionExpired, Error: "451"},
		}...)
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		look := func(now time.Time, limit int) string {
			w.Helper()
			q := must(w.Editions.MailQueue(w.ctx, store.QueueQuery{Now: now, Most: limit}))
			names := func(list []store.QueuedEdition) (s string) {
				for _, e := range list {
					s += " " + e.Email[:7]
				}
				return s
			}
			return fmt.Sprint(q.Counts, "; waiting", names(q.Waiting), "; unconfirmed", names(q.Unconfirmed),
				"; failed", names(q.Failed), "; expired", names(q.Expired))
		}
		want(w, "all", look(parisMidnight, 9), "map[expired:1 failed:2 ready:3 sent:1 sent_unconfirmed:1]; "+
			"waiting reader1 reader7 reader6; unconfirmed reader4; failed reader3 reader2; expired reader5")
		want(w, "one of each", look(parisMidnight, 1), "map[expired:1 failed:2 ready:3 sent:1 sent_unconfirmed:1]; "+
			"waiting reader1; unconfirmed reader4; failed reader3; expired reader5")
		want(w, "too late", look(parisMidnight.Add(day), 9), "map[expired:4 failed:2 sent:1 sent_unconfirmed:1]; "+
			"waiting; unconfirmed reader4; failed reader3 reader2; expired reader5 reader1 reader7 reader6")
	})
}

// The operator sees bounces, latest first.
func TestMailQueueShowsReturns(t *testing.T) {
	each(t, func(w world) {
		w.released(2)
		got := w.claimEditions(parisMidnight, 9, "t")
		w.bounced(parisMidnight.Add(time.Hour), got[0].ID, digest.RefusedBounce)
		w.bounced(parisMidnight.Add(2*time.Hour), got[1].ID, digest.HardBounce)
		q := must(w.Editions.MailQueue(w.ctx, store.QueueQuery{Now: parisMidnight.Add(day), Most: 9}))
		if len(q.Returned) != 2 {
			w.Fatalf("%+v", q.Returned)
		}
		want(w, "the latest", q.Returned[0], store.Return{
			Bounce: digest.Bounce{Edition: got[1].ID, Kind: digest.HardBounce, Status: "5.1.1", Evidence: "hard of it"},
			Email:  got[1].Email, At: parisMidnight.Add(2 * time.Hour),
		})
		want(w, "the one before", q.Returned[1].Kind, digest.RefusedBounce)
		q = must(w.Editions.MailQueue(w.ctx, store.QueueQuery{Now: parisMidnight.Add(day), Most: 1}))
		want(w, "as many as were asked for", len(q.Returned), 1)
	})
}

func TestMailWaiting(t *testing.T) {
	each(t, func(w world) {
		w.waits("well.example", 3)
		w.waits("rests.example", 2)
		w.exec(`UPDATE editions SET next_at = ?, attempt = 0 WHERE id = 1`, noon.Add(time.Hour).Unix())
		w.exec(`UPDATE editions SET next_at = ?, attempt = 2, error = 'mailbox <full>' WHERE id = 2`,
			noon.Add(time.Hour).Unix())
		w.exec(`UPDATE editions SET next_at = ? WHERE id = 3`, noon.Add(-time.Hour).Unix())
		must(w.Editions.ChangeLane(w.ctx, noon, "rests.example", func(l digest.Lane) digest.Lane {
			l.Until, l.Reason = noon.Add(time.Hour), "busy"
			return l
		}))
		got := must(w.Editions.MailWaiting(w.ctx, noon, 5))
		want(w, "why", fmt.Sprint(got.Counts), "map[due:1 resting:2 retried:1 scheduled:1 sending:0]")
		want(w, "the longest", got.Oldest, noon.Add(-time.Hour))
		want(w, "with trouble", fmt.Sprint(len(got.Troubled), got.Troubled[0].ID, " ", got.Troubled[0].Error),
			"1 2 mailbox <full>")
		w.exec(`UPDATE editions SET state = 'failed' WHERE id IN (1, 2)`)
		got = must(w.Editions.MailWaiting(w.ctx, noon, 1))
		want(w, "given up, the latest", fmt.Sprint(len(got.GivenUp), got.GivenUp[0].ID), "1 2")
	})
}
