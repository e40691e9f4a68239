package main

import (
	"errors"

	"digest"
	"digest/mailer"
	"digest/render"
	"digest/store"
)

// tellHeld mails the owner of a newsletter, and whoever runs this, that it was held because of what
// became of its letters.
func (a *app) tellHeld(st *store.Store) func(store.HeldNewsletter) error {
	return func(n store.HeldNewsletter) error {
		var failed error
		for _, to := range []string{n.Owner, a.Contact} {
			if to == "" {
				continue
			}
			failed = errors.Join(failed, a.mailOne(st, a.heldLetter(n, to)))
		}
		return failed
	}
}

func (a *app) heldLetter(n store.HeldNewsletter, to string) mailer.Letter {
	words := render.LetterContent{
		Title: digest.OneLine(n.Name) + " is held",
		Text: []string{
			"Nothing of the newsletter leaves any more: " + n.HeldReason + ".",
			"What is due gathers, and comes with the first letter after whoever runs this has released it. Who called a letter spam, or whose address is gone, gets no more of them.",
		},
		Action: "See how it stands", URL: a.BaseURL + "/newsletters/" + n.Slug,
		Aside: []string{"So many mostly come of a list of people who did not ask for it, or who asked long ago. Mailbox providers treat all mail from here by such numbers."},
		Name:  render.DefaultName, HomeURL: a.BaseURL + "/", PostalAddress: a.PostalAddress,
	}
	return mailer.Letter{To: to, Date: a.now(), Subject: words.Title, HTML: words.HTML(), Text: words.PlainText()}
}
