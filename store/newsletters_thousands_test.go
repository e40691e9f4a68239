package store_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"digest"
	"digest/store"
	"digest/test/tier"
)

// fortyZones returns zones with forty different offsets and rules.
func fortyZones() []string {
	return []string{"Pacific/Kiritimati", "Pacific/Chatham", "Pacific/Auckland", "Pacific/Fiji", "Australia/Lord_Howe",
		"Australia/Sydney",
		"Australia/Adelaide", "Asia/Tokyo", "Australia/Eucla", "Asia/Shanghai", "Asia/Bangkok", "Asia/Yangon",
		"Asia/Dhaka", "Asia/Kathmandu",
		"Asia/Kolkata", "Asia/Karachi", "Asia/Kabul", "Asia/Dubai", "Asia/Tehran", "Europe/Moscow", "Europe/Athens",
		"Europe/Paris", "Europe/London",
		"Atlantic/Azores", "Atlantic/Cape_Verde", "America/Nuuk", "America/Sao_Paulo", "America/St_Johns",
		"America/Halifax", "America/New_York",
		"America/Chicago", "America/Denver", "America/Phoenix", "America/Los_Angeles", "America/Anchorage",
		"Pacific/Marquesas", "Pacific/Honolulu",
		"Pacific/Pago_Pago", "Africa/Casablanca", "Africa/Cairo"}
}

// TestThirtyDaysOfThousands has members in forty zones, 400 or DIGEST_TEST_MEMBERS, for thirty days with a post each.
// Each member gets each post exactly once, in the issue of the first of their own days that began after it. The test
// claims and marks the issues as the mailer does.
func TestThirtyDaysOfThousands(t *testing.T) {
	tier.Acceptance(t)
	zones := fortyZones()
	inZone := 10
	if n, err := strconv.Atoi(os.Getenv("DIGEST_TEST_MEMBERS")); err == nil {
		inZone = n / len(zones)
	}
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/London"), f)
		begin := time.Date(2026, 10, 10, 0, 0, 0, 0, time.UTC)
		var all []store.Joining
		for i := range inZone * len(zones) {
			all = append(all, store.Joining{Email: fmt.Sprintf("m%d@example%d.org", i, i%50),
				TimeZone: zones[i%len(zones)], Asked: true})
		}
		want(w, "joined", must(w.Members.JoinAll(w.ctx, n.ID, all, begin)).Joined, len(all))
		const days = 30
		published := make(map[string]time.Time)
		var listed []string
		letters := 0
		for step := range (days + 3) * 24 * 4 { // steps of a quarter of an hour
			now := begin.Add(time.Duration(step) * 15 * time.Minute)
			if step%(24*4) == 37+step/(24*4) && len(listed) < days { // a quarter of an hour later each day
				name := fmt.Sprint("p", len(listed))
				published[name] = now.Add(-7 * time.Minute)
				w.record(published[name], f, posts(published[name], name), listed...)
				listed = append(listed, name)
			}
			if due, err := w.Count(w.ctx, `SELECT count(*) FROM digests WHERE state = 'active' AND next_due_at <= ?`,
				now.Unix()); err != nil || due > 0 {
				w.ok(err)
				w.hour(now)
				letters += w.sendAll(now)
			}
		}
		want(w, "posts", len(published), days)
		want(w, "letters", letters, days*len(all))
		for _, zone := range zones {
			loc := must(time.LoadLocation(zone))
			for name, at := range published {
				rows, members := w.cameIn(zone, name, digest.DateOf(at.In(loc)).Plus(1))
				if rows != inZone || members != inZone {
					w.Errorf("%s in %s came %d times, to %d members in the letter of its day, of %d", name, zone,
						rows, members, inZone)
				}
			}
		}
	})
}

// sendAll claims all editions that may be sent, marks them as sent, and returns how many.
func (w world) sendAll(now time.Time) (n int) {
	w.Helper()
	for round := 0; ; round++ {
		token := fmt.Sprint(now.Unix(), ".", round)
		claimed := w.claimEditions(now, 200, token)
		if len(claimed) == 0 {
			return n
		}
		marks := make([]digest.Mark, len(claimed))
		for i, e := range claimed {
			marks[i] = digest.Mark{ID: e.ID, State: digest.EditionSent}
		}
		w.mark(now, token, marks...)
		n += len(claimed)
	}
}

// cameIn returns how often the members in a zone got a post, and how many of them got it in the issue of a date.
func (w world) cameIn(zone, post string, date digest.Date) (rows, members int) {
	w.Helper()
	// This order of joins reads few rows. SQLite would otherwise start with the post, and read all its hidden rows.
	const came = ` FROM users u CROSS JOIN memberships m CROSS JOIN digest_posts dp CROSS JOIN posts p
		CROSS JOIN editions e
		WHERE p.identity = ? AND u.time_zone = ? AND m.user_id = u.id AND dp.digest_id = m.digest_id
		AND p.id = dp.post_id
		AND e.digest_id = dp.digest_id AND e.due_at = dp.visible_at`
	rows = w.count(`SELECT count(*)`+came, post, zone)
	members = w.count(`SELECT count(DISTINCT dp.digest_id)`+
		came+` AND e.local_date = ? AND e.state = 'sent'`, post, zone, date.String())
	return rows, members
}
