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
	w.Helper()
	return w.claimEditions(now, 100, now.String())
}

func TestLetterSubjectAndNote(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
		w.member(n, "mo@example.org", "Europe/Paris")
		own := w.reader("ada")
		w.subscribe(own, f)
		oneLine(w, w.Newsletters.SetNewsletterLetter(w.ctx, digest.NewsletterLetter{NewsletterID: n.ID}),
			digest.Invalid)
		l := digest.NewsletterLetter{NewsletterID: n.ID, LocalDate: parisDay, Subject: "Of boats",
			Note: "Back again.\nAt last."}
		w.ok(w.Newsletters.SetNewsletterLetter(w.ctx, l))
		w.posted(f, "p")
		want(w, "released", w.hour(parisMidnight), 2)
		for _, e := range w.claimsAt(parisMidnight) {
			if e.DigestID == own.ID {
				want(w, "a reader's own", e.Newsletter, nil)
				want(w, "of which no publisher decides", e.Letter, digest.NewsletterLetter{})
				continue
			}
			want(w, "newsletter", *e.Newsletter, n)
			want(w, "letter", e.Letter, l)
		}
	})
}

// TestLetterSpeaks: an issue is in the language of its member, otherwise in the language of the newsletter's owner.
func TestLetterSpeaks(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		anna := w.reader("anna")
		w.ok(w.Readers.SetLanguage(w.ctx, anna.UserID, "de"))
		n := w.newsletter("anna-writes", anna, f)
		want(w, "the newsletter's", n.Language, "de")
		w.member(n, "mo@example.org", "Europe/Paris")
		li := w.member(n, "li@example.org", "Europe/Paris")
		w.ok(w.Readers.SetLanguage(w.ctx, li.UserID, "ja"))
		w.posted(f, "p")
		w.hour(parisMidnight)
		spoken := map[string]string{}
		for _, e := range w.claimsAt(parisMidnight) {
			spoken[e.Email] = e.Language
		}
		want(w, "spoken", fmt.Sprint(spoken), "map[li@example.org:ja mo@example.org:de]")
		archived := must(w.Newsletters.LetterDelivery(w.ctx, n, w.last(digest.Digest{ID: n.ArchiveID})))
		want(w, "the archive's", archived.Language, "de")
	})
}

// TestLetterWaitsForApproval: an issue is sent when it is approved, or when its time is over without approval. A
// member whose date begins later need not wait.
func TestLetterWaitsForApproval(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		n.ApproveWithin = 6 * time.Hour
		w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
		w.member(n, "mo@example.org", "Europe/Paris")
		w.member(n, "li@example.org", "Europe/London")
		w.posted(f, "p")
		want(w, "released: the archive's and Mo's", w.hour(parisMidnight), 2)
		want(w, "leave before they may", len(w.claimsAt(parisMidnight.Add(30*time.Minute))), 0)
		approved := parisMidnight.Add(40 * time.Minute)
		waited := must(w.Newsletters.ApproveNewsletterLetter(w.ctx, n.ID, parisDay, approved))
		want(w, "waited", waited, 1)
		archive := w.last(digest.Digest{ID: n.ArchiveID})
		want(w, "the archive's", archive.SendAt, approved)
		claimed := w.claimsAt(approved)
		if len(claimed) != 1 || claimed[0].Email != "mo@example.org" {
			w.Errorf("leave when they may: %+v", claimed)
		}
		want(w, "released in London", w.hour(parisMidnight.Add(time.Hour)), 1)
		want(w, "leaves in London", len(w.claimsAt(parisMidnight.Add(time.Hour))), 1)

		next := parisMidnight.Add(day)
		w.record(next.Add(-time.Hour), f, posts(next.Add(-time.Hour), "q"))
		w.hour(next)
		want(w, "leave before they may", len(w.claimsAt(next.Add(6*time.Hour-time.Second))), 0)
		want(w, "leave by themselves", len(w.claimsAt(next.Add(6*time.Hour))), 1)
	})
}

func TestLetterSkipped(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Newsletters.SetNewsletterLetter(w.ctx, digest.NewsletterLetter{NewsletterID: n.ID, LocalDate: parisDay,
			Skipped: true}))
		w.posted(f, "p")
		want(w, "released", w.hour(parisMidnight), 0)
		w.record(noon.Add(day), f, posts(noon.Add(day), "q"))
		want(w, "released", w.hour(parisMidnight.Add(day)), 2)
		for _, id := range []digest.DigestID{m.DigestID, n.ArchiveID} {
			want(w, "editions", w.editions(digest.Digest{ID: id}), "2026-11-21 p q")
		}
	})
}

// TestNewsletterHeldLosesNothing holds a newsletter while an issue of it is being sent, until the issue expires.
// After the release all posts are sent once.
func TestNewsletterHeldLosesNothing(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		hold := func(state digest.NewsletterState, now time.Time) {
			w.setNewsletter(n, state, "complaints", now)
		}
		w.posted(f, "p")
		w.hour(parisMidnight)
		hold(digest.NewsletterHeld, parisMidnight.Add(time.Minute))
		want(w, "leave while it is held", len(w.claimsAt(parisMidnight.Add(time.Hour))), 0)
		hold(digest.NewsletterActive, parisMidnight.Add(2*time.Hour))
		hold(digest.NewsletterHeld, parisMidnight.Add(2*time.Hour))
		w.record(noon.Add(day), f, posts(noon.Add(day), "q"))
		want(w, "released", w.hour(parisMidnight.Add(day)), 0)
		hold(digest.NewsletterActive, parisMidnight.Add(25*time.Hour))
		w.record(noon.Add(2*day), f, posts(noon.Add(2*day), "r"))
		want(w, "released", w.hour(parisMidnight.Add(2*day)), 2)
		want(w, "what came", w.shown(digest.Digest{ID: m.DigestID}), "2026-11-20 p; 2026-11-22 +p q r")
		claimed := w.claimsAt(parisMidnight.Add(2 * day))
		if len(claimed) != 1 || claimed[0].LocalDate != parisDay.Plus(2) {
			w.Errorf("leaves %+v", claimed)
		}
	})
}

func TestPulledPost(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		own := w.reader("ada")
		w.subscribe(own, f)
		w.posted(f, "p", "q", "r")
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("p"), noon))
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("r"), noon))
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("r"), noon))
		w.ok(w.Newsletters.UnpullPost(w.ctx, n.ID, w.find("r")))
		pulled := must(w.Newsletters.PulledPosts(w.ctx, n.ID))
		want(w, "waits", w.waiting(digest.Digest{ID: m.DigestID}), "q r")
		wantDiff(w, "pulled", pulled, []digest.PostID{w.find("p")})
		w.hour(parisMidnight)
		want(w, "letter", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-20 q r")
		want(w, "a reader's own edition", w.editions(own), "2026-11-20 p q r")
		for _, e := range w.claimsAt(parisMidnight) {
			w.mark(parisMidnight, e.Token, digest.Mark{ID: e.ID, State: digest.EditionSent})
		}

		w.record(noon.Add(day), f, posts(noon.Add(day), "s"))
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("s"), noon))
		want(w, "released: the reader's own", w.hour(parisMidnight.Add(day)), 1)
	})
}

// TestPulledWhileItWaits pulls posts out of issues that wait for approval. They are not sent unless they are allowed
// again, and an issue that becomes empty is not sent.
func TestPulledWhileItWaits(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		n.ApproveWithin = 6 * time.Hour
		w.ok(w.Newsletters.SetNewsletter(w.ctx, n, noon))
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.posted(f, "p", "q")
		w.hour(parisMidnight)
		later := parisMidnight.Add(time.Hour)
		want(w, "may be pulled", len(must(w.Newsletters.UnsentPosts(w.ctx, n, later))), 2)
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("p"), later))
		want(w, "letter", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-20 q")
		want(w, "archive", w.editions(digest.Digest{ID: n.ArchiveID}), "2026-11-20 q")
		w.ok(w.Newsletters.UnpullPost(w.ctx, n.ID, w.find("p")))
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("q"), later))
		want(w, "an empty letter", w.editions(digest.Digest{ID: m.DigestID}), "")
		want(w, "leave", len(w.claimsAt(parisMidnight.Add(7*time.Hour))), 0)
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("q"), parisMidnight.Add(day-time.Hour)))
		want(w, "released", w.hour(parisMidnight.Add(day)), 2)
		want(w, "the next letter", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-21 p")
		want(w, "its number", w.last(digest.Digest{ID: m.DigestID}).Number, 1)

		left := parisMidnight.Add(day + 7*time.Hour)
		for _, e := range w.claimsAt(left) {
			w.mark(left, e.Token, digest.Mark{ID: e.ID, State: digest.EditionSent})
		}
		w.ok(w.Newsletters.PullPost(w.ctx, n.ID, w.find("p"), left))
		want(w, "a letter that has left", w.editions(digest.Digest{ID: m.DigestID}), "2026-11-21 p")
	})
}

// TestNewsletterDecidedOnce: if two people who saw the same state decide about a newsletter, one decision counts.
func TestNewsletterDecidedOnce(t *testing.T) {
	each(t, func(w world) {
		n := w.newsletter("anna-writes", w.reader("anna"), w.feed("anna.example"))
		w.setNewsletter(n, digest.NewsletterPending, "", noon)
		seen := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		w.ok(w.Newsletters.ChangeNewsletterState(w.ctx, seen, digest.NewsletterActive, "", noon))
		oneLine(w, w.Newsletters.ChangeNewsletterState(w.ctx, seen, digest.NewsletterActive, "", noon), digest.Conflict)
		oneLine(w, w.Newsletters.RefuseNewsletter(w.ctx, n.ID), digest.Conflict)
		active := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		w.ok(w.Newsletters.ChangeNewsletterState(w.ctx, active, digest.NewsletterHeld, digest.HeldByPublisher, noon))
		held := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		w.setNewsletter(n, digest.NewsletterHeld, "by the operator", noon)
		oneLine(w, w.Newsletters.ChangeNewsletterState(w.ctx, held, digest.NewsletterActive, "", noon), digest.Conflict)
		w.setNewsletter(n, digest.NewsletterPending, "", noon)
		w.ok(w.Newsletters.RefuseNewsletter(w.ctx, n.ID))
		oneLine(w, err2(w.Newsletters.Newsletter(w.ctx, n.ID)), digest.NotFound)
	})
}
