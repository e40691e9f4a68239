package store_test

import (
	"testing"

	"digest"
)

func TestSettings(t *testing.T) {
	each(t, func(w world) {
		d, other := w.reader("ann", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		w.ok(w.SetPages(w.ctx(), d.UserID, digest.RightToLeft, false, true))
		ann, err := w.UserByEmail(w.ctx(), "ann@example.org")
		w.ok(err)
		want(w.t, "direction", ann.Direction, digest.RightToLeft)
		want(w.t, "shortcuts", ann.Shortcuts, false)
		want(w.t, "player", ann.Player, true)
		bob, err := w.UserByEmail(w.ctx(), "bob@example.org")
		w.ok(err)
		want(w.t, "another's direction", bob.Direction, digest.LeftToRight)
		want(w.t, "another's shortcuts", bob.Shortcuts, true)
		want(w.t, "another's player", bob.Player, false)

		w.ok(w.SetLanguage(w.ctx(), d.UserID, "ar"))
		ann, err = w.UserByEmail(w.ctx(), "ann@example.org")
		w.ok(err)
		want(w.t, "language", ann.Language, "ar")
		want(w.t, "another's language", bob.Language, "")
		want(w.t, "nobody's language", digest.KindOf(w.SetLanguage(w.ctx(), other.UserID+9, "de")), digest.NotFound)

		want(w.t, "a direction that is none", digest.KindOf(w.SetPages(w.ctx(), d.UserID, "up", true, false)), digest.Invalid)
		want(w.t, "nobody's pages", digest.KindOf(w.SetPages(w.ctx(), other.UserID+9, digest.LeftToRight, true, false)), digest.NotFound)
	})
}

// A zone may leave the database of zones: its readers can still go elsewhere, and
// leave.
func TestZoneThatIsNoMore(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		w.ok(w.PauseDigest(w.ctx(), ada.ID, parisMidnight.Add(7*day), noon))
		w.ok(w.Exec(w.ctx(), `UPDATE users SET time_zone = 'Europe/Atlantis'`))
		w.ok(w.SetDigestState(w.ctx(), bob.ID, digest.DigestLeft, noon))
		want(w.t, "left", w.again(bob).State, digest.DigestLeft)
		w.ok(w.SetTimeZone(w.ctx(), ada.UserID, "Asia/Tokyo", noon))
		want(w.t, "elsewhere", w.again(ada).TimeZone, "Asia/Tokyo")
	})
}
