package store_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"digest"
)

// With more domains at rest than a statement can name, a claim and a look at
// the queue still end, and say nothing wrong.
func TestMoreDomainsRestThanAStatementNames(t *testing.T) {
	each(t, func(w world) {
		const domains = 40_000
		until := noon.Add(time.Hour)
		w.ok(w.Exec(w.ctx(), `INSERT INTO lanes (name, until_at, changed_at, failures)
			WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
			SELECT 'd' || i || '.example', ?, ?, 1 FROM n`, domains, until.Unix(), noon.Unix()))
		for i := range 30 {
			w.waits(fmt.Sprintf("d%d.example", 1+i*1300), 4)
		}
		ctx, cancel := context.WithTimeout(w.ctx(), 20*time.Second)
		defer cancel()
		for _, at := range []time.Time{noon, until.Add(-time.Second)} {
			got, err := w.ClaimEditions(ctx, at, digest.Claim{Most: 20, Lease: time.Minute, Token: "t"})
			w.ok(err)
			want(w.t, "at rest", len(got), 0)
		}
		want(w.t, "next", w.nextMail(noon, digest.Limits{}, digest.Limits{}), until)
		want(w.t, "then, of domains", len(w.claimed(until, digest.Claim{Most: 200, Token: "t"})), 30)
	})
}
