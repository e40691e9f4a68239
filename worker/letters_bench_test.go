package worker_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"digest"
	"digest/store"
)

// BenchmarkLetters sends the letters of a newsletter with 4,000 members in one time zone to an SMTP server
// on this machine: release, claim, read, render, send, mark. With DIGEST_BENCH_LARGE there are 20,000
// members. The bound is the bound of BenchmarkDelivery.
func BenchmarkLetters(b *testing.B) {
	const connections, posts = 16, 3
	members := 4000
	if os.Getenv("DIGEST_BENCH_LARGE") != "" {
		members = 20000
	}
	eachCrowd(b, members+1, 1, addresses(1, 5), func(b *testing.B, c *crowd) {
		c.join(b)
		loop, address := c.smtpLoop(b, connections)
		c.night++ // skips the publisher's own midnight
		var r race
		var released time.Duration
		for b.Loop() {
			now := c.nextMidnight(b, posts)
			released += timed(func() { c.release(b, now) })
			message := c.typical(b, now)
			r.run(members, func() { deliver(b, loop, now, members) },
				func() { sendBare(b, address, connections, members, message) })
		}
		r.ours += released
		r.report(b, "letters/s")
	})
}

// join makes the first reader the publisher of a newsletter with all feeds, and the others its members, who
// read nothing else. The readers exist before, so that SQLite's statistics about them are right.
func (c *crowd) join(b *testing.B) {
	b.Helper()
	u, err := c.Readers.UserByEmail(b.Context(), "reader1@example.org")
	ok(b, err)
	n, err := c.Newsletters.AddNewsletter(b.Context(),
		digest.Newsletter{Slug: "boats", Name: "Boats", Cadence: digest.Daily,
			State: digest.NewsletterActive,
			Look:  digest.Look{Layout: digest.Excerpts, Images: digest.NoImages}}, u.ID, eve)
	ok(b, err)
	for _, f := range c.feeds {
		ok(b, c.Newsletters.AddNewsletterFeed(b.Context(), n.ID, digest.Subscription{FeedID: f.ID}, eve))
	}
	var all []store.Joining
	for i := range c.readers - 1 {
		all = append(all, store.Joining{Email: fmt.Sprintf("reader%d@example.org", i+2), TimeZone: "UTC", Asked: true})
	}
	_, err = c.Members.JoinAll(b.Context(), n.ID, all, eve)
	ok(b, err)
	_, err = c.db.ExecContext(b.Context(), `UPDATE digests SET state = 'left' WHERE newsletter_id IS NULL`)
	ok(b, err)
}
