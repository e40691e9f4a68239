package store_test

import (
	"fmt"
	"slices"
	"testing"

	"digest"
	"digest/store/storetest"
)

// Lists of more than a page are complete and in order, also if many rows have the same sort key.
func TestLongLists(t *testing.T) {
	each(t, func(w world) {
		const n = 2000
		var urls, emails []string
		for i := range n {
			urls = append(urls, fmt.Sprintf("https://f.example/%04d", i))
			emails = append(emails, fmt.Sprintf("r%04d@example.org", i))
		}
		const count = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 2000) `
		padded := `substr(CAST(10000 + i AS TEXT), 2)`
		w.exec(`INSERT INTO feeds (url, host) ` + count + `SELECT 'https://f.example/' || ` +
			padded + `, 'f.example' FROM n`)
		w.exec(`INSERT INTO users (email, email_key, time_zone, created_at) ` + count +
			`SELECT 'r' || ` + padded + ` || '@example.org', 'r' || ` +
			padded + ` || '@example.org', 'Europe/Paris', 0 FROM n`)
		w.exec(`INSERT INTO digests (user_id, name, next_due_at) SELECT id, '', ? FROM users ORDER BY id`,
			parisMidnight.Unix())
		w.exec(`INSERT INTO subscriptions (digest_id, feed_id, created_at)
			SELECT d.id, f.id, 0 FROM digests d CROSS JOIN feeds f WHERE d.id % 500 = 0 AND f.id % 100 = 0`)
		w.exec(`INSERT INTO suppressions (email_key, email, reason, edition_id, created_at)
			SELECT email_key, email, 'hard_bounce', 0, 7 - id / 700 FROM users`)

		feeds := storetest.All(w, w.Feeds.Feeds(w.ctx))
		users := storetest.All(w, w.Readers.Users(w.ctx))
		suppressions := storetest.All(w, w.Editions.Suppressions(w.ctx))
		var gotURLs, gotEmails, suppressed []string
		for i, f := range feeds {
			gotURLs = append(gotURLs, f.URL)
			readers := 0
			if f.ID%100 == 0 {
				readers = 4
			}
			if f.Subscribers != readers || f.NextDueAt.Equal(parisMidnight) != (readers > 0) {
				w.Errorf("feed %d has %d readers, next %v", i, f.Subscribers, f.NextDueAt)
			}
		}
		for i, u := range users {
			gotEmails = append(gotEmails, u.Email)
			if u.Suppressed == nil || u.Suppressed.Email != u.Email ||
				(u.Subscriptions == 20) != (u.Digest.ID%500 == 0) {
				w.Errorf("user %d: %+v", i, u)
			}
		}
		for _, s := range suppressions {
			suppressed = append(suppressed, s.Email)
		}
		want(w, "feeds", slices.Equal(gotURLs, urls), true)
		want(w, "users", slices.Equal(gotEmails, emails), true)
		want(w, "suppressions, the latest first", slices.IsSortedFunc(suppressions,
			func(a, b digest.Suppression) int { return b.CreatedAt.Compare(a.CreatedAt) }), true)
		slices.Sort(suppressed)
		want(w, "each of them once", slices.Equal(suppressed, emails), true)
		zones := must(w.Readers.Zones(w.ctx, 2))
		want(w, "zones", fmt.Sprint(zones), "[{Europe/Paris 2000 [r0000@example.org r0001@example.org]}]")
		want(w, "of a host", len(must(w.Feeds.FeedsOfHost(w.ctx, "f.example"))), n)
	})
}
