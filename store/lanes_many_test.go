package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// Claims and NextMail work with more paused domains than one statement can name.
func TestMoreDomainsRestThanAStatementNames(t *testing.T) {
	each(t, func(w world) {
		const domains = 40_000
		until := noon.Add(time.Hour)
		w.exec(`INSERT INTO lanes (name, until_at, changed_at, failures)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT 'd' || i || '.example', ?, ?, 1 FROM n`, domains, until.Unix(), noon.Unix())
		for i := range 30 {
			w.waits(fmt.Sprintf("d%d.example", 1+i*1300), 4)
		}
		for _, at := range []time.Time{noon, until.Add(-time.Second)} {
			got := must(w.Editions.ClaimEditions(w.ctx, at, digest.Claim{Most: 20, Lease: time.Minute, Token: "t"}))
			want(w, "at rest", len(got), 0)
		}
		want(w, "next", w.nextMail(noon, digest.Limits{}, digest.Limits{}), until)
		want(w, "then, of domains", len(w.claimed(until, digest.Claim{Most: 200, Token: "t"})), 30)
	})
}

// Prune keeps the used part of a rate while it counts.
func TestRatesOutliveWhatIsForgotten(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 9)
		q := digest.Claim{Most: 9, Token: "t", Domain: perMinute(11)} // one, and then one every six seconds
		want(w, "one", w.claimed(noon, q)["a.example"], 1)
		w.pruneOnce(noon, 30*day, 10)
		must(w.Editions.ChangeLane(w.ctx, noon, "a.example", func(l digest.Lane) digest.Lane { return l }))
		want(w, "no other", w.claimed(noon.Add(5*time.Second), q)["a.example"], 0)
		w.pruneOnce(noon.Add(time.Minute), 30*day, 10)
		w.holds("forgotten when it does not", 0, `SELECT count(*) FROM lanes`)
	})
}

// A recovering lane is limited by its width, even if its limit is higher.
func TestWidthBelowConnections(t *testing.T) {
	each(t, func(w world) {
		w.waits("a.example", 9)
		w.ok(w.Editions.SetLimits(w.ctx, noon, "a.example", digest.Limits{Connections: 4}))
		for width, wanted := range map[int]int{2: 2, 7: 4} {
			must(w.Editions.ChangeLane(w.ctx, noon, "a.example",
				func(l digest.Lane) digest.Lane { l.Width = width; return l }))
			want(w, "at once", w.claimed(noon, digest.Claim{Most: 9, Token: "t"})["a.example"], wanted)
			w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		}
	})
}

// An edition is not claimed again if its reader left during the claim.
func TestLeftWhileClaimed(t *testing.T) {
	each(t, func(w world) {
		d := w.released(1)[0]
		e := w.claimEditions(parisMidnight, 9, "t")[0]
		w.setState(d, digest.DigestLeft, parisMidnight)
		w.ok(w.Editions.GiveBackEditions(w.ctx, "t"))
		want(w, "claimed", len(w.claimEditions(parisMidnight, 9, "t")), 0)
		want(w, "over", w.edition(e.ID).State, digest.EditionFailed)
	})
}
