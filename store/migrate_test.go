package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/store/storetest"
)

// upgrade calls f with a database of an older schema, for both kinds. f migrates it.
func upgrade(t *testing.T, from int64, f func(w world)) {
	t.Helper()
	storetest.EachEmpty(t, func(t *testing.T, database string) {
		s, err := store.Open(t.Context(), database)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		s.Policy = storetest.Policy(time.Hour)
		w := newWorld(t, s)
		w.ok(s.MigrateTo(w.ctx, from))
		f(w)
	})
}

// TestUpgradeToMail migrates a database of schema 2 with readers and unsent mail, and runs the hourly job.
func TestUpgradeToMail(t *testing.T) {
	upgrade(t, 2, func(w world) {
		for i, email := range []string{"ada@Example.org", `"b@b"@two.example`, "nobody"} {
			w.exec(`INSERT INTO users (email, email_key, time_zone, created_at)
				VALUES (?, lower(?), 'Europe/Paris', 1)`, email, email)
			w.exec(fmt.Sprintf(
				`INSERT INTO digests (user_id, name, next_due_at, last_due_at, send_delay, weekdays, state)
				VALUES (%d, 'Daily Digest', %d, %d, 25200, 127, 'active')`, i+1, parisMidnight.Unix(),
				parisMidnight.Unix()-86400))
			for j, state := range []string{"sent", "ready", "dotting"} {
				w.exec(fmt.Sprintf(
					`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date,
						next_at, expires_at)
					VALUES (%d, '2026-11-%d', %d, %d, 1, '%s', 0, %d, %d)`, i+1, 10+j, j, noon.Unix(), state,
					noon.Unix(), parisMidnight.Unix()))
			}
		}
		w.ok(w.Migrate(w.ctx))
		w.holds("on their way, with their domains", 4,
			`SELECT count(*) FROM editions WHERE state <> 'sent' AND domain IN ('example.org', 'two.example')`)
		w.holds("history is left alone", 3, `SELECT count(*) FROM editions WHERE state = 'sent' AND domain = ''`)
		got := w.claimEditions(noon, 9, "t")
		want(w, "claimed", len(got), 3)
		want(w, "domain", got[0].Domain, "example.org")
		want(w, "look", got[0].Look, digest.Look{Layout: digest.Excerpts, Images: digest.NoImages})
		f := w.feed("f.example")
		d := must(w.Readers.Digest(w.ctx, 1))
		w.subscribe(d, f)
		w.posted(f, "p")
		want(w, "released", w.hour(parisMidnight), 1)
		list := must(w.Editions.Editions(w.ctx, 1, 1))
		want(w, "at the hour that was set", list[0].SendAt, parisMidnight.Add(7*3600e9))
		want(w, "once more changes nothing", w.Migrate(w.ctx), nil)
	})
}

// Before editions were carried, expired editions followed by others were over. The first edition after the upgrade
// does not contain posts from weeks ago.
func TestUpgradeCarriesOnlyTheLatest(t *testing.T) {
	upgrade(t, 2, func(w world) {
		w.exec(`INSERT INTO users (email, email_key, time_zone, created_at)
			VALUES ('a@example.org', 'a@example.org', 'Europe/Paris', 1)`)
		w.exec(fmt.Sprintf(
			`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`, parisMidnight.Unix()))
		for i, state := range []string{"expired", "sent", "expired", "expired"} {
			w.exec(fmt.Sprintf(
				`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at, expires_at)
				VALUES (1, '2026-11-%d', %d, 0, 1, '%s', 0, 0, 0)`, 15+i, parisMidnight.Unix()-int64(5-i)*86400,
				state))
		}
		w.ok(w.Migrate(w.ctx))
		want(w, "the next", w.hour(parisMidnight), 1)
		w.holds("carries the last one", 1, `SELECT count(*) FROM carried_posts`)
		w.holds("of the 18th", 1,
			`SELECT count(*) FROM carried_posts c JOIN editions e ON e.id = c.from_id
				WHERE e.local_date = '2026-11-18'`)
		w.holds("the others are past", 2, `SELECT count(*) FROM editions WHERE state = 'failed'`)
	})
}

// A pause with an end is polled at the next midnight after the upgrade and ends with a bound edition. Other digests do
// not change.
func TestUpgradeDuringAPause(t *testing.T) {
	upgrade(t, 3, func(w world) {
		w.exec(`INSERT INTO feeds (url, host) VALUES ('https://f.example/', 'f.example')`)
		before, back := parisMidnight.Add(-2*day).Unix(), parisMidnight.Add(2*day).Unix()
		for i, p := range []struct {
			state       string
			until, last int64
		}{{"active", 0, before}, {"paused", back, before}, {"paused", back, 0}, {"paused", 0, before}} {
			w.exec(`INSERT INTO users (email, email_key, time_zone, created_at)
				VALUES (?, ?, 'Europe/Paris', 1)`, fmt.Sprint(i), fmt.Sprint(i))
			w.exec(fmt.Sprintf(
				`INSERT INTO digests (user_id, name, next_due_at, last_due_at, weekdays, state, paused_until)
				VALUES (%d, 'Daily Digest', %d, %d, 127, '%s', %d)`, i+1, parisMidnight.Unix(), p.last, p.state,
				p.until))
			w.exec(fmt.Sprintf(
				`INSERT INTO subscriptions (digest_id, feed_id, created_at) VALUES (%d, 1, 1)`, i+1))
		}
		w.ok(w.Migrate(w.ctx))
		w.holds("asked at their next midnight", 2,
			fmt.Sprintf(`SELECT count(*) FROM digests WHERE id IN (2, 3) AND next_poll_at = %d`, parisMidnight.Unix()))
		w.holds("gathered since the last midnight", 1,
			fmt.Sprintf(`SELECT count(*) FROM digests WHERE id = 2 AND paused_at = %d`, before))
		w.holds("or since the first", 1, fmt.Sprintf(`SELECT count(*) FROM digests WHERE id = 3 AND paused_at = %d`,
			parisMidnight.Unix()))
		w.holds("nothing for the others", 2,
			`SELECT count(*) FROM digests WHERE id IN (1, 4) AND next_poll_at = 0 AND paused_at = 0`)
		f := must(w.Feeds.Feed(w.ctx, 1))
		w.nights(parisMidnight, 3, func(now time.Time) { w.record(now, f.Feed, posts(now, now.Format("p02"))) })
		for id, editions := range []string{"2026-11-20 p19; 2026-11-21 p20; 2026-11-22 p21", "2026-11-22 p19 p20 p21",
			"2026-11-22 p19 p20 p21", ""} {
			d := must(w.Readers.Digest(w.ctx, digest.DigestID(id+1)))
			want(w, fmt.Sprint("editions of ", id+1), w.editions(d), editions)
		}
	})
}

// Paused subscriptions had their own table. They keep their settings and remain paused.
func TestUpgradeOfPausedSubscriptions(t *testing.T) {
	upgrade(t, 9, func(w world) {
		for _, statement := range []string{
			`INSERT INTO users (email, email_key, time_zone, created_at)
				VALUES ('a@example.org', 'a@example.org', 'Europe/Paris', 1)`,
			fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`,
				parisMidnight.Unix()),
			`INSERT INTO feeds (url, host, parsed_at) VALUES ('https://a.example/', 'a.example', 1),
				('https://b.example/', 'b.example', 1), ('https://c.example/', 'c.example', 1)`,
			`INSERT INTO subscriptions (digest_id, feed_id, title, created_at)
				VALUES (1, 1, 'Taken', 1), (1, 2, 'Both', 2)`,
			`INSERT INTO rested (digest_id, feed_id, title, created_at, rested_at) VALUES (1, 2, 'Both', 3, 4)`,
			`INSERT INTO rested (digest_id, feed_id, title, folder, display, created_at, rested_at)
				VALUES (1, 3, 'Mine', 'News', 'full', 3, 4)`,
		} {
			w.exec(statement)
		}
		w.ok(w.Migrate(w.ctx))
		titles := func(list []store.SubscriptionInfo, err error) (titles string) {
			w.ok(err)
			for _, sub := range list {
				titles += fmt.Sprint(sub.Title, " ", sub.Folder, " ", sub.Display, "; ")
			}
			return titles
		}
		want(w, "taken", titles(w.Subscriptions.Subscriptions(w.ctx, 1)), "Taken  ; Both  ; ")
		want(w, "paused", titles(w.Subscriptions.PausedSubscriptions(w.ctx, 1)), "Mine News full; ")
		w.ok(w.Subscriptions.ResumeSubscription(w.ctx, 1, 3, noon))
		want(w, "taken again", titles(w.Subscriptions.Subscriptions(w.ctx, 1)), "Taken  ; Both  ; Mine News full; ")
	})
}

// Imported lists without titles made the feed's address the reader's own title. The migration removes these titles,
// also from paused subscriptions and moved feeds.
func TestUpgradeOfUntitledSubscriptions(t *testing.T) {
	upgrade(t, 12, func(w world) {
		for _, statement := range []string{
			`INSERT INTO users (email, email_key, time_zone, created_at)
				VALUES ('a@example.org', 'a@example.org', 'Europe/Paris', 1)`,
			fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`,
				parisMidnight.Unix()),
			`INSERT INTO feeds (url, host, title) VALUES ('https://a.example/', 'a.example', 'A'),
				('https://b.example/feed', 'b.example', 'B'),
				('https://c.example/new', 'c.example', 'C'), ('https://d.example/', 'd.example', 'D'),
				('https://e.example/', 'e.example', 'E')`,
			`INSERT INTO former_addresses (url, feed_id) VALUES ('http://c.example/', 3)`,
			`INSERT INTO subscriptions (digest_id, feed_id, title, folder, created_at, rests)
				VALUES (1, 1, 'https://A.example', 'News', 1, 0),
				(1, 2, 'https://b.example/feed', '', 2, 1), (1, 3, 'http://c.example/', '', 3, 0),
				(1, 4, 'https://a.example/', '', 4, 0), (1, 5, 'Mine', '', 5, 0)`,
		} {
			w.exec(statement)
		}
		w.ok(w.Migrate(w.ctx))
		w.holds("untitled", 3, `SELECT count(*) FROM subscriptions WHERE title = ''`)
		w.holds("named by their readers", 2,
			`SELECT count(*) FROM subscriptions WHERE feed_id = 4 AND title = 'https://a.example/'
				OR feed_id = 5 AND title = 'Mine'`)
		w.holds("folders are kept", 1, `SELECT count(*) FROM subscriptions WHERE folder = 'News'`)
	})
}

// TestUpgradeKnowsWhenToAsk: feeds of an older schema are not polled earlier than before. The claiming worker supplies
// the poll gap.
func TestUpgradeKnowsWhenToAsk(t *testing.T) {
	upgrade(t, 10, func(w world) {
		for i, column := range []string{"not_before", "fresh_until", "lease_until", "last_attempt_at"} {
			w.exec(fmt.Sprintf(
				`INSERT INTO feeds (url, host, poll_at, %[1]s) VALUES ('%[1]s', 'h%[2]d', %[3]d, %[3]d)`,
				column, i, noon.Unix()))
		}
		w.exec(fmt.Sprintf(
			`INSERT INTO feeds (url, host, poll_at, last_attempt_at, own_interval, host_interval)
			VALUES ('interval', 'i', 0, %d, 7200, 600)`, noon.Unix()))
		w.ok(w.Migrate(w.ctx))
		want(w, "before they may be", len(w.claim(noon.Add(-time.Second), 9, "t")), 0)
		w.ok(w.Feeds.NotePollGap(w.ctx, noon, time.Hour))
		w.holds("at noon, after the gap and after the interval", 3, `SELECT count(DISTINCT askable_at) FROM feed_times`)
		for i, hours := range []int{0, 1, 2} {
			at := noon.Add(time.Duration(hours) * time.Hour)
			want(w, fmt.Sprint("before hour ", hours), len(w.claim(at.Add(-time.Second), 9, "u")), 0)
			// polls that are not recorded are due again
			want(w, fmt.Sprint("in hour ", hours), len(w.claim(at, 9, fmt.Sprint("v", i))), []int{3, 4, 5}[i])
		}
	})
}

// Feeds used to keep posts and readers when they moved. The migration stores the old address for posts and
// subscriptions from before the move. A change to https is not a move.
func TestUpgradeKnowsWhoMoved(t *testing.T) {
	upgrade(t, 15, func(w world) {
		for _, statement := range []string{
			`INSERT INTO users (email, email_key, time_zone, created_at)
				VALUES ('a@example.org', 'a@example.org', 'Europe/Paris', 1), ('b@example.org',
				'b@example.org', 'Europe/Paris', 1)`,
			fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at)
				VALUES (1, 'Daily Digest', %[1]d), (2, 'Daily Digest', %[1]d)`, parisMidnight.Unix()),
			fmt.Sprintf(`INSERT INTO feeds (url, host, moved_from, moved_at, parsed_at)
				VALUES ('https://b.example/', 'b.example', 'https://a.example/', %[1]d, %[1]d),
				('https://c.example/', 'c.example', 'http://www.c.example/', %[1]d, %[1]d)`, noon.Unix()),
			`INSERT INTO subscriptions (digest_id, feed_id, created_at) VALUES (1, 1, 1), (1, 2, 1)`,
			fmt.Sprintf(`INSERT INTO posts (feed_id, identity, fingerprint, seen_at, published_at, listed_at, shown_at)
				VALUES (1, 'forged', '', %[1]d, %[1]d, 1, 1),
				(1, 'genuine', '', %[2]d, %[2]d, 1, 1), (2, 'same', '', %[1]d, %[1]d, 1, 1)`, noon.Unix()-60,
				noon.Unix()),
		} {
			w.exec(statement)
		}
		w.ok(w.Migrate(w.ctx))
		for feed, address := range map[digest.FeedID]string{1: "https://a.example/", 2: ""} {
			sub := must(w.Subscriptions.Subscription(w.ctx, 1, feed))
			want(w, "subscribed at", strings.TrimSpace(sub.Address), address)
		}
		bob := must(w.Readers.Digest(w.ctx, 2))
		w.subscribe(bob, digest.Feed{ID: 1}, digest.Feed{ID: 2})
		want(w, "who subscribes now gets", w.waiting(bob), "genuine same")
	})
}

// The migration indexes feeds step by step. A search before its end reports that posts are missing.
func TestUpgradeOfTheIndex(t *testing.T) {
	const n = 700 // more than the search compares one by one
	upgrade(t, 23, func(w world) {
		ada := digest.Digest{ID: 1, UserID: 1}
		var posts, shown, words []string
		for i := 1; i <= n; i++ {
			posts = append(posts, fmt.Sprintf("(1, '%[1]d', '%[1]d', 'fox', %[2]d, %[2]d, %[2]d, 1)", i, noon.Unix()))
			shown = append(shown, fmt.Sprintf("(%d, %d, %d)", ada.ID, parisMidnight.Unix(), i))
			words = append(words, fmt.Sprintf("(%d, 'fox')", i))
		}
		for _, statement := range []string{
			`INSERT INTO users (email, email_key, time_zone, created_at)
				VALUES ('ada@example.org', 'ada@example.org', 'Europe/Paris', 1)`,
			fmt.Sprintf(`INSERT INTO digests (user_id, name, next_due_at) VALUES (1, 'Daily Digest', %d)`,
				parisMidnight.Unix()),
			`INSERT INTO feeds (url, host) VALUES ('https://f.example/', 'f.example')`,
			fmt.Sprintf(`INSERT INTO subscriptions (digest_id, feed_id, created_at) VALUES (%d, 1, 1)`, ada.ID),
			`INSERT INTO posts (feed_id, identity, fingerprint, content, seen_at, listed_at, shown_at, frozen)
				VALUES ` + strings.Join(posts, ","),
			`INSERT INTO digest_posts (digest_id, visible_at, post_id) VALUES ` + strings.Join(shown, ","),
			fmt.Sprintf(`UPDATE digests SET last_due_at = %[1]d, next_due_at = %[1]d + 86400`, parisMidnight.Unix()),
			fmt.Sprintf(`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state,
				date, next_at, expires_at)
				VALUES (%d, '2026-11-19', %[2]d, %[2]d, 1, 'sent', %[2]d, %[2]d, %[2]d)`, ada.ID, parisMidnight.Unix()),
			`INSERT INTO post_words (rowid, words) VALUES ` + strings.Join(words, ","),
		} {
			w.exec(statement)
		}

		w.ok(w.Migrate(w.ctx))
		q := store.SearchQuery{Query: w.query("fox"), Now: parisMidnight, Limit: 2 * n}
		for left := n; ; left -= 300 {
			found := must(w.Posts.Search(w.ctx, ada.UserID, q))
			want(w, "found", len(found.Posts), n-max(left, 0))
			want(w, "some are missing", found.Behind, left > 0)
			if left <= 0 {
				break
			}
			must(w.Posts.IndexPosts(w.ctx, 300))
		}
		w.holds("each once", n, `SELECT count(*) FROM post_words`)
	})
}

// The migration moves the times of feeds to their own table and keeps queues, leases and waits.
func TestUpgradeKeepsTimes(t *testing.T) {
	upgrade(t, 24, func(w world) {
		queued, busy := noon.Unix(), noon.Add(time.Hour).Unix()
		w.exec(fmt.Sprintf(
			`INSERT INTO feeds (url, host, poll_at, askable_at, lease_until, lease_token, last_attempt_at,
				last_ok_at, not_before, fresh_until)
			VALUES ('https://a.example/', 'a.example', %[1]d, 1, 0, '', 2, 3, 4, 5), ('https://b.example/',
			'b.example', NULL, 0, 0, '', 0, 0, 0, 0),
			('https://c.example/', 'c.example', %[1]d, %[2]d, %[2]d, 't', 6, 7, 8, 9)`, queued, busy))
		w.exec(`INSERT INTO polls (feed_id, at, outcome, status, note)
			VALUES (1, 10, 'unchanged', 304, 'as before')`)
		w.ok(w.Migrate(w.ctx))
		stamp := func(times ...time.Time) string {
			seconds := make([]int64, len(times))
			for i, at := range times {
				seconds[i] = max(at.Unix(), 0)
			}
			return fmt.Sprint(seconds)
		}
		for id, wanted := range map[digest.FeedID]string{
			1: fmt.Sprint([]int64{queued, 0, 2, 3, 4, 5}), 2: "[0 0 0 0 0 0]",
			3: fmt.Sprint([]int64{queued, busy, 6, 7, 8, 9}),
		} {
			f := must(w.Feeds.Feed(w.ctx, id))
			want(w, fmt.Sprint("feed ", id), stamp(f.PollAt, f.LeaseUntil, f.LastAttemptAt, f.LastOKAt, f.NotBefore,
				f.FreshUntil), wanted)
		}
		history := must(w.Feeds.Polls(w.ctx, 1, time.Time{}))
		want(w, "polls", fmt.Sprintf("%d %s", len(history), history[0].Note), "1 as before")
		claimed := w.claim(noon, 9, "u")
		want(w, "claimed", len(claimed), 1)
		want(w, "the one that is not leased", claimed[0].ID, 1)
	})
}
