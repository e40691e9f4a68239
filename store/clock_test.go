package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/poller"
	"digest/store"
	"digest/store/storetest"
	"digest/test/tier"
)

// TestImpossibleInstants writes impossible instants into the database. PutRight corrects each once, and the reader
// gets the next editions.
func TestImpossibleInstants(t *testing.T) {
	const forever = int64(1) << 55 // a year beyond any calendar
	for _, when := range []int64{noon.Add(14 * time.Hour).Unix(), noon.Add(366 * 24 * time.Hour).Unix(), forever} {
		for name, statement := range map[string]string{
			"attempt": `UPDATE feed_times SET last_attempt_at = ?, askable_at = last_attempt_at + 3600`,
			"lease":   `UPDATE feed_times SET lease_until = ?, askable_at = lease_until`,
			"penalty": `UPDATE feed_times SET last_attempt_at = ?, not_before = last_attempt_at + 100,
				askable_at = not_before`,
			"ping":     `UPDATE feeds SET pinged_at = ?`,
			"move":     `UPDATE feeds SET moved_since = ?, moved_to = 'https://elsewhere.example/feed'`,
			"midnight": `UPDATE digests SET next_due_at = CAST(? AS BIGINT) + 43200`,
			"plan":     `UPDATE digests SET planned_at = ?, planned_due_at = next_due_at`,
			"release":  `UPDATE digests SET released_at = ?, last_due_at = released_at`,
			"host":     `INSERT INTO hosts (host, lease_until) VALUES ('example.org', ?)`,
			"domain":   `INSERT INTO domains (domain, pace, free_at) VALUES ('example.org', 60, ?)`,
		} {
			t.Run(fmt.Sprint(name, " ", when), func(t *testing.T) {
				eachWorld(t, func(w world) {
					d, f := w.reader("ann", "Europe/Paris"), w.feed("example.org")
					w.subscribe(d, f)
					w.ok(w.Exec(w.ctx(), statement, when))
					note, err := w.PutRight(w.ctx(), noon)
					w.ok(err)
					if !note.Any() {
						t.Error("nothing was noticed")
					}
					if stored, err := w.ClockNote(w.ctx()); err != nil || stored != note {
						t.Errorf("noted %+v, %v; want %+v", stored, err, note)
					}
					if again, err := w.PutRight(w.ctx(), noon); err != nil || again.Any() {
						t.Errorf("the second time it finds %v, %v", again, err)
					}
					w.dayGoesOn(d.ID, f.ID)
				})
			})
		}
	}
}

// TestManyWrongMidnights: PutRight corrects more digests than one page contains.
func TestManyWrongMidnights(t *testing.T) {
	tier.Alone(t)
	eachWorld(t, func(w world) {
		const readers = 2001
		for _, statement := range []string{
			`INSERT INTO users (email, email_key, time_zone, created_at) WITH RECURSIVE n (i) AS
				(SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
				SELECT 'reader' || i, 'reader' || i, 'UTC', 0 FROM n`,
			`INSERT INTO digests (user_id, name, next_due_at) SELECT id, 'Daily Digest', 1900000000
				FROM users WHERE id <= ?`,
		} {
			w.ok(w.Exec(w.ctx(), statement, readers))
		}
		note, err := w.PutRight(w.ctx(), noon)
		w.ok(err)
		if note.Digests != readers {
			t.Errorf("%d digests were put right, want %d", note.Digests, readers)
		}
		if again, err := w.PutRight(w.ctx(), noon); err != nil || again.Any() {
			t.Errorf("the second time it finds %v, %v", again, err)
		}
	})
}

// TestPutRightLeavesTheRest: PutRight does not change what a correct clock writes, such as long waits.
func TestPutRightLeavesTheRest(t *testing.T) {
	eachWorld(t, func(w world) {
		d, f := w.reader("ann", "Europe/Paris"), w.feed("example.org")
		weekly := w.reader("bob", "Asia/Tokyo")
		w.subscribe(d, f)
		w.ok(w.SetCadence(w.ctx(), weekly.ID, 1<<time.Wednesday, noon))
		w.record(noon, f, posts(noon, "a"))
		w.ok(w.Exec(w.ctx(), `UPDATE feed_times SET last_attempt_at = ?, not_before = ?, lease_until = ?,
			fresh_until = ?, poll_at = ?`,
			noon.Unix(), noon.Add(7*24*time.Hour).Unix(), noon.Add(poller.FeedLease).Unix(),
			noon.Add(24*time.Hour).Unix(), noon.Add(6*24*time.Hour).Unix()))
		w.ok(w.PauseDigest(w.ctx(), d.ID, noon.Add(30*24*time.Hour), noon))
		for _, now := range []time.Time{noon, noon.Add(-time.Minute), noon.Add(9 * time.Hour)} {
			if note, err := w.PutRight(w.ctx(), now); err != nil || note.Any() {
				t.Errorf("at %s: %v, %v", now, note, err)
			}
		}
	})
}

// TestClockBeforeThisProgram: PutRight changes nothing if the clock shows the year 2000.
func TestClockBeforeThisProgram(t *testing.T) {
	eachWorld(t, func(w world) {
		d := w.reader("ann", "Europe/Paris")
		note, err := w.PutRight(w.ctx(), time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC))
		if err != nil || note.Any() || !w.again(d).NextDueAt.Equal(parisMidnight) {
			t.Errorf("%v, %v; the digest is due at %s", note, err, w.again(d).NextDueAt)
		}
	})
}

func eachWorld(t *testing.T, f func(world)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, st *store.Store) { f(world{st, t}) })
}

// dayGoesOn checks that the feed is polled at two midnights, and that the reader gets the posts.
func (w world) dayGoesOn(d digest.DigestID, f digest.FeedID) {
	w.t.Helper()
	for day, midnight := range []time.Time{parisMidnight, parisMidnight.Add(24 * time.Hour)} {
		_, err := w.Plan(w.ctx(), midnight, func(digest.Feed, time.Time) (time.Time, bool) { return midnight, true })
		w.ok(err)
		claimed, _, err := w.ClaimFeeds(w.ctx(), midnight, store.ClaimOptions{N: 9, Lease: poller.FeedLease,
			Token: "token"})
		w.ok(err)
		if len(claimed) != 1 || claimed[0].ID != f {
			w.t.Fatalf("day %d: %d feeds could be asked", day, len(claimed))
		}
		was := claimed[0].Feed
		found := was
		found.LastOKAt, found.ParsedAt, found.PollAt = midnight, midnight, time.Time{}
		id := fmt.Sprint("post ", day)
		_, err = w.Record(w.ctx(), midnight,
			[]store.Polled{{Feed: found, Was: was, Token: "token", Posts: posts(midnight, id), Listed: []string{id},
				HostFreeAt: midnight}})
		w.ok(err)
		if n := w.release(midnight.Add(time.Minute)); n != 1 {
			w.t.Errorf("day %d: %d editions", day, n)
		}
	}
	got, err := w.Digest(w.ctx(), d)
	w.ok(err)
	if text := w.editions(got); text != "2026-11-20 post 0; 2026-11-21 post 1" {
		w.t.Errorf("editions %s", text)
	}
}
