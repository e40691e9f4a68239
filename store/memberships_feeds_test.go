package store_test

import (
	"testing"
	"time"

	"digest"
)

// shared describes a user's shared feeds; + marks those that appear only in the newsletter.
func (w world) shared(user digest.UserID) (said string) {
	w.Helper()
	all := must(w.Members.SharedFeeds(w.ctx, user))
	for _, f := range all {
		if said != "" {
			said += " "
		}
		if f.Once {
			said += "+"
		}
		said += f.Title
	}
	return said
}

// TestSiteFollowedTwice: a shared site appears once if its reader wants. No post is lost when they leave the
// newsletter, or the newsletter drops the feed.
func TestSiteFollowedTwice(t *testing.T) {
	each(t, func(w world) {
		f, own := w.feed("f.example"), w.feed("own.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		mo := w.reader("mo")
		w.subscribe(mo, f)
		w.subscribe(mo, own)
		w.posted(f, "before")
		m := w.member(n, "mo@example.org", "Europe/Paris")
		letter := digest.Digest{ID: m.DigestID}
		want(w, "at first", w.shared(mo.UserID), "f.example")
		other := w.reader("other")
		for why, err := range map[string]error{
			"another's":           w.Members.ReadInLetter(w.ctx, other.UserID, m.DigestID, f.ID),
			"a feed of one's own": w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, own.ID),
			"no newsletter":       w.Members.ReadInLetter(w.ctx, mo.UserID, mo.ID, f.ID),
		} {
			want(w, why, digest.KindOf(err), digest.NotFound)
		}
		w.ok(w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, f.ID))
		want(w, "wished", w.shared(mo.UserID), "+f.example")
		w.record(noon.Add(time.Minute), own, posts(noon, "mine"))
		w.record(noon.Add(time.Minute), f, posts(noon, "p"))
		want(w, "waits in the own digest", w.waiting(mo), "mine")
		want(w, "waits for the letter", w.waiting(letter), "before p")
		w.hour(parisMidnight)
		for _, e := range w.claimsAt(parisMidnight) {
			w.mark(parisMidnight, e.Token, digest.Mark{ID: e.ID, State: digest.EditionSent})
		}
		w.record(noon.Add(day), f, posts(noon.Add(day), "q"))
		w.ok(w.Members.ReadInBoth(w.ctx, mo.UserID, m.DigestID, f.ID))
		w.record(noon.Add(day+time.Minute), f, posts(noon.Add(day), "r"))
		want(w, "in both again", w.waiting(mo), "r")
		w.hour(parisMidnight.Add(day))

		w.ok(w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, f.ID))
		w.record(noon.Add(2*day), f, posts(noon.Add(2*day), "s"))
		want(w, "waits in the own digest", w.waiting(mo), "")
		w.ok(w.Readers.SetDigestState(w.ctx, m.DigestID, digest.DigestLeft, noon.Add(2*day)))
		want(w, "after leaving, with what was not mailed", w.waiting(mo), "q s")
		w.record(noon.Add(2*day+time.Hour), f, posts(noon.Add(2*day), "t"))
		want(w, "and on", w.waiting(mo), "q s t")
		w.hour(parisMidnight.Add(2 * day))
		want(w, "all of it", w.editions(mo), "2026-11-20 mine; 2026-11-21 r; 2026-11-22 q s t")
	})
}

// TestFeedOfLettersGoes: a feed that appears only in a newsletter returns to the own digest when the newsletter drops
// it.
func TestFeedOfLettersGoes(t *testing.T) {
	each(t, func(w world) {
		f, other := w.feed("f.example"), w.feed("other.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f, other)
		mo := w.reader("mo")
		w.subscribe(mo, f)
		w.subscribe(mo, other)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		for _, feed := range []digest.Feed{f, other} {
			w.ok(w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, feed.ID))
			w.posted(feed, "p of "+feed.Title)
		}
		w.ok(w.Newsletters.RemoveNewsletterFeed(w.ctx, n.ID, f.ID))
		want(w, "waits", w.waiting(mo), "p of f.example")
		want(w, "the other", w.shared(mo.UserID), "+other.example")
		w.resumeFeed(mo, other, noon)
		want(w, "resumed by hand", w.shared(mo.UserID), "other.example")
	})
}

// TestFeedOfALetterThatWaitsGoes: a post in a released but unsent issue appears only there.
func TestFeedOfALetterThatWaitsGoes(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		mo := w.reader("mo")
		w.subscribe(mo, f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, f.ID))
		w.posted(f, "p")
		w.hour(parisMidnight)
		w.ok(w.Newsletters.RemoveNewsletterFeed(w.ctx, n.ID, f.ID))
		want(w, "waits", w.waiting(mo), "")
		w.record(noon.Add(day), f, posts(noon.Add(day), "q"))
		want(w, "the next one", w.waiting(mo), "q")
	})
}

// TestLettersPausedWithoutEnd: while the membership is paused without an end, the site appears in the own digest.
func TestLettersPausedWithoutEnd(t *testing.T) {
	each(t, func(w world) {
		f := w.feed("f.example")
		n := w.newsletter("anna-writes", w.reader("anna"), f)
		mo := w.reader("mo")
		w.subscribe(mo, f)
		m := w.member(n, "mo@example.org", "Europe/Paris")
		w.ok(w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, f.ID))
		w.ok(w.Readers.PauseDigest(w.ctx, m.DigestID, parisMidnight.Add(7*day), noon))
		want(w, "for a week, of which nothing is lost", w.shared(mo.UserID), "+f.example")
		w.ok(w.Readers.PauseDigest(w.ctx, m.DigestID, time.Time{}, noon))
		want(w, "without an end", w.shared(mo.UserID), "")
		oneLine(w, w.Members.ReadInLetter(w.ctx, mo.UserID, m.DigestID, f.ID), digest.NotFound)
		w.posted(f, "p")
		want(w, "waits in the own digest", w.waiting(mo), "p")
	})
}
