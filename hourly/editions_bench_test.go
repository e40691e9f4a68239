package hourly_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/mailer"
)

// claimAtOnce is how many editions a mailer with its default of connections claims.
const claimAtOnce = 80

// BenchmarkEditions is the midnight of 20,000 readers with 15 posts each, all
// of it but SMTP: release, claim, read, render each post once and each edition,
// its body in a row as its message has it.
// It runs one step after the other, so the figure is that of one core. The
// limit is what cannot be left out: the posts' keys in one ordered scan, and
// one copy of each edition's bytes.
func BenchmarkEditions(b *testing.B) {
	const readers, feeds, each, posts = 20_000, 1000, 5, 3
	eachCrowd(b, readers, each, addresses(feeds, 80), func(b *testing.B, c *crowd) {
		var r race
		for b.Loop() {
			now := c.nextMidnight(b, posts)
			var typical mailer.Letter
			ours := timed(func() {
				c.release(b, now)
				typical = c.printAll(b, now)
			})
			limit := timed(func() { c.scanAndCopy(b, now, each*posts, typical) })
			r.ours, r.limit, r.done = r.ours+ours, r.limit+limit, r.done+readers
		}
		r.report(b, "editions/s")
	})
}

// printAll claims and prints every edition that is due and gives the last.
func (c *crowd) printAll(b *testing.B, now time.Time) (last mailer.Letter) {
	b.Helper()
	builder, printed := c.renderer(), 0
	for {
		claimed, err := c.ClaimEditions(b.Context(), now,
			digest.Claim{Most: claimAtOnce, Lease: time.Hour, Token: now.String()})
		ok(b, err)
		if len(claimed) == 0 {
			break
		}
		out, err := builder.Render(b.Context(), claimed)
		ok(b, err)
		for _, l := range out {
			inARow(l)
		}
		printed += len(out)
		last = out[len(out)-1]
	}
	if printed != c.readers {
		b.Fatalf("%d editions were printed, want %d", printed, c.readers)
	}
	return last
}

// inARow is a letter's body as its message has it.
func inARow(l mailer.Letter) string {
	return strings.Join(slices.Concat(l.Encoded.Text, l.Encoded.HTML), "")
}

// scanAndCopy is the limit of BenchmarkEditions.
func (c *crowd) scanAndCopy(b *testing.B, now time.Time, posts int, typical mailer.Letter) {
	b.Helper()
	rows, err := c.db.QueryContext(b.Context(), `SELECT digest_id, post_id FROM digest_posts WHERE visible_at = `+
		seconds(now)+` ORDER BY digest_id, visible_at, post_id`)
	ok(b, err)
	defer rows.Close()
	copied, n, body := 0, 0, inARow(typical)
	var key sql.RawBytes
	for ; rows.Next(); n++ {
		var reader digest.DigestID
		ok(b, rows.Scan(&reader, &key))
		if n%posts == 0 {
			copied += len(strings.Clone(body))
		}
	}
	ok(b, rows.Err())
	if n != c.readers*posts || copied == 0 {
		b.Fatalf("%d rows, want %d", n, c.readers*posts)
	}
}
