package main

import (
	"context"
	"errors"
	"fmt"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
	"digest/store"
	"digest/web"
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
			failed = errors.Join(failed, a.mailOne(st, a.heldLetter(languageTo(a.soft, st, to), n, to)))
		}
		return failed
	}
}

type newsletterApproveCmd struct{ slugArg }

// Run approves a newsletter that waits, or its names, and notifies its owner.
func (c newsletterApproveCmd) Run(a *app, st *store.Store) error {
	n, err := a.pendingNewsletter(st, c.Slug)
	if err == nil && n.NamesWait() {
		if err := st.DecideNames(a.soft, n.Newsletter, true); err != nil {
			return err
		}
		a.tellAsker(st, n.Owner, web.NamesApprovedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Wanted()))
		return a.sayNewsletter(st, c.Slug)
	}
	if err == nil {
		err = st.ChangeNewsletterState(a.soft, n.Newsletter, digest.NewsletterActive, "", a.now())
	}
	if err != nil {
		return err
	}
	a.tellAsker(st, n.Owner, web.ApprovedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Newsletter))
	return a.sayNewsletter(st, c.Slug)
}

type newsletterRefuseCmd struct {
	slugArg
	Reason string `arg:"" help:"Why, in one line: who asked for it is told."`
}

// Run removes a newsletter that waits, or refuses its names, and tells its owner why.
func (c newsletterRefuseCmd) Run(a *app, st *store.Store) error {
	reason := digest.Shortened(digest.OneLine(c.Reason), web.MostReason)
	if reason == "" {
		return &digest.Error{Kind: digest.Invalid, Message: "say in one line why: who asked for it is told"}
	}
	n, err := a.pendingNewsletter(st, c.Slug)
	if err == nil && n.NamesWait() {
		if err := st.DecideNames(a.soft, n.Newsletter, false); err != nil {
			return err
		}
		a.tellAsker(st, n.Owner, web.NamesRefusedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Newsletter, reason))
		return a.say(map[string]any{"slug": c.Slug, "refused": true}, "%s keeps its name", c.Slug)
	}
	if err == nil {
		err = st.RefuseNewsletter(a.soft, n.ID)
	}
	if err != nil {
		return err
	}
	a.tellAsker(st, n.Owner, web.RefusedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Newsletter, reason))
	return a.say(map[string]any{"slug": c.Slug, "refused": true}, "refused %s; nothing of it is kept", c.Slug)
}

type newsletterLimitCmd struct {
	slugArg
	Members int `arg:"" from:"0" to:"10000000" example:"1000" help:"So many at most; 0: as many as come. Who is a member stays so."`
}

// Run limits a newsletter.
func (c newsletterLimitCmd) Run(a *app, st *store.Store) error {
	n, err := st.NewsletterBySlug(a.soft, c.Slug)
	if err == nil {
		err = st.SetMemberLimit(a.soft, n.ID, c.Members)
	}
	if err != nil {
		return err
	}
	return a.sayNewsletter(st, c.Slug)
}

// pendingNewsletter returns a newsletter that waits for approval, or whose names do.
func (a *app) pendingNewsletter(st *store.Store, slug string) (store.NewsletterInfo, error) {
	n, err := a.newsletterInfo(st, slug)
	if err == nil && n.State != digest.NewsletterPending && !n.NamesWait() {
		err = &digest.Error{Kind: digest.Conflict, Message: fmt.Sprintf("%s is %s; it does not wait to be approved", slug, n.State)}
	}
	return n, err
}

// tellAsker mails who asked for a newsletter what became of it. What is decided stands, whether
// the mail leaves or not.
func (a *app) tellAsker(st *store.Store, to string, words render.LetterContent) {
	if err := a.mailOne(st, a.plainLetter(to, words)); err != nil {
		a.log.Warn("the publisher could not be told", "err", err)
	}
}

// plainLetter is a letter of this instance's that is no edition.
func (a *app) plainLetter(to string, words render.LetterContent) mailer.Letter {
	words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, a.BaseURL+"/", a.PostalAddress
	return mailer.Letter{To: to, Date: a.now(), Subject: words.Title, Language: catalogue.Of(words.Language).Code, HTML: words.HTML(), Text: words.PlainText()}
}

// languageTo is the language in which whoever has an address is spoken to; English where that is not known.
func languageTo(ctx context.Context, st *store.Store, email string) *catalogue.Language {
	u, _ := st.UserByEmail(ctx, email) // nobody of that address, or the database does not answer
	return catalogue.Of(u.Language)
}

func (a *app) heldLetter(l *catalogue.Language, n store.HeldNewsletter, to string) mailer.Letter {
	words := render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is held").With(digest.OneLine(n.Name)).In(l),
		Text: []string{
			catalogue.Key("Nothing of the newsletter leaves any more: %s.").With(catalogue.HoldReason(n.HeldReason)).In(l),
			catalogue.Key("What is due gathers, and comes with the first letter after whoever runs this has released it. Who called a letter spam, or whose address is gone, gets no more of them.").In(l),
		},
		Action: catalogue.Key("See how it stands").In(l), URL: a.BaseURL + "/newsletters/" + n.Slug,
		Aside: []string{catalogue.Key("So many mostly come of a list of people who did not ask for it, or who asked long ago. Mailbox providers treat all mail from here by such numbers.").In(l)},
	}
	return a.plainLetter(to, words)
}
