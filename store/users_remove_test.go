package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store/storetest"
)

// traces are the columns that connect a row with a reader.
const traces = `'user_id', 'digest_id', 'edition_id', 'email_key'`

// TestNothingOfAReaderStays adds a row for a reader to every table that can have one, and a row for another reader.
// After the first is removed, only the rows of the other remain. A new table fails the test until rows has a
// statement for it.
func TestNothingOfAReaderStays(t *testing.T) {
	rows := map[string]string{ // templates for the reader's key, digest, edition and address
		"users":          "",
		"digests":        "",
		"editions":       "",
		"digest_posts":   "",
		"subscriptions":  "",
		"sessions":       "",
		"sign_in_tokens": "",
		"saved_posts":    "",
		"trips":          "",
		"filters":        "",
		"notices": `INSERT INTO notices (digest_id, visible_at, feed_id, kind)
			VALUES ({digest}, 1, 1, 'gap')`,
		"waiting_digests":      `INSERT INTO waiting_digests (digest_id, feed_id, planned_at) VALUES ({digest}, 1, 1)`,
		"former_subscriptions": `INSERT INTO former_subscriptions (digest_id, feed_id) VALUES ({digest}, 1)`,
		"link_changes": `INSERT INTO link_changes (digest_id, feed_id, setting, old_value, new_value, title,
			changed_at, notify_by) VALUES ({digest}, 0, 'state', 'active', 'left', 'x', 1, 'edition')`,
		"carried_posts": `INSERT INTO carried_posts (edition_id, from_id) VALUES ({edition}, 999)`,
		"bounces": `INSERT INTO bounces (edition_id, kind, email_key, at)
			VALUES ({edition}, 'soft', '{email}', 1)`,
		"filtered_posts": `INSERT INTO filtered_posts (digest_id, due_at, post_id, words)
			VALUES ({digest}, 1, 1, 'w')`,
		"imports": `INSERT INTO imports (digest_id, imported_at, report, first_polls)
			VALUES ({digest}, 1, '{}', '')`,
		"account_quotas": `INSERT INTO account_quotas (digest_id, day, bytes) VALUES ({digest}, 1, 1)`,
		"letter_requests": `INSERT INTO letter_requests (kind, email_key, domain, requested_at)
			VALUES ('sign-in', '{email}', 'example.org', 1)`,
		"sign_ups": `INSERT INTO sign_ups (token_hash, email_key, email, time_zone, expires_at)
			VALUES (?, '{email}', '{email}', 'UTC', 1)`,
		"address_changes": `INSERT INTO address_changes (user_id, email, old_hash, new_hash, created_at,
			expires_at) VALUES ({user}, 'x', ?, ?, 1, 1)`,
		"passkeys": `INSERT INTO passkeys (user_id, credential_id, credential, name, created_at)
			VALUES ({user}, ?, '{}', 'key', 1)`,
		"passkey_challenges": `INSERT INTO passkey_challenges (token_hash, user_id, data, expires_at)
			VALUES (?, {user}, '{}', 1)`,
		"suppressions": `INSERT INTO suppressions (email_key, email, reason, created_at)
			VALUES ('{email}', '{email}', 'manual', 1)`,
		"mail_claims": `INSERT INTO mail_claims (edition_id, lease_token, lease_until)
			VALUES ({edition}, 't', 1)`,

		"reader_tokens": `INSERT INTO reader_tokens (user_id, token_hash, created_at) VALUES ({user}, ?, 1)`,
		"newsletter_roles": `INSERT INTO newsletter_roles (newsletter_id, user_id, role, created_at)
			VALUES ({newsletter}, {user}, 'editor', 1)`,
		"newsletter_tokens": `INSERT INTO newsletter_tokens (newsletter_id, user_id, name, token_hash,
			created_at) VALUES ({newsletter}, {user}, 't', ?, 1)`,
		"memberships": `INSERT INTO memberships (digest_id, newsletter_id, user_id, joined_at, form)
			VALUES ({digest}, {newsletter}, {user}, 1, 'f')`,
		"membership_events": `INSERT INTO membership_events (newsletter_id, email_key, at, kind)
			VALUES ({newsletter}, '{email}', 1, 'joined')`,
		"newsletter_suppressions": `INSERT INTO newsletter_suppressions (newsletter_id, email_key, email, reason, at)
			VALUES ({newsletter}, '{email}', '{email}', 'left', 1)`,
		"join_requests": `INSERT INTO join_requests (token_hash, newsletter_id, email_key, email, time_zone,
			form, requested_at, expires_at) VALUES (?, {newsletter}, '{email}', '{email}', 'UTC', 'f', 1, 1)`,
	}
	ofReaders := columns(t, "sqlite3", storetest.SQLite(t), `SELECT m.name, c.name, c.type, 1 FROM sqlite_schema m
		JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%' AND c.name IN (`+
		traces+`)`)
	for column := range ofReaders { // both databases have the same ones: TestDialectsAgree
		table, _, _ := strings.Cut(column, ".")
		if _, known := rows[table]; !known {
			t.Errorf("rows of %s are a reader's: see that RemoveUser removes them, and say here how one is made", table)
		}
	}
	each(t, func(w world) {
		ds := w.released(2)
		w.exec(`INSERT INTO newsletters (id, slug, name, created_at) VALUES (1, 'n', 'n', 1)`)
		for i, d := range ds {
			w.ownRows(d, byte(i))
			put := strings.NewReplacer("{newsletter}", "1", "{user}", fmt.Sprint(d.UserID), "{digest}",
				fmt.Sprint(d.ID), "{edition}", fmt.Sprint(w.last(d).ID),
				"{email}", fmt.Sprintf("reader%d@example.org", i))
			for table, statement := range rows {
				args := slices.Repeat([]any{[]byte(fmt.Sprint(table, i))}, strings.Count(statement, "?"))
				if statement != "" {
					w.exec(put.Replace(statement), args...)
				}
			}
		}
		was := map[string]int{}
		for table := range rows {
			if was[table] = w.rows(table); was[table] < 2 {
				w.Errorf("%s has %d rows, want one of each reader", table, was[table])
			}
		}
		w.remove(ds[0].UserID, noon)
		for table := range rows {
			left := was[table] / 2
			// Suppressions outlive their reader: the mailbox is the same if someone subscribes it again, and a member
			// who left has left.
			if strings.HasSuffix(table, "suppressions") {
				left = was[table]
			}
			want(w, table, w.rows(table), left)
		}
	})
}

// ownRows adds the rows for which the store has methods.
func (w world) ownRows(d digest.Digest, n byte) {
	w.Helper()
	w.ok(w.Sessions.AddSession(w.ctx, []byte{'s', n}, d.UserID, noon, noon.Add(time.Hour)))
	w.ok(w.Sessions.AddSignIn(w.ctx, []byte{'t', n}, d.UserID, noon, noon.Add(time.Hour)))
	must(w.Subscriptions.AddFilter(w.ctx, digest.Filter{DigestID: d.ID, Words: "w"}, noon))
	must(w.Readers.AddStay(w.ctx, digest.Stay{UserID: d.UserID, From: digest.Date{Year: 2027, Month: 3, Day: 1},
		To: digest.Date{Year: 2027, Month: 3, Day: 2}, TimeZone: "Asia/Tokyo"}, noon))
	refs := must(w.Editions.EditionPosts(w.ctx, []digest.Delivery{{Edition: w.last(d)}}))
	for _, of := range refs {
		w.ok(w.Posts.SavePost(w.ctx, d.UserID, of[0].PostID, parisMidnight))
	}
}

func (w world) last(d digest.Digest) digest.Edition {
	w.Helper()
	list := must(w.Editions.Editions(w.ctx, d.ID, 1))
	return list[0]
}

func (w world) rows(table string) int {
	w.Helper()
	n := w.count(`SELECT count(*) FROM ` + table)
	return n
}
