package store_test

import (
	"fmt"
	"testing"

	"digest"
	"digest/store"
)

// TestJoinAll: a list adds its people once, with their former choices, and nobody who has left.
func TestJoinAll(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
		gone := w.member(n, "gone@example.org", "UTC")
		w.ok(w.Readers.SetDigestState(w.ctx, gone.DigestID, digest.DigestLeft, noon))
		sunday := must(digest.ParseCadence("sun"))
		since := noon.Add(-400 * day)
		list := []store.Joining{
			{Email: "ann@example.org", TimeZone: "Europe/Paris", Proof: digest.Proof{Form: "list.csv", At: since},
				JoinedAt: since, Cadence: sunday, Paused: true},
			{Email: "GONE@example.org", TimeZone: "UTC", Asked: true},
			{Email: "late@example.org", TimeZone: "UTC", JoinedAt: noon.Add(day)},
			{Email: "Ann@Example.ORG", TimeZone: "UTC"},
		}
		for i := range 250 { // more than one transaction
			list = append(list, store.Joining{Email: fmt.Sprintf("m%d@example.org", i), TimeZone: "UTC"})
		}
		sum := must(w.Members.JoinAll(w.ctx, n.ID, list, noon))
		want(w, "first", sum, store.JoinCount{Joined: 252, Already: 1, Suppressed: 1})
		sum = must(w.Members.JoinAll(w.ctx, n.ID, list, noon))
		want(w, "again", sum, store.JoinCount{Already: 253, Suppressed: 1})

		m := must(w.Members.Member(w.ctx, n.ID, "ann@example.org"))
		want(w, "since", m.JoinedAt, since)
		want(w, "confirmed", m.At, since)
		want(w, "paused", m.State, digest.DigestPaused)
		want(w, "days", m.Cadence, sunday)
		want(w, "their own", m.OwnDays, true)
		m = must(w.Members.Member(w.ctx, n.ID, "late@example.org"))
		want(w, "not later than now", m.JoinedAt, noon)
		want(w, "active", m.State, digest.DigestActive)
		m = must(w.Members.Member(w.ctx, n.ID, "gone@example.org"))
		want(w, "left", m.State, digest.DigestLeft)

		w.setNewsletter(n, digest.NewsletterPending, "", noon)
		oneLine(w, err2(w.Members.JoinAll(w.ctx, n.ID, list[1:2], noon)), digest.Conflict)
	})
}
