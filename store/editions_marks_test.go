package store_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"digest"
)

// released creates n readers in Paris, each with an edition of one post.
func (w world) released(n int) []digest.Digest {
	w.Helper()
	f := w.feed("f.example")
	var digests []digest.Digest
	for i := range n {
		d := w.reader(fmt.Sprint("reader", i))
		w.subscribe(d, f)
		digests = append(digests, d)
	}
	w.posted(f, "p")
	want(w, "released", w.hour(parisMidnight), n)
	return digests
}

func (w world) claimEditions(now time.Time, n int, token string) []digest.Delivery {
	w.Helper()
	claimed := must(w.Editions.ClaimEditions(w.ctx, now, digest.Claim{Most: n, Lease: 5 * time.Minute, Token: token}))
	return claimed
}

func (w world) dot(now time.Time, token string, ids ...digest.EditionID) []digest.EditionID {
	w.Helper()
	var dots []digest.Dot
	for _, id := range ids {
		dots = append(dots, digest.Dot{ID: id, MessageID: fmt.Sprintf("%d@example.org", id), Date: now})
	}
	won := must(w.Editions.MarkEditions(w.ctx, now, token, nil, dots))
	return won
}

func (w world) mark(now time.Time, token string, marks ...digest.Mark) {
	w.Helper()
	w.ok(err2(w.Editions.MarkEditions(w.ctx, now, token, marks, nil)))
}

// recoverDead runs RecoverEditions and returns how many editions are in doubt.
func (w world) recoverDead(now time.Time) int {
	w.Helper()
	n, again, err := w.Editions.RecoverEditions(w.ctx, now, false)
	n += again
	w.ok(err)
	return n
}

func (w world) edition(id digest.EditionID) digest.Edition {
	w.Helper()
	e := must(w.Editions.Edition(w.ctx, id))
	return e
}

func TestDelivery(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		want(w, "before its hour", len(w.claimEditions(parisMidnight.Add(-time.Second), 9, "t")), 0)
		now := parisMidnight
		got := w.claimEditions(now, 9, "t")
		if len(got) != 1 {
			w.Fatalf("claimed %d", len(got))
		}
		e := got[0]
		want(w, "reader", [4]string{e.Email, e.TimeZone, e.DigestName, e.Token},
			[4]string{"reader0@example.org", "Europe/Paris", "Daily Digest", "t"})
		want(w, "keys", e.UserID == d.UserID && e.DigestID == d.ID, true)
		want(w, "attempt", e.Attempt, 1)
		want(w, "state", e.State, digest.EditionLeased)
		want(w, "leased", len(w.claimEditions(now, 9, "u")), 0)
		want(w, "another's token", len(w.dot(now, "u", e.ID)), 0)
		want(w, "mine", fmt.Sprint(w.dot(now, "t", e.ID)), fmt.Sprint([]digest.EditionID{e.ID}))
		want(w, "only once", len(w.dot(now, "t", e.ID)), 0)
		want(w, "the promise", w.edition(e.ID).State, digest.EditionDotting)
		w.mark(now, "u", digest.Mark{ID: e.ID, State: digest.EditionFailed})
		want(w, "another's mark", w.edition(e.ID).State, digest.EditionDotting)
		w.mark(now.Add(time.Second), "t", digest.Mark{ID: e.ID, State: digest.EditionSent, Reply: "250 ok"})
		sent := w.edition(e.ID)
		want(w, "sent", [3]string{string(sent.State), sent.Reply, sent.MessageID},
			[3]string{"sent", "250 ok", fmt.Sprintf("%d@example.org", e.ID)})
		want(w, "when", sent.SentAt, now.Add(time.Second))
		w.mark(now, "t", digest.Mark{ID: e.ID, State: digest.EditionReady})
		want(w, "sent is the end (I6)", w.edition(e.ID).State, digest.EditionSent)
	})
}

func TestDeliveryRetries(t *testing.T) {
	each(t, func(w world) {
		w.released(2)
		got := w.claimEditions(parisMidnight, 9, "t")
		again := parisMidnight.Add(10 * time.Minute)
		w.mark(parisMidnight, "t", []digest.Mark{
			{ID: got[0].ID, State: digest.EditionReady, NextAt: again, Reply: "451 later", Error: "greylisted"},
			{ID: got[1].ID, State: digest.EditionReady, NextAt: again.Add(-time.Minute), Uncounted: true},
		}...)
		want(w, "not yet", len(w.claimEditions(again.Add(-2*time.Minute), 9, "u")), 0)
		next := w.claimEditions(again, 9, "u")
		want(w, "in order of time", next[0].ID, got[1].ID)
		want(w, "attempts", [2]int{next[0].Attempt, next[1].Attempt}, [2]int{1, 2})
		want(w, "why", next[1].Error, "greylisted")
		w.ok(w.Editions.GiveBackEditions(w.ctx, "u"))
		back := w.claimEditions(again, 9, "v")
		want(w, "given back with its attempt", [2]int{back[0].Attempt, back[1].Attempt}, [2]int{1, 2})
		w.mark(again, "v", digest.Mark{ID: back[0].ID, State: digest.EditionFailed, Error: "no such user"})
		want(w, "failed", w.edition(back[0].ID).State, digest.EditionFailed)
	})
}

func TestDeliveryLeaseEnds(t *testing.T) {
	each(t, func(w world) {
		w.released(1)
		id := w.claimEditions(parisMidnight, 9, "dead")[0].ID
		want(w, "lease holds", w.recoverDead(parisMidnight.Add(299*time.Second)), 0)
		want(w, "nobody's", len(w.claimEditions(parisMidnight.Add(299*time.Second), 9, "t")), 0)
		now := parisMidnight.Add(5 * time.Minute)
		want(w, "no doubt", w.recoverDead(now), 0)
		want(w, "again", len(w.claimEditions(now, 9, "t")), 1)
		want(w, "the dead one may not send", len(w.dot(now, "dead", id)), 0)

		w.dot(now, "t", id)
		want(w, "a dot may take its time", w.recoverDead(now.Add(15*time.Minute-time.Second)), 0)
		now = now.Add(15 * time.Minute)
		want(w, "in doubt", w.recoverDead(now), 1)
		second := w.claimEditions(now, 9, "u")
		if len(second) != 1 || !second[0].WasInDoubt {
			w.Fatalf("once more, and known: %+v", second)
		}
		want(w, "same Message-ID and Date", [2]string{second[0].MessageID, second[0].Date.String()},
			[2]string{fmt.Sprintf("%d@example.org", id), parisMidnight.Add(5 * time.Minute).String()})
		w.dot(now, "u", id)
		now = now.Add(15 * time.Minute)
		want(w, "in doubt twice", w.recoverDead(now), 1)
		want(w, "never a third time", w.edition(id).State, digest.EditionUnconfirmed)
		want(w, "nothing left", len(w.claimEditions(now, 9, "v")), 0)
	})
}

func TestDeliveryIdempotent(t *testing.T) {
	each(t, func(w world) {
		w.released(1)
		now := parisMidnight
		for i := range 3 {
			token := fmt.Sprint(i)
			got := w.claimEditions(now, 9, token)
			if len(got) != 1 || got[0].WasInDoubt {
				w.Fatalf("round %d: %+v", i, got)
			}
			w.dot(now, token, got[0].ID)
			w.ok(err3(w.Editions.RecoverEditions(w.ctx, now.Add(time.Second), true)))
			want(w, "while the lease holds", len(w.claimEditions(now, 9, "x")), 0)
			now = now.Add(5 * time.Minute)
			w.ok(err3(w.Editions.RecoverEditions(w.ctx, now, true)))
		}
	})
}

func TestDeliveryTooLate(t *testing.T) {
	each(t, func(w world) {
		w.released(3)
		id := w.claimEditions(parisMidnight, 1, "t")[0].ID
		late := parisMidnight.Add(20 * time.Hour)
		want(w, "none", len(w.claimEditions(late, 1, "u")), 0)
		n := w.count(`SELECT count(*) FROM editions WHERE state = 'expired'`)
		want(w, "expired, though met one by one", n, 2)
		want(w, "not the one in flight", w.edition(id).State, digest.EditionLeased)
	})
}

// The reader leaves in each state of a delivery.
func TestUnsubscribeRace(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(3)
		leave := func(d digest.Digest) {
			w.Helper()
			w.setState(d, digest.DigestLeft, parisMidnight)
		}
		leave(ds[0])
		got := w.claimEditions(parisMidnight, 9, "t")
		want(w, "before the claim", len(got), 2)
		leave(ds[1])
		ids := []digest.EditionID{got[0].ID, got[1].ID}
		won := w.dot(parisMidnight, "t", ids...)
		want(w, "before the dot", len(won), 1)
		want(w, "the one who stayed", w.edition(won[0]).DigestID, ds[2].ID)
		n := w.count(`SELECT count(*) FROM editions WHERE state = 'failed' AND error = 'unsubscribed'`)
		want(w, "both ended", n, 2)
	})
}

// A lease may expire after its reader has left.
func TestUnsubscribeDuringADeadLease(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		id := w.claimEditions(parisMidnight, 9, "dead")[0].ID
		w.setState(d, digest.DigestLeft, parisMidnight)
		now := parisMidnight.Add(time.Hour)
		w.recoverDead(now)
		want(w, "not claimed", len(w.claimEditions(now, 9, "t")), 0)
		want(w, "failed", w.edition(id).State, digest.EditionFailed)
	})
}

func TestClaimEditionsIsExact(t *testing.T) {
	const workers, readers = 8, 120
	each(t, func(w world) {
		w.released(readers)
		var mu sync.Mutex
		var all []digest.EditionID
		var wg sync.WaitGroup
		for i := range workers {
			wg.Go(func() {
				token := fmt.Sprint("w", i)
				for idle := 0; idle < 3; {
					got, err := w.Editions.ClaimEditions(w.ctx, parisMidnight,
						digest.Claim{Most: 7, Lease: time.Minute, Token: token})
					if err != nil {
						w.Error(err)
						return
					}
					if len(got) == 0 {
						idle++
					}
					mu.Lock()
					for _, e := range got {
						all = append(all, e.ID)
					}
					mu.Unlock()
				}
			})
		}
		wg.Wait()
		want(w, "claims", len(all), readers)
		slices.Sort(all)
		want(w, "each once", len(slices.Compact(all)), readers)
	})
}

func TestReadingEditions(t *testing.T) {
	each(t, func(w world) {
		ds := w.released(2)
		got := w.claimEditions(parisMidnight, 9, "t")
		refs := must(w.Editions.EditionPosts(w.ctx, got))
		want(w, "editions", len(refs), len(ds))
		ref := refs[got[1].ID][0]
		all := must(w.Editions.Posts(w.ctx, []digest.PostID{ref.PostID, ref.PostID + 99}))
		p := post("p", noon)
		p.ID, p.FeedID = ref.PostID, ref.FeedID
		want(w, "posts", len(all), 1)
		if diff := cmp.Diff(p, all[0]); diff != "" {
			w.Errorf("post (-want +got)\n%s", diff)
		}
		sources := must(w.Editions.FeedLabels(w.ctx, []digest.FeedID{ref.FeedID, 999}))
		want(w, "source", sources[0], digest.FeedLabel{FeedID: ref.FeedID, Title: "f.example",
			SiteURL: "https://f.example/feed", URL: "https://f.example/feed", Host: "f.example"})
		if _, err := w.Editions.Edition(w.ctx, 999); digest.KindOf(err) != digest.NotFound {
			w.Errorf("no edition: %v", err)
		}
	})
}

// RenewLeases does not extend claims with a dot.
func TestRenewedLeases(t *testing.T) {
	each(t, func(w world) {
		w.released(2)
		got := w.claimEditions(parisMidnight, 9, "t") // for five minutes
		w.dot(parisMidnight, "t", got[0].ID)
		later := parisMidnight.Add(4 * time.Minute)
		w.ok(w.Editions.RenewLeases(w.ctx, later, "another", time.Hour))
		w.ok(w.Editions.RenewLeases(w.ctx, later, "t", 5*time.Minute))
		w.ok(err3(w.Editions.RecoverEditions(w.ctx, later.Add(2*time.Minute), true)))
		want(w, "at its dot", w.edition(got[0].ID).State, digest.EditionReady)
		want(w, "prolonged", w.edition(got[1].ID).State, digest.EditionLeased)
		w.ok(err3(w.Editions.RecoverEditions(w.ctx, later.Add(5*time.Minute), true)))
		want(w, "over", w.edition(got[1].ID).State, digest.EditionReady)
	})
}

// The death of a worker does not count as an attempt.
func TestADeadWorkersAttemptIsNone(t *testing.T) {
	each(t, func(w world) {
		w.released(1)
		now := parisMidnight
		for range 10 {
			want(w, "taken", len(w.claimEditions(now, 1, now.String())), 1)
			now = now.Add(6 * time.Minute)
			w.recoverDead(now)
		}
		want(w, "the first attempt", w.claimEditions(now, 1, "t")[0].Attempt, 1)
	})
}
