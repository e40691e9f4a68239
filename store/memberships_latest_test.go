package store_test

import (
	"testing"
	"time"

	"digest"
	"digest/store"
)

// TestLatestAtOnce: a new member who wants the latest issue gets it immediately, and each post once.
func TestLatestAtOnce(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		confirm := func(email string, now time.Time) digest.Member {
			w.ok(w.Members.AddJoinRequest(w.ctx, []byte(email), store.JoinRequest{NewsletterID: n.ID, Email: email,
				TimeZone: "Europe/London", Form: "f", Latest: true}, now, now.Add(day)))
			_, m := must2(w.Members.ConfirmJoin(w.ctx, []byte(email), "192.0.2.1", now))
			return m
		}
		early := confirm("early@example.org", noon) // no issue yet
		want(w, "before the first letter", w.editions(digest.Digest{ID: early.DigestID}), "")

		w.posted(f, "p", "q", "pulled")
		w.hour(parisMidnight)
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("pulled"), noon))
		morning := parisMidnight.Add(10 * time.Hour)
		w.record(morning, f, posts(morning, "r"))
		m := confirm("mo@example.org", morning.Add(time.Hour))
		mo := digest.Digest{ID: m.DigestID}
		want(w, "at once", w.editions(mo), "2026-11-20 p q")
		want(w, "waits", w.waiting(mo), "r")
		claimed := w.claimsAt(morning.Add(time.Hour))
		sent := 0
		for _, e := range claimed {
			if e.Email == "mo@example.org" {
				sent++
				w.mark(morning.Add(time.Hour), e.Token, digest.Mark{ID: e.ID, State: digest.EditionSent})
			}
		}
		want(w, "mailed", sent, 1)
		w.hour(parisMidnight.Add(25 * time.Hour))
		want(w, "then", w.editions(mo), "2026-11-20 p q; 2026-11-21 r")
		w.ok(w.Readers.SetDigestState(w.ctx, m.DigestID, digest.DigestLeft, parisMidnight.Add(26*time.Hour)))
		again := confirm("mo@example.org", parisMidnight.Add(27*time.Hour))
		want(w, "who comes back on a date with an edition", w.editions(mo), "2026-11-20 p q; 2026-11-21 r")
		want(w, "the same digest", again.DigestID, m.DigestID)
	})
}
