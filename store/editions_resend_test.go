package store_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestResendEdition: an operator resends sent and failed editions to the reader's current address. Editions in flight,
// or that cannot be sent, are rejected.
func TestResendEdition(t *testing.T) {
	each(t, func(w world) {
		all := w.released(6)
		got := w.claimEditions(parisMidnight, 9, "t")
		w.dot(parisMidnight, "t", got[0].ID, got[1].ID)
		w.mark(parisMidnight, "t",
			digest.Mark{ID: got[0].ID, State: digest.EditionSent, Reply: "250 ok"},
			digest.Mark{ID: got[1].ID, State: digest.EditionUnconfirmed},
			digest.Mark{ID: got[2].ID, State: digest.EditionFailed, Error: "554 no"},
			digest.Mark{ID: got[3].ID, State: digest.EditionExpired, Error: "451 later"},
			digest.Mark{ID: got[4].ID, State: digest.EditionFailed, Error: "554 no"})
		later := parisMidnight.Add(5 * time.Hour)
		refused := func(id digest.EditionID, kind digest.Kind) {
			w.Helper()
			before := w.edition(id)
			if err := w.Editions.ResendEdition(w.ctx, id, later); digest.KindOf(err) != kind {
				w.Errorf("edition %d: %v", id, err)
			}
			want(w, "a refused one", w.edition(id), before)
		}
		refused(got[5].ID, digest.Conflict) // claimed by a mailer
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		refused(got[5].ID, digest.Conflict)
		w.mark(parisMidnight, "u", digest.Mark{ID: got[5].ID, State: digest.EditionSent})
		oneLine(w, w.Editions.ResendEdition(w.ctx, 999, later), digest.NotFound)
		w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: got[4].Email, Reason: digest.ForOperator,
			CreatedAt: later}))
		refused(got[4].ID, digest.Conflict)
		was := w.edition(got[0].ID)
		w.ok(w.Readers.SetEmail(w.ctx, got[0].UserID, "moved@elsewhere.example"))
		for _, e := range got[:4] {
			w.ok(w.Editions.ResendEdition(w.ctx, e.ID, later))
			refused(e.ID, digest.Conflict) // already queued again
		}
		again := w.edition(got[0].ID)
		want(w, "the posts and the instant at which they were due",
			fmt.Sprint(again.DueAt, again.SendAt, again.LocalDate), fmt.Sprint(was.DueAt, was.SendAt, was.LocalDate))
		want(w, "a resent one", fmt.Sprintf("%s %d %q %q %d", again.State, again.Resent, again.MessageID, again.Reply,
			again.Attempt), `ready 1 "" "" 0`)
		claimed := w.claimEditions(later, 9, "v")
		sent := slices.IndexFunc(claimed, func(d digest.Delivery) bool { return d.ID == got[0].ID })
		if sent < 0 || claimed[sent].Email != "moved@elsewhere.example" ||
			claimed[sent].Domain != "elsewhere.example" || claimed[sent].WasInDoubt {
			w.Errorf("%+v", claimed)
		}
		w.dot(later, "v", got[0].ID)
		w.mark(later, "v", digest.Mark{ID: got[0].ID, State: digest.EditionSent, Reply: "250 again"})
		want(w, "its end", w.edition(got[0].ID).Reply, "250 again")
		w.setState(all[0], digest.DigestLeft, later)
		refused(got[0].ID, digest.Conflict)
	})
}

// TestResendWhatWasCarried: an expired edition that another has carried is not resent.
func TestResendWhatWasCarried(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		first := w.claimEditions(parisMidnight, 9, "t")[0]
		w.mark(parisMidnight, "t", digest.Mark{ID: first.ID, State: digest.EditionExpired})
		want(w, "the next one", w.hour(parisMidnight.Add(day)), 1)
		w.sendTo(parisMidnight.Add(day), d)
		if err := w.Editions.ResendEdition(w.ctx, first.ID,
			parisMidnight.Add(day)); digest.KindOf(err) != digest.Conflict {
			w.Errorf("%v", err)
		}
	})
}

// TestQueueFilters: a QueueQuery selects part of the email.
func TestQueueFilters(t *testing.T) {
	each(t, func(w world) {
		w.released(4)
		w.ok(w.Readers.SetEmail(w.ctx, 2, "B_b@other.example"))
		got := w.claimEditions(parisMidnight, 9, "t")
		w.dot(parisMidnight, "t", got[0].ID)
		w.mark(parisMidnight, "t", digest.Mark{ID: got[0].ID, State: digest.EditionSent},
			digest.Mark{ID: got[1].ID, State: digest.EditionFailed, Error: "554 no"},
			digest.Mark{ID: got[2].ID, State: digest.EditionFailed, Error: "554 no"})
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		w.bounced(parisMidnight.Add(time.Hour), got[1].ID, digest.HardBounce)
		for _, test := range []struct {
			q    store.QueueQuery
			want [7]int // counted, waiting, sent, unconfirmed, failed, expired, returned
		}{
			{store.QueueQuery{}, [7]int{4, 1, 0, 0, 2, 0, 1}},
			{store.QueueQuery{State: store.MailSent}, [7]int{4, 0, 1, 0, 0, 0, 0}},
			{store.QueueQuery{State: store.MailFailed}, [7]int{4, 0, 0, 0, 2, 0, 0}},
			{store.QueueQuery{Domain: "other.example"}, [7]int{1, 0, 0, 0, 1, 0, 1}},
			{store.QueueQuery{Part: "READER2"}, [7]int{1, 0, 0, 0, 1, 0, 0}},
			{store.QueueQuery{Part: "b_b@"}, [7]int{1, 0, 0, 0, 1, 0, 1}},
			{store.QueueQuery{Part: "_"}, [7]int{1, 0, 0, 0, 1, 0, 1}},
			{store.QueueQuery{Before: parisMidnight.Add(-time.Second)}, [7]int{}},
			{store.QueueQuery{Before: parisMidnight}, [7]int{4, 1, 0, 0, 2, 0, 0}},
		} {
			q := test.q
			q.Now, q.Most = parisMidnight.Add(time.Minute), 9
			found := must(w.Editions.MailQueue(w.ctx, q))
			n := 0
			for _, k := range found.Counts {
				n += k
			}
			if is := [7]int{n, len(found.Waiting), len(found.Sent), len(found.Unconfirmed), len(found.Failed),
				len(found.Expired), len(found.Returned)}; is != test.want {
				w.Errorf("%+v: %v, want %v", test.q, is, test.want)
			}
		}
	})
}
