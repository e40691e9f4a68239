package store_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"digest"
	format "digest/internal/backup"
	"digest/store/storetest"
	"digest/test/tier"
)

// beforeNames is the last schema before migration 90, which renames tables and columns.
const beforeNames = 89

// fillNames puts a row into each table that migration 90 renames, or in which it renames columns.
func fillNames(w world) {
	w.Helper()
	exec := func(statement string, args ...any) {
		w.Helper()
		w.exec(statement, args...)
	}
	key := []byte{1, 2, 3}
	exec(`INSERT INTO users (id, email, email_key, time_zone, home_zone, created_at)
		VALUES (1, 'a@example.org', 'a@example.org', 'Asia/Tokyo', 'Europe/Paris', 1)`)
	exec(`INSERT INTO newsletters (id, slug, name, send_delay, weekdays, created_at)
		VALUES (3, 'boats', 'Boats', 3600, 5, 1)`)
	exec(`INSERT INTO newsletter_roles (newsletter_id, user_id, role, created_at) VALUES (3, 1, 'owner', 1)`)
	exec(`INSERT INTO digests (id, user_id, name, next_due_at, last_due_at, send_delay, weekdays, state)
		VALUES (2, 1, 'Daily Digest', ?, ?, 25200, 127, 'active')`,
		parisMidnight.Unix(), parisMidnight.Add(-day).Unix())
	exec(`INSERT INTO users (id, email, email_key, time_zone, created_at)
		VALUES (2, 'p@example.org', 'p@example.org', 'Europe/Paris', 1)`)
	exec(`INSERT INTO digests (id, user_id, name, next_due_at, state, paused_until, asks_at)
		VALUES (20, 2, 'Paused', ?, 'paused', ?, ?)`,
		parisMidnight.Unix(), parisMidnight.Add(9*day).Unix(), parisMidnight.Unix())
	exec(`INSERT INTO feeds (id, url, host, parsed_at, doubted, outside, standing, stays)
		VALUES (4, 'https://f.example/', 'f.example', 1, 1, 1, 'proven', 1)`)
	exec(`INSERT INTO feeds (id, url, host, parsed_at) VALUES (5, 'https://g.example/', 'g.example', 1),
		(6, 'https://h.example/', 'h.example', 1)`)
	exec(`INSERT INTO posts (id, feed_id, identity, fingerprint, seen_at, listed_at, shown_at, title)
		VALUES (7, 4, 'p', 'p', 1, 1, 1, 'A puzzle')`)
	exec(`INSERT INTO subscriptions (digest_id, feed_id, title, created_at, rests, rests_for, waited)
		VALUES (2, 4, 'Mine', 1, 0, 0, ''), (2, 5, 'Paused', 1, 1, 9, '[7]')`)
	exec(`INSERT INTO former_subscriptions (digest_id, feed_id, made) VALUES (2, 6, '{"title":"Once mine"}')`)
	exec(`INSERT INTO editions (id, digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at)
		VALUES
		(10, 2, '2026-11-18', 1, 1, 1, 'expired', 1, 1, 1), (11, 2, '2026-11-19', 2, 2, 2, 'sent', 2, 2, 2)`)
	exec(`INSERT INTO carried (edition_id, from_id) VALUES (11, 10)`)
	exec(`INSERT INTO held_posts (digest_id, due_at, post_id, words) VALUES (2, 2, 7, 'puzzle')`)
	exec(`INSERT INTO host_rules (host, by_owner, blocked, every, created_at) VALUES ('f.example', 1, 0, 86400, 1)`)
	exec(`INSERT INTO refusals (url, not_before, why) VALUES ('https://x.example/', ?, 'it is private')`,
		noon.Add(time.Hour).Unix())
	exec(`INSERT INTO link_changes (id, digest_id, feed_id, setting, was, is_now, title, made_at, told_by, told_at)
		VALUES (12, 2, 0, 'days', 'daily', 'sun', 'Daily Digest', 5, 'email', 6)`)
	exec(`INSERT INTO newsletter_notices (newsletter_id, feed_id, kind, title, url, told_at)
		VALUES (3, 4, 'gone', 'F', 'https://f.example/', 8)`)
	exec(`INSERT INTO newsletter_pulled (newsletter_id, post_id, pulled_at) VALUES (3, 7, 1)`)
	exec(`INSERT INTO newsletter_asks (id, newsletter_id, address_hash, email, domain, time_zone,
		state, queued_at, next_at, asked_at, mailbox)
		VALUES (13, 3, ?, 'm@example.org', 'example.org', 'UTC', 'asked', 1, 1, 9, 'm@example.org')`, key)
	exec(`INSERT INTO address_changes (user_id, email, old_hash, new_hash, old_yes, new_yes, created_at, expires_at)
		VALUES (1, 'b@example.org', ?, ?, 1, 0, 1, 2)`, key, []byte{4})
	exec(`INSERT INTO cloud_subscriptions (id, feed_id, cloud, topic, asked_at, next_at)
		VALUES (14, 5, 'https://c.example/', 'https://g.example/', 10, 1)`)
	exec(`INSERT INTO push_subscriptions (id, feed_id, hub, topic, secret, state, asked_at, next_at)
		VALUES (15, 4, 'https://h.example/', 'https://f.example/', 's', 'asked', 11, 1)`)
	exec(`INSERT INTO join_requests (token_hash, newsletter_id, email_key, email, time_zone, form, asked_at, expires_at)
		VALUES (?, 3, 'j@example.org', 'j@example.org', 'UTC', 'f', 12, 13)`, key)
	exec(`INSERT INTO knocks (id, kind, email_key, domain, asked_at, asker, share, mailbox)
		VALUES (16, 'sign-in', 'a@example.org', 'example.org', 14, 'x', 's', 'a@example.org')`)
	exec(`INSERT INTO owner_links (token_hash, expires_at) VALUES (?, 15)`, key)
	exec(`INSERT INTO ceremonies (token_hash, user_id, data, expires_at) VALUES (?, 1, '{}', 16)`, key)
	exec(`INSERT INTO stays (id, user_id, from_date, to_date, time_zone, begun)
		VALUES (17, 1, '2026-11-01', '2026-12-24', 'Asia/Tokyo', 1)`)
	exec(`INSERT INTO tallies (hour, kind, slot, n) VALUES (0, 'poll changed', 0, 18)`)
}

// holdNames checks that a database has the rows of fillNames under the new names, and works.
func holdNames(w world) {
	w.Helper()
	for _, rows := range []string{
		`digests WHERE id = 2 AND deliver_at = 25200 AND cadence = 127 AND next_poll_at = 0`,
		`digests WHERE id = 20 AND state = 'paused' AND next_poll_at > 0`,
		`newsletters WHERE id = 3 AND deliver_at = 3600 AND cadence = 5`,
		`feeds WHERE id = 4 AND validators_doubted = 1 AND public_only = 1 AND reliability = 'proven'
			AND move_undone = 1`,
		`subscriptions WHERE feed_id = 4 AND paused = 0 AND paused_for = 0 AND waiting_posts = ''`,
		`subscriptions WHERE feed_id = 5 AND paused = 1 AND paused_for = 9 AND waiting_posts = '[7]'`,
		`former_subscriptions WHERE feed_id = 6 AND settings <> ''`,
		`carried_posts WHERE edition_id = 11 AND from_id = 10`,
		`filtered_posts WHERE digest_id = 2 AND post_id = 7 AND words = 'puzzle'`,
		`host_rules WHERE host = 'f.example' AND interval = 86400`,
		`refusals WHERE reason = 'it is private'`,
		`link_changes WHERE id = 12 AND old_value = 'daily' AND new_value = 'sun' AND changed_at = 5
			AND notify_by = 'email' AND notified_at = 6`,
		`newsletter_notices WHERE newsletter_id = 3 AND notified_at = 8`,
		`newsletter_pulled_posts WHERE post_id = 7`,
		`confirmation_requests WHERE id = 13 AND requested_at = 9`,
		`address_changes WHERE user_id = 1 AND old_confirmed = 1 AND new_confirmed = 0`,
		`push_subscriptions WHERE id = 15 AND requested_at = 11`,
		`join_requests WHERE requested_at = 12`,
		`letter_requests WHERE id = 16 AND requested_at = 14 AND asker = 'x'`,
		`operator_links WHERE expires_at = 15`,
		`passkey_challenges WHERE user_id = 1 AND expires_at = 16`,
		`trips WHERE id = 17 AND begun = 1`,
		`counters WHERE kind = 'poll changed' AND n = 18`,
	} {
		w.holds(rows, 1, `SELECT count(*) FROM `+rows)
	}
	trips := must(w.Readers.Stays(w.ctx, 1))
	want(w, "trips", len(trips), 1)
	trip := must(w.Readers.AddStay(w.ctx, digest.Stay{UserID: 1, From: trips[0].To.Plus(3), To: trips[0].To.Plus(5),
		TimeZone: "UTC"}, noon))
	want(w, "another key", trip.ID == trips[0].ID, false)
	want(w, "moves no more", must(w.Feeds.Feed(w.ctx, 4)).MoveUndone, true)
	w.ok(w.Subscriptions.ResumeSubscription(w.ctx, 2, 5, noon))
	want(w, "subscriptions", len(must(w.Subscriptions.Subscriptions(w.ctx, 2))), 2)
	d := must(w.Readers.Digest(w.ctx, 2))
	w.hour(d.NextDueAt)
	next := must(w.Readers.Digest(w.ctx, 2))
	want(w, "released until the next midnight in Tokyo", next.NextDueAt, d.NextDueAt.Add(16*time.Hour))
}

// TestUpgradeOfNames migrates a database with a row in each table whose names change.
func TestUpgradeOfNames(t *testing.T) {
	upgrade(t, beforeNames, func(w world) {
		fillNames(w)
		w.ok(w.Migrate(w.ctx))
		holdNames(w)
	})
}

// TestUpgradeOfNamesStopped: a migration that fails leaves the database unchanged, and the next attempt succeeds.
func TestUpgradeOfNamesStopped(t *testing.T) {
	upgrade(t, beforeNames, func(w world) {
		fillNames(w)
		// the name of the last index of the migration
		w.exec(`CREATE INDEX subscriptions_paused_for ON subscriptions (created_at)`)
		if err := w.Migrate(w.ctx); err == nil {
			w.Error("the migration has not noticed an index of its name")
		}
		w.holds("the old names", 1, `SELECT count(*) FROM stays WHERE begun = 1`)
		w.holds("the version", beforeNames, `SELECT MAX(version_id) FROM goose_db_version`)
		w.exec(`DROP INDEX subscriptions_paused_for`)
		w.ok(w.Migrate(w.ctx))
		holdNames(w)
	})
}

// TestRestoreOfOldNames restores backups of schema 89: one by this program from a database that was not migrated, and
// one by the last program before migration 90 (testdata/schema-89.backup).
func TestRestoreOfOldNames(t *testing.T) {
	tier.Alone(t)
	restored := func(t *testing.T, file []byte) {
		t.Helper()
		want(t, "the backup is found right", check(bytes.NewReader(file)), nil)
		storetest.EachEmpty(t, func(t *testing.T, to string) {
			_, err := restore(t, to, bytes.NewReader(file), false)
			if err != nil {
				t.Fatal(err)
			}
			s := storetest.Open(t, to)
			s.Policy = storetest.Policy(time.Hour)
			w := newWorld(t, s)
			w.ok(s.Operator.Unfence(w.ctx, "https://a.example", noon))
			holdNames(w)
		})
	}
	upgrade(t, beforeNames, func(w world) {
		fillNames(w)
		file, b := backUp(w, w.Store)
		want(w, "schema", b.Schema, beforeNames)
		restored(w.T, file.Bytes())
	})
	file, err := os.ReadFile(filepath.Join("testdata", "schema-89.backup"))
	if err != nil {
		t.Fatal(err)
	}
	from, err := format.NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	want(t, "schema", from.Header.Schema, beforeNames)
	restored(t, file)
}
