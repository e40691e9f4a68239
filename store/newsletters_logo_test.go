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
			w.ok(w.Newsletters.SetNewsletterLogo(w.ctx(), id, logo(i), []byte{byte(i)},
				noon.Add(time.Duration(i)*time.Minute)))
		}
		set(other.ID, 0)
		for i := range 12 {
			set(n.ID, i)
		}
		set(n.ID, 4) // again, and before the newest
		got, err := w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "its logo", got.Logo, logo(4))
		for i := range 12 {
			picture, err := w.Newsletters.NewsletterLogo(w.ctx(), n.ID, logo(i).LogoFile)
			if i < 2 {
				oneLine(w.t, err, digest.NotFound)
				continue
			}
			w.ok(err)
			wantDiff(w.t, "kept", picture, []byte{byte(i)})
		}
		got.Name = "Anna writes"
		w.ok(w.Newsletters.SetNewsletter(w.ctx(), got, noon))
		got, err = w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "its logo after a change", got.Logo, logo(4))

		w.ok(w.Newsletters.RemoveNewsletterLogo(w.ctx(), n.ID))
		got, err = w.Newsletters.Newsletter(w.ctx(), n.ID)
		w.ok(err)
		want(w.t, "its logo", got.Logo, digest.Logo{})
		_, err = w.Newsletters.NewsletterLogo(w.ctx(), n.ID, logo(11).LogoFile)
		oneLine(w.t, err, digest.NotFound)
		_, err = w.Newsletters.NewsletterLogo(w.ctx(), other.ID, logo(0).LogoFile)
		w.ok(err)

		w.ok(w.Newsletters.SetNewsletterState(w.ctx(), other.ID, digest.NewsletterEnded, "", noon))
		w.ok(w.Newsletters.RemoveNewsletter(w.ctx(), other.ID))
		_, err = w.Newsletters.NewsletterLogo(w.ctx(), other.ID, logo(0).LogoFile)
		oneLine(w.t, err, digest.NotFound)
		oneLine(w.t, w.Newsletters.SetNewsletterLogo(w.ctx(), other.ID, logo(1), nil, noon), digest.NotFound)
		oneLine(w.t, w.Newsletters.RemoveNewsletterLogo(w.ctx(), other.ID), digest.NotFound)
	})
}
