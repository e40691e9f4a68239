package worker_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/mailer"
)

// claimAtOnce is the number of editions that a mailer claims with its default number of connections.
const claimAtOnce = 80

// BenchmarkEditions is a midnight of 20,000 readers with 15 posts each, without SMTP: release, claim, read,
// render each post once and each edition, and join its body as a message has it. It runs one step after the
// other, on one core. The bound is the minimum: the posts' keys in one ordered scan, and one copy of each
// edition's bytes.
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

// printAll claims and prints every due edition and returns the last.
func (c *crowd) printAll(b *testing.B, now time.Time) (last mailer.Letter) {
	b.Helper()
	builder, printed := c.renderer(), 0
	for {
		claimed, err := c.Editions.ClaimEditions(b.Context(), now,
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

func inARow(l mailer.Letter) string {
	return strings.Join(slices.Concat(l.Encoded.Text, l.Encoded.HTML), "")
}

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
