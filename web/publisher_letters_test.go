package web_test

import (
	"net/http"
	"testing"
	"time"
)

// TestLetterThatWaitsFartherEast checks an issue that was created for only some members. The publisher can approve
// it, and still change its subject for the others.
func TestLetterThatWaitsFartherEast(t *testing.T) {
	each(t, func(r *room) {
		v, n := r.publishing("anna@example.org", "anna-writes", "The boat")
		n.ApproveWithin = 18 * time.Hour
		r.must(r.store.Newsletters.SetNewsletter(r.t.Context(), n, r.now))
		m := r.joined(n, "mo@example.org")
		r.now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
		r.midnightNow()
		const letter = "/newsletters/anna-writes/letters/2026-11-21"
		page := v.get(letter).status(http.StatusOK).contains(".sheet",
			"The issue of Saturday 21 November 2026 is waiting for your approval", "18 hours after",
			"You can edit this issue")
		page.shows(".sheet form button", "Approve issue", "Save changes")
		mo, err := r.store.Readers.Digest(r.t.Context(), m.DigestID)
		r.must(err)
		if e := r.edition(mo); !e.SendAt.After(r.now) {
			r.t.Fatalf("the copy does not wait: %+v", e)
		}
		v.post(letter+"/approve", nil).status(http.StatusSeeOther)
		if e := r.edition(mo); e.SendAt.After(r.now) {
			r.t.Errorf("the copy still waits: %+v", e)
		}
		v.get(letter).shows(".sheet form button", "Save changes").contains(".aside", "Issue approved")
	})
}
