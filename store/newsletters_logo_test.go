package store_test

import (
	"fmt"
	"testing"
	"time"

	"digest"
)

// TestNewsletterLogo: a newsletter has the newest logo. A few former ones stay for issues that were sent, and other
// newsletters' logos do not change. A removed logo is deleted.
func TestNewsletterLogo(t *testing.T) {
	each(t, func(w world) {
		anna := w.reader("anna", "UTC")
		n, other := w.newsletter("anna-writes", anna, w.feed("a.example")),
			w.newsletter("other", anna, w.feed("b.example"))
		logo := func(i int) digest.Logo {
			return digest.Logo{LogoFile: fmt.Sprintf("logo-%02d.png", i), LogoWidth: 200 + i, LogoHeight: 50,
				LogoClear: i%2 == 0}
		}
		set := func(id digest.NewsletterID, i int) {
			w.ok(w.Newsletters.SetNewsletterLogo(w.ctx, id, logo(i), []byte{byte(i)},
				noon.Add(time.Duration(i)*time.Minute)))
		}
		set(other.ID, 0)
		for i := range 12 {
			set(n.ID, i)
		}
		set(n.ID, 4) // again, and before the newest
		got := must(w.Newsletters.Newsletter(w.ctx, n.ID))
		want(w, "its logo", got.Logo, logo(4))
		for i := range 12 {
			picture, err := w.Newsletters.NewsletterLogo(w.ctx, n.ID, logo(i).LogoFile)
			if i < 2 {
				oneLine(w, err, digest.NotFound)
				continue
			}
			w.ok(err)
			wantDiff(w, "kept", picture, []byte{byte(i)})
		}
		got.Name = "Anna writes"
		w.ok(w.Newsletters.SetNewsletter(w.ctx, got, noon))
		got = must(w.Newsletters.Newsletter(w.ctx, n.ID))
		want(w, "its logo after a change", got.Logo, logo(4))

		w.ok(w.Newsletters.RemoveNewsletterLogo(w.ctx, n.ID))
		got = must(w.Newsletters.Newsletter(w.ctx, n.ID))
		want(w, "its logo", got.Logo, digest.Logo{})
		oneLine(w, err2(w.Newsletters.NewsletterLogo(w.ctx, n.ID, logo(11).LogoFile)), digest.NotFound)
		must(w.Newsletters.NewsletterLogo(w.ctx, other.ID, logo(0).LogoFile))

		w.setNewsletter(other, digest.NewsletterEnded, "", noon)
		w.ok(w.Newsletters.RemoveNewsletter(w.ctx, other.ID))
		oneLine(w, err2(w.Newsletters.NewsletterLogo(w.ctx, other.ID, logo(0).LogoFile)), digest.NotFound)
		oneLine(w, w.Newsletters.SetNewsletterLogo(w.ctx, other.ID, logo(1), nil, noon), digest.NotFound)
		oneLine(w, w.Newsletters.RemoveNewsletterLogo(w.ctx, other.ID), digest.NotFound)
	})
}
