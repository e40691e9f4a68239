package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
	"digest/store"
	"digest/store/storetest"
)

// numbers returns the counts of a newsletter, without days on which nothing happened.
func (w world) numbers(n digest.Newsletter, now time.Time) (all []newsletter.Day) {
	w.Helper()
	days := must(w.Newsletters.NewsletterNumbers(w.ctx, n, now, 400))
	for _, d := range days {
		if !d.Quiet() {
			all = append(all, d)
		}
	}
	return all
}

// TestNewsletterNumbers counts members and emails by the day of the owner's time zone.
func TestNewsletterNumbers(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		// Noon in UTC is 1:00 of the next day there.
		n := w.newsletter("anna-writes", w.reader("anna", "Pacific/Auckland"), f)
		other := w.newsletter("ben-writes", w.reader("ben", "UTC"), f)
		m, li := w.member(n, "mo@example.org", "Europe/Paris"), w.member(n, "li@example.org", "Europe/Paris")
		w.subscribe(w.reader("ada"), f) // her email belongs to no newsletter
		wantDiff(w, "joined", w.numbers(n, noon), []newsletter.Day{{Day: parisDay, Members: 2, Joined: 2}})

		w.posted(f, "p")
		w.hour(parisMidnight)
		byDigest := map[digest.DigestID]digest.EditionID{}
		var marks []digest.Mark
		for _, e := range w.claimEditions(parisMidnight, 100, "t") {
			byDigest[e.DigestID] = e.ID
			marks = append(marks, digest.Mark{ID: e.ID, State: digest.EditionSent})
		}
		want(w, "letters, and a reader's mail", len(marks), 3)
		w.mark(parisMidnight, "t", marks...)
		w.mark(parisMidnight, "t", marks...) // no longer held
		sent := newsletter.Day{Day: parisDay, Members: 2, Joined: 2, LetterCounts: newsletter.LetterCounts{Sent: 2}}
		wantDiff(w, "sent", w.numbers(n, parisMidnight), []newsletter.Day{sent})

		later := parisMidnight.Add(day)
		for range 2 { // a repeated report counts once
			must2(w.Editions.RecordBounce(w.ctx, later,
				digest.Bounce{Edition: byDigest[m.DigestID], Kind: digest.SoftBounce}))
			must2(w.Editions.RecordBounce(w.ctx, later,
				digest.Bounce{Edition: byDigest[m.DigestID], Kind: digest.HardBounce}))
			must2(w.Editions.RecordBounce(w.ctx, later,
				digest.Bounce{Edition: byDigest[li.DigestID], Kind: digest.Complaint}))
		}
		next := newsletter.Day{Day: parisDay.Plus(1), Members: 1, Left: 1,
			LetterCounts: newsletter.LetterCounts{Bounced: 1, Complained: 1}}
		wantDiff(w, "came back; who complains leaves", w.numbers(n, later), []newsletter.Day{sent, next})

		w.remove(m.UserID, later.Add(day)) // the counts of removed users stay
		w.remove(li.UserID, later.Add(day))
		end := later.AddDate(0, 0, 3)
		gone := []newsletter.Day{sent, next, {Day: parisDay.Plus(2), Left: 1}}
		wantDiff(w, "their accounts are gone", w.numbers(n, end), gone)
		wantDiff(w, "the other's", w.numbers(other, end), []newsletter.Day(nil))
	})
}

// TestNewsletterNumbersOfJoining counts every way of joining, leaving and joining again.
func TestNewsletterNumbersOfJoining(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), w.feed("anna.example"))
		m := w.member(n, "mo@example.org", "UTC")
		_, created := must2(w.Members.Join(w.ctx, n.ID, store.Joining{Email: "mo@example.org", Asked: true}, noon))
		want(w, "again", created, false)
		// An import.
		must2(w.Members.Join(w.ctx, n.ID,
			store.Joining{Email: "li@example.org", TimeZone: "UTC", JoinedAt: noon.AddDate(-3, 0, 0)}, noon))
		w.ask(n, noon, "asked@example.org")
		want(w, "asked, and no member yet", w.askAll(noon), 1)
		today := digest.DateOf(noon)
		wantDiff(w, "joined", w.numbers(n, noon), []newsletter.Day{{Day: today, Members: 2, Joined: 2}})
		for range 2 {
			w.ok(w.Readers.SetDigestState(w.ctx, m.DigestID, digest.DigestLeft, noon.Add(time.Hour)))
		}
		wantDiff(w, "left", w.numbers(n, noon), []newsletter.Day{{Day: today, Members: 1, Joined: 2, Left: 1}})
		must2(w.Members.Join(w.ctx, n.ID, store.Joining{Email: "mo@example.org", Asked: true},
			noon.Add(2*time.Hour)))
		wantDiff(w, "back", w.numbers(n, noon), []newsletter.Day{{Day: today, Members: 2, Joined: 3, Left: 1}})
		w.setNewsletter(n, digest.NewsletterEnded, "", noon.AddDate(0, 0, 400))
		days := must(w.Newsletters.NewsletterNumbers(w.ctx, n, noon.AddDate(0, 0, 400), 366))
		want(w, "a year", fmt.Sprint(len(days), days[0].Day, days[0].Members, days[365].Left, days[365].Members),
			"366 2026-12-24 2 2 0")
	})
}

// TestNewsletterNumbersOfADeadWorker: an email that was sent before its worker died is counted once.
func TestNewsletterNumbersOfADeadWorker(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
		w.member(n, "mo@example.org", "UTC")
		w.posted(f, "p")
		midnight := parisMidnight.Add(time.Hour)
		w.hour(midnight)
		e := w.claimEditions(midnight, 100, "t")[0]
		w.dot(midnight, "t", e.ID)
		must(w.Editions.MarkEditionsUnsynced(w.ctx, midnight, "t",
			[]digest.Mark{{ID: e.ID, State: digest.EditionSent}},
			[]digest.Dot{{ID: 999}})) // the worker dies before it updates the edition
		want(w, "in doubt", w.recoverDead(midnight.Add(time.Hour)), 0)
		want(w, "in doubt", w.recoverDead(midnight.Add(2*time.Hour)), 0)
		want(w, "state", w.edition(e.ID).State, digest.EditionSent)
		wantDiff(w, "sent once", w.numbers(n, midnight)[1:],
			[]newsletter.Day{{Day: parisDay, Members: 1, LetterCounts: newsletter.LetterCounts{Sent: 1}}})
	})
}

// BenchmarkNewsletterMarks marks the issues of a newsletter as sent, and the same number of readers' own editions.
// The difference is the cost of counting.
func BenchmarkNewsletterMarks(b *testing.B) {
	const letters = 200
	for _, of := range []string{"NULL", "1"} {
		b.Run("newsletter="+of, func(b *testing.B) {
			storetest.Bench(b, func(b *testing.B, s *store.Store) {
				benchWorld(b, s, letters)
				now := parisMidnight
				ok := func(err error) {
					if err != nil {
						b.Fatal(err)
					}
				}
				ok(s.Exec(b.Context(), `INSERT INTO newsletters (id, slug, name, archive_id, created_at)
					VALUES (1, 'n', 'n', 1, 1)`))
				ok(s.Exec(b.Context(), `UPDATE digests SET newsletter_id = `+of))
				ok(s.Exec(b.Context(), fmt.Sprintf(
					`INSERT INTO editions (digest_id, local_date, due_at, send_at, number, state, date, next_at,
						expires_at)
					SELECT id, '2026-11-20', %d, 1, 1, 'leased', 0, 0, 0 FROM digests`, now.Unix())))
				var marks []digest.Mark
				for i := range letters {
					marks = append(marks, digest.Mark{ID: digest.EditionID(i + 1), State: digest.EditionSent,
						Reply: "250 ok"})
				}
				for b.Loop() {
					b.StopTimer()
					ok(s.Exec(b.Context(), `DELETE FROM mail_claims`))
					ok(s.Exec(b.Context(), `INSERT INTO mail_claims (edition_id, state, lease_token, lease_until)
						SELECT id, 'leased', 't', 9999999999 FROM editions`))
					b.StartTimer()
					_, err := s.Editions.MarkEditions(b.Context(), now, "t", marks, nil)
					ok(err)
				}
				b.ReportMetric(float64(b.N)*letters/b.Elapsed().Seconds(), "letters/s")
			})
		})
	}
}

// BenchmarkNewsletterNumbers reads a year of a newsletter with 20,000 members.
func BenchmarkNewsletterNumbers(b *testing.B) {
	storetest.Bench(b, func(b *testing.B, s *store.Store) {
		benchWorld(b, s, 20_000)
		for _, statement := range []string{
			`INSERT INTO newsletters (id, slug, name, archive_id, created_at) VALUES (1, 'n', 'n', 1, 1)`,
			`UPDATE digests SET newsletter_id = 1`,
			`INSERT INTO memberships (digest_id, newsletter_id, user_id, joined_at, form) SELECT id, 1, user_id, 1, 'f'
				FROM digests`,
			`INSERT INTO newsletter_days (newsletter_id, day, slot, joined, gone, sent, bounced, complained)
				WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 366)
				SELECT 1, '2026-' || CAST(10 + i / 31 % 3 AS TEXT) || '-' || CAST(10 + i % 31 % 20 AS TEXT), i, 1, 1,
				20000, 1, 1 FROM i`,
			`ANALYZE`,
		} {
			if err := s.Exec(b.Context(), statement); err != nil {
				b.Fatal(err)
			}
		}
		n := digest.Newsletter{ID: 1, ArchiveID: 1, CreatedAt: time.Unix(1, 0)}
		for b.Loop() {
			if _, err := s.Newsletters.NewsletterNumbers(b.Context(), n, noon, 366); err != nil {
				b.Fatal(err)
			}
		}
	})
}
