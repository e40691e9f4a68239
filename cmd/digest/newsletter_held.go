package main

import (
	"context"
	"errors"

	"digest"
	"digest/internal/catalogue"
	"digest/mailer"
	"digest/render"
	"digest/store"
	"digest/web/operator"
)

// tellHeld returns a function that emails the owner of a newsletter and the operator when bounces or complaints hold
// it.
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

func (c newsletterApproveCmd) Run(a *app, st *store.Store) error {
	n, err := a.pendingNewsletter(st, c.Slug)
	if err == nil && n.NamesWait() {
		if err := st.Newsletters.DecideNames(a.soft, n.Newsletter, true); err != nil {
			return err
		}
		a.tellAsker(st, n.Owner, operator.NamesApprovedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Wanted()))
		return a.sayNewsletter(st, c.Slug)
	}
	if err == nil {
		err = st.Newsletters.ChangeNewsletterState(a.soft, n.Newsletter, digest.NewsletterActive, "", a.now())
	}
	if err != nil {
		return err
	}
	a.tellAsker(st, n.Owner, operator.ApprovedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Newsletter))
	return a.sayNewsletter(st, c.Slug)
}

type newsletterRefuseCmd struct {
	slugArg
	Reason string `arg:"" help:"The reason, in one line; an email sends it to the requester."`
}

// Run removes a newsletter that waits, or rejects its names, and notifies its owner of the reason.
func (c newsletterRefuseCmd) Run(a *app, st *store.Store) error {
	reason := digest.Shortened(digest.OneLine(c.Reason), operator.MostReason)
	if reason == "" {
		return digest.Errorf(digest.Invalid, "write the reason in one line; an email sends it to the requester")
	}
	n, err := a.pendingNewsletter(st, c.Slug)
	if err == nil && n.NamesWait() {
		if err := st.Newsletters.DecideNames(a.soft, n.Newsletter, false); err != nil {
			return err
		}
		a.tellAsker(st, n.Owner, operator.NamesRefusedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Newsletter,
			reason))
		return a.say(map[string]any{"slug": c.Slug, "refused": true}, "%s keeps its name", c.Slug)
	}
	if err == nil {
		err = st.Newsletters.RefuseNewsletter(a.soft, n.ID)
	}
	if err != nil {
		return err
	}
	a.tellAsker(st, n.Owner, operator.RefusedLetter(languageTo(a.soft, st, n.Owner), a.BaseURL, n.Newsletter, reason))
	return a.say(map[string]any{"slug": c.Slug, "refused": true}, "refused and removed %s", c.Slug)
}

type newsletterLimitCmd struct {
	slugArg
	Members int `arg:"" from:"0" to:"10000000" example:"1000" help:"Maximum number of members; 0: no limit. Existing members stay."`
}

func (c newsletterLimitCmd) Run(a *app, st *store.Store, n digest.Newsletter) error {
	if err := st.Newsletters.SetMemberLimit(a.soft, n.ID, c.Members); err != nil {
		return err
	}
	return a.sayNewsletter(st, c.Slug)
}

// pendingNewsletter returns a newsletter that waits for approval, or whose names do.
func (a *app) pendingNewsletter(st *store.Store, slug string) (store.NewsletterInfo, error) {
	n, err := a.newsletterInfo(st, slug)
	if err == nil && n.State != digest.NewsletterPending && !n.NamesWait() {
		err = digest.Errorf(digest.Conflict, "%s is %s; it does not wait for approval", slug, n.State)
	}
	return n, err
}

// tellAsker emails the decision to the person who requested a newsletter. The decision is stored even if the email
// fails.
func (a *app) tellAsker(st *store.Store, to string, words render.LetterContent) {
	if err := a.mailOne(st, a.plainLetter(to, words)); err != nil {
		a.log.Warn("cannot email the publisher", "err", err)
	}
}

// plainLetter returns an email of this instance that is not an edition.
func (a *app) plainLetter(to string, words render.LetterContent) mailer.Letter {
	words.Name, words.HomeURL, words.PostalAddress = render.DefaultName, a.BaseURL+"/", a.PostalAddress
	return mailer.Letter{To: to, Date: a.now(), Subject: words.Title, Language: catalogue.Of(words.Language).Code,
		HTML: words.HTML(), Text: words.PlainText()}
}

// languageTo returns the language for emails to an address; English if it is unknown.
func languageTo(ctx context.Context, st *store.Store, email string) *catalogue.Language {
	// The user stays zero if the address is unknown or the database fails.
	u, _ := st.Readers.UserByEmail(ctx, email)
	return catalogue.Of(u.Language)
}

func (a *app) heldLetter(l *catalogue.Language, n store.HeldNewsletter, to string) mailer.Letter {
	words := render.LetterContent{
		Language: l.Code,
		Title:    catalogue.Key("%s is on hold").With(digest.OneLine(n.Name)).In(l),
		Text: []string{
			catalogue.Key("We have stopped sending the newsletter: %s.").With(catalogue.HoldReason(n.HeldReason)).In(l),
			catalogue.Key("We keep collecting new posts. Members get them in the first issue after the operator resumes the newsletter. Members who marked an email as spam, or whose address no longer exists, won’t get any more issues.").In(l),
		},
		Action: catalogue.Key("Open newsletter").In(l), URL: a.BaseURL + "/newsletters/" + n.Slug,
		Aside: []string{catalogue.Key(
			"Numbers this high usually mean that people on the list never subscribed, or subscribed long ago. High numbers make mailbox providers distrust all email from this site.").In(l)},
	}
	return a.plainLetter(to, words)
}
