package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
	"digest/newsletter"
	"digest/store"
)

var noonDay = digest.DateOf(noon.UTC())

// TestNewsletterDays: changes of members and emails are counted once, by day, without names.
func TestNewsletterDays(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		n := w.newsletter("anna-writes", w.reader("anna", "UTC"), f)
		own := w.reader("ada")
		w.subscribe(own, f)
		var members []digest.Member
		for i := range 4 {
			members = append(members, w.member(n, fmt.Sprintf("m%d@example.org", i), "Europe/Paris"))
		}
		w.ok(w.Readers.SetDigestState(w.ctx, members[0].DigestID, digest.DigestLeft, noon))
		w.ok(w.Readers.SetDigestState(w.ctx, members[0].DigestID, digest.DigestActive, noon)) // returns
		w.remove(members[1].UserID, noon)
		days := func() []newsletter.Day {
			all := must(w.Newsletters.NewsletterDays(w.ctx, n.ID, noonDay))
			return all
		}
		wantDiff(w, "joined and left", days(), []newsletter.Day{{Day: noonDay, Joined: 5, Left: 2}})

		w.posted(f, "p")
		want(w, "released", w.hour(parisMidnight), 4) // three members, and a reader's own digest
		var letters []digest.EditionID
		for _, e := range w.send(parisMidnight) {
			if e.DigestID != own.ID {
				letters = append(letters, e.ID)
			}
		}
		midnight := digest.DateOf(parisMidnight.UTC())
		w.bounced(parisMidnight, letters[0], digest.SoftBounce)
		w.bounced(parisMidnight, letters[0], digest.HardBounce)
		w.bounced(parisMidnight, letters[0], digest.HardBounce) // a repeated report
		w.bounced(parisMidnight.Add(day), letters[1], digest.Complaint)
		first := newsletter.Day{Day: midnight, LetterCounts: newsletter.LetterCounts{Sent: 3, Bounced: 1}}
		if midnight == noonDay {
			first.Joined, first.Left = 5, 2
		}
		all := days()
		wantDiff(w, "letters", all[len(all)-2:],
			[]newsletter.Day{first,
				{Day: midnight.Plus(1), Left: 1, LetterCounts: newsletter.LetterCounts{Complained: 1}}})
	})
}

// TestComplaintOfALetter: a person who reports an issue as spam is removed, and only they can join again. Their own
// digest and other newsletters continue.
func TestComplaintOfALetter(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		anna := w.reader("anna", "UTC")
		n, other := w.newsletter("anna-writes", anna, f), w.newsletter("anna-draws", anna, f)
		ada := w.reader("ada")
		m, second := w.member(n, "ada@example.org", ""), w.member(other, "ada@example.org", "")
		w.posted(f, "p")
		w.hour(parisMidnight)
		for _, e := range w.send(parisMidnight) {
			if e.DigestID == m.DigestID {
				want(w, "the address is mailed", w.bounced(parisMidnight, e.ID, digest.Complaint), "")
			}
		}
		for id, state := range map[digest.DigestID]digest.DigestState{m.DigestID: digest.DigestLeft,
			second.DigestID: digest.DigestActive, ada.ID: digest.DigestActive} {
			want(w, fmt.Sprint("digest ", id), must(w.Readers.Digest(w.ctx, id)).State, state)
		}
		oneLine(w, err3(w.Members.Join(w.ctx, n.ID, store.Joining{Email: "ada@example.org", TimeZone: "UTC"},
			parisMidnight)), digest.Conflict)
		w.holds("and why is known", 1, `SELECT count(*) FROM newsletter_suppressions WHERE reason = 'complained'`)
	})
}

// TestHoldTroubled: a newsletter with too many bounces is held. After a person releases it, earlier bounces do not
// count.
func TestHoldTroubled(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("anna.example")
		anna := w.reader("anna", "Pacific/Auckland") // in the next day already
		n, other := w.newsletter("anna-writes", anna, f), w.newsletter("anna-draws", anna, f)
		for i := range 6 {
			w.member(n, fmt.Sprintf("m%d@example.org", i), "Europe/Paris")
			w.member(other, fmt.Sprintf("m%d@example.org", i), "Europe/Paris")
		}
		w.posted(f, "p")
		w.hour(parisMidnight)
		letters := w.send(parisMidnight)
		now := parisMidnight.Add(30 * time.Minute)
		spoil := func(most int) {
			for _, e := range letters {
				if most > 0 && e.Newsletter.ID == n.ID {
					w.bounced(now, e.ID, digest.HardBounce)
					most--
				}
			}
		}
		held := func(want int, why string) []store.HeldNewsletter {
			w.Helper()
			all := must(w.Newsletters.HoldTroubled(w.ctx, now))
			if len(all) != want {
				w.Errorf("%s: held %v", why, all)
			}
			return all
		}
		spoil(4)
		held(0, "four of six, which a short list may have")
		spoil(5)
		got := held(1, "five of six")[0]
		want(w, "owner", got.Owner, "anna@example.org")
		want(w, "reason", got.HeldReason, "5 of 6 emails bounced, which is more than 5 %")
		stored := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		want(w, "stored", stored.State, digest.NewsletterHeld)
		want(w, "with why", stored.HeldReason, got.HeldReason)
		held(0, "it is held already")
		w.setNewsletter(n, digest.NewsletterActive, "", now)
		held(0, "what was before the release")
		w.exec(`UPDATE newsletters SET counted_from = ''`)
		w.setNewsletter(n, digest.NewsletterHeld, digest.HeldByPublisher, now)
		w.setNewsletter(n, digest.NewsletterActive, "", now)
		held(1, "held and released by the publisher, whose word begins no new count")
		w.setNewsletter(n, digest.NewsletterActive, "", now)
		now = now.Add(40 * day)
		held(0, "long ago")
	})
}
