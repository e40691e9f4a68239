package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"digest"
	"digest/store/storetest"
)

// suppressReader suppresses the address of released's i-th reader.
func (w world) suppressReader(i int, evidence string) {
	w.Helper()
	w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{
		Email: fmt.Sprintf("READER%d@example.org", i), Reason: digest.ForOperator, Evidence: evidence, CreatedAt: noon,
	}))
}

// An address is looked up when its edition is created, claimed, and about to be sent.
func TestSuppressionAtEveryMoment(t *testing.T) {
	each(t, func(w world) {
		w.suppressReader(0, "asked by\nletter")
		ds := w.released(4)
		now := parisMidnight
		w.holds("made, and not to be sent", 1, `SELECT count(*) FROM editions WHERE state = 'unmailed'`)
		w.suppressReader(1, "")
		got := w.claimEditions(now, 9, "t")
		want(w, "claimed", len(got), 2)
		w.suppressReader(2, "")
		won := w.dot(now, "t", got[0].ID, got[1].ID)
		want(w, "allowed to be sent", len(won), 1)
		want(w, "the one who is not", w.edition(won[0]).DigestID, ds[3].ID)
		for i, wanted := range []string{
			"unmailed the address is suppressed: by the operator (asked by letter)",
			"unmailed the address is suppressed: by the operator",
			"unmailed the address is suppressed: by the operator", "dotting ",
		} {
			list := must(w.Editions.Editions(w.ctx, ds[i].ID, 1))
			want(w, fmt.Sprint("reader ", i), fmt.Sprint(list[0].State, " ", list[0].Error), wanted)
			want(w, "stands in the web view", w.editions(ds[i]), "2026-11-20 p")
		}
		want(w, "the lease is over", len(w.dot(now, "t", got[0].ID)), 0)
		want(w, "nothing more", len(w.claimEditions(now, 9, "u")), 0)
	})
}

// A reader who gets email again gets new posts, and the posts of expired editions. No edition is created only for
// posts that cannot be sent.
func TestUnsuppressed(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		f := w.feedAgain(digest.Feed{URL: "https://f.example/feed"})
		w.recoverDead(parisMidnight.Add(20 * time.Hour))
		w.suppressReader(0, "")
		want(w, "nothing for what expired alone", w.hour(parisMidnight.Add(day)), 0)
		w.record(parisMidnight.Add(day), f, posts(parisMidnight.Add(day), "q"))
		want(w, "the paper goes on", w.hour(parisMidnight.Add(2*day)), 1)
		w.ok(w.Editions.Unsuppress(w.ctx, "reader0@EXAMPLE.org"))
		want(w, "carried when it can be sent", w.hour(parisMidnight.Add(3*day)), 1)
		want(w, "all", w.shown(d), "2026-11-20 p; 2026-11-22 q; 2026-11-23 +p")
		want(w, "mailed", len(w.claimEditions(parisMidnight.Add(3*day), 9, "t")), 1)
	})
}

// After a suppression for soft bounces, a reader starts with none, so that the next one does not suppress them. A
// repeated report about an old edition does not either.
func TestUnsuppressedAfterSoftBounces(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		f := w.feedAgain(digest.Feed{URL: "https://f.example/feed"})
		midnight := parisMidnight
		send := func() digest.EditionID {
			w.send(midnight)
			list := w.latest(d)
			return list.ID
		}
		var old digest.EditionID
		for range 8 {
			old = send()
			w.bounced(midnight, old, digest.SoftBounce)
			midnight = midnight.Add(day)
			w.record(midnight.Add(-time.Hour), f, posts(midnight.Add(-time.Hour), midnight.String()))
			w.hour(midnight)
		}
		w.ok(w.Editions.Unsuppress(w.ctx, "reader0@example.org"))
		w.bounced(midnight, old, digest.SoftBounce)
		midnight = midnight.Add(day)
		w.record(midnight.Add(-time.Hour), f, posts(midnight.Add(-time.Hour), midnight.String()))
		w.hour(midnight)
		w.bounced(midnight, send(), digest.SoftBounce)
		_, ok := must2(w.Editions.Suppressed(w.ctx, "reader0@example.org"))
		want(w, "suppressed again", ok, false)
	})
}

func TestSuppressions(t *testing.T) {
	each(t, func(w world) {
		u, _ := must2(w.Readers.AddUser(w.ctx, "Ada@Example.org", "UTC", noon))
		steps := []digest.Reason{digest.ForHardBounce, digest.ForSoftBounces, digest.ForComplaint, digest.ForHardBounce,
			digest.ForOperator, digest.ForComplaint}
		stays := []digest.Reason{digest.ForHardBounce, digest.ForHardBounce, digest.ForComplaint, digest.ForComplaint,
			digest.ForOperator, digest.ForOperator}
		for i, reason := range steps {
			now := noon.Add(time.Duration(i) * time.Hour)
			w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: "ada@example.ORG", Reason: reason,
				Evidence: string(reason), EditionID: digest.EditionID(i), CreatedAt: now}))
			got, ok := must2(w.Editions.Suppressed(w.ctx, "ADA@example.org"))
			want(w, fmt.Sprint("after ", reason), fmt.Sprint(ok, got.Reason, got.Evidence),
				fmt.Sprint(true, stays[i], stays[i]))
		}
		w.ok(w.Editions.Suppress(w.ctx, digest.Suppression{Email: "eve@example.org", Reason: digest.ForOperator,
			CreatedAt: noon.Add(time.Minute)}))
		all := storetest.All(w, w.Editions.Suppressions(w.ctx))
		want(w, "the latest first", all[0].Email+" "+all[1].Email, "ada@example.org eve@example.org")
		users := storetest.All(w, w.Readers.Users(w.ctx))
		want(w, "in the list of users", users[0].Suppressed != nil &&
			users[0].Suppressed.Reason == digest.ForOperator, true)
		w.ok(w.Readers.RemoveUser(w.ctx, u.ID, noon))
		_, ok := must2(w.Editions.Suppressed(w.ctx, "ada@example.org"))
		want(w, "it outlives its reader", ok, true)
		w.ok(w.Editions.Unsuppress(w.ctx, "Ada@example.org"))
		oneLine(w, w.Editions.Unsuppress(w.ctx, "ada@example.org"), digest.NotFound)
		_, ok = must2(w.Editions.Suppressed(w.ctx, "ada@example.org"))
		want(w, "mailed again", ok, false)
		oneLine(w, w.Editions.Suppress(w.ctx, digest.Suppression{Email: "ada", Reason: digest.ForOperator}),
			digest.Invalid)
		oneLine(w, w.Editions.Suppress(w.ctx, digest.Suppression{Email: "ada@example.org", Reason: "odd"}),
			digest.Invalid)
	})
}

func TestDKIMKeys(t *testing.T) {
	each(t, func(w world) {
		add := func(domain, selector string) bool {
			w.Helper()
			active := must(w.Editions.AddDKIMKey(w.ctx,
				digest.DKIMKey{Domain: domain, Selector: selector, PrivateKey: []byte{1, 0, 255}, CreatedAt: noon}))
			return active
		}
		list := func() string {
			w.Helper()
			all := must(w.Editions.DKIMKeys(w.ctx))
			var out []string
			for _, k := range all {
				want(w, "bytes", string(k.PrivateKey), "\x01\x00\xff")
				want(w, "made", k.CreatedAt, noon)
				out = append(out, fmt.Sprint(k.Domain, " ", k.Selector, " ", k.Active))
			}
			return strings.Join(out, ", ")
		}
		want(w, "the first signs at once", add("example.org", "a"), true)
		want(w, "the second waits", add("example.org", "b"), false)
		want(w, "another domain's first", add("example.com", "b"), true)
		want(w, "keys", list(), "example.com b true, example.org a true, example.org b false")
		oneLine(w, err2(w.Editions.AddDKIMKey(w.ctx, digest.DKIMKey{Domain: "example.org", Selector: "a",
			PrivateKey: []byte{2},
			CreatedAt:  noon})), digest.Conflict)
		oneLine(w, w.Editions.RemoveDKIMKey(w.ctx, "example.org", "a"), digest.Conflict)
		w.ok(w.Editions.UseDKIMKey(w.ctx, "Example.org", "b"))
		want(w, "used", list(), "example.com b true, example.org a false, example.org b true")
		oneLine(w, w.Editions.UseDKIMKey(w.ctx, "example.org", "c"), digest.NotFound)
		w.ok(w.Editions.RemoveDKIMKey(w.ctx, "example.org", "a"))
		oneLine(w, w.Editions.RemoveDKIMKey(w.ctx, "example.org", "a"), digest.NotFound)
		want(w, "left", list(), "example.com b true, example.org b true")
		w.ok(w.Editions.RemoveDKIMKey(w.ctx, "example.com", "b"))
		want(w, "the last may go", list(), "example.org b true")
	})
}

// If several workers create the first key of a domain concurrently, one key signs.
func TestDKIMKeysMadeAtOnce(t *testing.T) {
	each(t, func(w world) {
		const domains, keys = 20, 8
		for d := range domains {
			var all sync.WaitGroup
			begin := make(chan struct{})
			for k := range keys {
				all.Go(func() {
					<-begin
					_, err := w.Editions.AddDKIMKey(w.ctx, digest.DKIMKey{
						Domain: fmt.Sprintf("d%d.example", d), Selector: fmt.Sprintf("k%d", k),
						PrivateKey: []byte("key"), CreatedAt: noon,
					})
					if err != nil {
						w.Error(err)
					}
				})
			}
			close(begin)
			all.Wait()
		}
		w.holds("one of each signs", domains, `SELECT count(*) FROM dkim_keys WHERE active = 1`)
	})
}
