package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// parisDay is the date that begins at parisMidnight.
var parisDay = digest.Date{Year: 2026, Month: time.November, Day: 20}

// claimsAt claims the editions that may be emailed, and returns them.
func (w world) claimsAt(now time.Time) (claimed []digest.Delivery) {
	w.t.Helper()
	return w.claimEditions(now, 100, now.String())
}

func TestLetterSubjectAndNote(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
		w.member(n, "mo@example.org", "Europe/Paris")
		own := w.reader("ada", "Europe/Paris")
		w.subscribe(own, f)
		oneLine(w.t, w.Newsletters.SetNewsletterLetter(w.ctx(), digest.NewsletterLetter{NewsletterID: n.ID}),
			digest.Invalid)
		l := digest.NewsletterLetter{NewsletterID: n.ID, LocalDate: parisDay, Subject: "Of boats",
			Note: "Back again.\nAt last."}
		w.ok(w.Newsletters.SetNewsletterLetter(w.ctx(), l))
		w.record(noon, f, posts(noon, "p"))
		want(w.t, "released", w.hour(parisMidnight), 2)
		for _, e := range w.claimsAt(parisMidnight) {
			if e.DigestID == own.ID {
				want(w.t, "a reader's own", e.Newsletter, nil)
				want(w.t, "of which no publisher decides", e.Letter, digest.NewsletterLetter{})
				continue
			}
			want(w.t, "newsletter", *e.Newsletter, n)
			want(w.t, "letter", e.Letter, l)
		}
	})
}

// TestLetterSpeaks: an issue is in the language of its member, otherwise in the language of the newsletter's owner.
func TestLetterSpeaks(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		anna := w.reader("anna", "Europe/Paris")
		w.ok(w.Readers.SetLanguage(w.ctx(), anna.UserID, "de"))
		n := w.newsletter("anna-writes", anna, f)
		want(w.t, "the newsletter's", n.Language, "de")
		w.member(n, "mo@example.org", "Europe/Paris")
		li := w.member(n, "li@example.org", "Europe/Paris")
		w.ok(w.Readers.SetLanguage(w.ctx(), li.UserID, "ja"))
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		spoken := map[string]string{}
		for _, e := range w.claimsAt(parisMidnight) {
			spoken[e.Email] = e.Language
		}
		want(w.t, "spoken", fmt.Sprint(spoken), "map[li@example.org:ja mo@example.org:de]")
		archived, err := w.Newsletters.LetterDelivery(w.ctx(), n, w.last(digest.Digest{ID: n.ArchiveID}))
		w.ok(err)
		want(w.t, "the archive's", archived.Language, "de")
	})
}

// TestLetterWaitsForApproval: an issue is sent when it is approved, or when its time is over without approval. A
// member whose date begins later need not wait.
func TestLetterWaitsForApproval(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		n.ApproveWithin = 6 * time.Hour
		w.ok(w.Newsletters.SetNewsletter(w.ctx(), n, noon))
		w.member(n, "mo@example.org", "Europe/Paris")
		w.member(n, "li@example.org", "Europe/London")
		w.record(noon, f, posts(noon, "p"))
		want(w.t, "released: the archive's and Mo's", w.hour(parisMidnight), 2)
		want(w.t, "leave before they may", len(w.claimsAt(parisMidnight.Add(30*time.Minute))), 0)
		approved := parisMidnight.Add(40 * time.Minute)
		waited, err := w.Newsletters.ApproveNewsletterLetter(w.ctx(), n.ID, parisDay, approved)
		w.ok(err)
		want(w.t, "waited", waited, 1)
		archive := w.last(digest.Digest{ID: n.ArchiveID})
		want(w.t, "the archive's", archive.SendAt, approved)
		claimed := w.claimsAt(approved)
		if len(claimed) != 1 || claimed[0].Email != "mo@example.org" {
			w.t.Errorf("leave when they may: %+v", claimed)
		}
		want(w.t, "released in London", w.hour(parisMidnight.Add(time.Hour)), 1)
		want(w.t, "leaves in London", len(w.claimsAt(parisMidnight.Add(time.Hour))), 1)

		next := parisMidnight.Add(day)
		w.record(next.Add(-time.Hour), f, posts(next.Add(-time.Hour), "q"))
		w.hour(next)
		want(w.t, "leave before they may", len(w.claimsAt(next.Add(6*time.Hour-time.Second))), 0)
		want(w.t, "leave by themselves", len(w.claimsAt(next.Add(6*time.Hour))), 1)
	})
}

func TestLetterSkipped(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Newsletters.SetNewsletterLetter(w.ctx(), digest.NewsletterLetter{NewsletterID: n.ID, LocalDate: parisDay,
			Skipped: true}))
		w.record(noon, f, posts(noon, "p"))
		want(w.t, "released", w.hour(parisMidnight), 0)
		w.record(noon.Add(day), f, posts(noon.Add(day), "q"))
		want(w.t, "released", w.hour(parisMidnight.Add(day)), 2)
		for _, id := range []digest.DigestID{m.DigestID, n.ArchiveID} {
			want(w.t, "editions", w.editions(digest.Digest{ID: id}), "2026-11-21 p q")
		}
	})
}

// TestNewsletterHeldLosesNothing holds a newsletter while an issue of it is being sent, until the issue expires.
// After the release all posts are sent once.
func TestNewsletterHeldLosesNothing(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		hold := func(state digest.NewsletterState, now time.Time) {
			w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, state, "complaints", now))
		}
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		hold(digest.NewsletterHeld, parisMidnight.Add(time.Minute))
		want(w.t, "leave while it is held", len(w.claimsAt(parisMidnight.Add(time.Hour))), 0)
		hold(digest.NewsletterActive, parisMidnight.Add(2*time.Hour))
		hold(digest.NewsletterHeld, parisMidnight.Add(2*time.Hour))
		w.record(noon.Add(day), f, posts(noon.Add(day), "q"))
		want(w.t, "released", w.hour(parisMidnight.Add(day)), 0)
		hold(digest.NewsletterActive, parisMidnight.Add(25*time.Hour))
		w.record(noon.Add(2*day), f, posts(noon.Add(2*day), "r"))
		want(w.t, "released", w.hour(parisMidnight.Add(2*day)), 2)
		want(w.t, "what came", w.shown(digest.Digest{ID: m.DigestID}), "2026-11-20 p; 2026-11-22 +p q r")
		claimed := w.claimsAt(parisMidnight.Add(2 * day))
		if len(claimed) != 1 || claimed[0].LocalDate != parisDay.Plus(2) {
			w.t.Errorf("leaves %+v", claimed)
		}
	})
}

// TestHoldThatEndsInTime: waiting issues are sent when the hold ends before they expire.
func TestHoldThatEndsInTime(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		w.member(n, "mo@example.org", "Europe/Paris")
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterHeld, "complaints", parisMidnight))
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterActive, "", parisMidnight.Add(time.Hour)))
		want(w.t, "leave before", len(w.claimsAt(parisMidnight.Add(time.Hour-time.Second))), 0)
		want(w.t, "leave", len(w.claimsAt(parisMidnight.Add(time.Hour))), 1)
	})
}

func TestPulledPost(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		own := w.reader("ada", "Europe/Paris")
		w.subscribe(own, f)
		w.record(noon, f, posts(noon, "p", "q", "r"))
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("p"), noon))
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("r"), noon))
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("r"), noon))
		w.ok(w.Newsletters.UnpullPost(w.ctx(), n.ID, w.find("r")))
		pulled, err := w.Newsletters.PulledPosts(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "waits", w.waiting(digest.Digest{ID: m.DigestID}), "q r")
		wantDiff(w.t, "pulled", pulled, []digest.PostID{w.find("p")})
		w.hour(parisMidnight)
		want(w.t, "letter", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-20 q r")
		want(w.t, "a reader's own edition", w.editions(own), "2026-11-20 p q r")
		for _, e := range w.claimsAt(parisMidnight) {
			w.mark(parisMidnight, e.Token, digest.Mark{ID: e.ID, State: digest.EditionSent})
		}

		w.record(noon.Add(day), f, posts(noon.Add(day), "s"))
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("s"), noon))
		want(w.t, "released: the reader's own", w.hour(parisMidnight.Add(day)), 1)
	})
}

// TestPulledWhileItWaits pulls posts out of issues that wait for approval. They are not sent unless they are allowed
// again, and an issue that becomes empty is not sent.
func TestPulledWhileItWaits(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), f)
		n.ApproveWithin = 6 * time.Hour
		w.ok(w.Newsletters.SetNewsletter(w.ctx(), n, noon))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.record(noon, f, posts(noon, "p", "q"))
		w.hour(parisMidnight)
		later := parisMidnight.Add(time.Hour)
		refs, err := w.Newsletters.UnsentPosts(w.ctx(), n, later)
		w.ok(err)
		want(w.t, "may be pulled", len(refs), 2)
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("p"), later))
		want(w.t, "letter", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-20 q")
		want(w.t, "archive", w.editions(digest.Digest{ID: n.ArchiveID}), "2026-11-20 q")
		w.ok(w.Newsletters.UnpullPost(w.ctx(), n.ID, w.find("p")))
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("q"), later))
		want(w.t, "an empty letter", w.editions(digest.Digest{ID: m.DigestID}), "")
		want(w.t, "leave", len(w.claimsAt(parisMidnight.Add(7*time.Hour))), 0)
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("q"), parisMidnight.Add(day-time.Hour)))
		want(w.t, "released", w.hour(parisMidnight.Add(day)), 2)
		want(w.t, "the next letter", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-21 p")
		want(w.t, "its number", w.last(digest.Digest{ID: m.DigestID}).Number, 1)

		left := parisMidnight.Add(day + 7*time.Hour)
		for _, e := range w.claimsAt(left) {
			w.mark(left, e.Token, digest.Mark{ID: e.ID, State: digest.EditionSent})
		}
		w.ok(w.Newsletters.PullPost(w.ctx(), n.ID, w.find("p"), left))
		want(w.t, "a letter that has left", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-21 p")
	})
}

// TestNewsletterDecidedOnce: if two people who saw the same state decide about a newsletter, one decision counts.
func TestNewsletterDecidedOnce(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna", "Europe/Paris"), w.feed("anna.example"))
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterPending, "", noon))
		seen, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		w.ok(w.Newsletters.ChangeNewsletterState(w.ctx(), seen, digest.NewsletterActive, "", noon))
		want(w.t, "approved again",
			digest.KindOf(w.Newsletters.ChangeNewsletterState(w.ctx(), seen, digest.NewsletterActive, "", noon)),
			digest.Conflict)
		want(w.t, "refused", digest.KindOf(w.Newsletters.RefuseNewsletter(w.ctx(), n.ID)), digest.Conflict)
		active, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		w.ok(w.Newsletters.ChangeNewsletterState(w.ctx(), active, digest.NewsletterHeld, digest.HeldByPublisher, noon))
		held, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterHeld, "by the operator", noon))
		want(w.t, "released by its owner",
			digest.KindOf(w.Newsletters.ChangeNewsletterState(w.ctx(), held, digest.NewsletterActive, "", noon)),
			digest.Conflict)
		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), n.ID, digest.NewsletterPending, "", noon))
		w.ok(w.Newsletters.RefuseNewsletter(w.ctx(), n.ID))
		_, err = w.Newsletters.Newsletter(w.ctx(), n.ID)
		want(w.t, "refused", digest.KindOf(err), digest.NotFound)
	})
}
