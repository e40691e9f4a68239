package store_test

import (
	"testing"

	"digest"
)

func TestSettings(t *testing.T) {
	each(t, func(w world) {
		d, other := w.reader("ann"), w.reader("bob")
		chosen := digest.Pages{Direction: digest.RightToLeft, Player: true, Theme: digest.DarkTheme,
			TypeSize: digest.Largest}
		w.ok(w.Readers.SetPages(w.ctx, d.UserID, chosen))
		ann := must(w.Readers.UserByEmail(w.ctx, "ann@example.org"))
		want(w, "pages", ann.Pages, chosen)
		bob := must(w.Readers.UserByEmail(w.ctx, "bob@example.org"))
		want(w, "another's pages", bob.Pages, digest.UsualPages())

		w.ok(w.Readers.SetLanguage(w.ctx, d.UserID, "ar"))
		ann = must(w.Readers.UserByEmail(w.ctx, "ann@example.org"))
		want(w, "language", ann.Language, "ar")
		want(w, "another's language", bob.Language, "")
		oneLine(w, w.Readers.SetLanguage(w.ctx, other.UserID+9, "de"), digest.NotFound)

		oneLine(w, w.Readers.SetPages(w.ctx, d.UserID, digest.Pages{Direction: "up"}), digest.Invalid)
		oneLine(w, w.Readers.SetPages(w.ctx, other.UserID+9, digest.UsualPages()), digest.NotFound)
	})
}

// TestArrangement: email has its own grouping, and pages may have another.
func TestArrangement(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		a := digest.Arrangement{Grouping: digest.BySites, WebLayout: digest.FullText, WebGrouping: digest.ByFolders,
			WebImages: digest.NoImages, ReadHere: true}
		w.ok(w.Readers.SetArrangement(w.ctx, ada.ID, a))
		want(w, "arrangement", w.again(ada).Arrangement, a)
		want(w, "another's", w.again(bob).Arrangement, bob.Arrangement)
		f := w.feed("f.example")
		w.subscribe(ada, f)
		w.posted(f, "p")
		w.hour(parisMidnight)
		mail := w.claimEditions(parisMidnight, 1, "t")[0]
		want(w, "grouping of the mail", mail.Grouping, digest.BySites)
		want(w, "look of the mail", mail.Look, ada.Look)
		page := w.again(ada).Delivery(mail.Edition)
		want(w, "grouping of the page", page.Grouping, digest.ByFolders)
		want(w, "look of the page", page.Look, digest.Look{Layout: digest.FullText, Images: digest.NoImages})
		asInMail := w.again(bob).Delivery(mail.Edition)
		want(w, "grouping as in the mail", asInMail.Grouping, digest.ByFolders)
		want(w, "look as in the mail, with pictures", asInMail.Look,
			digest.Look{Layout: bob.Layout, Images: digest.ProxiedImages})
		oneLine(w, w.Readers.SetArrangement(w.ctx, ada.ID, digest.Arrangement{}), digest.Invalid)
		oneLine(w, w.Readers.SetArrangement(w.ctx, 99, a), digest.NotFound)
	})
}

// A zone may disappear from the database of zones. Its readers can still move to another, and leave.
func TestZoneThatIsNoMore(t *testing.T) {
	each(t, func(w world) {
		ada, bob := w.two()
		w.pause(ada, parisMidnight.Add(7*day), noon)
		w.exec(`UPDATE users SET time_zone = 'Europe/Atlantis'`)
		w.setState(bob, digest.DigestLeft, noon)
		want(w, "left", w.again(bob).State, digest.DigestLeft)
		w.setZone(ada, "Asia/Tokyo", noon)
		want(w, "elsewhere", w.again(ada).TimeZone, "Asia/Tokyo")
	})
}
