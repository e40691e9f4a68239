package main

import (
	"strings"

	"digest"
	"digest/mailer"
	"digest/store"
)

type newsletterTestCmd struct {
	slugArg
	Email  string        `arg:"" optional:"" help:"The owner or an editor (the owner)."`
	Layout digest.Layout `type:"word" words:"headlines,excerpts,full" placeholder:"LAYOUT" env:"-" help:"Use another layout: headlines, excerpts or full."`
}

// Run emails the issue of the owner's next midnight to one publisher as a test. It changes nothing.
func (c *newsletterTestCmd) Run(a *app) error {
	return a.withPolls(func(st *store.Store) error {
		n, archive, decided, err := a.nextOf(st, c.Slug)
		if err != nil {
			return err
		}
		to, err := a.publisher(st, n, c.Email)
		if err != nil {
			return err
		}
		signer, err := a.signer(st)
		if err != nil {
			return err
		}
		l, err := a.editions(st, signer).TestLetter(a.soft, archive, n, decided, c.Layout,
			mailer.NewsletterFrom(n, a.From, a.AccountFrom), to)
		if err != nil {
			return err
		}
		l.Date = a.now()
		if err := a.mailOne(st, l); err != nil {
			return err
		}
		return a.say(map[string]string{"slug": n.Slug, "email": to, "date": decided.LocalDate.String()},
			"sent the next issue of %s as a test to %s", decided.LocalDate, to)
	})
}

// publisher returns the address of the named publisher, or of the owner. Only publishers may see unpublished issues.
func (a *app) publisher(st *store.Store, n digest.Newsletter, email string) (string, error) {
	all, err := st.Newsletters.Publishers(a.soft, n.ID)
	if err != nil {
		return "", err
	}
	var known []string
	for _, p := range all { // the owner first
		if email == "" || digest.EmailKey(email) == digest.EmailKey(p.Email) {
			return p.Email, nil
		}
		known = append(known, p.Email)
	}
	return "", digest.Errorf(digest.Invalid,
		"%s does not publish %s; a test can go to %s", plain(email), n.Slug, strings.Join(known, " or "))
}

func (a *app) transport() (mailer.Transport, error) {
	return mailer.Open(a.Mail, mailer.Options{PerConn: a.MailPerConnection})
}

// mailOne sends one email immediately, without the queue of editions.
func (a *app) mailOne(st *store.Store, l mailer.Letter) error {
	why, suppressed, err := st.Editions.Suppressed(a.soft, l.To)
	if err != nil {
		return err
	}
	if suppressed {
		return digest.Errorf(digest.Conflict,
			"digest sends no email to %s (%s); see: digest suppressions list", l.To, why.Reason)
	}
	transport, err := a.transport()
	if err != nil {
		return err
	}
	defer transport.Close()
	return a.sender(st, transport).Send(a.soft, l)
}
