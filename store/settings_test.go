package store_test

import (
	"testing"

	"digest"
)

func TestSettings(t *testing.T) {
	each(t, func(w world) {
		d, other := w.reader("ann", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		chosen := digest.Pages{Direction: digest.RightToLeft, Player: true, Theme: digest.DarkTheme,
			TypeSize: digest.Largest}
		w.ok(w.Readers.SetPages(w.ctx(), d.UserID, chosen))
		ann, err := w.Readers.UserByEmail(w.ctx(), "ann@example.org")
		w.ok(err)
		want(w.t, "pages", ann.Pages, chosen)
		bob, err := w.Readers.UserByEmail(w.ctx(), "bob@example.org")
		w.ok(err)
		want(w.t, "another's pages", bob.Pages, digest.UsualPages())

		w.ok(w.Readers.SetLanguage(w.ctx(), d.UserID, "ar"))
		ann, err = w.Readers.UserByEmail(w.ctx(), "ann@example.org")
		w.ok(err)
		want(w.t, "language", ann.Language, "ar")
		want(w.t, "another's language", bob.Language, "")
		want(w.t, "nobody's language", digest.KindOf(w.Readers.SetLanguage(w.ctx(), other.UserID+9, "de")),
			digest.NotFound)

		want(w.t, "a direction that is none",
			digest.KindOf(w.Readers.SetPages(w.ctx(), d.UserID, digest.Pages{Direction: "up"})), digest.Invalid)
		want(w.t, "nobody's pages", digest.KindOf(w.Readers.SetPages(w.ctx(), other.UserID+9, digest.UsualPages())),
			digest.NotFound)
	})
}

// TestArrangement: email has its own grouping, and pages may have another.
func TestArrangement(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		a := digest.Arrangement{Grouping: digest.BySites, WebLayout: digest.FullText, WebGrouping: digest.ByFolders,
			WebImages: digest.NoImages}
		w.ok(w.Readers.SetArrangement(w.ctx(), ada.ID, a))
		want(w.t, "arrangement", w.again(ada).Arrangement, a)
		want(w.t, "another's", w.again(bob).Arrangement, bob.Arrangement)
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.record(noon, f, posts(noon, "p"))
		w.hour(parisMidnight)
		mail := w.claimEditions(parisMidnight, 1, "t")[0]
		want(w.t, "grouping of the mail", mail.Grouping, digest.BySites)
		want(w.t, "look of the mail", mail.Look, ada.Look)
		page := w.again(ada).Delivery(mail.Edition)
		want(w.t, "grouping of the page", page.Grouping, digest.ByFolders)
		want(w.t, "look of the page", page.Look, digest.Look{Layout: digest.FullText, Images: digest.NoImages})
		asInMail := w.again(bob).Delivery(mail.Edition)
		want(w.t, "grouping as in the mail", asInMail.Grouping, digest.ByFolders)
		want(w.t, "look as in the mail, with pictures", asInMail.Look,
			digest.Look{Layout: bob.Layout, Images: digest.ProxiedImages})
		oneLine(w.t, w.Readers.SetArrangement(w.ctx(), ada.ID, digest.Arrangement{}), digest.Invalid)
		oneLine(w.t, w.Readers.SetArrangement(w.ctx(), 99, a), digest.NotFound)
	})
}

// A zone may disappear from the database of zones. Its readers can still move to another, and leave.
func TestZoneThatIsNoMore(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.reader("ada", "Europe/Paris"), w.reader("bob", "Europe/Paris")
		w.ok(w.Readers.PauseDigest(w.ctx(), ada.ID, parisMidnight.Add(7*day), noon))
		w.ok(w.Exec(w.ctx(), `UPDATE users SET time_zone = 'Europe/Atlantis'`))
		w.ok(w.Readers.SetDigestState(w.ctx(), bob.ID, digest.DigestLeft, noon))
		want(w.t, "left", w.again(bob).State, digest.DigestLeft)
		w.ok(w.Readers.SetTimeZone(w.ctx(), ada.UserID, "Asia/Tokyo", noon))
		want(w.t, "elsewhere", w.again(ada).TimeZone, "Asia/Tokyo")
	})
}
